// SPDX-License-Identifier: MIT
// lostwake_wrong_waiter.c - producers and consumers wait on one condition and are woken one at a time.
//
// Shape: lost wake-up: the signal for a consumer goes to a producer, which goes back to sleep with it.
// Why:   one condition variable for two predicates needs broadcast, not signal.
//
// expect: deadlock
// find: random within 500
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int full; /* a buffer of one element */

static void *produce(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    while (full)
        pthread_cond_wait(&changed, &lock);
    full = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *consume(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    while (!full)
        pthread_cond_wait(&changed, &lock);
    full = 0;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, i % 2 == 0 ? produce : consume, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    return full;
}
