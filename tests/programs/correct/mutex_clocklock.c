// SPDX-License-Identifier: MIT
// mutex_clocklock.c - pthread_mutex_clocklock with both clocks gives the lock or ETIMEDOUT, and nothing else.
//
// expect: none
// tsan: no (it does not know the call)
#include "correct.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter, given_up;

static void *work(void *clock)
{
    clockid_t id = *(clockid_t *)clock;
    struct timespec end = in_ms(id, 20);
    int error = pthread_mutex_clocklock(&lock, id, &end);
    if (error == 0) {
        counter++;
        pthread_mutex_unlock(&lock);
    } else {
        CHECK(error == ETIMEDOUT);
        __atomic_fetch_add(&given_up, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

int main(void)
{
    clockid_t clocks[2] = {CLOCK_MONOTONIC, CLOCK_REALTIME};
    pthread_t a = start(work, &clocks[0]), b = start(work, &clocks[1]);
    join(a);
    join(b);
    CHECK(counter + given_up == 2);
    return 0;
}
