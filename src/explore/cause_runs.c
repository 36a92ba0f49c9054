/* SPDX-License-Identifier: MIT
 *
 * cause_runs.c - runs to compare a failing one with.
 *
 * Which accesses are recorded depends on what earlier runs learned.  A run during which something new was learned is run once more
 * by its own schedule, so that nothing is missing in what it shows.
 */
#include <string.h>

#include "explore/cause_private.h"
#include "trace/story.h"
#include "util/clock.h"
#include "util/stop.h"

enum {
    TRIES = 3,           /* until nothing new is learned */
    HANG_STEPS = 200000, /* a hang is half of it without any change */
};

bool lab_has_budget(const struct cause_lab *lab)
{
    return lab->runs < lab->budget.runs && (lab->budget.points == 0 || lab->all_points < lab->budget.points) &&
           (lab->budget.time == 0 || clock_now() - lab->began < lab->budget.time) && !stop_requested();
}

static enum lab_verdict judge(struct cause_lab *lab)
{
    switch (lab->judgement.verdict) {
    case VERDICT_GOOD:
        return lab->copy.result.lost & LOST_EVENTS ? LAB_NEITHER : LAB_PASSED;
    case VERDICT_FAILURE:
        break;
    case VERDICT_LOST:
        return stop_requested() || server_restart(lab->server, lab->error) ? LAB_NEITHER : LAB_BROKEN;
    default:
        return LAB_NEITHER;
    }
    struct symbols *symbols = server_symbols_get(lab->symbols, lab->server);
    char *key = story_key(symbols, &lab->copy.result, &lab->judgement.finding);
    bool same = strcmp(key, lab->key) == 0 && !(lab->copy.result.lost & LOST_EVENTS);
    free(key);
    return same ? LAB_FAILED : LAB_NEITHER;
}

/* The plan is in the wire, but for what all plans have in common. */
static enum lab_verdict run_once(struct cause_lab *lab, uint32_t flags, const struct wire_step *steps, size_t count)
{
    struct wire_plan *plan = &lab->server->wire->plan;
    plan->flags = (lab->schedule->flags & ~(uint32_t)(PLAN_PREFIX | PLAN_THEN_RANDOM)) | PLAN_RECORD | flags;
    plan->max_steps = lab->schedule->max_steps;
    if (lab->hangs && plan->max_steps > HANG_STEPS) /* or each would take its time */
        plan->max_steps = HANG_STEPS;
    plan->expected_points = lab->points;
    plan->interest_lo = plan->interest_hi = 0;
    plan->task_count = plan->plan_choice_count = 0;
    plan->bound = UINT32_MAX;
    plan->checkpoint = CHECKPOINT_NOWHERE;
    plan->plan_step_count = (uint32_t)count;
    if (count > 0)
        memcpy(lab->server->wire->plan_steps, steps, count * sizeof steps[0]);
    lab->runs++;
    if (!server_begin_run(lab->server, lab->error))
        return LAB_BROKEN;
    enum server_state state = server_finish_run(lab->server, false);
    wire_check_result(lab->server->wire, COPY_STEPS | COPY_EVENTS, &lab->copy);
    if (!oracle_judge(lab->oracle, lab->server, state, &lab->copy, &lab->judgement, lab->error))
        return LAB_BROKEN;
    lab->all_points += lab->copy.result.points;
    lab->learned = lab->copy.result.shared_sites > lab->known;
    if (lab->learned)
        lab->known = lab->copy.result.shared_sites;
    return judge(lab);
}

static enum lab_verdict replay(struct cause_lab *lab, const struct schedule *schedule)
{
    struct wire_plan *plan = &lab->server->wire->plan;
    plan->strategy = STRATEGY_REPLAY;
    plan->seed = schedule->seed;
    plan->depth = 1;
    plan->early_timeouts = schedule->early_timeouts;
    return run_once(lab, schedule->flags & PLAN_THEN_RANDOM, schedule->steps.data, schedule->steps.count);
}

enum lab_verdict lab_run_again(struct cause_lab *lab)
{
    enum lab_verdict verdict = replay(lab, lab->schedule);
    for (int i = 1; i < TRIES && lab->learned && verdict != LAB_BROKEN; i++)
        verdict = replay(lab, lab->schedule);
    lab->points = lab->copy.result.points;
    return verdict;
}

enum lab_verdict lab_run_plan(struct cause_lab *lab, enum wire_strategy strategy, uint64_t seed,
                              const struct wire_step *steps, size_t step_count, const struct wire_goal *goal)
{
    struct wire_plan *plan = &lab->server->wire->plan;
    plan->strategy = strategy;
    plan->seed = seed;
    plan->depth = 3;
    plan->early_timeouts = goal != NULL ? 0 : lab->schedule->early_timeouts;
    if (goal != NULL)
        plan->goal = *goal;
    enum lab_verdict verdict = run_once(lab, step_count > 0 ? PLAN_PREFIX : 0, steps, step_count);
    bool learned = lab->learned;
    for (int i = 1; i < TRIES && lab->learned && (verdict == LAB_FAILED || verdict == LAB_PASSED); i++) {
        bool hung = verdict == LAB_FAILED && lab->hangs; /* has no last step */
        struct schedule same = {
            .flags = hung ? PLAN_THEN_RANDOM : 0, .seed = seed, .early_timeouts = plan->early_timeouts};
        vector_append(&same.steps, lab->copy.steps.data, lab->copy.steps.count);
        enum lab_verdict again = replay(lab, &same);
        vector_free(&same.steps);
        verdict = again == verdict || again == LAB_BROKEN ? again : LAB_NEITHER;
    }
    lab->learned = learned;
    return verdict;
}
