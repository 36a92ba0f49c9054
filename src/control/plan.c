/* SPDX-License-Identifier: MIT
 *
 * plan.c - see plan.h.
 */
#include "control/plan.h"

#include <assert.h>
#include <string.h>

void plan_reset(struct wire_plan *plan)
{
    assert(plan != NULL);
    memset(plan, 0,
           offsetof(struct wire_plan, task_points)); /* task_points: only the first task_count entries are used */
    plan->strategy = STRATEGY_RANDOM;
    plan->depth = 1;
    plan->checkpoint = CHECKPOINT_NOWHERE;
}

void plan_strategy(struct wire_plan *plan, enum wire_strategy strategy, uint64_t seed)
{
    assert(strategy != STRATEGY_REPLAY && strategy != STRATEGY_DIRECT && strategy < WIRE_STRATEGY_COUNT);
    plan->strategy = strategy;
    plan->seed = seed;
}

void plan_goal(struct wire_plan *plan, const struct wire_goal *goal, uint64_t seed)
{
    assert(goal->count > 0 && goal->count <= GOAL_STEPS);
    plan->strategy = STRATEGY_DIRECT;
    plan->seed = seed;
    plan->goal = *goal;
    plan->early_timeouts = 0;
}

static void set_step_count(struct wire_plan *plan, size_t count)
{
    assert(count <= WIRE_STEPS);
    plan->plan_step_count = (uint32_t)count;
}

void plan_replay(struct wire_plan *plan, const struct schedule *schedule)
{
    assert(schedule->steps.count == 0 || schedule->steps.data != NULL);
    plan->strategy = STRATEGY_REPLAY;
    plan->flags = schedule->flags;
    plan->seed = schedule->seed;
    plan->max_steps = schedule->max_steps;
    plan->early_timeouts = schedule->early_timeouts;
    set_step_count(plan, schedule->steps.count);
}

void plan_prefix(struct wire_plan *plan, size_t count)
{
    set_step_count(plan, count);
    if (count > 0)
        plan->flags |= PLAN_PREFIX;
}

void plan_best_effort(struct wire_plan *plan, size_t count)
{
    set_step_count(plan, count);
    plan->flags |= PLAN_BEST_EFFORT;
}

unsigned plan_parts(const struct wire_plan *plan)
{
    return COPY_STEPS | (plan->flags & PLAN_RECORD ? COPY_EVENTS : 0) |
           (plan->strategy == STRATEGY_DFS ? COPY_CHOICES : 0) |
           (plan->strategy == STRATEGY_TRACES ? COPY_TRANSITIONS : 0);
}

bool plan_follows_choices(const struct wire_plan *plan)
{
    return plan->strategy == STRATEGY_DFS;
}

void plan_send_choices(struct wire_plan *plan, const struct wire_choice *choices, size_t count, struct wire *wire)
{
    assert(count <= WIRE_CHOICES && plan->asleep_count <= count);
    plan->plan_choice_count = (uint32_t)count - plan->asleep_count;
    if (count > 0)
        memcpy(wire->plan_choices, choices, count * sizeof choices[0]);
}

void plan_send(const struct wire_plan *plan, const struct wire_step *steps, struct wire *wire)
{
    assert(plan->plan_step_count <= WIRE_STEPS);
    assert(plan->strategy < WIRE_STRATEGY_COUNT);
    assert(plan->plan_step_count == 0 || steps != NULL);
    assert(plan->task_count <= WIRE_TASKS);
    memcpy(&wire->plan, plan, offsetof(struct wire_plan, task_points) + plan->task_count * sizeof plan->task_points[0]);
    if (plan->plan_step_count > 0)
        memcpy(wire->plan_steps, steps, plan->plan_step_count * sizeof steps[0]);
}
