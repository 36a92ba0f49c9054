// SPDX-License-Identifier: MIT
// time_sleeps.c - nanosleep, usleep and clock_nanosleep with an absolute time: the clock has gone on at least so far.
//
// expect: none
#include "correct.h"

static int finished;

static int64_t now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void *work(void *unused)
{
    (void)unused;
    int64_t before = now(CLOCK_MONOTONIC);
    CHECK(nanosleep(&(struct timespec){0, 200000}, NULL) == 0);
    CHECK(now(CLOCK_MONOTONIC) - before >= 200000);
    struct timespec until = in_ms(CLOCK_MONOTONIC, 1);
    CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == 0);
    CHECK(now(CLOCK_MONOTONIC) >= until.tv_sec * 1000000000LL + until.tv_nsec);
    CHECK(usleep(100) == 0);
    __atomic_fetch_add(&finished, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

int main(void)
{
    pthread_t a = start(work, NULL), b = start(work, NULL);
    join(a);
    join(b);
    CHECK(finished == 2);
    return 0;
}
