/* SPDX-License-Identifier: MIT
 *
 * origin.h - the calls that led from the program's own code to an operation, through a library or its headers.
 */
#ifndef RADDLE_RUNTIME_ORIGIN_H
#define RADDLE_RUNTIME_ORIGIN_H

#include "runtime/rt.h"

/* Before the first run. */
void origin_prepare(void);

/* Number of the task's call that returns to pc in the result's table, from 1; 0 if it is not asked for or not known.  Only inside
   the runtime (task_is_inside). */
uint16_t origin_of_call(const struct task *self, uintptr_t pc);

/* The same from the shadow call stack alone: for another task, which is parked at its call, or for this one where it must use little stack. */
uint16_t origin_of_task(const struct task *task, uintptr_t pc);

#endif
