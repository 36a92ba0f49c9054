/* SPDX-License-Identifier: MIT
 *
 * sched.h - the scheduler as the other parts of the runtime see it, besides scheduling points (point.h).
 */
#ifndef RADDLE_SCHED_H
#define RADDLE_SCHED_H

#include "runtime/rt.h"
#include "runtime/sched/point.h"

/* ---- the run (run.c, bounds.c) -------------------------------------------------------------------------------------- */

/* Makes the calling thread the main task of a controlled run, as wire->plan says. */
void sched_begin(void);
/* The second task is made: steps are counted from here. */
void sched_first_thread(void);
/* A continuation from a checkpoint: the plan has been changed in the middle of the run.  The new plan leads here too. */
struct position;
void sched_new_plan(const struct position *position);
/* The run is over: completes the schedule and the result. */
void sched_run_ended(enum wire_end end);
/* Ends the run here, without a verdict. */
_Noreturn void sched_cut(enum wire_end end);
/* No random number has been drawn, except when a strategy began or a task was created. */
bool sched_is_undrawn(void);
/* The steps of the plan are being followed. */
bool sched_is_replaying(void);
/* Depth-first search: dfs_choose makes the choices. */
bool sched_is_searching(void);
/* A strategy by its number in a plan. */
struct strategy;
const struct strategy *sched_strategy(uint32_t number);
/* Something in the program changed: it does not hang. */
void sched_progress(void);
/* Writes into the result when something changed last. */
void sched_tell_progress(void);

/* ---- tasks (run.c) -------------------------------------------------------------------------------------------------- */

/* A new task has published its first operation. */
void sched_admit(struct task *task);
/* The task has the baton for the first time: its first operation is done. */
void sched_started(struct task *self);
/* The calling task has ended: the baton goes to another task.  Ends the process if it was the last. */
void sched_depart(struct task *self);
/* An operation has been done, with these EVENT_*. */
void sched_turned_out(struct task *self, const struct op *op, uint8_t flags);
/* Lists which task waits for which in result.blocked; returns how many are blocked. */
uint32_t sched_list_blocked(void);

/* ---- choosing (pick.c, ready.c) ------------------------------------------------------------------------------------- */

/* A random number below n. */
uint32_t sched_random_below(uint32_t n);
/* The task is passed over because it spins (spin.c); `certain`: it is certain that it spins. */
void sched_demote(struct task *task, bool demoted, bool certain);
/* A task that can go on only if time passes may do so now. */
bool sched_may_wake(const struct task *task);
/* The task spins, has just yielded or computes: strategies prefer other tasks. */
bool sched_is_passed_over(const struct task *task);

/* ---- in the middle of an access (tear.h) ----------------------------------------------------------------------------- */

/* Whether strategies are asked in the middle of the next access.  To be called once for each access. */
bool sched_tears(void);
/* One operation in the middle of an access.  Which task goes on?  NULL: self.  Otherwise self has to call sched_leave, with the number
   that the operation had, as soon as memory is as the other tasks shall see it.  If not `wanted`, nothing is chosen unless the plan
   stops here. */
struct task *sched_middle(struct task *self, struct op *rest, bool wanted);
void sched_leave(struct task *self, struct op *rest, uint64_t operation, struct task *next);

/* ---- between two operations (compute.c) ------------------------------------------------------------------------------ */

/* The task has computed for long since its last operation, and is at pc: other tasks may go on instead.  In the schedule that is a switch
   before its next operation. */
void sched_compute(struct task *self, uintptr_t pc);
/* The task stops at the next operation but one, if it is not left before. */
void sched_stop_soon(struct task *self);

#endif
