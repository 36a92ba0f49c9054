/* SPDX-License-Identifier: MIT
 *
 * checkpoints_test.c - which checkpoint a run is continued from, where the next one is made, and which one has to go, against brute force: a
 * schedule is written out as what happens one after the other, and a place is on the way of a run if what led there is
 * a prefix of what the run does.  No program is run: the test says where runs were checkpoints.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control/checkpoints.h"
#include "util/hash.h"

enum {
    TASKS = 3,
    SOURCES = 3,
    OTHERS = 4,
    NO_PROCESS = 0x40000000, /* from here on: numbers that no process has */
};

static struct server server;
static struct checkpoints checkpoints;
static struct wire_copy copy;
static struct generator generator;

static int set_up(void **state)
{
    (void)state;
    server = (struct server){.wire = calloc(1, offsetof(struct wire, plan_steps))};
    checkpoints = (struct checkpoints){.policy = CHECKPOINTS_ALWAYS};
    copy = (struct wire_copy){.result = {.shared_sites = 7, .operations = 1000}};
    checkpoints.sites = 7;
    generator.state = 1;
    return server.wire != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    free(server.wire);
    vector_free(&copy.steps);
    vector_free(&copy.choices);
    checkpoints_free(&checkpoints);
    return 0;
}

/* ---- schedules, written out ------------------------------------------------------------------------------------------ */

typedef VECTOR(uint64_t) actions;

/* An operation of a task, or the value of a choice that it makes while doing it. */
static uint64_t action(uint64_t task, uint64_t operation, uint64_t choice)
{
    return task << 48 | operation << 16 | choice;
}

static void write_out(const struct wire_step *steps, size_t count, actions *all)
{
    uint64_t done[TASKS] = {0};
    vector_clear(all);
    for (size_t i = 0; i < count; i++) {
        if (steps[i].type != STEP_RUN)
            continue;
        for (uint64_t operation = done[steps[i].task]; operation < steps[i].until; operation++) {
            vector_push(all, action(steps[i].task, operation, 0));
            for (size_t k = i + 1; k < count && steps[k].type == STEP_CHOICE; k++)
                if (steps[k].until == operation)
                    vector_push(all, action(steps[i].task, operation, 1 + steps[k].value));
        }
        done[steps[i].task] = steps[i].until;
    }
}

static uint64_t operations_of(const actions *all, size_t count)
{
    uint64_t operations = 0;
    for (size_t i = 0; i < count; i++)
        operations += (all->data[i] & 0xffff) == 0;
    return operations;
}

static bool is_prefix(const actions *one, size_t count, const actions *other)
{
    return count <= other->count && (count == 0 || memcmp(one->data, other->data, count * sizeof one->data[0]) == 0);
}

static void make_schedule(checkpoints_steps *steps, bool choices)
{
    uint64_t done[TASKS] = {0};
    uint16_t task = 0;
    vector_clear(steps);
    for (int i = 0; i < 12; i++) {
        uint64_t until = done[task] + 1 + generator_below(&generator, 8);
        vector_push(steps, ((struct wire_step){.type = STEP_RUN, .task = task, .until = until}));
        if (choices && generator_below(&generator, 3) == 0)
            vector_push(steps,
                        ((struct wire_step){.type = STEP_CHOICE,
                                            .task = task,
                                            .until = done[task] + generator_below(&generator, until - done[task]),
                                            .value = (uint32_t)generator_below(&generator, 3)}));
        done[task] = until;
        task = (uint16_t)((task + 1 + generator_below(&generator, TASKS - 1)) % TASKS);
    }
}

/* Some of what another one does, and then something else. */
static void make_branch(checkpoints_steps *steps, const checkpoints_steps *from, bool choices)
{
    make_schedule(steps, choices);
    size_t common = generator_below(&generator, from->count + 1);
    uint64_t done[TASKS] = {0};
    checkpoints_steps own = {0};
    vector_append(&own, from->data, common);
    for (size_t i = 0; i < own.count; i++)
        if (own.data[i].type == STEP_RUN)
            done[own.data[i].task] = own.data[i].until;
    uint16_t last = common > 0 ? own.data[common - 1].task : UINT16_MAX;
    for (uint16_t i = 0; i < 6; i++) {
        uint16_t task = (uint16_t)((last + 1 + i) % TASKS);
        done[task] += 1 + generator_below(&generator, 8);
        vector_push(&own, ((struct wire_step){.type = STEP_RUN, .task = task, .until = done[task]}));
    }
    vector_free(steps);
    *steps = own;
}

/* The schedule up to before some operation, as the director cuts it. */
static void cut(checkpoints_steps *prefix, const checkpoints_steps *steps)
{
    uint64_t begun = 0;
    size_t at = generator_below(&generator, steps->count);
    while (steps->data[at].type != STEP_RUN)
        at--;
    for (size_t i = 0; i < at; i++)
        if (steps->data[i].type == STEP_RUN && steps->data[i].task == steps->data[at].task)
            begun = steps->data[i].until;
    struct wire_step last = steps->data[at];
    last.until = begun + 1 + generator_below(&generator, last.until - begun);
    vector_clear(prefix);
    vector_append(prefix, steps->data, at);
    vector_push(prefix, last);
    for (size_t i = at + 1; i < steps->count && steps->data[i].type == STEP_CHOICE; i++)
        if (steps->data[i].until < last.until)
            vector_push(prefix, steps->data[i]);
}

/* ---- runs ------------------------------------------------------------------------------------------------------------ */

/* The run was held as it was asked to, where `steps` are about to be in their step `at`. */
static void hold(const checkpoints_steps *steps, uint32_t at, uint64_t until)
{
    uint64_t done[TASKS] = {0}, operations = 0;
    uint32_t count = at + 1;
    if (until == 0)
        until = steps->data[at].until;
    while (count < steps->count && steps->data[count].type == STEP_CHOICE && steps->data[count].until < until)
        count++;
    for (size_t i = 0; i < at; i++)
        if (steps->data[i].type == STEP_RUN)
            done[steps->data[i].task] = steps->data[i].until;
    done[steps->data[at].task] = until;
    for (int task = 0; task < TASKS; task++)
        operations += done[task];
    uint32_t slot = checkpoints.asked.slot;
    assert_int_equal(server.holders[slot], 0);
    server.wire->checkpoints[slot] = (struct wire_checkpoint){.steps = count, .until = until, .operations = operations};
    server.holders[slot] = (pid_t)(NO_PROCESS + slot);
}

static void end_run(const checkpoints_steps *steps)
{
    vector_clear(&copy.steps);
    vector_append(&copy.steps, steps->data, steps->count);
    checkpoints_observe(&checkpoints, &server, &copy, 0.01);
}

static int live(void)
{
    int count = 0;
    for (int slot = 0; slot < WIRE_CHECKPOINTS; slot++)
        count += server.holders[slot] != 0;
    return count;
}

/* The place that is found is on the way, and none is deeper. */
static void check_found(int from, const checkpoints_steps *wish)
{
    actions wanted = {0}, led = {0};
    uint64_t deepest = 0;
    bool found = false;
    write_out(wish->data, wish->count, &wanted);
    for (int slot = 0; slot < WIRE_CHECKPOINTS; slot++) {
        const struct checkpoint *place = &checkpoints.places[slot];
        if (server.holders[slot] == 0)
            continue;
        write_out(place->steps.data, place->steps.count, &led);
        assert_int_equal(operations_of(&led, led.count), place->operations);
        bool on_the_way = is_prefix(&led, led.count, &wanted);
        found |= slot == from && on_the_way;
        if (on_the_way && place->operations > deepest)
            deepest = place->operations;
    }
    assert_int_equal(from >= 0, found);
    assert_int_equal(from >= 0 ? checkpoints.places[from].operations : 0, deepest);
    vector_free(&wanted);
    vector_free(&led);
}

static uint64_t had(const struct checkpoints_wish *wish)
{
    actions wanted = {0}, led = {0};
    uint64_t deepest = 0;
    write_out(wish->steps, wish->count, &wanted);
    for (int slot = 0; slot < WIRE_CHECKPOINTS; slot++) {
        if (server.holders[slot] == 0)
            continue;
        write_out(checkpoints.places[slot].steps.data, checkpoints.places[slot].steps.count, &led);
        if (is_prefix(&led, led.count, &wanted) && checkpoints.places[slot].operations > deepest)
            deepest = checkpoints.places[slot].operations;
    }
    vector_free(&wanted);
    vector_free(&led);
    return deepest;
}

/* What a place after the first `count` actions of the wish would save the others. */
static uint64_t saved(const actions *wanted, size_t count, const struct checkpoints_wish *others)
{
    uint64_t all = 0, operations = operations_of(wanted, count);
    actions other = {0};
    for (int k = 0; k < OTHERS; k++) {
        uint64_t before = had(&others[k]);
        write_out(others[k].steps, others[k].count, &other);
        if (is_prefix(wanted, count, &other) && operations > before)
            all += operations - before;
    }
    vector_free(&other);
    return all;
}

/* The place that was chosen saves as much as any place on the way.  Where choices differ, it lies before the operation in which they are
   made. */
static void check_chosen(const checkpoints_steps *wish, const struct checkpoints_wish *others, bool choose,
                         uint32_t step, uint64_t until, bool choices)
{
    actions wanted = {0}, led = {0};
    uint64_t most = 0;
    write_out(wish->data, wish->count, &wanted);
    for (size_t count = 1; count <= wanted.count; count++) {
        uint64_t own = saved(&wanted, count, others);
        most = own > most ? own : most;
    }
    if (!choose) {
        assert_true(most <= 1 + (choices ? OTHERS : 0));
    } else {
        checkpoints_steps place = {0};
        vector_append(&place, wish->data, step + 1);
        if (until != 0)
            place.data[step].until = until;
        for (size_t i = step + 1; i < wish->count && wish->data[i].type == STEP_CHOICE; i++)
            if (wish->data[i].until < place.data[step].until)
                vector_push(&place, wish->data[i]);
        write_out(place.data, place.count, &led);
        assert_true(is_prefix(&led, led.count, &wanted));
        uint64_t own = saved(&led, led.count, others);
        assert_in_range(own, !choices ? most : most > OTHERS ? most - OTHERS : 0, most);
        vector_free(&place);
    }
    vector_free(&wanted);
    vector_free(&led);
}

/* ---- tests ----------------------------------------------------------------------------------------------------------- */

static void wander(bool choices)
{
    checkpoints_steps sources[SOURCES] = {0}, prefixes[OTHERS] = {0}, wish = {0};
    int continued = 0, made = 0, most = 0;
    make_schedule(&sources[0], choices);
    for (int i = 1; i < SOURCES; i++)
        make_branch(&sources[i], &sources[0], choices);
    for (int run = 0; run < 400; run++) {
        const checkpoints_steps *source = &sources[generator_below(&generator, SOURCES)];
        struct checkpoints_wish others[OTHERS];
        cut(&wish, source);
        for (int k = 0; k < OTHERS; k++) {
            cut(&prefixes[k], &sources[generator_below(&generator, SOURCES)]);
            others[k] = (struct checkpoints_wish){prefixes[k].data, prefixes[k].count, 0};
        }
        const struct checkpoints_wish wanted = {wish.data, wish.count, PLAN_PREFIX};
        struct wire_plan plan = {.strategy = STRATEGY_DIRECT, .flags = PLAN_PREFIX};
        uint32_t step = 0;
        uint64_t until = 0;
        int from = checkpoints_find(&checkpoints, &server, &wanted);
        check_found(from, &wish);
        bool choose = checkpoints_choose(&checkpoints, &server, &wanted, others, OTHERS, &step, &until);
        check_chosen(&wish, others, choose, step, until, choices);
        if (choose)
            checkpoints_ask(&checkpoints, &server, &plan, CHECKPOINT_AT(step), until);
        assert_true(from < 0 || server.holders[from] != 0); /* the process that the run is continued from stays */
        if (plan.checkpoint != CHECKPOINT_NOWHERE && generator_below(&generator, 8) != 0) {
            hold(&wish, step, until);
            made++;
        }
        server.continued = from >= 0;
        server.continued_from = from >= 0 ? (uint32_t)from : 0;
        continued += from >= 0;
        end_run(&wish);
        most = live() > most ? live() : most;
        if (generator_below(&generator, 16) == 0)
            server.holders[generator_below(&generator, WIRE_CHECKPOINTS)] = 0; /* it was killed */
        copy.result.shared_sites += generator_below(&generator, 64) == 0;
        if (copy.result.shared_sites != checkpoints.sites) {
            end_run(&wish);
            assert_int_equal(live(), 0); /* new sites: other scheduling points */
        }
    }
    assert_true(continued > 100 && made > 20 && most == WIRE_CHECKPOINTS);
    for (int i = 0; i < SOURCES; i++)
        vector_free(&sources[i]);
    for (int k = 0; k < OTHERS; k++)
        vector_free(&prefixes[k]);
    vector_free(&wish);
}

static void continues_from_the_deepest(void **state)
{
    (void)state;
    wander(false);
}

static void minds_choices(void **state)
{
    (void)state;
    generator.state = 2;
    wander(true);
}

static struct wire_plan ask(uint32_t where, uint32_t flags)
{
    struct wire_plan plan = {.strategy = STRATEGY_RANDOM, .flags = flags};
    checkpoints_ask(&checkpoints, &server, &plan, where, 0);
    return plan;
}

static void first_place_serves_all(void **state)
{
    (void)state;
    const struct checkpoints_wish nothing = {.flags = PLAN_RECORD}, unrecorded = {0};
    struct wire_step steps[] = {{.type = STEP_RUN, .until = 5}, {.type = STEP_RUN, .task = 1, .until = 3}};
    assert_true(checkpoints_wants_first(&checkpoints, &server, PLAN_RECORD));
    assert_int_equal(checkpoints_find(&checkpoints, &server, &nothing), -1);
    assert_int_equal(ask(CHECKPOINT_FIRST, PLAN_RECORD).checkpoint, CHECKPOINT_FIRST);
    checkpoints_steps made = {0};
    vector_append(&made, steps, 2);
    hold(&made, 0, 4);
    end_run(&made);
    assert_false(checkpoints_wants_first(&checkpoints, &server, PLAN_RECORD));
    assert_true(checkpoints_wants_first(&checkpoints, &server, 0));
    assert_true(checkpoints_find(&checkpoints, &server, &nothing) >= 0);
    assert_int_equal(checkpoints_find(&checkpoints, &server, &unrecorded), -1);
    assert_true(
        checkpoints_find(&checkpoints, &server, &(struct checkpoints_wish){steps, 2, PLAN_RECORD | PLAN_PREFIX}) >= 0);
    steps[0].until = 3; /* leaves the first task before */
    assert_int_equal(
        checkpoints_find(&checkpoints, &server, &(struct checkpoints_wish){steps, 2, PLAN_RECORD | PLAN_PREFIX}), -1);
    /* A place that is as high, but not the first one, is for those only that say so. */
    server.holders[checkpoints.asked.slot] = 0;
    ask(CHECKPOINT_AT(0), PLAN_RECORD);
    hold(&made, 0, 4);
    end_run(&made);
    assert_int_equal(checkpoints_find(&checkpoints, &server, &nothing), -1);
    vector_free(&made);
}

static void choices_of_a_search(void **state)
{
    (void)state;
    struct wire_step path[] = {checkpoints_choice((struct wire_choice){1, 2}),
                               checkpoints_choice((struct wire_choice){0, 3}),
                               checkpoints_choice((struct wire_choice){2, 3})};
    struct wire_plan plan = {.strategy = STRATEGY_DFS};
    checkpoints_ask(&checkpoints, &server, &plan, CHECKPOINT_AT(2), 0);
    server.wire->checkpoints[checkpoints.asked.slot].operations = 50;
    server.holders[checkpoints.asked.slot] = NO_PROCESS;
    vector_push(&copy.choices, ((struct wire_choice){1, 2}));
    vector_push(&copy.choices, ((struct wire_choice){0, 3}));
    vector_push(&copy.choices, ((struct wire_choice){1, 3}));
    checkpoints_observe(&checkpoints, &server, &copy, 0.01);
    assert_true(checkpoints_find(&checkpoints, &server, &(struct checkpoints_wish){path, 3, 0}) >= 0);
    assert_true(checkpoints_find(&checkpoints, &server, &(struct checkpoints_wish){path, 2, 0}) >= 0);
    assert_int_equal(checkpoints_find(&checkpoints, &server, &(struct checkpoints_wish){path, 1, 0}), -1);
    checkpoints_keep(&checkpoints, &server, &(struct checkpoints_wish){path, 3, 0});
    assert_int_equal(live(), 1);
    path[1].value = 1;
    assert_int_equal(checkpoints_find(&checkpoints, &server, &(struct checkpoints_wish){path, 3, 0}), -1);
    checkpoints_keep(&checkpoints, &server, &(struct checkpoints_wish){path, 3, 0});
    assert_int_equal(live(), 0);
}

/* `count` whole runs of a million operations that take so long. */
static void whole_runs(int count, double seconds)
{
    server.continued = false;
    copy.result.operations = 1000000;
    for (int i = 0; i < count; i++) {
        vector_clear(&copy.steps);
        checkpoints_observe(&checkpoints, &server, &copy, seconds);
    }
}

static void only_where_it_pays(void **state)
{
    (void)state;
    const struct checkpoints_wish nothing = {0};
    checkpoints_steps made = {0};
    vector_push(&made, ((struct wire_step){.type = STEP_RUN, .until = 900000}));
    checkpoints.policy = CHECKPOINTS_IF_IT_PAYS;
    whole_runs(100, 0.0003);
    assert_false(checkpoints_may_ask(&checkpoints)); /* a fork takes as long */
    whole_runs(100, 0.01);
    assert_true(checkpoints_may_ask(&checkpoints));
    ask(CHECKPOINT_FIRST, 0);
    hold(&made, 0, 900000);
    end_run(&made);
    assert_true(checkpoints_find(&checkpoints, &server, &nothing) >= 0);
    /* A continuation that takes longer than the whole is not worth it, once more than by bad luck. */
    server.continued = true;
    server.continued_from = (uint32_t)checkpoints_find(&checkpoints, &server, &nothing);
    for (int i = 0; i < 60; i++)
        checkpoints_observe(&checkpoints, &server, &copy, 0.02);
    assert_int_equal(checkpoints_find(&checkpoints, &server, &nothing), -1);
    whole_runs(200, 0.01); /* and is tried again after a while */
    assert_true(checkpoints_find(&checkpoints, &server, &nothing) >= 0);
    vector_free(&made);
}

static void who_refuses_is_asked_less(void **state)
{
    (void)state;
    int asked = 0;
    checkpoints.policy = CHECKPOINTS_IF_IT_PAYS;
    snprintf(copy.result.not_held, sizeof copy.result.not_held, "a pipe");
    for (int run = 0; run < 2000; run++) {
        whole_runs(1, 0.01);
        if (!checkpoints_may_ask(&checkpoints))
            continue;
        assert_true(ask(CHECKPOINT_FIRST, 0).checkpoint != CHECKPOINT_NOWHERE);
        asked++;
    }
    assert_in_range(asked, 5, 15);
}

/* A run that cannot be held for no lasting reason: it may have found new sites. */
static void without_a_reason_it_is_asked_again(void **state)
{
    (void)state;
    int asked = 0;
    checkpoints.policy = CHECKPOINTS_IF_IT_PAYS;
    for (int run = 0; run < 100; run++) {
        whole_runs(1, 0.01);
        if (checkpoints_may_ask(&checkpoints)) {
            ask(CHECKPOINT_FIRST, 0);
            asked++;
        }
    }
    assert_in_range(asked, 30, 99);
}

static void one_long_run_is_enough(void **state)
{
    (void)state;
    checkpoints.policy = CHECKPOINTS_IF_IT_PAYS;
    whole_runs(1, 0.005);
    assert_false(checkpoints_wants_first(&checkpoints, &server, 0));
    checkpoints.seconds = 0;
    whole_runs(1, 0.5);
    assert_true(checkpoints_wants_first(&checkpoints, &server, 0));
}

/* Few operations that take long: code that is not instrumented. */
static void time_before_counts(void **state)
{
    (void)state;
    checkpoints_steps made = {0};
    const struct checkpoints_wish nothing = {0};
    vector_push(&made, ((struct wire_step){.type = STEP_RUN, .until = 9}));
    for (int long_work = 0; long_work < 2; long_work++) {
        checkpoints.policy = CHECKPOINTS_ALWAYS;
        ask(CHECKPOINT_FIRST, 0);
        hold(&made, 0, 9);
        server.wire->checkpoints[checkpoints.asked.slot].nanoseconds = long_work ? 100000000 : 1000;
        end_run(&made);
        checkpoints.policy = CHECKPOINTS_IF_IT_PAYS;
        checkpoints.wholes = 100;
        checkpoints.rate = 1e-9;
        assert_int_equal(checkpoints_find(&checkpoints, &server, &nothing) >= 0, long_work);
        const struct wire_plan plan = {.max_steps = 100 + (uint64_t)long_work};
        checkpoints_bound(&checkpoints, &server, &plan); /* a new bound: no checkpoint is valid any more */
        assert_int_equal(live(), 0);
    }
    vector_free(&made);
}

/* The bound of preemptions counts for searches only. */
static void bound_of_preemptions(void **state)
{
    (void)state;
    checkpoints_steps made = {0};
    vector_push(&made, ((struct wire_step){.type = STEP_RUN, .until = 9}));
    struct wire_plan plan = {.max_steps = 100, .strategy = STRATEGY_DFS, .bound = 1};
    checkpoints_bound(&checkpoints, &server, &plan);
    ask(CHECKPOINT_FIRST, 0);
    hold(&made, 0, 9);
    end_run(&made);
    checkpoints_bound(&checkpoints, &server, &plan);
    assert_int_equal(live(), 1);
    plan.strategy = STRATEGY_RANDOM;
    plan.bound = 2;
    checkpoints_bound(&checkpoints, &server, &plan);
    assert_int_equal(live(), 1);
    plan.strategy = STRATEGY_DFS;
    checkpoints_bound(&checkpoints, &server, &plan);
    assert_int_equal(live(), 0);
    vector_free(&made);
}

static void never_is_never(void **state)
{
    (void)state;
    checkpoints_steps made = {0};
    vector_push(&made, ((struct wire_step){.type = STEP_RUN, .until = 9}));
    ask(CHECKPOINT_FIRST, 0);
    hold(&made, 0, 9);
    end_run(&made);
    assert_true(checkpoints_find(&checkpoints, &server, &(struct checkpoints_wish){0}) >= 0);
    checkpoints.policy = CHECKPOINTS_NEVER;
    assert_int_equal(checkpoints_find(&checkpoints, &server, &(struct checkpoints_wish){0}), -1);
    assert_false(checkpoints_may_ask(&checkpoints));
    vector_free(&made);
}

/* Of a place that was used lately and one that was not, the latter goes; memory counts as well as slots. */
static void makes_room(void **state)
{
    (void)state;
    checkpoints_steps made = {0};
    for (uint16_t i = 0; i < WIRE_CHECKPOINTS; i++) {
        vector_clear(&made);
        vector_push(&made, ((struct wire_step){.type = STEP_RUN, .task = (uint16_t)(i % TASKS), .until = 50 + i}));
        ask(CHECKPOINT_AT(0), 0);
        hold(&made, 0, 0);
        end_run(&made);
    }
    assert_int_equal(live(), WIRE_CHECKPOINTS);
    for (int run = 0; run < 100; run++) {
        checkpoints_find(&checkpoints, &server, &(struct checkpoints_wish){made.data, 1, 0});
        end_run(&made);
    }
    int used = checkpoints_find(&checkpoints, &server, &(struct checkpoints_wish){made.data, 1, 0});
    ask(CHECKPOINT_AT(0), 0);
    assert_int_equal(live(), WIRE_CHECKPOINTS - 1);
    assert_true(used >= 0 && server.holders[used] != 0);
    pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        pause();
        _exit(0);
    }
    setpgid(child, child);
    for (int slot = 0; slot < WIRE_CHECKPOINTS; slot++)
        server.holders[slot] = 0;
    server.holders[0] = child;
    checkpoints.runs++;
    checkpoints.memory = 1;
    assert_int_equal(ask(CHECKPOINT_AT(0), 0).checkpoint_slot, 0);
    assert_int_equal(live(), 0);
    kill(child, SIGKILL); /* it has been, unless the test fails */
    vector_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(continues_from_the_deepest, set_up, tear_down),
        cmocka_unit_test_setup_teardown(minds_choices, set_up, tear_down),
        cmocka_unit_test_setup_teardown(first_place_serves_all, set_up, tear_down),
        cmocka_unit_test_setup_teardown(choices_of_a_search, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_where_it_pays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(who_refuses_is_asked_less, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_a_reason_it_is_asked_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_long_run_is_enough, set_up, tear_down),
        cmocka_unit_test_setup_teardown(time_before_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bound_of_preemptions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(never_is_never, set_up, tear_down),
        cmocka_unit_test_setup_teardown(makes_room, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
