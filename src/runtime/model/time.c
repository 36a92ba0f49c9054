/* SPDX-License-Identifier: MIT
 *
 * time.c - arithmetic of the virtual clocks.
 */
#include "runtime/model/time.h"

int64_t time_nanoseconds(const struct timespec *ts)
{
    int64_t result;
    if (__builtin_mul_overflow((int64_t)ts->tv_sec, TIME_SECOND, &result) ||
        __builtin_add_overflow(result, (int64_t)ts->tv_nsec, &result))
        return ts->tv_sec < 0 ? INT64_MIN : INT64_MAX;
    return result;
}

struct timespec time_timespec(int64_t nanoseconds)
{
    int64_t seconds = nanoseconds / TIME_SECOND, rest = nanoseconds % TIME_SECOND;
    if (rest < 0) {
        rest += TIME_SECOND;
        seconds--;
    }
    return (struct timespec){.tv_sec = seconds, .tv_nsec = rest};
}

bool time_valid(const struct timespec *ts)
{
    return ts->tv_nsec >= 0 && ts->tv_nsec < TIME_SECOND;
}

int64_t time_after(int64_t nanoseconds)
{
    int64_t result;
    if (nanoseconds <= 0)
        return rt.now;
    return __builtin_add_overflow(rt.now, nanoseconds, &result) ? RT_NEVER - 1 : result;
}

int64_t time_deadline(clockid_t clock, const struct timespec *absolute)
{
    if (absolute == NULL)
        return RT_NEVER;
    int64_t base, result;
    if (!time_clock_base(clock, &base))
        base = TIME_MONOTONIC_BASE;
    int64_t point = time_nanoseconds(absolute);
    if (point == INT64_MAX || __builtin_sub_overflow(point, base, &result))
        return point < 0 ? 0 : RT_NEVER - 1;
    return result < 0 ? 0 : result;
}

bool time_clock_base(clockid_t id, int64_t *base)
{
    switch (id) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
        *base = TIME_REALTIME_BASE;
        return true;
    case CLOCK_TAI:
        *base = TIME_TAI_BASE;
        return true;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM:
        *base = TIME_MONOTONIC_BASE;
        return true;
    default:
        return false;
    }
}
