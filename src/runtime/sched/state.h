/* SPDX-License-Identifier: MIT
 *
 * state.h - the state of the scheduler, and what its files share; no other part of the runtime includes it.
 *
 * DESIGN
 *   Sets of tasks say which tasks may go on:
 *     yes        the published operation can be done now
 *     late       it can be done only if time passes
 *     demoted    the task could go on, but spins (spin.c)
 *     certain    a part of `demoted`: it is certain that the task spins
 *     yielded    it asked to be passed over at this point
 *     computing  it was left between two operations (compute.c); for a while it counts as demoted
 *   They are updated when an operation is published or unpublished, and by object_changed.  They are never computed from scratch.
 *
 *   ready.c    published operations and the sets
 *   pick.c     which task goes on
 *   sched.c    scheduling points: publish, choose, switch
 *   compute.c  tasks that do no operation
 *   external.c calls that are not controlled
 *   bounds.c   hangs and runs that are too long
 *   run.c      begin and end of a run and of its tasks; the table of strategies
 */
#ifndef RADDLE_SCHED_STATE_H
#define RADDLE_SCHED_STATE_H

#include "runtime/sched/sched.h"
#include "runtime/sched/strategy.h"

struct sched_state {
    struct task_set yes, late, demoted, certain, yielded, computing;
    const struct strategy *strategy;
    bool replaying;
    uint64_t random;  /* state of the generator */
    uint64_t undrawn; /* its value as long as no decision depends on a random number */
    uint64_t max_points, hang_points;
    uint64_t progress_point;
    uint32_t progress_step;
    /* For a strategy that holds tasks back. */
    uint32_t woken;          /* sleepers that ran since the last task was released: a periodic timer may run for ever */
    uint32_t reluctance;     /* points in a row at which only sleeping and spinning tasks ran */
    struct wire_early early; /* the wait of task `early.task` has just ended, while `early.other` could go on */
    bool is_early;
};
extern struct sched_state sched;

/* A search makes all decisions: no random number is drawn, and a spinning task is passed over only if that is certain. */
static inline bool sched_is_systematic(void)
{
    return sched.strategy == &strategy_dfs || sched.strategy == &strategy_traces;
}

/* ---- ready.c ------------------------------------------------------------------------------------------------------ */

/* Whether the published operation of the task can be done, without signals and cancellation. */
enum ready sched_op_ready(struct task *task);
/* The task waits with `op`: on the lists of its objects, in the sets. */
void sched_publish(struct task *task, struct op *op);
/* It goes on: in no list, in no set but `demoted` and `certain`. */
void sched_unpublish(struct task *task);
/* A new point: no task has yielded at it. */
void sched_forget_yields(void);
/* Tasks of `computing` that have been passed over for long enough leave the set. */
void sched_end_passing_over(void);

/* ---- pick.c ------------------------------------------------------------------------------------------------------- */

/* The task that goes on; NULL: none can.  Does not follow the plan's steps. */
struct task *pick_task(struct task *self);
/* One that sleeps, spins or has yielded; NULL: there is none. */
struct task *pick_reluctant(void);
/* The sleeping task of the set with the earliest deadline; NULL: no task waits for time.  (A task that can only wake spuriously does not.) */
struct task *pick_sleeper(const struct task_set *set);

/* ---- sched.c ------------------------------------------------------------------------------------------------------ */

/* Sets the next operation at which the running task stops.  `private`: it does private work now. */
void sched_begin_slice(struct task *self, bool private);
/* One operation and one scheduling point more. */
void sched_count_point(struct task *self);
/* The task that goes on, by the plan or by pick_task.  Waits for the outside if no task can. */
struct task *sched_choose_task(struct task *self);
/* Ends the segment of `self`, whose operation is published, at `operation`, and switches to `next`. */
void sched_switch(struct task *self, uint64_t operation, struct task *next);
/* Tells the strategy and the position that `op` is about to be done. */
void sched_tell_executed(struct task *self, const struct op *op);

/* ---- bounds.c ----------------------------------------------------------------------------------------------------- */

/* The run has reached a bound (max_points, hang_points): ends it, or finds that it may go on. */
void sched_bound_reached(void);

#endif
