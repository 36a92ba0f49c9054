// SPDX-License-Identifier: MIT
// barrier_reused.c - a barrier is used for many rounds; in each round exactly one thread is the serial one.
//
// expect: none
#include "correct.h"

enum { THREADS = 3, ROUNDS = 4 };
static pthread_barrier_t barrier;
static int arrived[ROUNDS], serial[ROUNDS];

static void *work(void *unused)
{
    (void)unused;
    for (int round = 0; round < ROUNDS; round++) {
        __atomic_fetch_add(&arrived[round], 1, __ATOMIC_RELAXED);
        int result = pthread_barrier_wait(&barrier);
        CHECK(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
        CHECK(__atomic_load_n(&arrived[round], __ATOMIC_RELAXED) == THREADS);
        if (result == PTHREAD_BARRIER_SERIAL_THREAD)
            __atomic_fetch_add(&serial[round], 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        threads[i] = start(work, NULL);
    for (int i = 0; i < THREADS; i++)
        join(threads[i]);
    for (int round = 0; round < ROUNDS; round++)
        CHECK(serial[round] == 1);
    CHECK(pthread_barrier_destroy(&barrier) == 0);
    return 0;
}
