// SPDX-License-Identifier: MIT
// barrier_reuse.c - a home-made barrier cannot be used twice.
//
// Shape: a fast thread enters the second round before a slow one has left the first.
// Why:   the waiters look at the counter, and the counter goes on for the next round: a generation number is missing.
//
// expect: deadlock
// find: random within 100
// find: pct within 50
#include <pthread.h>
#include <stddef.h>

enum { THREADS = 2, ROUNDS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;
static int arrived;

static void barrier_wait(void)
{
    pthread_mutex_lock(&lock);
    if (++arrived % THREADS == 0)
        pthread_cond_broadcast(&all_here);
    while (arrived % THREADS != 0)
        pthread_cond_wait(&all_here, &lock);
    pthread_mutex_unlock(&lock);
}

/* Private work that takes far longer than a wake-up. */
static unsigned calculate(unsigned x)
{
    for (int i = 0; i < 1000000; i++)
        x = x * 1103515245u + 12345u;
    return x;
}

static void *work(void *result)
{
    for (int i = 0; i < ROUNDS; i++) {
        barrier_wait();
        *(unsigned *)result = calculate(*(unsigned *)result);
    }
    return NULL;
}

int main(void)
{
    unsigned result[THREADS] = {0};
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, &result[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return result[0] == result[1] ? 0 : 1;
}
