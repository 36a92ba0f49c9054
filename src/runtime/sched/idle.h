/* SPDX-License-Identifier: MIT
 *
 * idle.h - readiness that lies outside: in the kernel, in calls that are not controlled, in time.
 */
#ifndef RADDLE_IDLE_H
#define RADDLE_IDLE_H

#include "runtime/rt.h"

/* The task waits (or no longer waits) with an OP_IO operation. */
void idle_watch(struct task *task, bool waits);
/* Look again at OP_IO tasks if I/O was done (or a while has passed), and at uncontrolled calls that came back. */
void idle_refresh(void);
/* Nobody can run (or, when `wanted` is given, that task cannot): wait for the outside a little. Ends the run as a deadlock
   when there is nothing to wait for. */
void idle_wait(struct task *wanted);
/* A task waits for something outside. */
bool idle_anyone_outside(void);
/* Only sleepers are left: if something outside may still happen, give it a moment of real time first. */
void idle_outside_first(void);

/* Uncontrolled calls: the operation that stands for "has come back". */
struct op *idle_external_op(struct task *task);
void idle_external_returned(struct task *self);
void idle_external_done(struct task *self); /* it has the baton again, or never gave it away */

#endif
