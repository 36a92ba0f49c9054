/* SPDX-License-Identifier: MIT
 *
 * timerfd.h - timers as descriptors, in virtual time.
 */
#ifndef RADDLE_HOOKS_TIMERFD_H
#define RADDLE_HOOKS_TIMERFD_H

#include "runtime/rt.h"

/* When the next armed timer is due; RT_NEVER. */
extern int64_t timerfd_soonest;

/* Time has passed: timers that are due now become readable. */
void timerfd_fire_due(void);
static inline void timerfd_time_passed(void)
{
    if (unlikely(rt.now >= timerfd_soonest))
        timerfd_fire_due();
}

/* The program has read the count of expirations of fd, if that is a timer: corrects it. */
void timerfd_was_read(int fd, uint64_t *count);
void timerfd_was_closed(int fd);

#endif
