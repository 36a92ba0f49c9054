/* SPDX-License-Identifier: MIT
 *
 * handler.h - before which operation of its task a due signal handler runs.
 */
#ifndef RADDLE_HANDLER_H
#define RADDLE_HANDLER_H

#include "runtime/rt.h"

/* Sets task->handler_stop, the operation at which the running task has to stop for a handler.  `private`: it does private work now. */
void handler_plan_stop(struct task *self, bool private);
/* A handler is due, and the task could do `op` as well: does the handler run first?  If so, that is recorded in the schedule. */
bool handler_runs_now(struct task *self, const struct op *op);
/* It is decided that the handler runs after more of the private work to which `op` belongs.  No other task runs before that. */
bool handler_is_put_off(const struct task *self, const struct op *op);

#endif
