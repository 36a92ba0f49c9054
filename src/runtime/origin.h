/* SPDX-License-Identifier: MIT
 *
 * origin.h - through which calls an operation came about: a library may have been between it and the program's own code.
 */
#ifndef RADDLE_RUNTIME_ORIGIN_H
#define RADDLE_RUNTIME_ORIGIN_H

#include "runtime/rt.h"

/* Before the first run. */
void origin_prepare(void);

/* Number of the task's call that returns to pc in the result's table, from 1; 0 if it is not asked for or not known.  Only inside
   the runtime (task_is_inside). */
uint16_t origin_of_call(const struct task *self, uintptr_t pc);

#endif
