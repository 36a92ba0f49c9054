// SPDX-License-Identifier: MIT
// condvar_broadcast.c - a start gun: many wait, one broadcasts; the signal comes outside the lock, which is allowed.
//
// expect: none
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { RUNNERS = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER;
static int started, running;

static void *run(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    while (!started)
        pthread_cond_wait(&go, &lock);
    running++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread[RUNNERS];
    for (int i = 0; i < RUNNERS; i++)
        pthread_create(&thread[i], NULL, run, NULL);
    pthread_mutex_lock(&lock);
    assert(running == 0);
    started = 1;
    pthread_mutex_unlock(&lock);
    pthread_cond_broadcast(&go);
    for (int i = 0; i < RUNNERS; i++)
        pthread_join(thread[i], NULL);
    assert(running == RUNNERS);
    pthread_cond_destroy(&go);
    pthread_mutex_destroy(&lock);
    return 0;
}
