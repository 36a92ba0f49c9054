/* SPDX-License-Identifier: MIT
 *
 * second_way_test.c - what is said to be impossible never happens: critical sections (solve/core.h) against the solver and against brute
 * force, and the marks that second_way.h sets, on random programs whose interleavings are all known.
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
#include "technique/second_way.h"

enum { WINDOW = 1000 };

static const char *families_of_test;

static void observe(const struct event *events, unsigned count, void *found)
{
    observe_all(events, count, &(struct observer_options){.wanted = rows(families_of_test), .window = WINDOW}, found);
}

/* The program without its locks: what it does is possible, or critical sections exclude it. */
static struct tiny_program without_locks(const struct tiny_program *program)
{
    struct tiny_program other = *program;
    for (unsigned t = 0; t < other.task_count; t++) {
        struct tiny_task *task = &other.tasks[t];
        unsigned kept = 0;
        for (unsigned i = 0; i < task->count; i++)
            if (task->ops[i].op != OP_MUTEX_LOCK && task->ops[i].op != OP_MUTEX_UNLOCK)
                task->ops[kept++] = task->ops[i];
        task->count = kept;
    }
    return other;
}

static bool is_runnable(const struct tiny_program *program)
{
    for (unsigned t = 0; t < program->task_count; t++)
        if (program->tasks[t].count == 0)
            return false;
    return true;
}

/* ---- critical sections ---------------------------------------------------------------------------------------------- */

struct score {
    unsigned long asked, impossible, excluded, kept;
};

static void check_run(const struct tiny_state *run, const struct instances *asked_for, const struct instances *feasible,
                      struct cores *cores, struct prover *prover, struct score *score)
{
    struct execution execution = make_execution(run->events, run->event_count);
    struct core_view view = {0};
    struct answer answer = {0};
    goal_steps steps = {0};
    core_view_make(&view, &execution);
    prover_read(prover, &execution);
    for (size_t i = 0; i < asked_for->all.count; i++) {
        struct pattern pattern = instance_pattern(&asked_for->all.data[i]);
        struct core core;
        bool excluded = cores_exclude(cores, &view, &pattern, WINDOW, &core);
        bool can = instances_has(feasible, &asked_for->all.data[i]);
        assert_false(excluded && can);
        score->asked++;
        score->impossible += !can;
        score->excluded += excluded;
        if (excluded && i % 16 == 0)
            assert_int_not_equal(prover_pattern(prover, &pattern, WINDOW, &answer, &steps), ANSWER_FOUND);
    }
    score->kept = cores->kept;
    vector_free(&steps);
    answer_free(&answer);
    core_view_free(&view);
    execution_free(&execution);
}

static void critical_sections_never_exclude_what_happens(void **state)
{
    (void)state;
    static const char *const wanted[] = {"idiom", "map", "race,atom"};
    const struct tiny_style style = {.body = 4, .least_ways = 4, .most_ways = 2000};
    struct score score = {0};
    for (size_t w = 0; w < sizeof wanted / sizeof wanted[0]; w++)
        for (uint64_t seed = 1; seed <= 60; seed++) {
            struct tiny_program program, other;
            struct generator random = {seed};
            struct instances feasible = {0}, asked_for = {0};
            struct cores cores = {0};
            struct prover prover;
            prover_open(&prover, &(struct solver_limits){0});
            families_of_test = wanted[w];
            tiny_make(seed * 7907 + w, &style, &program);
            other = without_locks(&program);
            struct tiny_state nothing = tiny_begin(&program), begin = tiny_begin(&other), run;
            tiny_enumerate(&nothing, 0, observe, &feasible);
            if (is_runnable(&other) && tiny_enumerate(&begin, 4000, NULL, NULL) <= 4000)
                tiny_enumerate(&begin, 0, observe, &asked_for);
            for (int k = 0; k < 3; k++) /* what was found in one run holds in the others */
                if (tiny_random_run(&program, &random, &run))
                    check_run(&run, &asked_for, &feasible, &cores, &prover, &score);
            prover_close(&prover);
            cores_free(&cores);
            instances_free(&feasible);
            instances_free(&asked_for);
        }
    print_message("# %lu asked, %lu impossible, %lu of these excluded by critical sections\n", score.asked,
                  score.impossible, score.excluded);
    assert_true(score.excluded > 100);
    assert_true(score.kept > 0);
}

/* ---- keys -------------------------------------------------------------------------------------------------------------- */

/* The same run with its variables and locks elsewhere. */
static struct tiny_state moved(const struct tiny_state *run)
{
    struct tiny_state other = *run;
    for (unsigned i = 0; i < other.event_count; i++) {
        struct event *event = &other.events[i];
        bool is_lock = event->op == OP_MUTEX_LOCK || event->op == OP_MUTEX_UNLOCK;
        if (event->address != 0)
            event->address = is_lock ? 0x9000 - event->address : event->address + 0x55500;
    }
    return other;
}

struct excluded {
    struct execution execution;
    struct core_view view;
};

static void open_excluded(struct excluded *own, const struct tiny_state *run)
{
    own->execution = make_execution(run->events, run->event_count);
    own->view = (struct core_view){0};
    core_view_make(&own->view, &own->execution);
}

static void close_excluded(struct excluded *own)
{
    core_view_free(&own->view);
    execution_free(&own->execution);
}

/* What one execution has shown is known of another one with other addresses: the answers are those of a search, and none is needed. */
static void keys_hold_elsewhere(void **state)
{
    (void)state;
    const struct tiny_style style = {.body = 4, .least_ways = 4, .most_ways = 2000};
    unsigned long asked = 0, excluded_all = 0, remembered = 0;
    families_of_test = "idiom,race,atom";
    for (uint64_t seed = 1; seed <= 80; seed++) {
        struct tiny_program program;
        struct tiny_state run, other;
        struct generator random = {seed};
        struct instances asked_for = {0};
        struct cores first = {0}, again = {0}, told = {0};
        tiny_make(seed * 7907, &style, &program);
        struct tiny_program open = without_locks(&program);
        struct tiny_state begin = tiny_begin(&open);
        if (is_runnable(&open) && tiny_enumerate(&begin, 4000, NULL, NULL) <= 4000)
            tiny_enumerate(&begin, 0, observe, &asked_for);
        if (tiny_random_run(&program, &random, &run)) {
            struct excluded here, there;
            other = moved(&run);
            open_excluded(&here, &run);
            open_excluded(&there, &other);
            for (size_t i = 0; i < asked_for.all.count; i++) {
                struct pattern pattern = instance_pattern(&asked_for.all.data[i]);
                struct core core;
                excluded_all += cores_exclude(&first, &here.view, &pattern, WINDOW, &core);
            }
            for (size_t i = 0; i < first.found.count; i++)
                cores_remember(&told, first.found.data[i].key);
            for (size_t i = 0; i < asked_for.all.count; i++, asked++) {
                struct pattern pattern = instance_pattern(&asked_for.all.data[i]);
                struct core core;
                bool by_search = cores_exclude(&again, &there.view, &pattern, WINDOW, &core);
                assert_int_equal(cores_exclude(&told, &there.view, &pattern, WINDOW, &core), by_search);
                uint64_t derived = first.derived;
                assert_int_equal(cores_exclude(&first, &there.view, &pattern, WINDOW, &core), by_search);
                assert_int_equal(first.derived, derived);
            }
            remembered += told.remembered;
            close_excluded(&here);
            close_excluded(&there);
        }
        cores_free(&first);
        cores_free(&again);
        cores_free(&told);
        instances_free(&asked_for);
    }
    print_message("# %lu asked, %lu excluded, %lu pairs remembered\n", asked, excluded_all, remembered);
    assert_true(excluded_all > 100);
    assert_true(remembered > 100);
}

/* ---- marks ------------------------------------------------------------------------------------------------------------ */

struct marks {
    unsigned long predicted, covered, impossible, open, corrected;
};

struct campaign {
    const struct tiny_program *program;
    struct coverage *coverage;
    struct targets targets;
    struct second_way way;
    struct generator random;
};

static void look_at_run(struct campaign *campaign, const struct tiny_state *run, uint64_t number)
{
    struct execution execution = make_execution(run->events, run->event_count);
    execution.operations = 100000000; /* earns work */
    coverage_observe(campaign->coverage, &execution, number, PREDICT_ALWAYS, 0);
    second_way_observe(&campaign->way, &execution, true);
    execution_free(&execution);
}

/* A schedule that was found shows what it is for. */
static bool run_found(struct campaign *campaign, uint64_t number)
{
    struct ready_schedule schedule = {0};
    struct tiny_state run;
    bool found = second_way_take(&campaign->way, &schedule);
    if (found) {
        assert_true(tiny_follow(campaign->program, schedule.steps.data, schedule.steps.count, &run));
        tiny_go_on(&campaign->random, &run);
        look_at_run(campaign, &run, number);
        assert_true(coverage_seen(campaign->coverage, schedule.number) > 0);
    }
    vector_free(&schedule.steps);
    return found;
}

static void check_marks(const struct campaign *campaign, const struct instances *feasible)
{
    for (size_t i = 0; i < coverage_instance_count(campaign->coverage); i++) {
        bool impossible = coverage_is_impossible(campaign->coverage, i);
        if (coverage_seen(campaign->coverage, i) > 0)
            continue;
        assert_int_equal(impossible, !instances_has(feasible, coverage_instance(campaign->coverage, i)));
        assert_int_equal(coverage_core(campaign->coverage, i) != NULL, impossible);
    }
}

/* A campaign of random runs: of what has not been covered that is marked which happens in no interleaving. */
static void run_campaign(const struct tiny_program *program, const struct instances *feasible, uint64_t seed,
                         struct marks *marks)
{
    enum { RUNS = 400 };
    struct coverage *coverage =
        coverage_new(&(struct coverage_options){.families = rows(families_of_test), .window = WINDOW});
    struct campaign campaign = {.program = program, .coverage = coverage, .targets = {.give_up = 6}, .random = {seed}};
    second_way_open(&campaign.way, coverage, &campaign.targets, true);
    for (uint64_t n = 1; n <= RUNS; n++) {
        struct tiny_state run;
        if (!run_found(&campaign, n) && tiny_random_run(program, &campaign.random, &run))
            look_at_run(&campaign, &run, n);
    }
    check_marks(&campaign, feasible);
    struct coverage_count count = coverage_count(coverage, rows(families_of_test));
    marks->predicted += count.predicted;
    marks->covered += count.covered;
    marks->impossible += count.impossible;
    marks->open += count.open;
    marks->corrected += count.corrected;
    second_way_close(&campaign.way);
    targets_free(&campaign.targets);
    coverage_free(coverage);
}

static void marks_are_true(void **state)
{
    (void)state;
    static const char *const wanted[] = {"idiom", "map", "race,atom"};
    const struct tiny_style style = {.body = 4, .least_ways = 20, .most_ways = 3000};
    struct marks marks = {0};
    for (size_t w = 0; w < sizeof wanted / sizeof wanted[0]; w++)
        for (uint64_t seed = 1; seed <= 40; seed++) {
            struct tiny_program program;
            struct instances feasible = {0};
            families_of_test = wanted[w];
            tiny_make(seed * 7901 + w, &style, &program);
            struct tiny_state nothing = tiny_begin(&program);
            tiny_enumerate(&nothing, 0, observe, &feasible);
            run_campaign(&program, &feasible, seed, &marks);
            instances_free(&feasible);
        }
    print_message("# predicted %lu, covered %lu, impossible %lu, open %lu, corrected %lu\n", marks.predicted,
                  marks.covered, marks.impossible, marks.open, marks.corrected);
    assert_int_equal(marks.corrected, 0);
    assert_true(marks.impossible > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(critical_sections_never_exclude_what_happens),
                                       cmocka_unit_test(keys_hold_elsewhere), cmocka_unit_test(marks_are_true)};
    if (!solver_available())
        return 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
