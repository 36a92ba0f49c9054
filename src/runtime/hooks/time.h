/* SPDX-License-Identifier: MIT
 *
 * time.h - reading the virtual clocks, and sleeping.
 */
#ifndef RADDLE_HOOKS_TIME_H
#define RADDLE_HOOKS_TIME_H

#include "runtime/model/time.h"

/* Reads a clock as the program does: lets a little time pass. Guard held. 0 or EINVAL. */
int time_read(struct task *self, uintptr_t pc, clockid_t id, struct timespec *value);

/* Sleeps until rt.now reaches deadline. 0 or EINTR. Guard held. */
int time_sleep(struct task *self, uintptr_t pc, int64_t deadline);

/* The clock_nanosleep of a task. Guard held. 0 or an error number. */
int time_nanosleep(struct task *self, uintptr_t pc, clockid_t id, int flags, const struct timespec *request,
                   struct timespec *remain);

#endif
