// SPDX-License-Identifier: MIT
// clocks.c - sleeping, reading clocks, loops that wait for the clock, timers as descriptors.
#include "io.h"

#include <poll.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <threads.h>

static atomic_int flag;
static int timer;

static long long now(clockid_t clock)
{
    struct timespec value;
    assert(clock_gettime(clock, &value) == 0);
    return value.tv_sec * 1000000000ll + value.tv_nsec;
}

/* Does nothing but look at the clock; then also at a flag that no thread sets. */
static void *wait_busily(void *unused)
{
    (void)unused;
    long long begin = now(CLOCK_MONOTONIC);
    while (now(CLOCK_MONOTONIC) - begin < 50000000)
        continue;
    begin = now(CLOCK_REALTIME);
    while (!atomic_load(&flag) && now(CLOCK_REALTIME) - begin < 50000000)
        continue;
    return NULL;
}

static void *arm(void *unused)
{
    (void)unused;
    struct itimerspec value = {.it_interval = {0, 10000000}, .it_value = {0, 30000000}};
    assert(timerfd_settime(timer, 0, &value, NULL) == 0);
    return NULL;
}

static void sleeping(void)
{
    struct timespec no_time = {0, 1000000000}, negative = {-1, 0}, little = {0, 5000000};
    long long begin = now(CLOCK_MONOTONIC);
    assert(usleep(20000) == 0 && nanosleep(&little, NULL) == 0 && thrd_sleep(&little, NULL) == 0);
    assert(now(CLOCK_MONOTONIC) - begin >= 30000000);
    assert(sleep(0) == 0);
    FAILS(EINVAL, nanosleep(&no_time, NULL));
    FAILS(EINVAL, nanosleep(&negative, NULL));
    assert(clock_nanosleep(CLOCK_MONOTONIC, 0, &no_time, NULL) == EINVAL);
    assert(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &little, NULL) == EINVAL);
    long long until = now(CLOCK_MONOTONIC) + 20000000;
    struct timespec absolute = {until / 1000000000, until % 1000000000};
    assert(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &absolute, NULL) == 0);
    assert(now(CLOCK_MONOTONIC) >= until);
    assert(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &absolute, NULL) == 0); /* is past */
}

static void reading(void)
{
    struct timespec value;
    struct timeval day;
    long long realtime = now(CLOCK_REALTIME);
    assert(timespec_get(&value, TIME_UTC) == TIME_UTC && value.tv_sec * 1000000000ll + value.tv_nsec >= realtime);
    assert(gettimeofday(&day, NULL) == 0 && day.tv_sec >= realtime / 1000000000);
    assert(time(NULL) >= realtime / 1000000000);
    long long used = now(CLOCK_PROCESS_CPUTIME_ID);
    assert(now(CLOCK_PROCESS_CPUTIME_ID) >= used && now(CLOCK_THREAD_CPUTIME_ID) >= 0 && clock() >= 0);
    FAILS(EINVAL, clock_gettime(77, &value));
}

static void timers(void)
{
    uint64_t count, total = 0;
    long long begin = now(CLOCK_MONOTONIC);
    struct itimerspec off = {.it_value = {0, 0}}, old;
    timer = timerfd_create(CLOCK_MONOTONIC, 0);
    struct pollfd one = {timer, POLLIN, 0};
    assert(poll(&one, 1, 10) == 0);
    pthread_t thread = start(arm, NULL);
    assert(poll(&one, 1, -1) == 1);
    assert(now(CLOCK_MONOTONIC) - begin >= 30000000);
    for (; total < 4; total += count)
        assert(read(timer, &count, sizeof count) == sizeof count && count >= 1);
    assert(now(CLOCK_MONOTONIC) - begin >= 60000000);
    finish(thread);
    assert(timerfd_settime(timer, 0, &off, &old) == 0 && old.it_interval.tv_nsec == 10000000);
    assert(poll(&one, 1, 50) == 0);
    FAILS(EBADF, timerfd_settime(999, 0, &off, NULL));
    close(timer);
}

int main(void)
{
    sleeping();
    reading();
    pthread_t a = start(wait_busily, NULL), b = start(wait_busily, NULL);
    finish(a);
    finish(b);
    timers();
    return 0;
}
