/* SPDX-License-Identifier: MIT
 *
 * plan.h - the plan of one run: one initial state, and a few functions that set what differs.
 *
 * DESIGN
 *   Every plan begins with plan_reset(), so that no run sees a value of the run before it.  Then come at most one way
 *   to give steps (plan_replay, plan_prefix, plan_best_effort) and one way to decide without steps (plan_strategy,
 *   plan_goal), then what the caller sets itself (flags, max_steps, early_timeouts).  A plan names only how many steps
 *   it has; plan_send() copies plan and steps to the shared memory of a server.  The caller keeps its own plan, because
 *   the program can overwrite the shared one.
 */
#ifndef RADDLE_CONTROL_PLAN_H
#define RADDLE_CONTROL_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "trace/schedule.h"
#include "wire/wire_check.h"

/* The initial state: strategy random with seed 0, no flags, no steps, no choices, no preemptions (bound), no goal, no checkpoint, depth 1,
   nothing known about the program. */
void plan_reset(struct wire_plan *plan);

/* Strategy and seed decide.  Not for STRATEGY_REPLAY and STRATEGY_DIRECT. */
void plan_strategy(struct wire_plan *plan, enum wire_strategy strategy, uint64_t seed);
/* The runtime tries to reach the goal.  Waits do not end early: time passes when no other task can run. */
void plan_goal(struct wire_plan *plan, const struct wire_goal *goal, uint64_t seed);

/* Replays the schedule exactly: with its flags, bound of steps, seed and early timeouts. */
void plan_replay(struct wire_plan *plan, const struct schedule *schedule);
/* Replays the first `count` steps exactly, then continues by the strategy.  0: no steps. */
void plan_prefix(struct wire_plan *plan, size_t count);
/* Follows `count` steps as far as possible, then continues by the strategy. */
void plan_best_effort(struct wire_plan *plan, size_t count);

/* What there is to copy of a run of the plan: COPY_* (wire_check.h). */
unsigned plan_parts(const struct wire_plan *plan);
/* The run follows choices that an earlier run recorded. */
bool plan_follows_choices(const struct wire_plan *plan);

/* Copies the choices that the plan makes, and sets their number. */
void plan_send_choices(struct wire_plan *plan, const struct wire_choice *choices, size_t count, struct wire *wire);
/* Copies the plan and its steps (plan->plan_step_count; NULL if there are none) for the next run. */
void plan_send(const struct wire_plan *plan, const struct wire_step *steps, struct wire *wire);

#endif
