/* SPDX-License-Identifier: MIT
 *
 * plan.h - the plan of one run: one initial state, and the few ways to set what differs.
 *
 * DESIGN
 *   Every plan begins with plan_reset(), so that no run sees a value of the run before it.  Then come at most one way to give
 *   steps (plan_replay, plan_prefix, plan_best_effort) and one way to decide without steps (plan_strategy, plan_goal), then what
 *   the caller sets itself (flags, max_steps, early_timeouts).  A plan names only how many steps it has; plan_send() copies plan and
 *   steps to the shared memory of a server.  The caller keeps its own plan: the program can write over the shared one.
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
/* The goal is to be made to happen.  Waits do not end early: time passes when no other task can run. */
void plan_goal(struct wire_plan *plan, const struct wire_goal *goal, uint64_t seed);

/* The schedule, exactly: with its flags, bound of steps, seed and early timeouts. */
void plan_replay(struct wire_plan *plan, const struct schedule *schedule);
/* The first `count` steps exactly, then as the plan says.  0: only as the plan says. */
void plan_prefix(struct wire_plan *plan, size_t count);
/* `count` steps as far as they can be followed, then as the plan says. */
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
