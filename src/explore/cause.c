/* SPDX-License-Identifier: MIT
 *
 * cause.c - which pattern makes the difference: the course of the experiments.
 *
 * DESIGN
 *   First a few runs only to learn which accesses matter.  Then runs of all kinds, from everywhere (no preemptions, random) and near the
 *   failing one (its beginning, then otherwise).  Then, in rounds: whichever explanation is the best one so far is put to
 *   the test.  It is made to happen in other surroundings, by the director: if such a run passes, it is no explanation.  It is kept
 *   from happening: the run up to just before another thread comes in between, and the first one goes on: if that fails, it
 *   is none either.  What has stood several rounds is named.
 *
 *   Every decision depends on the seed and on what the runs showed; time only ends it.
 */
#include "explore/cause.h"

#include <string.h>

#include "direct/director.h"
#include "explore/cause_private.h"
#include "util/clock.h"
#include "util/hash.h"
#include "util/stop.h"

enum {
    RUNS = 300,        /* if the budget does not say */
    WARM_UP = 10,      /* runs to learn from */
    WARM_UP_HANGS = 3, /* the same where runs take long */
    ANYHOW = 48,       /* runs before the first explanation */
    FORCED = 4,        /* in a round, directed at the explanation */
    KEPT = 2,          /* in a round, that keep it from happening */
    MORE = 6,          /* in a round, of all kinds */
    STANDS = 3,        /* rounds that it must stand */
    HOPELESS = 6,      /* rounds without any explanation */
    RESETS = 3,        /* times to begin anew because more accesses matter than was known */
};

struct course {
    struct cause_lab *lab;
    struct lab_teller teller;
    uint64_t number; /* of the next run of all kinds */
    unsigned resets;
    bool broken;
};

/* ---- runs ----------------------------------------------------------------------------------------------------------- */

/* What was learned makes earlier runs incomplete: they are forgotten, and the run that is to be explained is recorded again. */
static void begin_anew(struct course *course)
{
    struct cause_lab *lab = course->lab;
    lab_forget_runs(lab);
    enum lab_verdict verdict = lab_run_again(lab);
    course->broken |= verdict == LAB_BROKEN;
    if (verdict == LAB_FAILED)
        lab_keep_run(lab, true);
}

static void take(struct course *course, enum lab_verdict verdict)
{
    course->broken |= verdict == LAB_BROKEN;
    if (course->lab->learned && course->resets < RESETS && verdict != LAB_BROKEN) {
        course->resets++;
        begin_anew(course);
    } else if (verdict == LAB_FAILED || verdict == LAB_PASSED) {
        lab_keep_run(course->lab, verdict == LAB_FAILED);
    }
}

static bool goes_on(const struct course *course)
{
    return !course->broken && !course->lab->full && lab_has_budget(course->lab);
}

/* The beginning of the failing schedule, up to the middle of one of its steps. */
static void cut_schedule(const struct cause_lab *lab, struct generator *generator, goal_steps *beginning)
{
    const struct wire_step *steps = lab->schedule->steps.data;
    size_t kept = generator_below(generator, lab->schedule->steps.count + 1);
    vector_append(beginning, steps, kept);
    if (kept == lab->schedule->steps.count || steps[kept].type != STEP_RUN)
        return;
    struct wire_step last = steps[kept];
    uint64_t done = 0, most = last.until;
    for (size_t i = 0; i < kept; i++)
        if (steps[i].type == STEP_RUN && steps[i].task == last.task)
            done = steps[i].until;
    if (most == UINT64_MAX)
        most = lab->task_operations[last.task] + 1;
    if (most <= done + 1)
        return;
    last.until = done + 1 + generator_below(generator, most - done);
    vector_push(beginning, last);
}

/* Runs of all kinds, by number. */
static enum lab_verdict run_any(struct course *course)
{
    static const struct {
        enum wire_strategy strategy;
        bool near;
    } kinds[] = {{STRATEGY_RANDOM, true},  {STRATEGY_POS, false},      {STRATEGY_ROUNDROBIN, true},
                 {STRATEGY_RANDOM, false}, {STRATEGY_POS, true},       {STRATEGY_PCT, false},
                 {STRATEGY_RANDOM, true},  {STRATEGY_PCTLARGE, false}, {STRATEGY_POS, true},
                 {STRATEGY_RANDOM, true}};
    struct cause_lab *lab = course->lab;
    uint64_t number = course->number++;
    if (number == 0) /* without preemptions */
        return lab_run_plan(lab, STRATEGY_ROUNDROBIN, 0, NULL, 0, NULL);
    struct generator generator = {hash_combine(lab->seed, number)};
    unsigned kind = (unsigned)(number % (sizeof kinds / sizeof kinds[0]));
    goal_steps beginning = {0};
    if (kinds[kind].near)
        cut_schedule(lab, &generator, &beginning);
    uint64_t seed = kinds[kind].strategy == STRATEGY_ROUNDROBIN ? 0 : generator_next(&generator);
    enum lab_verdict verdict = lab_run_plan(lab, kinds[kind].strategy, seed, beginning.data, beginning.count, NULL);
    vector_free(&beginning);
    return verdict;
}

/* ---- experiments ---------------------------------------------------------------------------------------------------- */

static size_t pcs_of(void *context, uint32_t site, uint64_t *pcs, size_t most)
{
    const struct cause_lab *lab = context;
    return places_pcs(lab->places, site, &lab->symbols->modules, pcs, most);
}

/* The explanation is made to happen.  Does nothing for those that the director does not know. */
static void force_candidate(struct course *course, const struct cause_candidate *candidate, uint32_t attempt)
{
    struct cause_lab *lab = course->lab;
    static struct wire_plan plan; /* large */
    goal_steps prefix = {0};
    unsigned missing;
    if (candidate->instance.row >= family_count)
        return;
    struct pattern pattern = lab_pattern(&candidate->instance);
    struct director_source source = {.witnesses = candidate->witnesses,
                                     .steps = lab->schedule->steps.data,
                                     .step_count = lab->schedule->steps.count};
    server_symbols_get(lab->symbols, lab->server);
    if (director_plan(&plan, &prefix, &pattern, OBSERVE_WINDOW, &source, attempt, pcs_of, lab, &missing))
        take(course, lab_run_plan(lab, STRATEGY_DIRECT, hash_combine(lab->seed, attempt), prefix.data, prefix.count,
                                  &plan.goal));
    vector_free(&prefix);
}

/* Up to just before a step of another thread than the first; then the first thread goes on as far as it can. */
static void forbid_candidate(struct course *course, const struct cause_candidate *candidate, uint32_t attempt)
{
    struct cause_lab *lab = course->lab;
    struct pattern pattern = lab_pattern(&candidate->instance);
    goal_steps prefix = {0};
    unsigned partner = 1;
    while (partner + 1 < pattern.count && pattern.steps[partner].thread == 0)
        partner++;
    goal_prefix(lab->schedule->steps.data, lab->schedule->steps.count, &candidate->witnesses[partner], 1, false,
                &prefix);
    struct wire_step on = {.type = STEP_RUN, .task = candidate->witnesses[0].task, .until = UINT64_MAX};
    vector_push(&prefix, on);
    take(course,
         lab_run_plan(lab, attempt % 2 == 0 ? STRATEGY_ROUNDROBIN : STRATEGY_RANDOM,
                      attempt % 2 == 0 ? 0 : hash_combine(lab->seed, attempt), prefix.data, prefix.count, NULL));
    vector_free(&prefix);
}

static void test_candidate(struct course *course, size_t number, uint32_t *attempt)
{
    struct cause_candidate candidate = course->lab->candidates.data[number]; /* the table may move */
    if (!candidate.in_base)
        return;
    for (unsigned i = 0; i < FORCED && goes_on(course); i++)
        force_candidate(course, &candidate, (*attempt)++);
    for (unsigned i = 0; i < KEPT && goes_on(course); i++)
        forbid_candidate(course, &candidate, (*attempt)++);
}

/* ---- the course ----------------------------------------------------------------------------------------------------- */

static struct cause_choice explain(struct course *course)
{
    struct cause_lab *lab = course->lab;
    if (lab->all.count == 0 || stop_requested())
        return (struct cause_choice){CAUSE_NONE, 0, 0};
    lab_compare_runs(lab);
    return cause_choose(lab->candidates.data, lab->candidates.count, &lab->verdicts, lab_accept, &course->teller);
}

/* The same explanation, though runs may have been forgotten in between. */
static bool is_same(const struct cause_lab *lab, const struct cause_choice *choice, const struct instance *before,
                    enum cause_how how)
{
    return choice->how == how &&
           (how == CAUSE_NONE || instance_equal(&lab->candidates.data[choice->first].instance, before));
}

static struct cause_choice find_explanation(struct course *course)
{
    struct cause_lab *lab = course->lab;
    struct cause_choice choice = explain(course);
    uint32_t attempt = 0;
    for (unsigned stood = 0; goes_on(course) && stood < (choice.how == CAUSE_NONE ? HOPELESS : STANDS);) {
        enum cause_how how = choice.how;
        struct instance before = {0};
        if (how != CAUSE_NONE) {
            before = lab->candidates.data[choice.first].instance;
            test_candidate(course, choice.first, &attempt);
        }
        for (unsigned i = 0; i < MORE && goes_on(course); i++)
            take(course, run_any(course));
        choice = explain(course);
        stood = is_same(lab, &choice, &before, how) ? stood + 1 : 0;
        if (stood == 0)
            attempt = 0;
    }
    return choice;
}

static bool warm_up(struct course *course)
{
    unsigned runs = course->lab->hangs ? WARM_UP_HANGS : WARM_UP;
    for (unsigned i = 0; i < runs && goes_on(course); i++)
        course->broken |= run_any(course) == LAB_BROKEN;
    course->number = 0;
    if (!course->broken)
        begin_anew(course);
    return !course->broken && course->lab->all.count > 0;
}

bool cause_find(struct tale_cause *cause, const struct schedule *schedule, const struct rerun *failing,
                struct server *server, struct server_symbols *symbols, const struct oracle *oracle, const char *key,
                const struct coverage *seen, uint64_t seed, const struct shrink_budget *budget, struct error *error)
{
    struct cause_lab *lab = memory_allocate(1, sizeof *lab);
    *lab = (struct cause_lab){.schedule = schedule,
                              .server = server,
                              .symbols = symbols,
                              .oracle = oracle,
                              .key = key,
                              .seen = seen,
                              .seed = seed,
                              .budget = *budget,
                              .began = clock_now(),
                              .error = error,
                              .hangs = failing->judgement.finding.kind == KIND_HANG,
                              .points = failing->copy.result.points};
    if (lab->budget.runs == 0)
        lab->budget.runs = RUNS;
    for (uint32_t i = 0; i < failing->copy.result.task_count; i++)
        lab->task_operations[i] = failing->copy.result.tasks[i].operations;
    lab_open(lab);
    struct course course = {.lab = lab, .teller = {lab, failing}};
    struct cause_choice choice = {CAUSE_NONE, 0, 0};
    if (warm_up(&course)) {
        for (unsigned i = 0; i < ANYHOW && goes_on(&course); i++)
            take(&course, run_any(&course));
        choice = find_explanation(&course);
    }
    if (!stop_requested()) /* or what was not looked at would count as not there */
        lab_tell(lab, failing, &choice, cause);
    lab_close(lab);
    free(lab);
    return !course.broken;
}
