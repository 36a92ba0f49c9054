/* SPDX-License-Identifier: MIT
 *
 * preempt.h - a task that computes or spins between two operations is interrupted, and other tasks go on.
 */
#ifndef RADDLE_PREEMPT_H
#define RADDLE_PREEMPT_H

#include "runtime/rt.h"

/* Before the fork point, after the handlers of faults have been installed. */
void preempt_install(void);
/* The run has begun: the driver may interrupt the process's first thread. */
void preempt_begin_run(void);

#endif
