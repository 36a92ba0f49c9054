/* SPDX-License-Identifier: MIT
 *
 * known.c - failures that earlier campaigns left: run again before anything else, and said to be fixed if they are.
 */
#include <stdlib.h>
#include <string.h>

#include "explore/campaign.h"
#include "explore/interrupt.h"
#include "trace/failure.h"
#include "trace/story.h"
#include "util/file.h"
#include "util/log.h"

static bool same_command(char *const *a, char *const *b)
{
    if (strcmp(file_base_name(a[0]), file_base_name(b[0])) != 0)
        return false;
    size_t i = 1;
    while (a[i] != NULL && b[i] != NULL && strcmp(a[i], b[i]) == 0)
        i++;
    return a[i] == NULL && b[i] == NULL;
}

static void still_fails(struct campaign *campaign, struct failure *failure)
{
    struct error error;
    log_error("%s %s: %s", failure->path, failure->fixed ? "fails again" : "still fails",
              failure->text ? failure->text : failure->kind);
    log_error("replay it with: raddle replay %s", failure->path);
    if (failure->fixed) {
        failure->fixed = false;
        if (!failure_update(failure, &error))
            log_error("%s", error.text);
    }
    campaign->results->still_failing++;
    if (results_find(campaign->results, failure->key) == NULL)
        campaign_remember(campaign->results, failure, 0);
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

/* Takes the rerun for a run of the campaign, and its failure for a new one. */
static void fails_otherwise(struct campaign *campaign, const struct failure *failure, struct rerun *rerun, char *key)
{
    struct slot slot = {.server = campaign->confirm_server, .copy = rerun->copy};
    log_say("%s fails in another way now:", failure->path);
    slot.plan = memory_allocate(1, sizeof *slot.plan);
    slot.plan->strategy = STRATEGY_REPLAY;
    slot.plan->flags = failure->schedule.flags;
    slot.plan->max_steps = failure->schedule.max_steps;
    slot.plan->seed = failure->schedule.seed;
    slot.plan->early_timeouts = failure->schedule.early_timeouts;
    campaign_save_and_tell(campaign, &slot, &rerun->judgement, key);
    server_symbols_close(&slot.symbols);
    free(slot.plan);
    campaign->stop |= !campaign->settings->keep_going;
}

static void judge_known(struct campaign *campaign, struct failure *failure, struct rerun *rerun)
{
    const struct judgement *judgement = &rerun->judgement;
    if (judgement->verdict == VERDICT_GOOD) {
        is_fixed(campaign, failure);
    } else if (judgement->verdict != VERDICT_FAILURE) {
        log_say("%s cannot be replayed any more (%s): the program has changed", failure->path, judgement->text);
    } else {
        struct symbols *symbols = server_symbols_get(&campaign->confirm_symbols, &campaign->confirm_server);
        char *key = story_key(symbols, &rerun->copy.result, &judgement->finding);
        bool same = strcmp(key, failure->key) == 0;
        if (same)
            still_fails(campaign, failure);
        else if (results_find(campaign->results, key) == NULL) {
            fails_otherwise(campaign, failure, rerun, key);
            return; /* which took the key */
        }
        free(key);
    }
}

static bool replay_known(struct campaign *campaign, struct failure *failure, struct error *error)
{
    struct rerun *rerun = memory_allocate(1, sizeof *rerun);
    struct server *server = campaign_confirm_server(campaign, error);
    struct oracle oracle = {0};
    bool good = server != NULL && rerun_oracle(&oracle, failure, error) &&
                rerun_schedule(rerun, server, &oracle, &failure->schedule, false, error);
    if (good && !interrupt_requested())
        judge_known(campaign, failure, rerun);
    oracle_close(&oracle);
    rerun_free(rerun);
    free(rerun);
    return good;
}

bool campaign_replay_known(struct campaign *campaign, struct error *error)
{
    struct failure_numbers numbers = {0};
    bool good = true;
    failure_list(campaign->settings->out, &numbers);
    for (size_t i = 0; good && i < numbers.list.count && !interrupt_requested(); i++) {
        char *path = memory_format("%s/failure-%u", campaign->settings->out, numbers.list.data[i]);
        struct failure failure;
        struct error problem;
        if (!failure_read(&failure, path, &problem)) {
            log_say("%s (not replayed)", problem.text);
        } else {
            if (same_command(failure.command, campaign->settings->setup.command))
                good = replay_known(campaign, &failure, error);
            else
                log_verbose("%s belongs to another command line: not replayed", path);
            failure_free(&failure);
        }
        free(path);
    }
    vector_free(&numbers.list);
    return good;
}
