// SPDX-License-Identifier: MIT
// refcount_plain.c - two threads give back their references through a counter that is decremented and tested apart.
//
// Shape: W(count) W'(count) R(count)=0 R'(count)=0: both free.
// Why:   the value tested is not the value that this thread's own decrement made.
//
// expect: double-free|use-after-free
// find: random within 50
// find: pct within 50
// cause: a:W(references)@refcount_plain.c:21 << b:W(references)@refcount_plain.c:21 << a:R(references)@refcount_plain.c:22
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int references = 2;
static char *data;

static void *drop(void *unused)
{
    (void)unused;
    atomic_fetch_sub(&references, 1);
    if (atomic_load(&references) == 0) /* should test what fetch_sub returned */
        free(data);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    data = malloc(64);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, drop, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
