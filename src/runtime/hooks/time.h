/* SPDX-License-Identifier: MIT
 *
 * time.h - the virtual clocks.
 *
 * rt.now is nanoseconds since the run began, and the only time there is.  The program's clocks are rt.now plus a base.
 * Deadlines (op.deadline, time_deadline, time_after) are in the unit of rt.now.
 */
#ifndef RADDLE_HOOKS_TIME_H
#define RADDLE_HOOKS_TIME_H

#include "runtime/rt.h"

#define TIME_SECOND 1000000000ll

/* Where the clocks stand when the run begins. */
#define TIME_REALTIME_BASE  (1704067200ll * TIME_SECOND) /* 2024-01-01T00:00:00Z */
#define TIME_TAI_BASE       (TIME_REALTIME_BASE + 37 * TIME_SECOND)
#define TIME_MONOTONIC_BASE (1000 * TIME_SECOND)

/* Whether clock `id` is one of the program's clocks that follow rt.now; its base then goes to *base. */
bool time_clock_base(clockid_t id, int64_t *base);

/* Reads a clock as the program does: lets a little time pass. Guard held. 0 or EINVAL. */
int time_read(struct task *self, uintptr_t pc, clockid_t id, struct timespec *value);

/* Sleeps until rt.now reaches deadline. 0 or EINTR. Guard held. */
int time_sleep(struct task *self, uintptr_t pc, int64_t deadline);

/* The clock_nanosleep of a task. Guard held. 0 or an error number. */
int time_nanosleep(struct task *self, uintptr_t pc, clockid_t id, int flags, const struct timespec *request,
                   struct timespec *remain);

int64_t time_nanoseconds(const struct timespec *ts); /* saturating */
struct timespec time_timespec(int64_t nanoseconds);

#endif
