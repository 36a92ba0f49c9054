// SPDX-License-Identifier: MIT
// timedjoin.c - pthread_timedjoin_np and pthread_clockjoin_np: ETIMEDOUT leaves the thread to be joined.
//
// expect: none
#include "correct.h"

static sem_t go;

static void *work(void *unused)
{
    (void)unused;
    sem_wait(&go);
    return (void *)9;
}

int main(void)
{
    sem_init(&go, 0, 0);
    void *result = NULL;
    pthread_t thread = start(work, NULL);
    struct timespec end = in_ms(CLOCK_REALTIME, 2);
    CHECK(pthread_timedjoin_np(thread, &result, &end) == ETIMEDOUT);
    end = in_ms(CLOCK_MONOTONIC, 2);
    CHECK(pthread_clockjoin_np(thread, &result, CLOCK_MONOTONIC, &end) == ETIMEDOUT);
    sem_post(&go);
    int error;
    do {
        end = in_ms(CLOCK_REALTIME, 100);
        error = pthread_timedjoin_np(thread, &result, &end);
    } while (error == ETIMEDOUT);
    CHECK(error == 0 && result == (void *)9);
    return 0;
}
