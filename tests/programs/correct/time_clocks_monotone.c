// SPDX-License-Identifier: MIT
// time_clocks_monotone.c - no clock goes back, not even from one thread to another that comes after it.
//
// expect: none
#include "correct.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct timespec last[4];
static const clockid_t clocks[4] = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_PROCESS_CPUTIME_ID};

static void *work(void *unused)
{
    (void)unused;
    for (int i = 0; i < 8; i++) {
        struct timespec t;
        pthread_mutex_lock(&lock);
        CHECK(clock_gettime(clocks[i % 4], &t) == 0);
        struct timespec *before = &last[i % 4];
        CHECK(t.tv_sec > before->tv_sec || (t.tv_sec == before->tv_sec && t.tv_nsec >= before->tv_nsec));
        *before = t;
        pthread_mutex_unlock(&lock);
    }
    CHECK(time(NULL) >= 1 && clock_getres(CLOCK_MONOTONIC, NULL) == 0);
    return NULL;
}

int main(void)
{
    pthread_t a = start(work, NULL), b = start(work, NULL);
    join(a);
    join(b);
    return 0;
}
