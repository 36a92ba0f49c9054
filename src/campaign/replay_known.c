/* SPDX-License-Identifier: MIT
 *
 * replay_known.c - failures that earlier campaigns left: run again before anything else, and said to be fixed if they are.  Where the
 * program has changed since they are followed (follow.h), with a small budget: the campaign itself comes after.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/campaign.h"
#include "control/build.h"
#include "explain/follow.h"
#include "trace/failure.h"
#include "trace/headline.h"
#include "util/file.h"
#include "util/log.h"
#include "util/stop.h"

static void still_fails(struct campaign *campaign, struct failure *failure)
{
    struct error error;
    log_error("%s %s: %s", failure->path, failure->fixed ? "fails again" : "still fails",
              failure->text ? failure->text : failure->kind);
    char *path = text_quoted(failure->path);
    log_error("replay it with: raddle replay %s", path);
    free(path);
    if (failure->fixed) {
        failure->fixed = false;
        if (!failure_update(failure, &error))
            log_error("%s", error.text);
    }
    campaign->results->still_failing++;
    if (results_find_cause(campaign->results, failure->pattern) == NULL &&
        results_find(campaign->results, failure->key) == NULL)
        campaign_remember(&campaign->results->failures, failure, 0);
    campaign->stop |= !campaign->settings->keep_going;
}

static void is_fixed(struct campaign *campaign, struct failure *failure)
{
    struct error error;
    campaign->results->fixed++;
    if (failure->fixed)
        return; /* known */
    failure->fixed = true;
    log_say("%s is fixed: %s", failure->path, failure->text ? failure->text : failure->kind);
    if (!failure_update(failure, &error))
        log_error("%s", error.text);
}

/* Takes the rerun of the schedule for a run of the campaign, and its failure for a new one.  Takes over the key. */
static void fails_otherwise(struct campaign *campaign, const struct failure *failure, const struct schedule *schedule,
                            struct judged_run *rerun, char *key)
{
    if (results_find(campaign->results, key) != NULL) {
        free(key);
        return;
    }
    struct slot slot = {.server = campaign->confirm_server, .copy = rerun->copy};
    slot.run.plan = slot.plan = memory_allocate(1, sizeof *slot.plan);
    slot.plan->strategy = STRATEGY_REPLAY;
    slot.plan->flags = schedule->flags;
    slot.plan->max_steps = schedule->max_steps;
    slot.plan->seed = schedule->seed;
    slot.plan->early_timeouts = schedule->early_timeouts;
    if (campaign_hold_exit(campaign, &slot, &rerun->judgement)) { /* every schedule may do it now */
        free(slot.plan);
        free(key);
        return;
    }
    log_say("%s fails in another way now:", failure->path);
    bool confirmed = campaign_save_and_tell(campaign, &slot, &rerun->judgement, key);
    server_symbols_close(&slot.symbols);
    free(slot.plan);
    campaign->stop |= confirmed && !campaign->settings->keep_going;
}

/* ---- the program has changed -------------------------------------------------------------------------------------------- */

static void judge_followed(struct campaign *campaign, struct failure *failure, struct trial *trial,
                           struct follow_report *report)
{
    struct error error;
    char *sentence = follow_sentence(report);
    bool was_fixed = failure->fixed;
    switch (report->verdict) {
    case FOLLOW_STILL_FAILS:
        log_say("%s on the changed program: %s", failure->path, sentence);
        if (!follow_save(failure, report, trial, &error))
            log_error("the failure stays as it was: %s", error.text);
        failure->fixed = was_fixed;
        still_fails(campaign, failure);
        break;
    case FOLLOW_FIXED:
        if (!failure->fixed)
            log_say("%s on the changed program: %s; none of %" PRIu64 " schedules near it failed", failure->path,
                    sentence, report->near);
        is_fixed(campaign, failure);
        break;
    case FOLLOW_FAILS_OTHERWISE:
        fails_otherwise(campaign, failure, &report->schedule, report->rerun, report->key);
        report->key = NULL;
        break;
    default:
        break;
    }
    free(sentence);
}

static bool follow_known(struct campaign *campaign, struct failure *failure, struct trial *trial,
                         const struct judged_run *rerun, struct error *error)
{
    const struct trial_budget budget = {.runs = failure->fixed ? FOLLOW_NEAR_FIXED : FOLLOW_NEAR_KNOWN,
                                        .time = FOLLOW_TIME_KNOWN};
    struct follow_report report = {0};
    bool good = follow_failure(&report, trial, failure, rerun, &budget);
    if (good)
        judge_followed(campaign, failure, trial, &report);
    follow_report_free(&report);
    return good || trial_pass_error(trial, error);
}

/* ---- one after the other ------------------------------------------------------------------------------------------------ */

static bool judge_known(struct campaign *campaign, struct failure *failure, struct trial *trial,
                        struct judged_run *rerun, struct error *error)
{
    const struct judgement *judgement = &rerun->judgement;
    char *key = trial_failure_key(trial, rerun);
    bool same = key != NULL && strcmp(key, failure->key) == 0;
    if (key != NULL && (campaign->settings->plan_flags & PLAN_PATIENT) && rerun->copy.result.early_count > 0) {
        log_say("%s is left out (--patient): in it %s", failure->path,
                failure->early != NULL ? failure->early : "a wait ends early");
        free(key);
        return true;
    }
    struct suppression *suppression =
        key != NULL ? oracle_suppressed(campaign->oracle, trial->server, &rerun->copy, &judgement->finding) : NULL;
    if (suppression != NULL) {
        log_say("%s is left out: line %u of %s suppresses it", failure->path, suppression->line,
                suppress_name(campaign->oracle->suppressions));
        results_suppress(campaign->results, server_symbols_get(trial->symbols, trial->server), &rerun->copy,
                         &judgement->finding, suppression);
        free(key);
        return true;
    }
    bool followed =
        !same && (key != NULL || judgement->verdict == VERDICT_GOOD || judgement->verdict == VERDICT_DIVERGED);
    if (followed && !build_is_unchanged(failure, &campaign->confirm_server)) {
        free(key);
        return follow_known(campaign, failure, trial, rerun, error);
    }
    if (key != NULL && !same) {
        fails_otherwise(campaign, failure, &failure->schedule, rerun, key);
        return true;
    }
    if (same)
        still_fails(campaign, failure);
    else if (judgement->verdict == VERDICT_GOOD)
        is_fixed(campaign, failure);
    else
        log_say("%s cannot be replayed (%s): something that raddle does not control differs", failure->path,
                judgement->text);
    free(key);
    return true;
}

static bool replay_known(struct campaign *campaign, struct failure *failure, struct error *error)
{
    struct judged_run *rerun = memory_allocate(1, sizeof *rerun);
    struct server *server = campaign_confirm_server(campaign, error);
    struct oracle oracle = {0};
    struct trial trial = campaign_confirm_trial(campaign, failure->key);
    trial.oracle = &oracle;
    bool good =
        server != NULL && rerun_oracle(&oracle, failure, server, error) &&
        (rerun_schedule(&trial, &failure->schedule, false, rerun) != TRIAL_BROKEN || trial_pass_error(&trial, error));
    if (good && !stop_requested())
        good = judge_known(campaign, failure, &trial, rerun, error);
    oracle_close(&oracle);
    judged_run_free(rerun);
    free(rerun);
    return good;
}

bool campaign_replay_known(struct campaign *campaign, struct error *error)
{
    struct failure_numbers numbers = {0};
    bool good = true;
    failure_list(campaign->settings->out, &numbers);
    for (size_t i = 0; good && i < numbers.list.count && !stop_requested(); i++) {
        char *path = memory_format("%s/failure-%u", campaign->settings->out, numbers.list.data[i]);
        struct failure failure;
        struct error problem;
        if (!failure_read(&failure, path, &problem)) {
            log_say("%s (not replayed)", problem.text);
        } else {
            if (campaign_is_ours(campaign, &failure))
                good = replay_known(campaign, &failure, error);
            failure_free(&failure);
        }
        free(path);
    }
    if (stop_requested() && numbers.list.count > 0)
        log_say("%s before all earlier failures were run again",
                stop_interrupted() ? "interrupted" : "the time was over");
    vector_free(&numbers.list);
    return good;
}
