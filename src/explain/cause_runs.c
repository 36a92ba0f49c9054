/* SPDX-License-Identifier: MIT
 *
 * cause_runs.c - runs to compare a failing one with.
 *
 * Which accesses are recorded depends on what earlier runs learned.  A run during which something new was learned is run once more
 * by its own schedule, so that nothing is missing in what it shows.
 */
#include <string.h>

#include "explain/cause_private.h"
#include "trace/headline.h"

enum {
    TRIES = 3,           /* until nothing new is learned */
    HANG_STEPS = 200000, /* a hang is half of it without any change */
};

/* What the plans of all runs have in common. */
static void set_common(const struct experiment *experiment, uint32_t more_flags, struct wire_plan *plan)
{
    const struct schedule *schedule = experiment->schedule;
    plan->flags = (schedule->flags & ~(uint32_t)(PLAN_PREFIX | PLAN_THEN_RANDOM)) | PLAN_RECORD | more_flags;
    plan->max_steps = schedule->max_steps;
    if (experiment->hangs && plan->max_steps > HANG_STEPS) /* or each would take its time */
        plan->max_steps = HANG_STEPS;
    plan->expected_points = experiment->points;
}

/* A block that was freed is used in many places, and all are one failure: but which accesses make the difference is asked about one of them. */
static bool is_used_there(const struct experiment *experiment)
{
    const struct wire_finding *wanted = experiment->finding, *finding = &experiment->run.judgement.finding;
    if (wanted->kind != KIND_USE_AFTER_FREE && wanted->kind != KIND_DOUBLE_FREE)
        return true;
    struct symbols *symbols = server_symbols_get(experiment->symbols, experiment->server);
    const struct site *a = headline_place(symbols, wanted), *b = headline_place(symbols, finding);
    return a == b || (a != NULL && b != NULL && strcmp(a->where, b->where) == 0);
}

static enum experiment_verdict run_once(struct experiment *experiment, const struct wire_plan *plan,
                                        const struct wire_step *steps)
{
    const struct wire_result *result = &experiment->run.copy.result;
    enum trial_verdict verdict = trial_run(experiment->trial, plan, steps, &experiment->run);
    if (verdict == TRIAL_BROKEN)
        return EXPERIMENT_BROKEN;
    experiment->learned = result->shared_sites > experiment->known;
    if (experiment->learned)
        experiment->known = result->shared_sites;
    if ((verdict != TRIAL_FAILED && verdict != TRIAL_PASSED) || (result->lost & LOST_EVENTS))
        return EXPERIMENT_NEITHER;
    if (verdict == TRIAL_PASSED)
        return EXPERIMENT_PASSED;
    return is_used_there(experiment) ? EXPERIMENT_FAILED : EXPERIMENT_NEITHER;
}

static enum experiment_verdict replay(struct experiment *experiment, const struct schedule *schedule)
{
    struct wire_plan plan;
    plan_reset(&plan);
    plan_replay(&plan, schedule);
    set_common(experiment, schedule->flags & PLAN_THEN_RANDOM, &plan);
    return run_once(experiment, &plan, schedule->steps.data);
}

enum experiment_verdict experiment_run_again(struct experiment *experiment)
{
    enum experiment_verdict verdict = replay(experiment, experiment->schedule);
    for (int i = 1; i < TRIES && experiment->learned && verdict != EXPERIMENT_BROKEN; i++)
        verdict = replay(experiment, experiment->schedule);
    experiment->points = experiment->run.copy.result.points;
    return verdict;
}

enum experiment_verdict experiment_run_plan(struct experiment *experiment, enum wire_strategy strategy, uint64_t seed,
                                            const struct wire_step *steps, size_t step_count,
                                            const struct wire_goal *goal)
{
    struct wire_plan plan;
    plan_reset(&plan);
    set_common(experiment, 0, &plan);
    plan.depth = 3;
    plan.early_timeouts = experiment->schedule->early_timeouts;
    if (goal != NULL)
        plan_goal(&plan, goal, seed);
    else
        plan_strategy(&plan, strategy, seed);
    plan_prefix(&plan, step_count);
    enum experiment_verdict verdict = run_once(experiment, &plan, steps);
    bool learned = experiment->learned;
    for (int i = 1; i < TRIES && experiment->learned && (verdict == EXPERIMENT_FAILED || verdict == EXPERIMENT_PASSED);
         i++) {
        bool hung = verdict == EXPERIMENT_FAILED && experiment->hangs; /* has no last step */
        struct schedule same = {
            .flags = hung ? PLAN_THEN_RANDOM : 0, .seed = seed, .early_timeouts = plan.early_timeouts};
        vector_append(&same.steps, experiment->run.copy.steps.data, experiment->run.copy.steps.count);
        enum experiment_verdict again = replay(experiment, &same);
        vector_free(&same.steps);
        verdict = again == verdict || again == EXPERIMENT_BROKEN ? again : EXPERIMENT_NEITHER;
    }
    experiment->learned = learned;
    return verdict;
}
