/* SPDX-License-Identifier: MIT
 *
 * shrink_steps_test.c - which schedule is simpler, and the plans that are made of one without some of its steps.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explain/shrink_steps.h"

#define RUN(t, u)                                                                                                      \
    {                                                                                                                  \
        .type = STEP_RUN, .task = (t), .until = (u)                                                                    \
    }
#define CUT(t, u)                                                                                                      \
    {                                                                                                                  \
        .type = STEP_RUN, .task = (t), .until = (u), .value = 1                                                        \
    }
#define CHOOSE(t, u, way)                                                                                              \
    {                                                                                                                  \
        .type = STEP_CHOICE, .task = (t), .until = (u), .value = (way)                                                 \
    }
#define END          UINT64_MAX
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void cost(void **state)
{
    (void)state;
    static const struct wire_step steps[] = {CUT(0, 3),       RUN(2, 5), CHOOSE(2, 4, 1),
                                             CHOOSE(2, 4, 0), CUT(0, 9), RUN(1, END)};
    struct steps_cost cost = steps_cost(steps, COUNT(steps));
    assert_int_equal(cost.preemptions, 2);
    assert_int_equal(cost.switches, 3);
    assert_int_equal(cost.threads, 3);
    assert_int_equal(cost.choices, 1);
    cost = steps_cost(NULL, 0);
    assert_int_equal(cost.switches, 0);
    assert_int_equal(cost.threads, 0);
}

/* Each is simpler than the next. */
static void order(void **state)
{
    (void)state;
    static const struct wire_step none[] = {RUN(0, 9), RUN(1, END)};
    static const struct wire_step more_switches[] = {RUN(0, 9), RUN(1, 2), RUN(0, END)};
    static const struct wire_step more_threads[] = {RUN(0, 9), RUN(1, 2), RUN(2, END)};
    static const struct wire_step choice[] = {RUN(0, 9), RUN(1, 2), CHOOSE(1, 1, 1), RUN(2, END)};
    static const struct wire_step late[] = {CUT(0, 9), RUN(1, 2), RUN(0, END)};
    static const struct wire_step early[] = {CUT(0, 8), RUN(1, 2), RUN(0, END)};
    static const struct wire_step younger[] = {CUT(0, 8), RUN(2, 2), RUN(0, END)};
    static const struct wire_step two[] = {CUT(0, 8), CUT(1, END)};
    static const struct {
        const struct wire_step *steps;
        size_t count;
    } all[] = {{none, 2}, {more_switches, 3}, {more_threads, 3}, {choice, 4},
               {late, 3}, {early, 3},         {younger, 3},      {two, 2}};
    for (size_t i = 0; i < COUNT(all); i++)
        for (size_t k = 0; k < COUNT(all); k++) {
            int got = steps_compare(all[i].steps, all[i].count, all[k].steps, all[k].count);
            assert_int_equal(got < 0 ? -1 : got > 0, i < k ? -1 : i > k);
        }
}

static void expect(const struct steps *plan, const struct wire_step *wanted, size_t count)
{
    assert_int_equal(plan->list.count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(plan->list.data[i].type, wanted[i].type);
        assert_int_equal(plan->list.data[i].task, wanted[i].task);
        assert_true(plan->list.data[i].until == wanted[i].until);
        assert_int_equal(plan->list.data[i].value, wanted[i].value);
    }
}

static const struct wire_step sample[] = {
    RUN(0, 4),       /* 0: blocks */
    CUT(1, 5),       /* 1 */
    RUN(2, 7),       /* 2: blocks */
    CHOOSE(2, 3, 0), /* 3: the first way: says nothing */
    CHOOSE(2, 6, 2), /* 4 */
    RUN(1, 8),       /* 5: blocks */
    CUT(2, 11),      /* 6 */
    RUN(1, END),     /* 7 */
};

static void plans(void **state)
{
    (void)state;
    unsigned char fates[COUNT(sample)] = {0};
    struct steps plan = {0};
    struct steps_indices indices = {0};
    steps_meaningful(sample, COUNT(sample), &indices);
    assert_int_equal(indices.list.count, 7);
    assert_int_equal(indices.list.data[3], 4);

    /* Nothing is left out: threads that blocked go as far as they can, or to their next preemption. */
    steps_plan(sample, COUNT(sample), fates, 0, &plan);
    static const struct wire_step all[] = {RUN(0, END), RUN(1, 5),   RUN(2, 11),     RUN(1, END),
                                           RUN(2, 11),  RUN(1, END), CHOOSE(2, 6, 2)};
    expect(&plan, all, COUNT(all));

    steps_plan(sample, COUNT(sample), fates, STEPS_EXACT | STEPS_EARLY, &plan);
    static const struct wire_step exact[] = {CUT(0, 4),  CUT(1, 5),   CUT(2, 7),      CUT(1, 8),
                                             CUT(2, 11), CUT(1, END), CHOOSE(2, 6, 2)};
    expect(&plan, exact, COUNT(exact));

    /* Without the task that interrupted, the steps before and after become one. */
    fates[2] = fates[4] = STEP_DROPPED;
    steps_plan(sample, COUNT(sample), fates, 0, &plan);
    static const struct wire_step joined[] = {RUN(0, END), RUN(1, END), RUN(2, 11), RUN(1, END)};
    expect(&plan, joined, COUNT(joined));

    fates[6] = STEP_RELAXED;
    steps_plan(sample, COUNT(sample), fates, 0, &plan);
    static const struct wire_step relaxed[] = {RUN(0, END), RUN(1, END), RUN(2, END), RUN(1, END)};
    expect(&plan, relaxed, COUNT(relaxed));

    for (size_t i = 0; i < COUNT(sample); i++)
        fates[i] = STEP_DROPPED;
    steps_plan(sample, COUNT(sample), fates, 0, &plan);
    assert_int_equal(plan.list.count, 0);
    vector_free(&plan.list);
    vector_free(&indices.list);
}

/* A first way is listed too where the thread chooses again at the same operation. */
static void choices_of_one_operation(void **state)
{
    (void)state;
    static const struct wire_step steps[] = {RUN(0, 3), CHOOSE(0, 2, 0), CHOOSE(0, 2, 1), RUN(1, END), CHOOSE(1, 2, 0)};
    unsigned char fates[COUNT(steps)] = {0};
    struct steps plan = {0};
    steps_plan(steps, COUNT(steps), fates, 0, &plan);
    static const struct wire_step wanted[] = {RUN(0, END), RUN(1, END), CHOOSE(0, 2, 0), CHOOSE(0, 2, 1)};
    expect(&plan, wanted, COUNT(wanted));
    vector_free(&plan.list);
}

static void one_preemption(void **state)
{
    (void)state;
    struct steps plan = {0};
    steps_plan_one(2, 6, 4, true, &plan);
    static const struct wire_step older[] = {RUN(0, END), RUN(2, 6), RUN(1, END), RUN(0, END), RUN(3, END)};
    expect(&plan, older, COUNT(older));
    steps_plan_one(0, 6, 3, false, &plan);
    static const struct wire_step younger[] = {RUN(0, 6), RUN(1, END), RUN(2, END)};
    expect(&plan, younger, COUNT(younger));
    struct wire_step exchanged[] = {RUN(0, 1), CUT(1, 2), CHOOSE(2, 3, 1)};
    steps_exchange_tasks(exchanged, COUNT(exchanged), 1, 2);
    assert_int_equal(exchanged[0].task, 0);
    assert_int_equal(exchanged[1].task, 2);
    assert_int_equal(exchanged[2].task, 1);
    vector_free(&plan.list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cost),           cmocka_unit_test(order),
        cmocka_unit_test(plans),          cmocka_unit_test(choices_of_one_operation),
        cmocka_unit_test(one_preemption),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
