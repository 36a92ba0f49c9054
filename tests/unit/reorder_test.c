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
#include "direct/reorder.h"
#include "fixture/events.h"
#include "fixture/instances.h"
#include "fixture/tiny_programs.h"
#include "pattern/observe.h"

enum { WINDOW = 1000 };

/* ---- brute force --------------------------------------------------------------------------------------------------- */

struct recorded { /* a run, as the driver gets it */
    struct wire_event events[TINY_EVENTS];
    uint32_t sites[TINY_EVENTS];
    size_t count;
};

static struct reorderer_run as_run(const struct recorded *recorded)
{
    return (struct reorderer_run){.events = recorded->events, .sites = recorded->sites, .event_count = recorded->count};
}

static void record(const struct event *events, unsigned count, struct recorded *recorded)
{
    recorded->count = count;
    for (unsigned i = 0; i < count; i++) {
        const struct event *event = &events[i];
        recorded->events[i] = tiny_wire_event(event);
        recorded->sites[i] = event->site;
    }
}

static void observe(const struct event *events, unsigned count, void *found)
{
    struct observer_options options = {.wanted = rows("idiom"), .window = WINDOW};
    struct observer *observer = observer_new(&options, found);
    for (unsigned i = 0; i < count; i++)
        observer_feed(observer, &events[i]);
    observer_free(observer);
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
};

static void try_all(const struct tiny_program *program, const struct tiny_state *run, const struct instances *feasible,
                    struct score *score)
{
    struct recorded recorded;
    struct reorderer *reorderer = reorderer_new();
    goal_steps steps = {0};
    record(run->events, run->event_count, &recorded);
    struct reorderer_run read = as_run(&recorded);
    reorderer_learn(reorderer, &read);
    reorderer_read(reorderer, &read);
    for (size_t i = 0; i < feasible->all.count; i++) {
        const struct instance *instance = &feasible->all.data[i];
        struct pattern pattern = instance_pattern(instance);
        struct tiny_state other;
        uint32_t uncertain_reads;
        score->feasible++;
        if (!reorder(reorderer, &pattern, WINDOW, &steps, &uncertain_reads))
            continue;
        score->found++;
        assert_true(follow(program, &steps, &other));
        struct instances shown = {0};
        observe(other.events, other.event_count, &shown);
        assert_true(instances_has(&shown, instance));
        instances_free(&shown);
    }
    vector_free(&steps);
    reorderer_free(reorderer);
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
        assert_true(score.found * 3 > score.feasible);
    }
}

/* ---- values -------------------------------------------------------------------------------------------------------- */

enum { X = 0x1000, Y = 0x2000 };

/* The sites are the lines of an imagined program. */
static void record_events(struct event *events, unsigned count, struct recorded *recorded)
{
    uint64_t operations[TINY_TASKS] = {0};
    for (unsigned i = 0; i < count; i++)
        events[i].operation = ++operations[events[i].task];
    record(events, count, recorded);
}

#define RECORD(recorded, ...)                                                                                          \
    do {                                                                                                               \
        struct event events[] = {__VA_ARGS__};                                                                         \
        record_events(events, sizeof events / sizeof *events, (recorded));                                             \
    } while (0)

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

static bool finds(struct reorderer *reorderer, uint32_t *uncertain_reads)
{
    struct recorded recorded;
    struct pattern pattern;
    goal_steps steps = {0};
    RECORD(&recorded, valued(writes(0, X, 1), 0), valued(writes(0, X, 2), 1), valued(reads(1, X, 11), 1),
           valued(writes(1, Y, 12), 5), valued(reads(0, Y, 3), 5));
    struct reorderer_run run = as_run(&recorded);
    reorderer_learn(reorderer, &run);
    reorderer_read(reorderer, &run);
    bool found = reorder(reorderer, early_read(&pattern), WINDOW, &steps, uncertain_reads);
    vector_free(&steps);
    return found;
}

static void learn(struct reorderer *reorderer, uint64_t value, uint32_t next_site)
{
    struct recorded recorded;
    RECORD(&recorded, valued(reads(1, X, 11), value), valued(writes(1, Y, next_site), 5));
    struct reorderer_run run = as_run(&recorded);
    reorderer_learn(reorderer, &run);
}

static void a_value_that_was_never_read(void **state)
{
    (void)state;
    uint32_t uncertain_reads;
    struct reorderer *reorderer = reorderer_new();
    assert_false(finds(reorderer, &uncertain_reads)); /* what it does with a 0 is not known */
    learn(reorderer, 0, 12);
    assert_true(finds(reorderer, &uncertain_reads)); /* the same as with a 1 */
    assert_int_equal(uncertain_reads, 0);
    reorderer_free(reorderer);
}

static void a_value_that_leads_elsewhere(void **state)
{
    (void)state;
    uint32_t uncertain_reads;
    struct reorderer *reorderer = reorderer_new();
    learn(reorderer, 0, 13);
    assert_false(finds(reorderer, &uncertain_reads));
    reorderer_free(reorderer);
}

static void a_value_that_has_no_say(void **state)
{
    (void)state;
    uint32_t uncertain_reads;
    struct reorderer *reorderer = reorderer_new();
    learn(reorderer, 7, 12); /* not 0, but two values that lead to the same place */
    assert_true(finds(reorderer, &uncertain_reads));
    reorderer_free(reorderer);
}

static void ways_are_learned(void **state)
{
    (void)state;
    struct flow flow = {0};
    struct recorded recorded;
    RECORD(&recorded, valued(reads(1, X, 11), 0), valued(writes(1, Y, 12), 5), valued(reads(1, X, 11), 1),
           valued(writes(1, Y, 13), 5), valued(reads(1, Y, 14), 5), valued(reads(1, X + 8, 14), 0));
    flow_observe(&flow, recorded.events, recorded.sites, recorded.count);
    assert_false(flow_is_straight(&flow, 11));
    assert_false(flow_is_same(&flow, 11, 0, 1));
    assert_true(flow_is_same(&flow, 11, 1, 1));
    assert_true(flow_is_certain(&flow, 11, true, 0)); /* by its value */
    assert_false(flow_is_certain(&flow, 11, false, 0));
    assert_true(flow_is_constant(&flow, 12) && flow_is_constant(&flow, 13));
    assert_false(flow_is_constant(&flow, 11));
    assert_true(flow_is_fixed(&flow, 11));
    assert_false(flow_is_fixed(&flow, 14));
    /* the same value, another way */
    RECORD(&recorded, valued(reads(2, X, 11), 0), valued(writes(2, Y, 13), 5));
    flow_observe(&flow, recorded.events, recorded.sites, recorded.count);
    assert_false(flow_is_certain(&flow, 11, true, 0));
    assert_true(flow_is_certain(&flow, 11, true, 1));
    flow_free(&flow);
}

static void a_run_without_events(void **state)
{
    (void)state;
    struct pattern pattern;
    goal_steps steps = {0};
    uint32_t uncertain_reads;
    struct reorderer *reorderer = reorderer_new();
    struct reorderer_run nothing = {0};
    reorderer_learn(reorderer, &nothing);
    reorderer_read(reorderer, &nothing);
    assert_false(reorder(reorderer, early_read(&pattern), WINDOW, &steps, &uncertain_reads));
    assert_int_equal(reorderer_work(reorderer), 0);
    reorderer_free(reorderer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_found_can_be_run),
        cmocka_unit_test(a_value_that_was_never_read),
        cmocka_unit_test(a_value_that_leads_elsewhere),
        cmocka_unit_test(a_value_that_has_no_say),
        cmocka_unit_test(ways_are_learned),
        cmocka_unit_test(a_run_without_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
