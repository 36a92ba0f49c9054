/* SPDX-License-Identifier: MIT
 *
 * maple_test.c - which open instance is tried next, how often, and what becomes of it; and what the memo of a campaign makes
 * of that.  Runs are made by hand: an attempt succeeds when the test says so.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "campaign/campaign_memo.h"
#include "fixture/runs.h"
#include "memo/memo.h"
#include "technique/maple.h"
#include "util/file.h"

enum { PAIRS = 10, LIBRARY = 0x700000, GIVE_UP = 3 };

/* ---- runs --------------------------------------------------------------------------------------------------------- */

static uint64_t first_of(uint64_t n)
{
    return 0x10000 + 16 * n;
}

static uint64_t second_of(uint64_t n)
{
    return 0x20000 + 16 * n;
}

/* Threads 1 and 2 write a variable each pair, and never wait for each other: each could come first.  Thread 2 is first with the
   variable `turned`. */
static void run_pairs(struct coverage *coverage, uint64_t from, uint64_t to, uint64_t turned, uint64_t schedule)
{
    begin_run();
    for (uint64_t n = from; n < to; n++) {
        uint64_t variable = X + 64 * n;
        if (n == turned)
            add_event(2, OP_WRITE, second_of(n), variable, 0);
        add_event(1, OP_WRITE, first_of(n), variable, 0);
        if (n != turned)
            add_event(2, OP_WRITE, second_of(n), variable, 0);
    }
    observe_copy(coverage, schedule, PREDICT_ALWAYS);
}

/* PAIRS instances of idiom.1 are covered, and as many are open. */
static struct coverage *open_pairs(void)
{
    load_at(BASE);
    struct coverage *coverage = make_coverage("idiom.1");
    run_pairs(coverage, 0, PAIRS, UINT64_MAX, 1);
    assert_int_equal(coverage_count(coverage, coverage_families(coverage)).open, PAIRS);
    return coverage;
}

/* The pair that the instance is about, and whether it is thread 2 first. */
static uint64_t pair_of(const struct coverage *coverage, size_t number)
{
    const struct instance *instance = coverage_instance(coverage, number);
    uint64_t hint = sites_get(coverage_sites(coverage), instance->site[0])->hint;
    assert_true(hint >= second_of(0));
    return (hint - second_of(0)) / 16;
}

static struct targets targets;
static goal_steps steps;

/* With targets about which nothing is known. */
static struct maple *make_maple_with(const struct technique_setup *setup, uint32_t give_up)
{
    struct technique_setup own = *setup;
    targets_free(&targets);
    targets = (struct targets){.give_up = give_up};
    own.targets = &targets;
    return maple_new(&own);
}

static struct maple *make_maple(struct coverage *coverage, uint64_t seed)
{
    return make_maple_with(&(struct technique_setup){.coverage = coverage, .seed = seed}, GIVE_UP);
}

static struct wire_plan plan;

/* Plans a run; returns the open instance that it is to show.  SIZE_MAX: it is a profile run, or for what was covered already. */
static size_t plan_run(struct maple *maple, struct maple_run *run)
{
    plan = (struct wire_plan){.strategy = STRATEGY_PCTLARGE, .seed = 5};
    maple_plan(maple, run, &steps, &loaded.modules, &plan);
    if (run->target == SIZE_MAX) { /* a profile run is left as it was, or is of another random strategy */
        assert_true(plan.strategy == STRATEGY_PCTLARGE || plan.strategy == STRATEGY_POS);
        assert_int_equal(plan.seed, 5);
        assert_int_equal(plan.plan_step_count, 0);
    } else {
        assert_int_equal(plan.strategy, STRATEGY_DIRECT);
        assert_int_equal(plan.goal.count, 2);
        assert_int_equal(plan.plan_step_count, steps.count);
    }
    return run->again ? SIZE_MAX : run->target;
}

static struct wire_copy copy;
static struct execution whole;

/* It ends; what it showed has been observed. */
static void end_run(struct maple *maple, const struct maple_run *run)
{
    maple_observe(maple, run, &plan, &(struct technique_seen){.copy = &copy, .execution = &whole, .observed = true});
}

/* ---- what is next ------------------------------------------------------------------------------------------------- */

static void all_get_their_turn(void **state)
{
    (void)state;
    struct coverage *coverage = open_pairs();
    struct maple *maple = make_maple(coverage, 1);
    struct maple_run run = {0};
    unsigned tried[PAIRS] = {0}, attempts = 0, profiles = 0;
    assert_false(maple_is_idle(maple));
    for (unsigned i = 0; i < 100; i++) {
        size_t target = plan_run(maple, &run);
        if (target != SIZE_MAX) {
            uint64_t pair = pair_of(coverage, target);
            assert_true(pair < PAIRS);
            assert_int_equal(run.attempt, tried[pair]);
            assert_int_equal(tried[pair], attempts / PAIRS); /* none twice before all once */
            tried[pair]++;
            attempts++;
        }
        profiles += run.target == SIZE_MAX;
        end_run(maple, &run);
        assert_int_equal(maple_is_idle(maple), attempts == PAIRS * GIVE_UP);
    }
    assert_int_equal(attempts, PAIRS * GIVE_UP); /* and then no more */
    struct maple_counts counts = maple_counts(maple);
    assert_int_equal(counts.attempts, PAIRS * GIVE_UP);
    assert_int_equal(counts.profiles, profiles);
    assert_int_equal(counts.targets, PAIRS);
    assert_int_equal(counts.given_up, PAIRS);
    assert_int_equal(counts.exposed, 0);
    assert_int_equal(counts.known, 0);
    struct coverage_open open;
    size_t cursor = 0;
    while (coverage_next_open(coverage, &cursor, &open)) {
        const struct target *target = targets_find(&targets, open.number);
        assert_int_equal(target->attempts, GIVE_UP);
        assert_int_equal(target->failed, GIVE_UP);
        assert_int_equal(target->exposed, 0);
        assert_int_equal(target->verdict, ATTEMPT_NOT_REACHED);
    }
    assert_int_equal(targets_at(&targets, 0)->attempts, 0); /* was covered before it could be tried */
    assert_null(targets_find(&targets, 100000));
    maple_free(maple);
    coverage_free(coverage);
}

/* What is exposed is done with, and so is what another run shows by chance. */
static void what_happened_is_not_tried_again(void **state)
{
    (void)state;
    struct coverage *coverage = open_pairs();
    struct maple *maple = make_maple(coverage, 1);
    struct maple_run run = {0};
    unsigned attempts = 0;
    run_pairs(coverage, 0, PAIRS, 7, 2); /* by chance */
    for (unsigned i = 0; i < 50; i++) {
        size_t target = plan_run(maple, &run);
        if (target != SIZE_MAX) {
            uint64_t pair = pair_of(coverage, target);
            assert_int_not_equal(pair, 7);
            assert_int_equal(coverage_seen(coverage, target), 0);
            run_pairs(coverage, 0, PAIRS, pair, 3 + i);
            attempts++;
        }
        end_run(maple, &run);
    }
    assert_int_equal(attempts, PAIRS - 1);
    assert_int_equal(maple_counts(maple).exposed, PAIRS - 1);
    assert_int_equal(maple_counts(maple).given_up, 0);
    assert_true(maple_is_idle(maple));
    size_t number = SIZE_MAX;
    for (size_t i = 0; i < coverage_instance_count(coverage); i++)
        if (sites_get(coverage_sites(coverage), coverage_instance(coverage, i)->site[0])->hint == second_of(3))
            number = i;
    const struct target *target = targets_find(&targets, number);
    assert_int_equal(target->attempts, 1);
    assert_int_equal(target->exposed, 1);
    assert_int_equal(target->failed, 0);
    assert_int_equal(target->verdict, ATTEMPT_EXPOSED);

    run_pairs(coverage, PAIRS, PAIRS + 2, UINT64_MAX, 99); /* new code: there is something to try again */
    assert_false(maple_is_idle(maple));
    unsigned later = 0;
    for (unsigned i = 0; i < 20; i++) {
        size_t planned = plan_run(maple, &run);
        later += planned != SIZE_MAX && pair_of(coverage, planned) >= PAIRS;
        end_run(maple, &run);
    }
    assert_int_equal(later, 2 * GIVE_UP);
    maple_free(maple);
    coverage_free(coverage);
}

/* The first run is a profile run, for there is nothing to aim at; later ones come in between, more and more rarely. */
static void profile_runs_come_in_between(void **state)
{
    (void)state;
    load_at(BASE);
    struct coverage *coverage = make_coverage("idiom.1");
    struct maple *maple = make_maple(coverage, 1);
    struct maple_run run = {0};
    unsigned early = 0, late = 0, last = 0;
    plan_run(maple, &run);
    assert_true(run.target == SIZE_MAX);
    run_pairs(coverage, 0, 200, UINT64_MAX, 1);
    for (unsigned i = 2; i <= 500; i++) {
        plan_run(maple, &run);
        if (run.target == SIZE_MAX) {
            early += i <= 50;
            late += i > 50;
            last = i;
        }
        run_pairs(coverage, 0, 200, UINT64_MAX, i);
        end_run(maple, &run);
    }
    assert_in_range(early, 3, 20);
    assert_in_range(late, 1, 100); /* of 450 */
    assert_true(last > 100);
    maple_free(maple);
    coverage_free(coverage);
}

/* One turn in four goes to what was covered; each of these in turn. */
static void what_was_covered_happens_again(void **state)
{
    (void)state;
    struct coverage *coverage = open_pairs();
    struct maple *maple = make_maple(coverage, 1);
    struct maple_run run = {0};
    unsigned again[2 * PAIRS] = {0}, all = 0;
    for (unsigned i = 0; i < 200; i++) {
        plan_run(maple, &run);
        if (run.again) {
            assert_true(coverage_seen(coverage, run.target) > 0);
            assert_true(run.target < 2 * PAIRS);
            assert_int_equal(again[run.target], all / PAIRS);
            again[run.target]++;
            all++;
        }
        end_run(maple, &run);
    }
    assert_in_range(all, 40, 120);
    assert_int_equal(maple_counts(maple).again, all);
    maple_free(maple);
    coverage_free(coverage);
}

static void no_target_is_tried_twice_at_a_time(void **state)
{
    (void)state;
    struct coverage *coverage = open_pairs();
    struct maple *maple = make_maple(coverage, 1);
    struct maple_run runs[40] = {0};
    struct wire_plan plans[40];
    unsigned aimed = 0;
    for (unsigned i = 0; i < 40; i++) {
        plan_run(maple, &runs[i]);
        plans[i] = plan;
        for (unsigned k = 0; k < i && !runs[i].again; k++)
            assert_true(runs[i].target == SIZE_MAX || runs[i].target != runs[k].target);
        aimed += runs[i].target != SIZE_MAX && !runs[i].again;
    }
    assert_int_equal(aimed, PAIRS);
    /* One came to nothing, and was no attempt; the others ended. */
    size_t abandoned = SIZE_MAX;
    for (unsigned i = 0; i < 40; i++) {
        if (runs[i].target != SIZE_MAX && !runs[i].again && abandoned == SIZE_MAX) {
            abandoned = runs[i].target;
            maple_abandon(maple, &runs[i]);
        } else {
            plan = plans[i];
            end_run(maple, &runs[i]);
        }
    }
    assert_int_equal(targets_find(&targets, abandoned)->attempts, 0);
    struct maple_run run = {0};
    while (plan_run(maple, &run) == SIZE_MAX)
        end_run(maple, &run);
    assert_true(run.target == abandoned); /* the only one without an attempt */
    assert_int_equal(run.attempt, 0);
    maple_free(maple);
    coverage_free(coverage);
}

static void the_same_seed_gives_the_same_plans(void **state)
{
    (void)state;
    struct coverage *coverage[3];
    struct maple *maples[3];
    struct maple_run runs[3] = {0};
    goal_steps prefixes[3] = {0};
    struct targets own[3];
    static struct wire_plan plans[3];
    unsigned different = 0;
    for (unsigned k = 0; k < 3; k++) {
        coverage[k] = open_pairs();
        own[k] = (struct targets){.give_up = GIVE_UP};
        maples[k] =
            maple_new(&(struct technique_setup){.coverage = coverage[k], .targets = &own[k], .seed = k < 2 ? 8 : 9});
    }
    for (unsigned i = 0; i < 60; i++) {
        for (unsigned k = 0; k < 3; k++) {
            memset(&plans[k], 0, sizeof plans[k]);
            maple_plan(maples[k], &runs[k], &prefixes[k], &loaded.modules, &plans[k]);
        }
        assert_int_equal(runs[0].target, runs[1].target);
        assert_memory_equal(&plans[0], &plans[1], sizeof plans[0]);
        assert_int_equal(prefixes[0].count, prefixes[1].count);
        if (prefixes[0].count > 0)
            assert_memory_equal(prefixes[0].data, prefixes[1].data, prefixes[0].count * sizeof *prefixes[0].data);
        different += plans[0].seed != plans[2].seed;
        for (unsigned k = 0; k < 3; k++)
            maple_observe(maples[k], &runs[k], &plans[k],
                          &(struct technique_seen){.copy = &copy, .execution = &whole, .observed = true});
    }
    assert_true(different >= PAIRS * GIVE_UP);
    for (unsigned k = 0; k < 3; k++) {
        vector_free(&prefixes[k]);
        targets_free(&own[k]);
        maple_free(maples[k]);
        coverage_free(coverage[k]);
    }
}

/* Runs that coverage did not look at are attempts as well: what the program says of its goal counts. */
static void attempts_are_judged_without_events(void **state)
{
    (void)state;
    struct coverage *coverage = open_pairs();
    struct maple *maple = make_maple(coverage, 1);
    struct maple_run run = {0};
    static struct wire_copy reached = {.result = {.directed = {.done = 1}}};
    unsigned attempts = 0, exposed = 0;
    bool shown[1000] = {false};
    for (unsigned i = 0; i < 60; i++) {
        size_t target = plan_run(maple, &run);
        bool done = target != SIZE_MAX && attempts % 2 == 0;
        if (target != SIZE_MAX) {
            assert_true(target < 1000 && !shown[target]); /* what was shown is not tried again */
            shown[target] = done;
            attempts++;
            exposed += done;
        }
        maple_observe(maple, &run, &plan,
                      &(struct technique_seen){.copy = done ? &reached : &copy, .limited = true, .new_pairs = 3});
    }
    assert_true(attempts > PAIRS / 2);
    assert_int_equal(maple_counts(maple).attempts, attempts);
    assert_int_equal(maple_counts(maple).exposed, exposed);
    maple_free(maple);
    coverage_free(coverage);
}

/* ---- when it is known what succeeds ------------------------------------------------------------------------------- */

enum { SETTLED_TURNS = 80, OPEN_LATER = 30 };

/* Pairs up to OPEN_LATER, all attempts of which in the director's second way succeed, and no others, for a while. */
static struct maple *make_settled(struct coverage **coverage, struct maple_run *run)
{
    load_at(BASE);
    *coverage = make_coverage("idiom.1");
    run_pairs(*coverage, 0, OPEN_LATER, UINT64_MAX, 1);
    struct maple *maple = make_maple(*coverage, 1);
    for (unsigned i = 0; i < SETTLED_TURNS; i++) {
        size_t target = plan_run(maple, run);
        if (target != SIZE_MAX && i < 60)
            assert_false(plan.goal.flags & GOAL_RANDOM_AFTER);
        if (target != SIZE_MAX && run->attempt == 1) {
            uint64_t pair = pair_of(*coverage, target);
            run_pairs(*coverage, pair, pair + 1, pair, 2 + i);
        }
        end_run(maple, run);
    }
    assert_true(maple_counts(maple).exposed > 5);
    return maple;
}

static void the_way_that_succeeded_is_tried_first(void **state)
{
    (void)state;
    struct coverage *coverage;
    struct maple_run run = {0};
    struct maple *maple = make_settled(&coverage, &run);
    run_pairs(coverage, OPEN_LATER, OPEN_LATER + PAIRS, UINT64_MAX, 200);
    unsigned fresh = 0;
    bool met[OPEN_LATER + PAIRS] = {false};
    for (unsigned i = 0; i < 100; i++) {
        size_t target = plan_run(maple, &run);
        uint64_t pair = target != SIZE_MAX ? pair_of(coverage, target) : 0;
        if (pair >= OPEN_LATER && !met[pair]) {
            assert_int_equal(run.attempt, 1);
            assert_true(plan.goal.flags & GOAL_RANDOM_AFTER);
            met[pair] = true;
            fresh++;
            run_pairs(coverage, pair, pair + 1, pair, 300 + i);
        }
        end_run(maple, &run);
    }
    assert_int_equal(fresh, PAIRS);
    maple_free(maple);
    coverage_free(coverage);
}

enum { SETS = 8, READS = 0x30000, WRITES = 0x40000, BETWEEN = 0x50000 };
enum { LOOK_FROM = 68 }; /* the targets have been put in order once more since it is done by odds */

/* Thread 1 reads a variable of its set and writes it, thread 2 writes it: in the order that the letters say. */
static void run_sets(struct coverage *coverage, uint64_t from, uint64_t to, const char *order, uint64_t schedule)
{
    begin_run();
    for (uint64_t n = from; n < to; n++)
        for (const char *who = order; *who != '\0'; who++)
            add_event(*who == 'O' ? 2 : 1, *who == 'R' ? OP_READ : OP_WRITE,
                      16 * n + (*who == 'R'   ? READS
                                : *who == 'W' ? WRITES
                                              : BETWEEN),
                      X + 64 * n, 0);
    observe_copy(coverage, schedule, PREDICT_ALWAYS);
}

static bool is_single(const struct coverage *coverage, size_t number)
{
    return coverage_instance(coverage, number)->site[2] == 0;
}

static uint64_t set_of(const struct coverage *coverage, size_t number)
{
    uint64_t hint = sites_get(coverage_sites(coverage), coverage_instance(coverage, number)->site[0])->hint;
    return (hint & 0xffff) / 16;
}

/* What consists of dependencies that were covered has better chances than what consists of such as have failed. */
static void what_has_parts_that_failed_is_tried_later(void **state)
{
    (void)state;
    load_at(BASE);
    struct coverage *coverage = make_coverage("idiom.1,idiom.2");
    struct maple *maple = make_maple_with(&(struct technique_setup){.coverage = coverage, .seed = 1}, 50);
    struct maple_run run = {0};
    unsigned compounds = 0;
    run_sets(coverage, 0, SETS, "ORW", 1);
    for (unsigned i = 0; compounds < SETS / 2 && i < 2 * SETTLED_TURNS; i++) {
        maple_plan(maple, &run, &steps, &loaded.modules, &plan);
        bool attempt = run.target != SIZE_MAX && !run.again;
        uint64_t set = attempt ? set_of(coverage, run.target) : 0;
        if (attempt && i < LOOK_FROM && set >= SETS / 2) { /* its dependencies occur, each by itself */
            run_sets(coverage, set, set + 1, "RO", 2 + i);
            run_sets(coverage, set, set + 1, "OW", 2 + i);
        }
        if (attempt && i >= LOOK_FROM && !is_single(coverage, run.target)) {
            assert_true(set >= SETS / 2); /* although the others were there first */
            compounds++;
        }
        end_run(maple, &run);
    }
    assert_int_equal(compounds, SETS / 2);
    maple_free(maple);
    coverage_free(coverage);
}

/* Alone, some of the random runs begin like the run from which something open was predicted. */
static void some_random_runs_begin_near_what_is_open(void **state)
{
    (void)state;
    struct coverage *coverage = open_pairs();
    struct maple *maple =
        make_maple_with(&(struct technique_setup){.coverage = coverage, .seed = 1, .alone = true}, 100);
    struct maple_run run = {0};
    unsigned near = 0, far = 0;
    for (unsigned i = 0; i < 200; i++) {
        plan = (struct wire_plan){.strategy = STRATEGY_PCTLARGE, .seed = 5};
        maple_plan(maple, &run, &steps, &loaded.modules, &plan);
        bool random = run.target == SIZE_MAX;
        assert_int_equal(plan.plan_step_count, steps.count);
        assert_int_equal((plan.flags & PLAN_PREFIX) != 0, plan.plan_step_count > 0);
        assert_int_equal(random, plan.strategy == STRATEGY_PCTLARGE || plan.strategy == STRATEGY_POS);
        near += random && plan.plan_step_count > 0;
        far += random && plan.plan_step_count == 0;
        if (i < 60)
            assert_int_equal(near, 0);
        end_run(maple, &run);
    }
    assert_true(near > 3 && far > 3);
    maple_free(maple);
    coverage_free(coverage);
}

static void own_code_comes_before_libraries(void **state)
{
    (void)state;
    load_at(BASE);
    server_symbols_close(&loaded);
    loaded.modules.count = 2;
    loaded.modules.entries[0] =
        (struct wire_module){.base = BASE, .lo = BASE + 0x1000, .hi = BASE + LIBRARY, .path = "/nowhere/prog"};
    loaded.modules.entries[1] = (struct wire_module){
        .base = BASE + LIBRARY, .lo = BASE + LIBRARY, .hi = BASE + 2 * LIBRARY, .path = "/lib/libother.so"};
    loaded.symbols = symbols_open(loaded.modules.entries, 2);
    struct coverage *coverage = make_coverage("idiom.1");
    begin_run();
    for (uint64_t n = 0; n < 2 * PAIRS; n++) {
        uint64_t module = n % 2 == 0 ? LIBRARY : 0;
        add_event(1, OP_WRITE, module + first_of(n), X + 64 * n, 0);
        add_event(2, OP_WRITE, module + second_of(n), X + 64 * n, 0);
    }
    observe_copy(coverage, 1, PREDICT_ALWAYS);
    struct maple *maple =
        make_maple_with(&(struct technique_setup){.coverage = coverage, .seed = 1, .program = "./prog"}, GIVE_UP);
    struct maple_run run = {0};
    unsigned own = 0, library = 0;
    while (library < PAIRS) {
        if (plan_run(maple, &run) != SIZE_MAX) {
            bool is_own = pair_of(coverage, run.target) % 2 == 1;
            own += is_own;
            library += !is_own;
            if (library > 0)
                assert_int_equal(own, PAIRS);
        }
        end_run(maple, &run);
    }
    maple_free(maple);
    coverage_free(coverage);
}

/* Code that is not loaded here cannot be aimed at: it is not tried for ever, and is no run. */
static void code_that_is_not_there(void **state)
{
    (void)state;
    struct coverage *coverage = open_pairs();
    struct maple *maple = make_maple(coverage, 1);
    struct maple_run run = {0};
    strcpy(loaded.modules.entries[0].path, "/nowhere/else");
    for (unsigned i = 0; i < 50; i++) {
        assert_true(plan_run(maple, &run) == SIZE_MAX);
        end_run(maple, &run);
    }
    assert_int_equal(maple_counts(maple).attempts, 0);
    assert_int_equal(maple_counts(maple).profiles, 50);
    maple_free(maple);
    coverage_free(coverage);
}

/* ---- the memo ------------------------------------------------------------------------------------------------------ */

static void what_is_known_is_left_alone(void **state)
{
    (void)state;
    struct coverage *coverage = open_pairs();
    struct maple *maple = make_maple(coverage, 1);
    struct maple_run run = {0};
    struct coverage_open open;
    unsigned tried[PAIRS] = {0};
    for (size_t cursor = 0; coverage_next_open(coverage, &cursor, &open);) {
        uint64_t pair = pair_of(coverage, open.number);
        for (int twice = 0; twice < 2; twice++) {
            if (pair == 2)
                targets_know(&targets, open.number, true, 0, false);
            else if (pair == 5)
                targets_know(&targets, open.number, false, GIVE_UP, false);
            else if (pair == 6)
                targets_know(&targets, open.number, false, GIVE_UP - 1, false); /* one more time */
            else if (pair == 7)
                targets_know(&targets, open.number, false, 0, false);
        }
    }
    for (unsigned i = 0; i < 60; i++) {
        if (plan_run(maple, &run) != SIZE_MAX)
            tried[pair_of(coverage, run.target)]++;
        end_run(maple, &run);
    }
    assert_int_equal(tried[2] + tried[5], 0);
    assert_int_equal(tried[6], 1);
    assert_int_equal(tried[7], GIVE_UP);
    assert_int_equal(tried[0], GIVE_UP);
    assert_int_equal(maple_counts(maple).known, 2);
    assert_int_equal(maple_counts(maple).targets, PAIRS - 2);
    maple_free(maple);
    coverage_free(coverage);
}

static char directory[64], *path;

static int make_directory(void **state)
{
    (void)state;
    strcpy(directory, "/tmp/raddle-maple-XXXXXX");
    assert_non_null(mkdtemp(directory));
    path = file_join(directory, "memo.db");
    return 0;
}

static int remove_directory(void **state)
{
    (void)state;
    assert_true(file_remove_tree(directory));
    free(path);
    return 0;
}

struct totals {
    uint64_t instances, covered, exposed, attempts, failed, predicted, exposed_verdicts;
};

static bool add_up(const struct memo_instance *instance, void *context)
{
    struct totals *totals = context;
    totals->instances++;
    totals->covered += instance->covered;
    totals->exposed += instance->exposed;
    totals->attempts += instance->attempts;
    totals->failed += instance->failed;
    totals->predicted += instance->predicted;
    totals->exposed_verdicts += instance->verdict != NULL && strcmp(instance->verdict, "exposed") == 0;
    assert_string_equal(instance->family, "idiom.1");
    assert_non_null(strstr(instance->text, "prog!"));
    return true;
}

/* Read by another: what is stored is in the file. */
static struct totals read_totals(void)
{
    struct error error = {0};
    struct totals totals = {0};
    struct memo *memo = memo_open(path, "prog", "build", &error);
    assert_non_null(memo);
    assert_true(memo_each_instance(memo, add_up, &totals, &error));
    memo_close(memo);
    return totals;
}

static struct campaign_memo *open_memo(void)
{
    struct error error = {0};
    static struct cores none;
    struct campaign_memo *memory = campaign_memo_open(path, "/nowhere/prog", "/nowhere/prog", &none, &error);
    if (memory == NULL)
        fail_msg("%s", error.text);
    return memory;
}

static void assert_totals(const struct totals *wanted)
{
    struct totals totals = read_totals();
    assert_memory_equal(&totals, wanted, sizeof totals);
}

/* A campaign with `runs` runs, in which attempts at pairs below `exposable` succeed. */
static struct maple_counts campaign(struct coverage *coverage, struct campaign_memo *memory, unsigned runs,
                                    uint64_t exposable)
{
    struct error error = {0};
    struct maple *maple = make_maple(coverage, 1);
    struct maple_run run = {0};
    campaign_memo_look_up(memory, coverage, &targets);
    for (unsigned i = 0; i < runs; i++) {
        size_t target = plan_run(maple, &run);
        if (target != SIZE_MAX && pair_of(coverage, target) < exposable)
            run_pairs(coverage, 0, PAIRS, pair_of(coverage, target), i + 2);
        end_run(maple, &run);
        campaign_memo_look_up(memory, coverage, &targets);
        for (int twice = 0; i % 7 == 0 && twice < 2; twice++) /* in the middle, and again for nothing */
            assert_true(campaign_memo_store(memory, coverage, &targets, &error));
    }
    assert_true(campaign_memo_store(memory, coverage, &targets, &error));
    struct maple_counts counts = maple_counts(maple);
    maple_free(maple);
    return counts;
}

static void storing_adds_only_what_is_new(void **state)
{
    (void)state;
    struct error error = {0};
    struct coverage *coverage = open_pairs();
    struct campaign_memo *memory = open_memo();
    assert_true(campaign_memo_store(memory, coverage, &(struct targets){0}, &error)); /* without maple */
    struct totals wanted = {.instances = 2 * PAIRS, .covered = PAIRS, .predicted = 2 * PAIRS};
    assert_totals(&wanted);
    assert_true(campaign_memo_store(memory, coverage, &(struct targets){0}, &error));
    assert_totals(&wanted);
    run_pairs(coverage, 0, PAIRS, UINT64_MAX, 2); /* all that is covered once more */
    assert_true(campaign_memo_store(memory, coverage, &(struct targets){0}, &error));
    wanted.covered = 2 * PAIRS;
    assert_totals(&wanted);
    campaign_memo_close(memory);
    assert_totals(&wanted);
    coverage_free(coverage);
}

static void one_campaign_tells_the_next(void **state)
{
    (void)state;
    struct coverage *coverage = open_pairs();
    struct campaign_memo *memory = open_memo();
    struct maple_counts counts = campaign(coverage, memory, 80, 4);
    uint64_t runs = 0;
    for (size_t i = 0; i < coverage_instance_count(coverage); i++)
        runs += coverage_seen(coverage, i);
    struct totals wanted = {.instances = 2 * PAIRS,
                            .covered = runs,
                            .exposed = 4,
                            .attempts = 4 + (PAIRS - 4) * GIVE_UP,
                            .failed = (PAIRS - 4) * GIVE_UP,
                            .predicted = 2 * PAIRS,
                            .exposed_verdicts = 4};
    assert_totals(&wanted);
    assert_int_equal(counts.known, 0); /* what it has learned itself is no memory */
    campaign_memo_close(memory);
    coverage_free(coverage);

    /* The next one knows, whatever its sites are numbered and loaded at; new code is tried. */
    load_at(OTHER_BASE);
    coverage = make_coverage("idiom.1");
    run_pairs(coverage, PAIRS, PAIRS + 1, UINT64_MAX, 1);
    run_pairs(coverage, 0, PAIRS, UINT64_MAX, 2);
    memory = open_memo();
    counts = campaign(coverage, memory, 80, 0);
    assert_int_equal(counts.targets, 1);
    assert_int_equal(counts.attempts, GIVE_UP);
    assert_true(counts.known >= PAIRS);
    struct totals after = read_totals();
    assert_int_equal(after.instances, 2 * PAIRS + 2);
    assert_int_equal(after.attempts, wanted.attempts + GIVE_UP);
    assert_int_equal(after.covered, wanted.covered + PAIRS + 1);
    campaign_memo_close(memory);
    coverage_free(coverage);
}

static void a_memo_that_is_none(void **state)
{
    (void)state;
    struct error error = {0};
    assert_true(file_write(path, "this is no memo at all\n", 23, &error));
    assert_null(campaign_memo_open(path, "prog", "/nowhere/prog", NULL, &error));
    assert_true(error.text[0] != '\0');
    campaign_memo_close(NULL);
}

int main(void)
{
#define WITH_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, make_directory, remove_directory)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_get_their_turn),
        cmocka_unit_test(what_happened_is_not_tried_again),
        cmocka_unit_test(profile_runs_come_in_between),
        cmocka_unit_test(what_was_covered_happens_again),
        cmocka_unit_test(no_target_is_tried_twice_at_a_time),
        cmocka_unit_test(the_same_seed_gives_the_same_plans),
        cmocka_unit_test(attempts_are_judged_without_events),
        cmocka_unit_test(the_way_that_succeeded_is_tried_first),
        cmocka_unit_test(what_has_parts_that_failed_is_tried_later),
        cmocka_unit_test(some_random_runs_begin_near_what_is_open),
        cmocka_unit_test(own_code_comes_before_libraries),
        cmocka_unit_test(code_that_is_not_there),
        cmocka_unit_test(what_is_known_is_left_alone),
        WITH_DIRECTORY(storing_adds_only_what_is_new),
        WITH_DIRECTORY(one_campaign_tells_the_next),
        WITH_DIRECTORY(a_memo_that_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, unload);
}
