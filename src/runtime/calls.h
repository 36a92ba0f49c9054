/* SPDX-License-Identifier: MIT
 *
 * calls.h - the calls of functions, and the units of work that the program marks, in which operations are done.
 */
#ifndef RADDLE_RUNTIME_CALLS_H
#define RADDLE_RUNTIME_CALLS_H

#include "runtime/rt.h"

/* Number of the innermost call that the task is in, in wire.calls, from 1; 0: none, there is no room, or it is not asked for (PLAN_UNITS). */
uint32_t calls_innermost(const struct task *self);
/* The same for the outermost unit of work that the program has marked. */
uint32_t calls_unit(const struct task *self);

#endif
