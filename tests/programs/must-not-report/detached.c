// SPDX-License-Identifier: MIT
// detached.c - detached threads, by attribute and by call; main waits for them by counting.
//
// expect: none
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { THREADS = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_done = PTHREAD_COND_INITIALIZER;
static int running = THREADS;

static void *work(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    if (--running == 0)
        pthread_cond_signal(&all_done);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *work_detaching(void *unused)
{
    assert(pthread_detach(pthread_self()) == 0);
    return work(unused);
}

int main(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    for (int i = 0; i < THREADS; i++) {
        assert(pthread_create(&thread, i < 2 ? &attributes : NULL, i < 3 ? work : work_detaching, NULL) == 0);
        if (i == 2)
            assert(pthread_detach(thread) == 0);
    }
    pthread_attr_destroy(&attributes);
    pthread_mutex_lock(&lock);
    while (running > 0)
        pthread_cond_wait(&all_done, &lock);
    pthread_mutex_unlock(&lock);
    return 0;
}
