/* SPDX-License-Identifier: MIT
 *
 * solve_test.c - other orders of an execution by constraints, against brute force: of random programs all interleavings are known, so for
 * each pattern it is known whether it can happen.  What the solver finds can be run and shows it; what it calls impossible never happens.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "fixture/events.h"
#include "fixture/executions.h"
#include "fixture/instances.h"
#include "fixture/tiny_programs.h"
#include "solve/order_steps.h"
#include "solve/quick.h"
#include "solve/solver.h"
#include "solve/tuples.h"
#include "solve/window.h"

enum { WINDOW = 1000 };

/* ---- brute force --------------------------------------------------------------------------------------------------- */

static const char *families_of_test;

static void observe(const struct event *events, unsigned count, void *found)
{
    observe_all(events, count, &(struct observer_options){.wanted = rows(families_of_test), .window = WINDOW}, found);
}

/* Everything that has the sites of some run: possible or not. */
static void predict(const struct event *events, unsigned count, struct instances *found)
{
    predict_all(events, count, &(struct predictor_options){.wanted = rows(families_of_test), .window = WINDOW}, found);
}

/* ---- asking -------------------------------------------------------------------------------------------------------- */

struct asked {
    struct execution execution;
    struct rules rules;
    struct site_events sites;
    struct tuples tuples;
    struct question question;
    struct answer answer;
    struct solver *solver;
    struct quick quick;
    unsigned long questions, cycles, reordered; /* of these: answered without the solver */
};

static void open_asked(struct asked *asked, const struct tiny_state *run)
{
    asked->execution = make_execution(run->events, run->event_count);
    rules_make(&asked->rules, &asked->execution);
    for (size_t i = 0; i < asked->rules.locations.count; i++) /* all values are 0 */
        asked->rules.locations.data[i].initial_known = true;
    site_events_make(&asked->sites, &asked->execution);
    asked->solver = solver_open(&(struct solver_limits){0});
}

static void close_asked(struct asked *asked)
{
    solver_close(asked->solver);
    quick_free(&asked->quick);
    answer_free(&asked->answer);
    question_free(&asked->question);
    tuples_free(&asked->tuples);
    site_events_free(&asked->sites);
    rules_free(&asked->rules);
    execution_free(&asked->execution);
    *asked = (struct asked){0};
}

/* The solver says the same as what answers without a search, if that does. */
static void ask_both(struct asked *asked)
{
    struct answer quick = {0};
    size_t where;
    bool answered = quick_ask(&asked->quick, &asked->rules, &asked->question, &quick);
    solver_ask(asked->solver, &asked->rules, &asked->question, &asked->answer);
    asked->questions++;
    asked->cycles += answered && quick.kind == ANSWER_IMPOSSIBLE;
    asked->reordered += answered && quick.kind == ANSWER_FOUND;
    if (answered)
        assert_int_equal(quick.kind, asked->answer.kind);
    if (answered && quick.kind == ANSWER_IMPOSSIBLE)
        assert_int_equal(quick.certain, asked->answer.certain);
    if (answered && quick.kind == ANSWER_FOUND) {
        assert_true(order_is_possible(&asked->rules, &quick.order, EVENT_NONE, &where));
        answer_copy_order(&asked->answer, &quick); /* it is run */
    }
    answer_free(&quick);
}

/* Whether some events of the execution can be the instance; the answer is the last one. */
static enum answer_kind ask(struct asked *asked, const struct instance *instance, bool *certain)
{
    struct pattern pattern = instance_pattern(instance);
    enum answer_kind kind = ANSWER_IMPOSSIBLE;
    tuples_find(&asked->execution, &asked->sites, &pattern, WINDOW, &asked->tuples);
    *certain = !asked->tuples.cut;
    for (size_t i = 0; i < asked->tuples.all.count && kind == ANSWER_IMPOSSIBLE; i++) {
        question_clear(&asked->question);
        if (!tuple_question(&asked->execution, &pattern, &asked->tuples.all.data[i], &asked->question))
            continue;
        ask_both(asked);
        kind = asked->answer.kind;
        *certain &= kind != ANSWER_IMPOSSIBLE || asked->answer.certain;
    }
    return kind;
}

struct score {
    unsigned long feasible, found, impossible, proven, questions, cycles, reordered;
};

static void check_found(const struct tiny_program *program, struct asked *asked, const struct instance *instance)
{
    goal_steps steps = {0};
    size_t where;
    struct tiny_state other;
    assert_true(order_is_possible(&asked->rules, &asked->answer.order, EVENT_NONE, &where));
    answer_write_steps(&asked->rules, &asked->answer, &steps);
    assert_true(tiny_follow(program, steps.data, steps.count, &other));
    struct instances shown = {0};
    observe(other.events, other.event_count, &shown);
    assert_true(instances_has(&shown, instance));
    instances_free(&shown);
    vector_free(&steps);
}

static void try_all(const struct tiny_program *program, const struct tiny_state *run, const struct instances *asked_for,
                    const struct instances *feasible, struct score *score)
{
    struct asked asked = {0};
    open_asked(&asked, run);
    for (size_t i = 0; i < asked_for->all.count; i++) {
        const struct instance *instance = &asked_for->all.data[i];
        bool can = instances_has(feasible, instance), certain;
        enum answer_kind kind = ask(&asked, instance, &certain);
        assert_int_not_equal(kind, ANSWER_UNKNOWN);
        score->feasible += can;
        score->impossible += !can;
        score->found += kind == ANSWER_FOUND;
        score->proven += kind == ANSWER_IMPOSSIBLE && certain;
        if (kind == ANSWER_FOUND)
            check_found(program, &asked, instance);
        if (can != (kind == ANSWER_FOUND)) {
            for (unsigned k = 0; k < run->event_count; k++)
                print_message("# %u: T%u %s %#lx site %u\n", k, run->events[k].task, "", (long)run->events[k].address,
                              run->events[k].site);
            print_message("# row %s sites %u %u %u %u kinds %u %u\n", families[instance->row].name, instance->site[0],
                          instance->site[1], instance->site[2], instance->site[3], instance->kind[0],
                          instance->kind[1]);
        }
        assert_int_equal(can, kind == ANSWER_FOUND);
    }
    score->questions += asked.questions;
    score->cycles += asked.cycles;
    score->reordered += asked.reordered;
    close_asked(&asked);
}

/* The programs have no values: each run has all events, and what is possible at all is possible in an order of any one. */
static void answers_are_exact(const char *wanted)
{
    const struct tiny_style styles[] = {{.body = 4, .least_ways = 20, .most_ways = 3000},
                                        {.body = 4, .atomics = true, .least_ways = 20, .most_ways = 3000},
                                        {.body = 4, .units = true, .least_ways = 20, .most_ways = 3000}};
    families_of_test = wanted;
    for (size_t s = 0; s < sizeof styles / sizeof styles[0]; s++) {
        struct score score = {0};
        for (uint64_t seed = 1; seed <= 30; seed++) {
            struct tiny_program program;
            struct tiny_state run, nothing;
            struct generator random = {seed};
            struct instances feasible = {0}, asked_for = {0};
            tiny_make(seed * 7919 + s, &styles[s], &program);
            nothing = tiny_begin(&program);
            tiny_enumerate(&nothing, 0, observe, &feasible);
            if (tiny_random_run(&program, &random, &run)) {
                predict(run.events, run.event_count, &asked_for);
                for (size_t i = 0; i < feasible.all.count; i++)
                    instances_add(&asked_for, &feasible.all.data[i], NULL);
                try_all(&program, &run, &asked_for, &feasible, &score);
            }
            instances_free(&feasible);
            instances_free(&asked_for);
        }
        print_message("# style %zu: %lu of %lu found, %lu of %lu impossible ones proven\n", s, score.found,
                      score.feasible, score.proven, score.impossible);
        print_message("# style %zu: of %lu questions %lu answered by a cycle, %lu by a reordering\n", s,
                      score.questions, score.cycles, score.reordered);
        assert_true(3 * (score.cycles + score.reordered) >= 2 * score.questions);
    }
}

static void idioms_are_answered(void **state)
{
    (void)state;
    answers_are_exact("idiom");
}

static void maps_are_answered(void **state)
{
    (void)state;
    answers_are_exact("map");
}

static void races_are_answered(void **state)
{
    (void)state;
    answers_are_exact("race");
}

static void units_are_answered(void **state)
{
    (void)state;
    answers_are_exact("atom");
}

/* ---- windows -------------------------------------------------------------------------------------------------------- */

/* The run as a schedule. */
static void add_steps(struct execution *execution)
{
    for (uint32_t i = 0; i < execution_count(execution); i++) {
        const struct event *event = execution_event(execution, i);
        vector_push(&execution->own_steps,
                    ((struct wire_step){.type = STEP_RUN, .task = event->task, .until = event->operation + 1}));
    }
    execution->steps = (struct execution_steps){execution->own_steps.data, execution->own_steps.count};
}

static void follow_window(const struct tiny_program *program, struct asked *asked, const struct window *window,
                          const struct instance *instance)
{
    goal_steps steps = {0};
    size_t where;
    struct tiny_state other;
    struct instances shown = {0};
    assert_true(order_is_possible(&asked->rules, &asked->answer.order, EVENT_NONE, &where));
    window_write_steps(window, &asked->rules, &asked->answer, &steps);
    assert_true(tiny_follow(program, steps.data, steps.count, &other));
    observe(other.events, other.event_count, &shown);
    assert_true(instances_has(&shown, instance));
    instances_free(&shown);
    vector_free(&steps);
}

/* What comes before the window is as it was; nothing is proven. */
static void ask_window(const struct tiny_program *program, const struct execution *whole, uint32_t from,
                       const struct instances *wanted, struct score *score)
{
    struct asked asked = {0};
    struct window window = {0};
    window_make(&window, whole, from, execution_count(whole));
    assert_int_equal(execution_count(&window.execution), window.carried + execution_count(whole) - from);
    rules_make_after(&asked.rules, &window.execution, window.carried);
    for (size_t i = 0; i < asked.rules.locations.count; i++) /* all values are 0 */
        asked.rules.locations.data[i].initial_known = true;
    asked.execution = window.execution;
    asked.tuples.done = window.carried;
    site_events_make(&asked.sites, &window.execution);
    asked.solver = solver_open(&(struct solver_limits){0});
    for (size_t i = 0; i < wanted->all.count; i++) {
        bool certain;
        enum answer_kind kind = ask(&asked, &wanted->all.data[i], &certain);
        assert_int_not_equal(kind, ANSWER_UNKNOWN);
        assert_false(asked.rules.certain && from > 0);
        score->found += kind == ANSWER_FOUND;
        score->feasible++;
        if (kind == ANSWER_FOUND)
            follow_window(program, &asked, &window, &wanted->all.data[i]);
    }
    asked.execution = (struct execution){0};
    close_asked(&asked);
    window_free(&window);
}

static void orders_of_windows_are_followed(void **state)
{
    const struct tiny_style style = {.body = 5, .least_ways = 20, .most_ways = 3000};
    unsigned long found[4] = {0};
    (void)state;
    families_of_test = "idiom";
    for (uint64_t seed = 1; seed <= 25; seed++) {
        struct tiny_program program;
        struct tiny_state run, nothing;
        struct generator random = {seed};
        struct instances feasible = {0};
        tiny_make(seed * 7907, &style, &program);
        nothing = tiny_begin(&program);
        tiny_enumerate(&nothing, 0, observe, &feasible);
        if (tiny_random_run(&program, &random, &run)) {
            struct execution whole = make_execution(run.events, run.event_count);
            add_steps(&whole);
            for (uint32_t part = 0; part < 4; part++) {
                struct score score = {0};
                ask_window(&program, &whole, execution_count(&whole) * part / 4, &feasible, &score);
                found[part] += score.found;
                assert_true(part > 0 || score.found == score.feasible);
            }
            execution_free(&whole);
        }
        instances_free(&feasible);
    }
    print_message("# found in all, and in windows of three quarters, a half, a quarter: %lu, %lu, %lu, %lu\n", found[0],
                  found[1], found[2], found[3]);
    assert_true(found[0] > found[1] && found[1] > found[2] && found[2] > found[3] && found[3] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(idioms_are_answered), cmocka_unit_test(maps_are_answered),
                                       cmocka_unit_test(races_are_answered), cmocka_unit_test(units_are_answered),
                                       cmocka_unit_test(orders_of_windows_are_followed)};
    if (!solver_available())
        return 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
