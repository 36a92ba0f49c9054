/* SPDX-License-Identifier: MIT
 *
 * clock.h - real time, for budgets and watchdogs only: no decision that influences a schedule may depend on it.
 */
#ifndef RADDLE_UTIL_CLOCK_H
#define RADDLE_UTIL_CLOCK_H

#include <stdint.h>
#include <time.h>

#define CLOCK_SECOND      1000000000ll
#define CLOCK_MILLISECOND 1000000ll

/* Nanoseconds of a monotonic clock. */
static inline int64_t clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * CLOCK_SECOND + now.tv_nsec;
}

#endif
