/* SPDX-License-Identifier: MIT
 *
 * replay.h - follows the steps of a plan: exactly, or as well as it is possible (PLAN_BEST_EFFORT).
 */
#ifndef RADDLE_REPLAY_H
#define RADDLE_REPLAY_H

#include "runtime/rt.h"

void replay_begin(void);
/* The task that runs at this point: self while its segment lasts, else the task of the next segment.  NULL: the plan is used up. */
struct task *replay_pick(struct task *self);
/* Whether the schedule says that the task, which is left at this operation, was preempted: what was a scheduling point when the schedule
   was found may be the middle of private work now. */
bool replay_preempted(const struct task *self, uint64_t operation);
/* The same for a task that computes on its way to its next operation. */
struct task *replay_compute(struct task *self);
/* Whether the task does this step of the plan and is before its operation `until`; 0: the step ends here. */
bool replay_is_at(const struct task *self, uint32_t step, uint64_t until);
/* A continuation: so many steps have been done; of the others, `segment` has begun. */
void replay_continue(uint32_t done, uint32_t segment);
/* The operation at which the plan leaves the task; UINT64_MAX: it does not. */
uint64_t replay_stop(const struct task *task);
/* The value of a choice among n.  False: the plan does not have it. */
bool replay_choose(struct task *self, uint32_t n, uint32_t *value);
/* The operation before which the plan runs the task's due handler; UINT64_MAX: none of the plan's.  False: the plan does not say it. */
bool replay_handler(const struct task *self, uint64_t *operation);
/* Whether the whole schedule must be followed. */
bool replay_is_exact(void);
/* In the plan a signal arrives from outside here, before the operation of `self`: its number; 0: none does. */
int replay_arrival(const struct task *self);
enum { ARRIVAL_CHOICE = 1 << 16 }; /* the value of such a choice, plus the signal's number */
/* A signal that has arrived from outside must wait for its place in the plan.  Ends of several children may be one signal or more: if all
   signals of the plan have arrived, a further one does not wait. */
bool replay_holds(int signo);
/* The program does not do what the plan says: ends the run. */
__attribute__((noreturn, format(printf, 2, 3))) void replay_diverged(struct task *task, const char *format, ...);

/* ---- best_effort.c: the same for a plan that is followed as well as it is possible ------------------------------------ */

void best_effort_begin(void);
struct task *best_effort_pick(struct task *self); /* NULL: the plan is used up */
struct task *best_effort_compute(struct task *self, bool leave);
uint64_t best_effort_stop(const struct task *task);
bool best_effort_choose(const struct task *self, uint32_t n, uint32_t *value);
bool best_effort_handler(const struct task *self, uint64_t *operation);

#endif
