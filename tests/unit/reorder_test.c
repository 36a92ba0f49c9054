/* SPDX-License-Identifier: MIT
 *
 * reorder_test.c - other orders of known runs, against brute force: on random programs, whatever order is found can be run and
 * shows the instance; how much of what can happen at all is found is measured.  And which ways threads are believed to go.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "direct/flow.h"
#include "direct/orderer.h"
#include "fixture/events.h"
#include "fixture/executions.h"
#include "fixture/instances.h"
#include "fixture/tiny_programs.h"

enum { WINDOW = 1000 };

/* ---- brute force --------------------------------------------------------------------------------------------------- */

static void observe(const struct event *events, unsigned count, void *found)
{
    observe_all(events, count, &(struct observer_options){.wanted = rows("idiom"), .window = WINDOW}, found);
}

/* The orderer that is tested, with what it has learned. */
static void *orderer;

static void learn_from(const struct execution *execution)
{
    orderer_reorder.learn(orderer, execution);
}

static void learn_and_read(const struct execution *execution)
{
    orderer_reorder.learn(orderer, execution);
    orderer_reorder.read(orderer, execution);
}

static int open_orderer(void **state)
{
    (void)state;
    orderer = orderer_reorder.open();
    return 0;
}

static int close_orderer(void **state)
{
    (void)state;
    orderer_reorder.close(orderer);
    return 0;
}

/* False: a task cannot go on where it should. */
static bool follow(const struct tiny_program *program, const goal_steps *steps, struct tiny_state *state)
{
    *state = tiny_begin(program);
    for (size_t i = 0; i < steps->count; i++) {
        unsigned task = steps->data[i].task;
        const struct tiny_task *own = &program->tasks[task];
        while (state->next[task] < own->count && own->ops[state->next[task]].operation < steps->data[i].until) {
            if (!tiny_can_run(state, task))
                return false;
            tiny_step(state, task);
        }
    }
    return true;
}

struct score {
    unsigned long feasible, found;
    unsigned long why_not[ORDER_FAILURES];
};

static void try_all(const struct tiny_program *program, const struct tiny_state *run, const struct instances *feasible,
                    struct score *score)
{
    struct execution execution = make_execution(run->events, run->event_count);
    goal_steps steps = {0};
    open_orderer(NULL);
    learn_and_read(&execution);
    for (size_t i = 0; i < feasible->all.count; i++) {
        const struct instance *instance = &feasible->all.data[i];
        struct pattern pattern = instance_pattern(instance);
        struct tiny_state other;
        uint32_t uncertain_reads;
        enum order_failure why_not;
        score->feasible++;
        bool found = orderer_reorder.order(orderer, &pattern, WINDOW, &steps, &uncertain_reads, &why_not);
        assert_int_equal(found, why_not == ORDER_FOUND);
        score->why_not[why_not]++;
        if (!found)
            continue;
        score->found++;
        assert_true(follow(program, &steps, &other));
        struct instances shown = {0};
        observe(other.events, other.event_count, &shown);
        assert_true(instances_has(&shown, instance));
        instances_free(&shown);
    }
    vector_free(&steps);
    close_orderer(NULL);
    execution_free(&execution);
}

static void what_is_found_can_be_run(void **state)
{
    (void)state;
    const struct tiny_style styles[] = {{.body = 4, .least_ways = 20, .most_ways = 20000},
                                        {.body = 5, .wide = true, .least_ways = 20, .most_ways = 20000},
                                        {.body = 5, .atomics = true, .least_ways = 20, .most_ways = 20000},
                                        {.body = 6, .loops = true, .least_ways = 20, .most_ways = 20000}};
    for (size_t s = 0; s < sizeof styles / sizeof styles[0]; s++) {
        struct score score = {0};
        for (uint64_t seed = 1; seed <= 60; seed++) {
            struct tiny_program program;
            struct tiny_state run, nothing;
            struct generator random = {seed};
            struct instances feasible = {0};
            tiny_make(seed * 7919 + s, &styles[s], &program);
            nothing = tiny_begin(&program);
            tiny_enumerate(&nothing, 0, observe, &feasible);
            if (tiny_random_run(&program, &random, &run))
                try_all(&program, &run, &feasible, &score);
            instances_free(&feasible);
        }
        print_message("# style %zu: %lu of %lu instances found from one run\n", s, score.found, score.feasible);
        for (unsigned why = ORDER_FOUND + 1; why < ORDER_FAILURES; why++)
            if (score.why_not[why] > 0)
                print_message("#   %lu not: %s\n", score.why_not[why], order_failure_text((enum order_failure)why));
        assert_true(score.found * 3 > score.feasible);
    }
}

/* ---- values -------------------------------------------------------------------------------------------------------- */

enum { X = 0x1000, Y = 0x2000 };

/* The sites are the lines of an imagined program. */
static struct execution record(struct event *events, size_t count)
{
    uint64_t operations[TINY_TASKS] = {0};
    for (size_t i = 0; i < count; i++)
        events[i].operation = ++operations[events[i].task];
    return make_execution(events, count);
}
#define RECORD(...) record((struct event[]){__VA_ARGS__}, sizeof((struct event[]){__VA_ARGS__}) / sizeof(struct event))

/* T0 writes 1 to x; T1 reads it, and then something else happens: a write to y.  The pattern asks for the write of y after the read, and
   the read before T0's write: it then reads 0. */
static const struct pattern *early_read(struct pattern *pattern)
{
    *pattern = (struct pattern){
        .count = 4,
        .steps = {
            {.thread = 0, .variable = 0, .kind = ACCESS_WRITE, .site = 1},
            {.thread = 1, .variable = 0, .kind = ACCESS_READ, .group = 1, .relation = RELATION_IMMEDIATE, .site = 11},
            {.thread = 1, .variable = 1, .kind = ACCESS_WRITE, .group = 2, .site = 12},
            {.thread = 0, .variable = 1, .kind = ACCESS_READ, .group = 3, .relation = RELATION_IMMEDIATE, .site = 3}}};
    return pattern;
}

static enum order_failure try_early_read(uint32_t *uncertain_reads)
{
    struct pattern pattern;
    goal_steps steps = {0};
    enum order_failure why_not;
    struct execution execution =
        RECORD(valued(writes(0, X, 1), 0), valued(writes(0, X, 2), 1), valued(reads(1, X, 11), 1),
               valued(writes(1, Y, 12), 5), valued(reads(0, Y, 3), 5));
    learn_and_read(&execution);
    orderer_reorder.order(orderer, early_read(&pattern), WINDOW, &steps, uncertain_reads, &why_not);
    vector_free(&steps);
    execution_free(&execution);
    return why_not;
}

static void learn(uint64_t value, uint32_t next_site)
{
    struct execution execution = RECORD(valued(reads(1, X, 11), value), valued(writes(1, Y, next_site), 5));
    learn_from(&execution);
    execution_free(&execution);
}

static void a_value_that_was_never_read(void **state)
{
    (void)state;
    uint32_t uncertain_reads;
    assert_int_equal(try_early_read(&uncertain_reads), ORDER_UNKNOWN_PATH); /* what it does with a 0 is not known */
    learn(0, 12);
    assert_int_equal(try_early_read(&uncertain_reads), ORDER_FOUND); /* the same as with a 1 */
    assert_int_equal(uncertain_reads, 0);
}

static void a_value_that_leads_elsewhere(void **state)
{
    (void)state;
    uint32_t uncertain_reads;
    learn(0, 13);
    assert_int_equal(try_early_read(&uncertain_reads), ORDER_UNKNOWN_PATH);
}

static void a_value_that_does_not_matter(void **state)
{
    (void)state;
    uint32_t uncertain_reads;
    learn(7, 12); /* not 0, but two values that lead to the same place */
    assert_int_equal(try_early_read(&uncertain_reads), ORDER_FOUND);
}

static void paths_are_learned(void **state)
{
    (void)state;
    struct flow flow = {0};
    struct execution execution =
        RECORD(valued(reads(1, X, 11), 0), valued(writes(1, Y, 12), 5), valued(reads(1, X, 11), 1),
               valued(writes(1, Y, 13), 5), valued(reads(1, Y, 14), 5), valued(reads(1, X + 8, 14), 0));
    flow_learn(&flow, &execution);
    execution_free(&execution);
    assert_false(flow_is_straight(&flow, 11));
    assert_false(flow_is_same(&flow, 11, 0, 1));
    assert_true(flow_is_same(&flow, 11, 1, 1));
    assert_true(flow_is_certain(&flow, 11, true, 0)); /* by its value */
    assert_false(flow_is_certain(&flow, 11, false, 0));
    assert_true(flow_is_constant(&flow, 12) && flow_is_constant(&flow, 13));
    assert_false(flow_is_constant(&flow, 11));
    assert_true(flow_is_fixed(&flow, 11));
    assert_false(flow_is_fixed(&flow, 14));
    /* the same value, another path */
    execution = RECORD(valued(reads(2, X, 11), 0), valued(writes(2, Y, 13), 5));
    flow_learn(&flow, &execution);
    execution_free(&execution);
    assert_false(flow_is_certain(&flow, 11, true, 0));
    assert_true(flow_is_certain(&flow, 11, true, 1));
    flow_free(&flow);
}

/* ---- why not ------------------------------------------------------------------------------------------------------- */

static enum order_failure try_pair(struct execution execution, uint32_t first, enum access_kind first_kind,
                                   uint32_t second, enum access_kind second_kind)
{
    struct pattern pattern = {
        .count = 2,
        .steps = {
            {.thread = 0, .kind = (uint8_t)first_kind, .site = first},
            {.thread = 1, .kind = (uint8_t)second_kind, .group = 1, .relation = RELATION_IMMEDIATE, .site = second}}};
    goal_steps steps = {0};
    uint32_t uncertain_reads;
    enum order_failure why_not;
    learn_and_read(&execution);
    bool found = orderer_reorder.order(orderer, &pattern, WINDOW, &steps, &uncertain_reads, &why_not);
    assert_int_equal(found, why_not == ORDER_FOUND);
    vector_free(&steps);
    execution_free(&execution);
    return why_not;
}

static void it_says_why_not(void **state)
{
    (void)state;
    enum { M = 0x3000 };
    assert_int_equal(try_pair(RECORD(writes(0, X, 1), writes(1, X, 2)), 2, ACCESS_WRITE, 1, ACCESS_WRITE), ORDER_FOUND);
    assert_int_equal(try_pair(RECORD(writes(0, X, 1), writes(1, Y, 2)), 2, ACCESS_WRITE, 1, ACCESS_WRITE),
                     ORDER_NO_CANDIDATES);
    /* site 1 comes before the creation of the task that does site 2 */
    assert_int_equal(
        try_pair(RECORD(writes(0, X, 1), creates(0, 1), writes(1, X, 2)), 2, ACCESS_WRITE, 1, ACCESS_WRITE),
        ORDER_STEP_LATER);
    /* in one section with another write after it */
    assert_int_equal(try_pair(RECORD(locks(0, M), writes(0, X, 1), writes(0, X, 3), unlocks(0, M), locks(1, M),
                                     writes(1, X, 2), unlocks(1, M)),
                              1, ACCESS_WRITE, 2, ACCESS_WRITE),
                     ORDER_BETWEEN);
    /* the section does not end */
    assert_int_equal(try_pair(RECORD(locks(1, M), writes(1, X, 2), unlocks(1, M), locks(0, M), writes(0, X, 1)), 1,
                              ACCESS_WRITE, 2, ACCESS_WRITE),
                     ORDER_LOCK);
    for (unsigned why = 0; why < ORDER_FAILURES; why++)
        assert_true(order_failure_text((enum order_failure)why)[0] != '\0');
}

static void a_run_without_events(void **state)
{
    (void)state;
    struct pattern pattern;
    goal_steps steps = {0};
    uint32_t uncertain_reads;
    enum order_failure why_not;
    struct execution nothing = make_execution(NULL, 0);
    learn_and_read(&nothing);
    assert_false(orderer_reorder.order(orderer, early_read(&pattern), WINDOW, &steps, &uncertain_reads, &why_not));
    assert_int_equal(why_not, ORDER_NO_CANDIDATES);
    assert_int_equal(orderer_reorder.work(orderer), 0);
    execution_free(&nothing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_found_can_be_run),
        cmocka_unit_test_setup_teardown(a_value_that_was_never_read, open_orderer, close_orderer),
        cmocka_unit_test_setup_teardown(a_value_that_leads_elsewhere, open_orderer, close_orderer),
        cmocka_unit_test_setup_teardown(a_value_that_does_not_matter, open_orderer, close_orderer),
        cmocka_unit_test(paths_are_learned),
        cmocka_unit_test_setup_teardown(it_says_why_not, open_orderer, close_orderer),
        cmocka_unit_test_setup_teardown(a_run_without_events, open_orderer, close_orderer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
