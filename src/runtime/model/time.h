/* SPDX-License-Identifier: MIT
 *
 * time.h - the virtual clocks, and times of the program as deadlines.
 *
 * rt.now is nanoseconds since the run began, and the only time there is.  The program's clocks are rt.now plus a base.
 * Deadlines (op.deadline, time_deadline, time_after) are in the unit of rt.now.
 */
#ifndef RADDLE_MODEL_TIME_H
#define RADDLE_MODEL_TIME_H

#include "runtime/rt.h"

#define TIME_SECOND 1000000000ll

/* The clocks when the run begins. */
#define TIME_REALTIME_BASE  (1704067200ll * TIME_SECOND) /* 2024-01-01T00:00:00Z */
#define TIME_TAI_BASE       (TIME_REALTIME_BASE + 37 * TIME_SECOND)
#define TIME_MONOTONIC_BASE (1000 * TIME_SECOND)

/* Whether clock `id` is one of the program's clocks that follow rt.now; its base then goes to *base. */
bool time_clock_base(clockid_t id, int64_t *base);

/* The deadline for an absolute time on a clock; RT_NEVER if it is NULL. */
int64_t time_deadline(clockid_t clock, const struct timespec *absolute);
int64_t time_after(int64_t nanoseconds); /* now + ns, saturating */
bool time_valid(const struct timespec *ts);
int64_t time_nanoseconds(const struct timespec *ts); /* saturating */
struct timespec time_timespec(int64_t nanoseconds);

#endif
