/* SPDX-License-Identifier: MIT
 *
 * processor.h - one processor for driver and program, which take turns: waking another one costs more than a small schedule, most
 * of all if it is idle.
 */
#ifndef RADDLE_CONTROL_PROCESSOR_H
#define RADDLE_CONTROL_PROCESSOR_H

#include <sys/types.h>

/* The system may choose again, among all that we had at first.  In a child of ours: before it becomes another program. */
void processor_release(void);
/* We stay where we are, and these processes (0: none) come here.  What the system refuses is left as it is. */
void processor_keep(pid_t one, pid_t other);
/* If they do, this one does too from now on. */
void processor_join(pid_t one);

#endif
