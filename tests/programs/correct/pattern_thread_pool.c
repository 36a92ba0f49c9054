// SPDX-License-Identifier: MIT
// pattern_thread_pool.c - a pool that grows by a thread when all are busy, and is drained at the end.
//
// expect: none
#include "correct.h"

enum { MOST = 3, JOBS = 4 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_t threads[MOST];
static int thread_count, idle, queued, done, closed;

static void *work(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    for (;;) {
        idle++;
        while (queued == 0 && !closed)
            pthread_cond_wait(&changed, &lock);
        idle--;
        if (queued == 0)
            break;
        queued--;
        pthread_mutex_unlock(&lock);
        sched_yield();
        pthread_mutex_lock(&lock);
        done++;
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void submit(void)
{
    pthread_mutex_lock(&lock);
    queued++;
    if (queued > idle && thread_count < MOST)
        threads[thread_count++] = start(work, NULL);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    for (int i = 0; i < JOBS; i++)
        submit();
    pthread_mutex_lock(&lock);
    while (done < JOBS)
        pthread_cond_wait(&changed, &lock);
    closed = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < thread_count; i++)
        join(threads[i]);
    CHECK(done == JOBS && queued == 0);
    return 0;
}
