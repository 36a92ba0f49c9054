// SPDX-License-Identifier: MIT
// timed_waits.c - timed waits whose result is looked at: both the time-out and the success are fine.
//
// expect: none
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t tokens;
static int ready;

static struct timespec in_milliseconds(long ms)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += ms * 1000000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

static void *waiter(void *unused)
{
    (void)unused;
    struct timespec end = in_milliseconds(5);
    int error = 0;
    pthread_mutex_lock(&lock);
    while (!ready && error == 0)
        error = pthread_cond_timedwait(&changed, &lock, &end);
    assert(ready || error == ETIMEDOUT);
    pthread_mutex_unlock(&lock);
    end = in_milliseconds(5);
    if (sem_timedwait(&tokens, &end) == -1)
        assert(errno == ETIMEDOUT);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    sem_init(&tokens, 0, 0);
    pthread_create(&thread, NULL, waiter, NULL);
    struct timespec end = in_milliseconds(1000);
    int error = pthread_mutex_timedlock(&lock, &end);
    assert(error == 0 || error == ETIMEDOUT);
    if (error == 0) {
        ready = 1;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    sem_post(&tokens);
    end = in_milliseconds(1);
    error = pthread_timedjoin_np(thread, NULL, &end);
    assert(error == 0 || error == ETIMEDOUT);
    if (error != 0)
        pthread_join(thread, NULL);
    return 0;
}
