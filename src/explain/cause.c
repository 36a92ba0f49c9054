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
#include "explain/cause.h"

#include <string.h>

#include "direct/director.h"
#include "explain/cause_private.h"
#include "util/clock.h"
#include "util/hash.h"
#include "util/stop.h"

enum {
    RUNS = 300,        /* if the budget does not say */
    WARM_UP = 10,      /* runs to learn from */
    WARM_UP_HANGS = 3, /* the same where runs take long */
    ANYHOW = 48,       /* runs before the first explanation */
    FORCED = 8,        /* in a round, directed at the explanation */
    KEPT = 2,          /* in a round, that keep it from happening */
    MORE = 6,          /* in a round, of all kinds */
    STANDS = 3,        /* rounds that it must stand */
    HOPELESS = 6,      /* rounds without any explanation */
    BEFORE = 7,        /* runs that go on otherwise at one place of the failing run */
    AFTER = 12,        /* the same after the decisive step: none passes */
    DECISIVE = 110,    /* runs to find the decisive step */
    UNFORCED = 4,      /* explanations that are given up because they cannot be made to happen */
    RESETS = 3,        /* times to begin again because more accesses matter than was known */
};

struct course {
    struct experiment *experiment;
    struct experiment_teller teller;
    uint64_t number; /* of the next run of all kinds */
    unsigned resets;
    bool broken;
};

/* ---- runs ----------------------------------------------------------------------------------------------------------- */

/* What was learned makes earlier runs incomplete: they are forgotten, and the run that is to be explained is recorded again. */
static void begin_anew(struct course *course)
{
    struct experiment *experiment = course->experiment;
    experiment_forget_runs(experiment);
    enum experiment_verdict verdict = experiment_run_again(experiment);
    course->broken |= verdict == EXPERIMENT_BROKEN;
    if (verdict == EXPERIMENT_FAILED)
        experiment_keep_run(experiment, true);
}

/* What was made to happen may need fewer preemptions than the schedule that is explained. */
static void note_simpler(struct experiment *experiment)
{
    const struct wire_copy *copy = &experiment->copy;
    uint32_t preemptions = schedule_preemptions(copy->steps.data, copy->steps.count);
    if (experiment->simpler == NULL || experiment->hangs || (copy->result.lost & LOST_STEPS) ||
        preemptions >= experiment->fewest || copy->result.early_count > experiment->early)
        return;
    experiment->fewest = preemptions;
    vector_clear(&experiment->simpler->steps);
    vector_append(&experiment->simpler->steps, copy->steps.data, copy->steps.count);
}

/* `aimed`: what was to be made to happen; NULL: nothing. */
static void take_aimed(struct course *course, enum experiment_verdict verdict, const struct instance *aimed)
{
    course->broken |= verdict == EXPERIMENT_BROKEN;
    if (verdict == EXPERIMENT_FAILED)
        note_simpler(course->experiment);
    if (course->experiment->learned && course->resets < RESETS && verdict != EXPERIMENT_BROKEN) {
        course->resets++;
        begin_anew(course);
    } else if (verdict == EXPERIMENT_FAILED || verdict == EXPERIMENT_PASSED) {
        struct experiment *experiment = course->experiment;
        uint32_t run = experiment_keep_run(experiment, verdict == EXPERIMENT_FAILED);
        if (aimed != NULL && run != EVENT_NONE) {
            struct experiment_forced forced = {*aimed, run};
            vector_push(&experiment->forced, forced);
        }
    }
}

static void take(struct course *course, enum experiment_verdict verdict)
{
    take_aimed(course, verdict, NULL);
}

static bool goes_on(const struct course *course)
{
    return !course->broken && !course->experiment->full && trial_may_run(course->experiment->trial);
}

/* The beginning of the failing schedule, up to the middle of one of its steps. */
static void cut_schedule(const struct experiment *experiment, struct generator *generator, goal_steps *beginning)
{
    const struct wire_step *steps = experiment->schedule->steps.data;
    size_t kept = generator_below(generator, experiment->schedule->steps.count + 1);
    vector_append(beginning, steps, kept);
    if (kept == experiment->schedule->steps.count || steps[kept].type != STEP_RUN)
        return;
    struct wire_step last = steps[kept];
    uint64_t done = 0, most = last.until;
    for (size_t i = 0; i < kept; i++)
        if (steps[i].type == STEP_RUN && steps[i].task == last.task)
            done = steps[i].until;
    if (most == UINT64_MAX)
        most = experiment->task_operations[last.task] + 1;
    if (most <= done + 1)
        return;
    last.until = done + 1 + generator_below(generator, most - done);
    vector_push(beginning, last);
}

/* Runs of all kinds, by number. */
static enum experiment_verdict run_any(struct course *course)
{
    static const struct {
        enum wire_strategy strategy;
        bool near;
    } kinds[] = {{STRATEGY_RANDOM, true},  {STRATEGY_POS, false},      {STRATEGY_ROUNDROBIN, true},
                 {STRATEGY_RANDOM, false}, {STRATEGY_POS, true},       {STRATEGY_PCT, false},
                 {STRATEGY_RANDOM, true},  {STRATEGY_PCTLARGE, false}, {STRATEGY_POS, true},
                 {STRATEGY_RANDOM, true}};
    struct experiment *experiment = course->experiment;
    uint64_t number = course->number++;
    if (number == 0) /* without preemptions */
        return experiment_run_plan(experiment, STRATEGY_ROUNDROBIN, 0, NULL, 0, NULL);
    struct generator generator = {hash_combine(experiment->seed, number)};
    unsigned kind = (unsigned)(number % (sizeof kinds / sizeof kinds[0]));
    goal_steps beginning = {0};
    if (kinds[kind].near)
        cut_schedule(experiment, &generator, &beginning);
    uint64_t seed = kinds[kind].strategy == STRATEGY_ROUNDROBIN ? 0 : generator_next(&generator);
    enum experiment_verdict verdict =
        experiment_run_plan(experiment, kinds[kind].strategy, seed, beginning.data, beginning.count, NULL);
    vector_free(&beginning);
    return verdict;
}

/* ---- experiments ---------------------------------------------------------------------------------------------------- */

static size_t pcs_of(void *context, uint32_t site, uint64_t *pcs, size_t most)
{
    const struct experiment *experiment = context;
    return site_map_pcs(experiment->site_map, site, &experiment->symbols->modules, pcs, most);
}

/* The explanation is made to happen.  Does nothing for those that the director does not know. */
static void force_candidate(struct course *course, const struct cause_candidate *candidate, uint32_t attempt)
{
    struct experiment *experiment = course->experiment;
    static struct wire_plan plan; /* large */
    goal_steps prefix = {0};
    unsigned missing;
    if (candidate->instance.row >= family_count)
        return;
    struct pattern pattern = experiment_pattern(&candidate->instance);
    struct director_source source = {.witnesses = candidate->witnesses,
                                     .steps = experiment->schedule->steps.data,
                                     .step_count = experiment->schedule->steps.count};
    server_symbols_get(experiment->symbols, experiment->server);
    if (director_plan(&plan, &prefix, &pattern, OBSERVE_WINDOW, &source, attempt, pcs_of, experiment, &missing))
        take_aimed(course,
                   experiment_run_plan(experiment, STRATEGY_DIRECT, hash_combine(experiment->seed, attempt),
                                       prefix.data, prefix.count, &plan.goal),
                   &candidate->instance);
    vector_free(&prefix);
}

/* Up to just before a step of another thread than the first; then the first thread goes on as far as it can. */
static void forbid_candidate(struct course *course, const struct cause_candidate *candidate, uint32_t attempt)
{
    struct experiment *experiment = course->experiment;
    struct pattern pattern = experiment_pattern(&candidate->instance);
    goal_steps prefix = {0};
    unsigned partner = 1;
    while (partner + 1 < pattern.count && pattern.steps[partner].thread == 0)
        partner++;
    goal_prefix(experiment->schedule->steps.data, experiment->schedule->steps.count, &candidate->witnesses[partner], 1,
                false, &prefix);
    struct wire_step on = {.type = STEP_RUN, .task = candidate->witnesses[0].task, .until = UINT64_MAX};
    vector_push(&prefix, on);
    take(course, experiment_run_plan(experiment, attempt % 2 == 0 ? STRATEGY_ROUNDROBIN : STRATEGY_RANDOM,
                                     attempt % 2 == 0 ? 0 : hash_combine(experiment->seed, attempt), prefix.data,
                                     prefix.count, NULL));
    vector_free(&prefix);
}

static void test_candidate(struct course *course, size_t number, uint32_t *attempt)
{
    struct cause_candidate candidate = course->experiment->candidates.data[number]; /* the table may move */
    if (!candidate.in_base)
        return;
    for (unsigned i = 0; i < FORCED && goes_on(course); i++)
        force_candidate(course, &candidate, (*attempt)++);
    for (unsigned i = 0; i < KEPT && goes_on(course); i++)
        forbid_candidate(course, &candidate, (*attempt)++);
}

/* ---- the decisive step ---------------------------------------------------------------------------------------------- */

struct halving {
    uint32_t passes, fails; /* beginnings: this one passed, that one did not */
    unsigned ended, passed; /* of the last runs that went on otherwise */
    unsigned runs;          /* all */
    bool renumbered;        /* the events have other numbers now */
};

static bool halving_goes_on(const struct course *course, const struct halving *halving)
{
    return goes_on(course) && halving->runs < DECISIVE && !halving->renumbered;
}

/* Runs that go on otherwise before the event; stops at the first that passes if `once`. */
static bool passes_from(struct course *course, struct halving *halving, uint32_t at, unsigned most, bool once)
{
    halving->ended = halving->passed = 0;
    for (unsigned i = 0; i < most && halving_goes_on(course, halving) && !(once && halving->passed > 0); i++) {
        unsigned resets = course->resets;
        enum experiment_verdict verdict = experiment_run_from(course->experiment, at, i);
        take(course, verdict);
        halving->runs++;
        halving->renumbered |= course->resets != resets;
        halving->ended += verdict == EXPERIMENT_FAILED || verdict == EXPERIMENT_PASSED;
        halving->passed += verdict == EXPERIMENT_PASSED;
    }
    return halving->passed > 0;
}

/* The longest beginning that passes, and that none of many continuations of one step more does.  True: it was found; or the
   failure is the only step after it. */
static bool halve(struct course *course, struct halving *halving, uint32_t count)
{
    halving->passes = 0;
    halving->fails = count;
    do {
        while (halving->fails - halving->passes > 1 && halving_goes_on(course, halving)) {
            uint32_t middle = halving->passes + (halving->fails - halving->passes) / 2;
            *(passes_from(course, halving, middle, BEFORE, true) ? &halving->passes : &halving->fails) = middle;
        }
        if (halving->fails == count || !passes_from(course, halving, halving->fails, AFTER, true))
            return halving_goes_on(course, halving);
        halving->passes = halving->fails;
        halving->fails = count;
    } while (halving_goes_on(course, halving));
    return false;
}

static void note_decisive(struct course *course, struct halving *halving, uint32_t count)
{
    struct experiment *experiment = course->experiment;
    unsigned after = halving->fails == count ? 0 : halving->ended;
    if (halving->fails != count && after < AFTER / 2)
        return;
    if (!passes_from(course, halving, halving->passes, BEFORE, false) || halving->renumbered)
        return;
    const struct event *event = execution_event(&experiment->all.data[0].execution, halving->passes);
    experiment->decisive = (struct cause_decisive){.known = true,
                                                   .task = event->task,
                                                   .operation = event->operation,
                                                   .before = halving->ended,
                                                   .before_passed = halving->passed,
                                                   .after = after};
}

static void find_decisive(struct course *course)
{
    struct experiment *experiment = course->experiment;
    if (experiment->passed == 0 || experiment->hangs)
        return;
    for (struct halving halving = {.renumbered = true}; halving.renumbered && goes_on(course);) {
        halving = (struct halving){0};
        if (experiment->all.count == 0)
            return;
        uint32_t count = execution_count(&experiment->all.data[0].execution);
        if (count > 1 && halve(course, &halving, count))
            note_decisive(course, &halving, count);
    }
}

/* ---- the course ----------------------------------------------------------------------------------------------------- */

static struct cause_choice explain(struct course *course)
{
    struct experiment *experiment = course->experiment;
    if (experiment->all.count == 0 || stop_requested())
        return (struct cause_choice){CAUSE_NONE, 0, 0};
    experiment_compare_runs(experiment);
    for (size_t i = 0; i < experiment->candidates.count; i++)
        experiment_compare_with_decisive(experiment, &experiment->candidates.data[i]);
    return cause_choose(experiment->candidates.data, experiment->candidates.count, &experiment->verdicts,
                        experiment_accept, &course->teller);
}

/* The same explanation, though runs may have been forgotten in between. */
static bool is_same(const struct experiment *experiment, const struct cause_choice *choice,
                    const struct instance *before, enum cause_how how)
{
    return choice->how == how &&
           (how == CAUSE_NONE || instance_equal(&experiment->candidates.data[choice->first].instance, before));
}

static struct cause_choice find_explanation(struct course *course)
{
    struct experiment *experiment = course->experiment;
    struct cause_choice choice = explain(course);
    uint32_t attempt = 0;
    for (unsigned stood = 0; goes_on(course) && stood < (choice.how == CAUSE_NONE ? HOPELESS : STANDS);) {
        enum cause_how how = choice.how;
        struct instance before = {0};
        if (how != CAUSE_NONE) {
            before = experiment->candidates.data[choice.first].instance;
            test_candidate(course, choice.first, &attempt);
        }
        for (unsigned i = 0; i < MORE && goes_on(course); i++)
            take(course, run_any(course));
        choice = explain(course);
        stood = is_same(experiment, &choice, &before, how) ? stood + 1 : 0;
        if (stood == 0)
            attempt = 0;
    }
    return choice;
}

/* A pattern that the director knows, but could not make happen in any other schedule: nothing shows that it makes the difference.  Where
   only one schedule fails, there is no other. */
static bool is_unforced(const struct course *course, const struct cause_choice *choice)
{
    const struct experiment *experiment = course->experiment;
    return choice->how == CAUSE_ONE && experiment->failing > 1 &&
           experiment->candidates.data[choice->first].instance.row < family_count &&
           experiment_count_forced(experiment, &experiment->candidates.data[choice->first]) == 0;
}

static bool warm_up(struct course *course)
{
    unsigned runs = course->experiment->hangs ? WARM_UP_HANGS : WARM_UP;
    for (unsigned i = 0; i < runs && goes_on(course); i++)
        course->broken |= run_any(course) == EXPERIMENT_BROKEN;
    course->number = 0;
    if (!course->broken)
        begin_anew(course);
    return !course->broken && course->experiment->all.count > 0;
}

bool cause_find(struct tale_cause *cause, struct statement_facts *facts, struct trial *trial,
                const struct cause_question *question, const struct trial_budget *budget)
{
    const struct judged_run *failing = question->failing;
    struct experiment *experiment = memory_allocate(1, sizeof *experiment);
    *experiment = (struct experiment){
        .schedule = question->schedule,
        .trial = trial,
        .server = trial->server,
        .symbols = trial->symbols,
        .seen = question->seen,
        .seed = question->seed,
        .finding = &failing->judgement.finding,
        .simpler = question->simpler,
        .fewest = schedule_preemptions(question->schedule->steps.data, question->schedule->steps.count),
        .early = failing->copy.result.early_count,
        .hangs = failing->judgement.finding.kind == KIND_HANG,
        .points = failing->copy.result.points};
    trial_set_budget(trial, budget);
    if (budget->runs == 0)
        trial->budget.runs = RUNS;
    for (uint32_t i = 0; i < failing->copy.result.task_count; i++)
        experiment->task_operations[i] = failing->copy.result.tasks[i].operations;
    experiment_open(experiment);
    struct course course = {.experiment = experiment, .teller = {experiment, failing}};
    struct cause_choice choice = {CAUSE_NONE, 0, 0};
    if (warm_up(&course)) {
        for (unsigned i = 0; i < ANYHOW && goes_on(&course); i++)
            take(&course, run_any(&course));
        find_decisive(&course);
        choice = find_explanation(&course);
        for (unsigned i = 0; i < UNFORCED && is_unforced(&course, &choice) && goes_on(&course); i++) {
            experiment->candidates.data[choice.first].refused = true;
            choice = find_explanation(&course);
        }
        if (is_unforced(&course, &choice))
            choice.how = CAUSE_NONE;
    }
    if (!stop_requested()) /* or what was not looked at would count as not there */
        experiment_tell(experiment, failing, &choice, cause, facts);
    experiment_close(experiment);
    free(experiment);
    return !course.broken;
}
