// SPDX-License-Identifier: MIT
// barrier_free_early.c - the first thread that leaves the rendezvous frees it.
//
// Shape: use after free of a synchronisation object: the other thread is still on its way out.
// Why:   "all have arrived" is taken for "all have left".
//
// expect: use-after-free|lock-misuse
// find: random within 50
// find: pct within 50
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct meeting {
    pthread_mutex_t lock;
    pthread_cond_t complete;
    int missing;
};

static void meet(struct meeting *m)
{
    pthread_mutex_lock(&m->lock);
    if (--m->missing == 0)
        pthread_cond_broadcast(&m->complete);
    while (m->missing > 0)
        pthread_cond_wait(&m->complete, &m->lock);
    pthread_mutex_unlock(&m->lock);
}

static void *visitor(void *meeting)
{
    meet(meeting);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    struct meeting *m = malloc(sizeof *m);
    pthread_mutex_init(&m->lock, NULL);
    pthread_cond_init(&m->complete, NULL);
    m->missing = 2;
    pthread_create(&thread, NULL, visitor, m);
    meet(m);
    free(m); /* should wait for the join */
    pthread_join(thread, NULL);
    return 0;
}
