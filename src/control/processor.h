/* SPDX-License-Identifier: MIT
 *
 * processor.h - runs driver and program on one processor, since they take turns.  Waking another processor takes longer
 * than a short schedule, especially if it is idle.
 */
#ifndef RADDLE_CONTROL_PROCESSOR_H
#define RADDLE_CONTROL_PROCESSOR_H

#include <sys/types.h>

/* Restores the original set of processors.  In a child process: before exec. */
void processor_release(void);
/* Binds this process to its current processor, and these processes (0: none) to the same.  Errors are ignored. */
void processor_keep(pid_t one, pid_t other);
/* If the processes are bound, binds this one, too. */
void processor_join(pid_t one);

#endif
