/* SPDX-License-Identifier: MIT
 *
 * idle.h - readiness that does not depend on the program alone: the kernel, calls that are not controlled, time.
 */
#ifndef RADDLE_IDLE_H
#define RADDLE_IDLE_H

#include "runtime/rt.h"

/* The task waits (or no longer waits) with an OP_IO operation. */
void idle_watch(struct task *task, bool waits);
/* Computes again whether OP_IO tasks are ready, if I/O was done or some time has passed; and which uncontrolled calls have returned. */
void idle_refresh(void);
/* No task can run (or, if `wanted` is given, that task cannot): waits for the outside for a short time.  Ends the run as a deadlock if there
   is nothing to wait for. */
void idle_wait(struct task *wanted);
/* A task waits for something outside. */
bool idle_waits_for_outside(void);
/* Only sleeping tasks are left: if something outside may still happen, waits a moment of real time for it. */
void idle_outside_first(void);

/* Uncontrolled calls: the operation that is ready when the call has returned. */
struct op *idle_external_op(struct task *task);
void idle_external_returned(struct task *self);
void idle_external_done(struct task *self); /* it has the baton again, or never gave it away */

#endif
