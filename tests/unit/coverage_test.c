/* SPDX-License-Identifier: MIT
 *
 * coverage_test.c - coverage of synthetic runs against what can be said by hand; and the estimate of what is left against
 * populations that are known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "coverage/unseen.h"
#include "fixture/runs.h"
#include "util/hash.h"

static void assert_count(const struct coverage *coverage, uint64_t covered, uint64_t predicted, uint64_t open)
{
    struct coverage_count count = coverage_count(coverage, coverage_families(coverage));
    assert_int_equal(count.covered, covered);
    assert_int_equal(count.predicted, predicted);
    assert_int_equal(count.open, open);
}

/* ---- covered and predicted ---------------------------------------------------------------------------------------- */

static void two_threads_by_hand(void **state)
{
    (void)state;
    load_at(BASE);
    struct coverage *coverage = make_coverage("idiom.1");
    struct coverage_run run = observe(coverage, "RWO", 1, PREDICT_NEVER);
    assert_int_equal(run.covered, 1);
    assert_int_equal(run.new_covered, 1);
    assert_int_equal(run.new_predicted, 0);
    assert_count(coverage, 1, 0, 0);
    assert_int_equal(coverage_seen(coverage, find_pair(coverage, WRITE, OTHER)), 1);

    /* O before R, between R and W, and after W: four dependencies in all. */
    run = observe(coverage, "RWO", 2, PREDICT_ALWAYS);
    assert_int_equal(run.covered, 1);
    assert_int_equal(run.new_covered, 0);
    assert_int_equal(run.new_predicted, 3);
    assert_count(coverage, 1, 4, 3);
    assert_int_equal(coverage_seen(coverage, find_pair(coverage, WRITE, OTHER)), 2);
    assert_int_equal(coverage_seen(coverage, find_pair(coverage, READ, OTHER)), 0);
    assert_int_equal(coverage_seen(coverage, find_pair(coverage, OTHER, WRITE)), 0);
    assert_int_equal(coverage_seen(coverage, find_pair(coverage, OTHER, READ)), 0);

    run = observe(coverage, "ROW", 3, PREDICT_ALWAYS);
    assert_int_equal(run.covered, 2);
    assert_int_equal(run.new_covered, 2);
    assert_count(coverage, 3, 4, 1);
    run = observe(coverage, "ORW", 4, PREDICT_ALWAYS);
    assert_int_equal(run.covered, 1);
    assert_int_equal(run.new_covered, 1);
    assert_count(coverage, 4, 4, 0);
    assert_int_equal(coverage_instance_count(coverage), 4);
    coverage_free(coverage);
}

static void families_are_counted_apart(void **state)
{
    (void)state;
    load_at(BASE);
    struct coverage *coverage = make_coverage("idiom.1,map.7,map.3,race");
    observe(coverage, "ROW", 1, PREDICT_ALWAYS);
    assert_int_equal(coverage_group_count(coverage), 3);
    assert_string_equal(coverage_group(coverage, 0)->name, "idiom");
    assert_string_equal(coverage_group(coverage, 1)->name, "map");
    assert_string_equal(coverage_group(coverage, 2)->name, "race");
    struct coverage_count maps = coverage_count(coverage, coverage_group(coverage, 1)->rows);
    assert_int_equal(maps.covered, 2); /* the lost update, and O overwritten by W */
    assert_int_equal(maps.open, 1);    /* W overwritten by O */
    assert_int_equal(coverage_count(coverage, coverage_group(coverage, 0)->rows).covered, 2);
    coverage_free(coverage);
}

static void prediction_ends_when_nothing_is_new(void **state)
{
    (void)state;
    load_at(BASE);
    struct coverage *coverage = make_coverage("idiom");
    for (uint64_t i = 1; i <= 50; i++)
        observe(coverage, "RWO", i, PREDICT_NEW);
    assert_int_equal(coverage_profiled(coverage), COVERAGE_PROFILES);
    observe(coverage, "ROW", 51, PREDICT_NEW);
    assert_int_equal(coverage_profiled(coverage), COVERAGE_PROFILES + 1);
    observe(coverage, "ROW", 52, PREDICT_NEW);
    assert_int_equal(coverage_profiled(coverage), COVERAGE_PROFILES + 1);
    assert_int_equal(coverage_observed(coverage), 52);
    coverage_free(coverage);
}

static void what_is_impossible_is_counted_apart(void **state)
{
    (void)state;
    load_at(BASE);
    struct coverage *coverage = make_coverage("idiom.1");
    observe(coverage, "RWO", 1, PREDICT_ALWAYS);
    size_t never = find_pair(coverage, OTHER, READ), covered = find_pair(coverage, WRITE, OTHER);
    assert_count(coverage, 1, 4, 3);
    assert_true(coverage_mark_impossible(coverage, never));
    assert_false(coverage_mark_impossible(coverage, never));   /* once is enough */
    assert_false(coverage_mark_impossible(coverage, covered)); /* it has happened */
    assert_count(coverage, 1, 4, 2);
    assert_int_equal(coverage_count(coverage, coverage_families(coverage)).impossible, 1);
    struct coverage_open open;
    for (size_t cursor = 0; coverage_next_open(coverage, &cursor, &open);)
        assert_int_not_equal(open.number, never);
    assert_false(coverage_open_at(coverage, never, &open));

    /* Predicted again: no news.  Asked again: open again. */
    observe(coverage, "RWO", 2, PREDICT_ALWAYS);
    assert_true(coverage_is_impossible(coverage, never));
    assert_true(coverage_unmark_impossible(coverage, never));
    assert_false(coverage_unmark_impossible(coverage, never));
    assert_count(coverage, 1, 4, 3);

    /* It happens after all. */
    coverage_mark_impossible(coverage, never);
    observe(coverage, "ORW", 3, PREDICT_ALWAYS);
    struct coverage_count count = coverage_count(coverage, coverage_families(coverage));
    assert_int_equal(count.covered, 2);
    assert_int_equal(count.open, 2);
    assert_int_equal(count.impossible, 0);
    assert_int_equal(count.corrected, 1);
    assert_false(coverage_is_impossible(coverage, never));
    assert_true(coverage_share(&count) == 0.5);
    coverage_free(coverage);
}

/* One variable with a reading and two writing sites: 2·2 + 4 + 2 + 12 + 8. */
static void map_coverage(void **state)
{
    (void)state;
    struct coverage_estimate estimate;
    load_at(BASE);
    struct coverage *coverage = make_coverage("idiom,map");
    observe(coverage, "ROW", 1, PREDICT_ALWAYS);
    assert_false(coverage_estimate(coverage, coverage_group(coverage, 0)->rows, &estimate));
    assert_true(coverage_estimate(coverage, coverage_group(coverage, 1)->rows, &estimate));
    assert_true(estimate.total == 30);
    assert_int_equal(estimate.variables, 1);
    assert_int_equal(estimate.covered, 3); /* map.1, map.3, map.7 */
    coverage_free(coverage);
}

static void lost_events_are_told(void **state)
{
    (void)state;
    load_at(BASE);
    struct coverage *coverage = make_coverage("idiom");
    observe(coverage, "RWO", 1, PREDICT_NEVER);
    assert_false(coverage_has_lost_events(coverage));
    make_run("ROW");
    copy.result.lost = LOST_EVENTS;
    observe_copy(coverage, 2, PREDICT_NEVER);
    assert_true(coverage_has_lost_events(coverage));
    assert_true(coverage_count(coverage, coverage_families(coverage)).covered > 1);
    coverage_free(coverage);
}

/* ---- places ------------------------------------------------------------------------------------------------------- */

static void load_addresses_do_not_matter(void **state)
{
    (void)state;
    struct coverage *coverage = make_coverage("idiom,map");
    load_at(BASE);
    observe(coverage, "ROW", 1, PREDICT_ALWAYS);
    struct wire_modules first = loaded.modules;
    size_t instances = coverage_instance_count(coverage);
    load_at(OTHER_BASE);
    struct coverage_run run = observe(coverage, "ROW", 2, PREDICT_ALWAYS);
    assert_true(run.covered > 0);
    assert_int_equal(run.new_covered, 0);
    assert_int_equal(run.new_predicted, 0);
    assert_int_equal(coverage_instance_count(coverage), instances);
    assert_int_equal(sites_count(coverage_sites(coverage)), 3);

    uint64_t pcs[4];
    uint32_t site = site_at(coverage, OTHER);
    assert_int_equal(coverage_pcs(coverage, site, &first, pcs, 4), 1);
    assert_true(pcs[0] == BASE + (uint64_t)OTHER);
    assert_int_equal(coverage_pcs(coverage, site, &loaded.modules, pcs, 4), 1);
    assert_true(pcs[0] == OTHER_BASE + (uint64_t)OTHER);
    assert_int_equal(coverage_pcs(coverage, site, &loaded.modules, pcs, 0), 0);
    assert_int_equal(coverage_pcs(coverage, SITE_ANY, &loaded.modules, pcs, 4), 0);
    assert_int_equal(coverage_pcs(coverage, 1000, &loaded.modules, pcs, 4), 0);
    strcpy(loaded.modules.entries[0].path, "/nowhere/else");
    assert_int_equal(coverage_pcs(coverage, site, &loaded.modules, pcs, 4), 0);
    coverage_free(coverage);
}

/* More layouts than are kept: every process has its own. */
static void many_layouts(void **state)
{
    (void)state;
    struct coverage *coverage = make_coverage("idiom");
    for (uint64_t i = 0; i < 40; i++) {
        load_at(BASE + i * 2); /* eight later, what was the write is the read */
        struct coverage_run run = observe(coverage, "ROW", i + 1, PREDICT_NEVER);
        assert_int_equal(run.new_covered > 0, i == 0);
    }
    assert_int_equal(sites_count(coverage_sites(coverage)), 3);
    coverage_free(coverage);
}

static void sites_are_in_order_of_address(void **state)
{
    (void)state;
    load_at(BASE);
    struct coverage *coverage = make_coverage("idiom");
    observe(coverage, "OWR", 1, PREDICT_NEVER);
    assert_int_equal(sites_count(coverage_sites(coverage)), 3); /* a create is no access */
    assert_int_equal(sites_get(coverage_sites(coverage), 1)->hint, READ);
    assert_int_equal(sites_get(coverage_sites(coverage), 2)->hint, WRITE);
    assert_int_equal(sites_get(coverage_sites(coverage), 3)->hint, OTHER);
    coverage_free(coverage);
}

static void code_in_no_module_is_one_site(void **state)
{
    (void)state;
    load_at(BASE);
    struct coverage *coverage = make_coverage("idiom.1");
    begin_run();
    add_event(1, OP_WRITE, 0x80000000, X, 0);
    add_event(2, OP_WRITE, 0x80000100, X, 0);
    add_event(1, OP_WRITE, 0, X, 0);
    struct coverage_run run = observe_copy(coverage, 1, PREDICT_ALWAYS);
    assert_int_equal(run.covered, 1);
    assert_int_equal(sites_count(coverage_sites(coverage)), 1);
    uint64_t pc;
    assert_int_equal(coverage_pcs(coverage, 1, &loaded.modules, &pc, 1), 0);
    coverage_free(coverage);
}

/* ---- open instances ----------------------------------------------------------------------------------------------- */

static bool find_open(const struct coverage *coverage, size_t number, struct coverage_open *open)
{
    for (size_t cursor = 0; coverage_next_open(coverage, &cursor, open);)
        if (open->number == number)
            return true;
    return false;
}

static void witnesses_and_their_runs(void **state)
{
    (void)state;
    load_at(BASE);
    struct coverage *coverage = make_coverage("idiom.1");
    observe(coverage, "RWO", 11, PREDICT_ALWAYS);
    size_t number = find_pair(coverage, OTHER, READ);
    struct coverage_open open;
    assert_true(find_open(coverage, number, &open));
    assert_int_equal(open.count, 1);
    const struct coverage_alternative *alternative = &open.alternatives[0];
    assert_int_equal(alternative->source->schedule, 11);
    assert_int_equal(alternative->source->users, 3);
    assert_int_equal(alternative->witnesses[0].task, 2);
    assert_int_equal(alternative->witnesses[0].operation, 1);
    assert_int_equal(alternative->witnesses[0].occurrence, 1);
    assert_int_equal(alternative->witnesses[0].address, X);
    assert_int_equal(alternative->witnesses[1].task, 1);

    for (uint64_t i = 12; i < 20; i++)
        observe(coverage, "RWO", i, PREDICT_ALWAYS);
    assert_true(find_open(coverage, number, &open));
    assert_int_equal(open.count, COVERAGE_ALTERNATIVES);
    assert_int_equal(open.alternatives[2].source->schedule, 13);
    observe(coverage, "ORW", 20, PREDICT_NEVER);
    assert_false(find_open(coverage, number, &open));
    assert_true(find_open(coverage, find_pair(coverage, OTHER, WRITE), &open));
    assert_int_equal(open.alternatives[0].source->users, 2);
    coverage_free(coverage);
}

/* As the director does. */
static void cut(const struct coverage_open *open, uint32_t which, goal_steps *steps)
{
    struct director_source source = coverage_source_of(open, which);
    goal_prefix(source.steps, source.step_count, source.witnesses, 2, false, steps);
}

static void a_prefix_ends_before_the_first_witness(void **state)
{
    (void)state;
    load_at(BASE);
    struct coverage *coverage = make_coverage("idiom.1");
    make_run("RWO");
    vector_push(&copy.steps, (struct wire_step){.type = STEP_CHOICE, .task = 2, .until = 1, .value = 1});
    observe_copy(coverage, 1, PREDICT_ALWAYS);
    goal_steps steps = {0};
    struct coverage_open open;
    assert_true(find_open(coverage, find_pair(coverage, OTHER, READ), &open));
    cut(&open, 0, &steps);
    assert_int_equal(steps.count, 2); /* main until it has made the threads; thread 1 until its read */
    assert_int_equal(steps.data[0].task, 0);
    assert_int_equal(steps.data[0].until, MAIN_STEPS);
    assert_int_equal(steps.data[1].task, 1);
    assert_int_equal(steps.data[1].until, 1);
    assert_true(find_open(coverage, find_pair(coverage, OTHER, WRITE), &open));
    cut(&open, 0, &steps);
    assert_int_equal(steps.count, 2);
    assert_int_equal(steps.data[1].until, 2);

    /* Thread 1 was stopped before its write already, while thread 2 did something else: that belongs to the prefix. */
    begin_run();
    add_event(1, OP_READ, READ, X, 0);
    add_event(2, OP_WRITE, 0x1040, X + 64, 0);
    add_event(1, OP_WRITE, WRITE, X, 0);
    add_event(2, OP_WRITE, OTHER, X, 0);
    observe_copy(coverage, 2, PREDICT_ALWAYS);
    assert_true(find_open(coverage, find_pair(coverage, OTHER, WRITE), &open));
    assert_int_equal(open.count, 2);
    cut(&open, 1, &steps);
    assert_int_equal(steps.count, 4);
    assert_int_equal(steps.data[2].task, 2);
    assert_int_equal(steps.data[2].until, 2);
    assert_int_equal(steps.data[3].task, 1);
    assert_int_equal(steps.data[3].until, 2);
    vector_free(&steps);
    coverage_free(coverage);
}

/* Each run has a place of its own, which could race with one that all have. */
static void make_own_run(uint64_t n)
{
    begin_run();
    add_event(1, OP_WRITE, 0x10000 + 16 * n, X + 64 * n, 0);
    add_event(2, OP_WRITE, OTHER, X + 64 * n, 0);
}

static void kept_runs_are_bounded(void **state)
{
    (void)state;
    enum { RUNS = COVERAGE_SOURCES + 100 };
    load_at(BASE);
    struct coverage *coverage = make_coverage("idiom.1");
    for (uint64_t n = 1; n <= RUNS; n++) {
        make_own_run(n);
        struct coverage_run run = observe_copy(coverage, n, PREDICT_ALWAYS);
        assert_int_equal(run.new_covered, 1);
        assert_int_equal(run.new_predicted, 1);
    }
    assert_count(coverage, RUNS, 2 * RUNS, RUNS);
    size_t with = 0, without = 0;
    struct coverage_open open;
    for (size_t cursor = 0; coverage_next_open(coverage, &cursor, &open);) {
        if (open.count == 0)
            without++;
        else
            assert_true(open.alternatives[0].source->schedule > RUNS - COVERAGE_SOURCES);
        with += open.count > 0;
    }
    assert_int_equal(with, COVERAGE_SOURCES);
    assert_int_equal(without, RUNS - COVERAGE_SOURCES);

    /* Predicted again, the first one gets a run again. */
    make_own_run(1);
    observe_copy(coverage, RUNS + 1, PREDICT_ALWAYS);
    size_t cursor = 0;
    assert_true(coverage_next_open(coverage, &cursor, &open));
    assert_int_equal(open.count, 1);
    assert_int_equal(open.alternatives[0].source->schedule, RUNS + 1);
    coverage_free(coverage);
}

/* ---- growth ------------------------------------------------------------------------------------------------------- */

static void the_curve_is_thinned(void **state)
{
    (void)state;
    enum { RUNS = 1500 };
    load_at(BASE);
    struct coverage *coverage = make_coverage("idiom.1");
    for (uint64_t n = 1; n <= RUNS; n++) {
        make_own_run(n / 3 + 1); /* two of three runs show nothing new */
        observe_copy(coverage, n, PREDICT_NEVER);
    }
    size_t count;
    const struct coverage_point *points = coverage_curve(coverage, &count);
    assert_in_range(count, COVERAGE_CURVE / 2, COVERAGE_CURVE);
    assert_int_equal(points[0].schedule, 1);
    assert_int_equal(points[0].covered, 1);
    assert_int_equal(points[count - 1].schedule, RUNS);
    assert_int_equal(points[count - 1].covered, RUNS / 3 + 1);
    for (size_t i = 1; i < count; i++) {
        assert_true(points[i].schedule > points[i - 1].schedule);
        assert_true(points[i].schedule - points[i - 1].schedule < RUNS / 20);
        assert_true(points[i].covered > points[i - 1].covered);
        assert_int_equal(points[i].covered, points[i].schedule / 3 + 1);
    }
    coverage_free(coverage);
}

static void chance_of_something_new(void **state)
{
    (void)state;
    load_at(BASE);
    struct coverage *coverage = make_coverage("idiom.1,map");
    assert_true(coverage_chance_of_new(coverage, COVERAGE_ALL) == 1);
    for (uint64_t n = 1; n <= 120; n++) {
        make_own_run(n);
        observe_copy(coverage, n, PREDICT_NEVER);
        assert_true(coverage_chance_of_new(coverage, COVERAGE_ALL) == 1);
    }
    assert_false(coverage_is_saturated(coverage, 0.5));
    coverage_free(coverage);

    coverage = make_coverage("idiom.1,map");
    for (uint64_t n = 1; n <= 101; n++) {
        assert_false(coverage_is_saturated(coverage, 0.01));
        observe(coverage, "RWO", n, PREDICT_NEVER);
    }
    assert_true(coverage_chance_of_new(coverage, COVERAGE_ALL) == 0);
    assert_true(coverage_is_saturated(coverage, 0.01));
    assert_false(coverage_is_saturated(coverage, 0.001)); /* so many runs have not been seen */
    observe(coverage, "ROW", 102, PREDICT_NEVER);
    assert_true(fabs(coverage_chance_of_new(coverage, COVERAGE_ALL) - 1.0 / 102) < 1e-12);
    assert_true(fabs(coverage_chance_of_new(coverage, 0) - 1.0 / 102) < 1e-12);
    assert_false(coverage_is_saturated(coverage, 0.01));
    observe(coverage, "ROW", 103, PREDICT_NEVER);
    assert_true(coverage_chance_of_new(coverage, COVERAGE_ALL) == 0);
    coverage_free(coverage);
}

/* ---- the estimate against known populations ------------------------------------------------------------------------ */

enum { KINDS = 300, BLOCK = 5 };

struct population {
    const char *name;
    double chance[KINDS]; /* that a run shows the kind */
    unsigned block;       /* so many kinds come together or not at all */
};

static double uniform(struct generator *generator)
{
    return (double)(generator_next(generator) >> 11) * 0x1p-53;
}

struct sample {
    struct unseen unseen;
    uint64_t seen[KINDS], first[KINDS];
};

static void sample_run(const struct population *population, struct generator *generator, struct sample *sample)
{
    uint64_t number = unseen_run(&sample->unseen);
    for (unsigned i = 0; i < KINDS; i += population->block) {
        if (uniform(generator) >= population->chance[i])
            continue;
        for (unsigned k = i; k < i + population->block; k++) {
            if (++sample->seen[k] == 1) {
                sample->first[k] = number;
                unseen_first(&sample->unseen);
            } else if (sample->seen[k] == 2) {
                unseen_again(&sample->unseen, sample->first[k]);
            }
        }
    }
}

static double true_chance(const struct population *population, const struct sample *sample)
{
    double nothing = 1;
    for (unsigned i = 0; i < KINDS; i += population->block)
        if (sample->seen[i] == 0)
            nothing *= 1 - population->chance[i];
    return 1 - nothing;
}

/* Over many samples of n runs the mean of the estimate is the mean of the truth after n - 1 of them. */
static void assert_calibrated(const struct population *population, unsigned runs)
{
    enum { SAMPLES = 2000 };
    struct generator generator = {runs};
    double estimates = 0, truths = 0, squares = 0;
    for (unsigned i = 0; i < SAMPLES; i++) {
        struct sample sample = {0};
        for (unsigned n = 1; n < runs; n++)
            sample_run(population, &generator, &sample);
        double truth = true_chance(population, &sample);
        sample_run(population, &generator, &sample);
        double estimate = unseen_chance(&sample.unseen);
        estimates += estimate;
        truths += truth;
        squares += (estimate - truth) * (estimate - truth);
        unseen_free(&sample.unseen);
    }
    double bias = (estimates - truths) / SAMPLES;
    double variance = squares / SAMPLES;
    print_message("# %s, %u runs: truth %.4f, estimate %.4f, variance of the error %.6f\n", population->name, runs,
                  truths / SAMPLES, estimates / SAMPLES, variance);
    assert_true(bias * bias < 16 * variance / SAMPLES);
    assert_true(variance < 1.0 / runs);
}

static void the_estimate_is_calibrated(void **state)
{
    (void)state;
    static struct population even = {.name = "even", .block = 1}, steep = {.name = "steep", .block = 1},
                             together = {.name = "together", .block = BLOCK};
    for (unsigned i = 0; i < KINDS; i++) {
        even.chance[i] = 0.005;
        steep.chance[i] = 1 / (1.0 + i * i / 50.0);
        together.chance[i] = 0.5 / (1 + i / BLOCK);
    }
    const struct population *populations[] = {&even, &steep, &together};
    const unsigned runs[] = {20, 100, 400};
    for (unsigned i = 0; i < 3; i++)
        for (unsigned k = 0; k < 3; k++)
            assert_calibrated(populations[i], runs[k]);
}

/* Of the campaigns that stop when it says so, the truth is below the bound on average. */
static void saturation_is_not_said_too_early(void **state)
{
    (void)state;
    enum { SAMPLES = 300, MOST = 20000 };
    static struct population steep = {.name = "steep", .block = 1};
    struct generator generator = {4};
    double truths = 0, bound = 0.02;
    for (unsigned i = 0; i < KINDS; i++)
        steep.chance[i] = 1 / (1.0 + i * i / 5.0);
    for (unsigned i = 0; i < SAMPLES; i++) {
        struct sample sample = {0};
        do
            sample_run(&steep, &generator, &sample);
        while (!unseen_is_below(&sample.unseen, bound) && sample.unseen.runs < MOST);
        assert_true(sample.unseen.runs < MOST);
        truths += true_chance(&steep, &sample);
        unseen_free(&sample.unseen);
    }
    print_message("# chance of something new when it is said to be below %.3f: %.4f\n", bound, truths / SAMPLES);
    assert_true(truths / SAMPLES < bound);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_threads_by_hand),
        cmocka_unit_test(families_are_counted_apart),
        cmocka_unit_test(prediction_ends_when_nothing_is_new),
        cmocka_unit_test(what_is_impossible_is_counted_apart),
        cmocka_unit_test(map_coverage),
        cmocka_unit_test(lost_events_are_told),
        cmocka_unit_test(load_addresses_do_not_matter),
        cmocka_unit_test(many_layouts),
        cmocka_unit_test(sites_are_in_order_of_address),
        cmocka_unit_test(code_in_no_module_is_one_site),
        cmocka_unit_test(witnesses_and_their_runs),
        cmocka_unit_test(a_prefix_ends_before_the_first_witness),
        cmocka_unit_test(kept_runs_are_bounded),
        cmocka_unit_test(the_curve_is_thinned),
        cmocka_unit_test(chance_of_something_new),
        cmocka_unit_test(the_estimate_is_calibrated),
        cmocka_unit_test(saturation_is_not_said_too_early),
    };
    return cmocka_run_group_tests(tests, NULL, unload);
}
