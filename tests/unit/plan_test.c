/* SPDX-License-Identifier: MIT
 *
 * plan_test.c - a plan depends on what it was filled with alone, never on the plan that was in the same memory before.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "control/plan.h"

static const struct wire_goal goal = {.count = 2, .window = 5};

static struct schedule a_schedule(void)
{
    struct schedule schedule = {
        .flags = PLAN_RACES | PLAN_THEN_RANDOM, .max_steps = 99, .seed = 7, .early_timeouts = 3};
    vector_push(&schedule.steps, ((struct wire_step){.type = STEP_RUN, .task = 1, .until = 4}));
    vector_push(&schedule.steps, ((struct wire_step){.type = STEP_RUN, .task = 0, .until = UINT64_MAX}));
    return schedule;
}

static void fill(struct wire_plan *plan, unsigned way, const struct schedule *schedule)
{
    plan_reset(plan);
    switch (way) {
    case 1:
        plan_strategy(plan, STRATEGY_PCT, 12);
        break;
    case 2:
        plan_goal(plan, &goal, 13);
        plan_prefix(plan, 2);
        break;
    case 3:
        plan_replay(plan, schedule);
        break;
    case 4:
        plan_strategy(plan, STRATEGY_DFS, 14);
        plan_best_effort(plan, 1);
        break;
    default:
        break;
    }
}

enum { WAYS = 5 };

static void nothing_is_left_over(void **state)
{
    (void)state;
    struct schedule schedule = a_schedule();
    static struct wire_plan fresh, used;
    for (unsigned before = 0; before < WAYS; before++)
        for (unsigned way = 0; way < WAYS; way++) {
            memset(&fresh, 0, sizeof fresh);
            memset(&used, 0xff, sizeof used);
            fill(&fresh, way, &schedule);
            fill(&used, before, &schedule);
            used.bound = used.expected_points = used.interest_lo = used.interest_hi = used.checkpoint_slot = 17;
            used.task_count = used.plan_choice_count = 3;
            used.checkpoint = CHECKPOINT_FIRST;
            fill(&used, way, &schedule);
            assert_memory_equal(&fresh, &used, offsetof(struct wire_plan, task_points));
        }
    schedule_free(&schedule);
}

static void the_initial_state(void **state)
{
    (void)state;
    static struct wire_plan plan;
    memset(&plan, 0xff, sizeof plan);
    plan_reset(&plan);
    assert_int_equal(plan.strategy, STRATEGY_RANDOM);
    assert_int_equal(plan.flags, 0);
    assert_int_equal(plan.depth, 1);
    assert_int_equal(plan.bound, 0);
    assert_int_equal(plan.checkpoint, CHECKPOINT_NOWHERE);
    assert_int_equal(plan.plan_step_count, 0);
    assert_int_equal(plan.plan_choice_count, 0);
    assert_int_equal(plan.task_count, 0);
    assert_int_equal(plan.goal.count, 0);
}

static void what_the_fillers_set(void **state)
{
    (void)state;
    struct schedule schedule = a_schedule();
    static struct wire_plan plan;
    plan_reset(&plan);
    plan_replay(&plan, &schedule);
    assert_int_equal(plan.strategy, STRATEGY_REPLAY);
    assert_int_equal(plan.flags, schedule.flags);
    assert_int_equal(plan.max_steps, 99);
    assert_int_equal(plan.seed, 7);
    assert_int_equal(plan.early_timeouts, 3);
    assert_int_equal(plan.plan_step_count, 2);
    plan_reset(&plan);
    plan_strategy(&plan, STRATEGY_POS, 5);
    plan_prefix(&plan, 0);
    assert_int_equal(plan.flags & PLAN_PREFIX, 0);
    plan_prefix(&plan, 3);
    assert_int_equal(plan.flags & PLAN_PREFIX, PLAN_PREFIX);
    plan_reset(&plan);
    plan_best_effort(&plan, 0); /* also without steps: the choices of the run are then those of the strategy */
    assert_int_equal(plan.flags, PLAN_BEST_EFFORT);
    schedule_free(&schedule);
}

static void what_is_sent(void **state)
{
    (void)state;
    struct schedule schedule = a_schedule();
    static struct wire_plan plan;
    struct wire *wire = calloc(1, sizeof *wire);
    assert_non_null(wire);
    plan_reset(&plan);
    plan_replay(&plan, &schedule);
    plan.task_count = 1;
    plan.task_points[0] = 21;
    plan.task_points[1] = 22;
    plan_send(&plan, schedule.steps.data, wire);
    assert_memory_equal(wire->plan_steps, schedule.steps.data, 2 * sizeof schedule.steps.data[0]);
    assert_int_equal(wire->plan.seed, 7);
    assert_int_equal(wire->plan.task_points[0], 21);
    assert_int_equal(wire->plan.task_points[1], 0);
    free(wire);
    schedule_free(&schedule);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_left_over),
        cmocka_unit_test(the_initial_state),
        cmocka_unit_test(what_the_fillers_set),
        cmocka_unit_test(what_is_sent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
