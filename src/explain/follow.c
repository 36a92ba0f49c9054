/* SPDX-License-Identifier: MIT
 *
 * follow.c - see follow.h.
 */
#include "explain/follow.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "explain/follow_private.h"
#include "trace/headline.h"
#include "util/hash.h"
#include "util/log.h"
#include "util/stop.h"

enum { ROUNDS = 24 }; /* most rounds of translating by the previous run */

/* ---- one run ---------------------------------------------------------------------------------------------------------- */

/* Flags of the schedule that apply to every run of this program. */
static uint32_t lasting_flags(const struct schedule *schedule)
{
    return schedule->flags & ~(uint32_t)(PLAN_KEEPS | PLAN_PREFIX | PLAN_BEST_EFFORT | PLAN_THEN_RANDOM);
}

static void fill_plan(const struct follow *follow, size_t count, const struct follow_tail *tail, struct wire_plan *plan)
{
    const struct schedule *schedule = &follow->failure->schedule;
    plan_reset(plan);
    plan_strategy(plan, tail->strategy, tail->seed);
    plan->flags = lasting_flags(schedule) | (tail->record ? PLAN_RECORD : 0);
    plan->max_steps = schedule->max_steps;
    plan->depth = tail->depth;
    plan->early_timeouts = tail->early_timeouts;
    plan->expected_points = follow->points;
    plan_best_effort(plan, count);
}

/* Takes the schedule of the run, to be replayed exactly. */
static void take_schedule(const struct follow *follow, const struct follow_tail *tail, struct schedule *schedule)
{
    const struct judgement *judgement = &follow->run->judgement;
    *schedule = (struct schedule){.flags = lasting_flags(&follow->failure->schedule),
                                  .max_steps = follow->failure->schedule.max_steps,
                                  .seed = tail->seed,
                                  .early_timeouts = tail->early_timeouts};
    /* A hang has no last step: after the steps it continues at random, by the seed. */
    if (judgement->finding.kind == KIND_HANG)
        schedule->flags |= PLAN_THEN_RANDOM;
    vector_append(&schedule->steps, follow->run->copy.steps.data, follow->run->copy.steps.count);
}

static bool is_known_other(const struct follow *follow, const char *key)
{
    for (size_t i = 0; i < follow->others.count; i++)
        if (strcmp(follow->others.data[i], key) == 0)
            return true;
    return false;
}

/* ---- what fails ------------------------------------------------------------------------------------------------------- */

/* Stores the result of the exact rerun in follow->confirm; takes ownership of key and schedule. */
static void keep(struct follow *follow, char *key, struct schedule *schedule, enum follow_verdict verdict)
{
    assert(key != NULL);
    struct follow_report *report = follow->report;
    struct judged_run *rerun = report->rerun != NULL ? report->rerun : memory_allocate(1, sizeof *rerun);
    free(report->key);
    schedule_free(&report->schedule);
    buffer_clear(&report->output);
    buffer_clear(&report->errors);
    output_read(&follow->trial->server->output, &report->output);
    output_read(&follow->trial->server->errors, &report->errors);
    report->verdict = verdict;
    report->rerun = follow->confirm;
    follow->confirm = rerun;
    report->key = key;
    report->schedule = *schedule;
    follow->done = verdict == FOLLOW_STILL_FAILS;
}

/* Whether `rerun`, recorded, shows the old failure. */
static bool shows_failure(struct follow *follow, const struct judged_run *rerun, const char *key)
{
    const struct wire_finding *finding = &rerun->judgement.finding;
    const struct wire_copy *copy = &rerun->copy;
    struct symbols *symbols = server_symbols_get(follow->trial->symbols, follow->trial->server);
    char *headline = headline_text(symbols, &copy->result, finding, copy->events.data, (uint32_t)copy->events.count);
    const struct site *place = headline_place(symbols, finding);
    if (follow->has_old && follow_log_now(follow, rerun))
        follow_match(follow);
    bool same =
        follow_same(follow, key, headline, place != NULL && place->function[0] != '\0' ? place->function : NULL);
    free(headline);
    return same;
}

/* The last run failed: it counts only if it fails again when it is run exactly.  Takes ownership of the schedule. */
static bool confirm(struct follow *follow, struct schedule *schedule)
{
    bool good = rerun_schedule(follow->trial, schedule, false, follow->confirm) != TRIAL_BROKEN;
    char *key = good ? trial_failure_key(follow->trial, follow->confirm) : NULL;
    if (key != NULL) {
        if (shows_failure(follow, follow->confirm, key)) {
            keep(follow, key, schedule, FOLLOW_STILL_FAILS);
            return true;
        }
        if (!is_known_other(follow, key))
            vector_push(&follow->others, memory_copy_string(key));
        if (follow->report->verdict == FOLLOW_FIXED) {
            keep(follow, key, schedule, FOLLOW_FAILS_OTHERWISE);
            return true;
        }
        free(key);
    }
    schedule_free(schedule);
    return good;
}

bool follow_run(struct follow *follow, const struct wire_step *steps, size_t count, const struct follow_tail *tail)
{
    struct wire_plan plan;
    fill_plan(follow, count, tail, &plan);
    if (trial_run(follow->trial, &plan, steps, follow->run) == TRIAL_BROKEN)
        return false;
    char *key = trial_failure_key(follow->trial, follow->run);
    bool looked_at = key == NULL || is_known_other(follow, key);
    free(key);
    if (looked_at)
        return true;
    struct schedule schedule;
    take_schedule(follow, tail, &schedule);
    return confirm(follow, &schedule);
}

/* ---- following -------------------------------------------------------------------------------------------------------- */

/* After the last step there are no preemptions: each thread runs as far as it can. */
static struct follow_tail quiet_tail(const struct follow *follow)
{
    const struct schedule *schedule = &follow->failure->schedule;
    bool hang = (schedule->flags & PLAN_THEN_RANDOM) != 0;
    return (struct follow_tail){.strategy = hang ? STRATEGY_RANDOM : STRATEGY_DFS,
                                .seed = schedule->seed,
                                .depth = 1,
                                .early_timeouts = hang ? schedule->early_timeouts : 0,
                                .record = true};
}

/* A run of the plan was recorded.  Each translation is better than the one before. */
static void note_run(struct follow *follow, const struct follow_plan *plan, const struct wire_result *result)
{
    struct follow_report *report = follow->report;
    report->followed = follow_reached(follow, plan, result);
    free(report->left);
    report->left = follow_left(follow, plan, result);
    follow->points = result->points;
    vector_clear(&follow->plan.steps);
    vector_clear(&follow->plan.origin);
    vector_append(&follow->plan.steps, plan->steps.data, plan->steps.count);
    vector_append(&follow->plan.origin, plan->origin.data, plan->origin.count);
    follow->plan.dropped = plan->dropped;
}

/* Runs the plan with recording and aligns the run with the old one.  False: error; *going: whether there is a run to
   continue with. */
static bool run_and_match(struct follow *follow, const struct follow_plan *plan, bool *going)
{
    struct follow_tail tail = quiet_tail(follow);
    if (!follow_run(follow, plan->steps.data, plan->steps.count, &tail))
        return false;
    *going = !follow->done && !stop_requested() && !follow->run->copy.damaged &&
             follow->run->judgement.verdict != VERDICT_LOST && follow->has_old && follow_log_now(follow, follow->run);
    if (*going)
        follow_match(follow);
    return true;
}

/* Translates by the previous run and runs the result, until the translation does not change any more. */
static bool follow_rounds(struct follow *follow)
{
    struct follow_plan plan = {0};
    struct table seen = {0};
    bool good = true, going = true;
    /* The first runs have no preemptions and show what the threads do.  Two of them, because only after the first one
       it is known which accesses are shared, and so are events. */
    memset(follow->trial->server->wire->sites, 0, sizeof follow->trial->server->wire->sites);
    for (unsigned i = 0; i < 2 && good && going && follow->has_old; i++)
        good = run_and_match(follow, &plan, &going);
    for (unsigned round = 0; round < ROUNDS && good && going; round++) {
        follow_translate(follow, &plan);
        uint64_t *before = table_put(&seen, schedule_hash(plan.steps.data, plan.steps.count));
        if ((*before)++ > 0)
            break;
        good = run_and_match(follow, &plan, &going);
        if (good && (going || follow->done || !follow->has_old))
            note_run(follow, &plan, &follow->run->copy.result);
    }
    table_free(&seen);
    follow_plan_free(&plan);
    return good;
}

/* The exact rerun followed the schedule to its end and failed: checks whether it is the same failure at another place. */
static void look_at_first(struct follow *follow, const struct judged_run *first)
{
    char *key = trial_failure_key(follow->trial, first);
    bool same = shows_failure(follow, first, key);
    struct schedule schedule;
    schedule_copy(&schedule, &follow->failure->schedule);
    if (!same)
        vector_push(&follow->others, memory_copy_string(key));
    wire_copy_free(&follow->confirm->copy);
    *follow->confirm = (struct judged_run){.state = first->state, .judgement = first->judgement};
    follow->confirm->copy.result = first->copy.result;
    vector_append(&follow->confirm->copy.steps, first->copy.steps.data, first->copy.steps.count);
    vector_append(&follow->confirm->copy.events, first->copy.events.data, first->copy.events.count);
    keep(follow, key, &schedule, same ? FOLLOW_STILL_FAILS : FOLLOW_FAILS_OTHERWISE);
    follow->report->followed = same ? follow->report->switches : 0;
}

static void follow_free(struct follow *follow)
{
    follow_log_free(&follow->old);
    follow_log_free(&follow->now);
    follow_plan_free(&follow->plan);
    table_free(&follow->texts);
    free(follow->partner);
    judged_run_free(follow->run);
    judged_run_free(follow->confirm);
    free(follow->run);
    free(follow->confirm);
    for (size_t i = 0; i < follow->others.count; i++)
        free(follow->others.data[i]);
    vector_free(&follow->others);
    free(follow);
}

bool follow_failure(struct follow_report *report, struct trial *trial, const struct failure *failure,
                    const struct judged_run *first, const struct trial_budget *budget)
{
    struct follow *follow = memory_allocate(1, sizeof *follow); /* large */
    *follow = (struct follow){.failure = failure, .trial = trial, .report = report};
    trial_set_budget(trial, &(struct trial_budget){0});
    follow->run = memory_allocate(1, sizeof *follow->run);
    follow->confirm = memory_allocate(1, sizeof *follow->confirm);
    follow->has_old = follow_log_old(follow);
    for (size_t i = 0; i < failure->schedule.steps.count; i++)
        report->switches += i > 0 && failure->schedule.steps.data[i].type == STEP_RUN;
    bool good = true;
    if (first->judgement.verdict == VERDICT_FAILURE)
        look_at_first(follow, first);
    if (!follow->done)
        good = follow_rounds(follow);
    if (good && !follow->done && !stop_requested()) {
        report->by_near = true;
        good = follow_near(follow, budget);
    }
    if (!follow->done && stop_requested())
        report->verdict = FOLLOW_UNKNOWN;
    follow_free(follow);
    return good;
}

void follow_report_free(struct follow_report *report)
{
    if (report->rerun != NULL)
        judged_run_free(report->rerun);
    free(report->rerun);
    free(report->left);
    free(report->key);
    schedule_free(&report->schedule);
    buffer_free(&report->output);
    buffer_free(&report->errors);
    *report = (struct follow_report){0};
}

char *follow_sentence(const struct follow_report *report)
{
    struct buffer text = {0};
    buffer_printf(&text, "followed %u of %u switch%s", report->followed, report->switches,
                  report->switches == 1 ? "" : "es");
    if (report->left != NULL)
        buffer_printf(&text, "; left at %s", report->left);
    return buffer_take(&text);
}
