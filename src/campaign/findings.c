/* SPDX-License-Identifier: MIT
 *
 * findings.c - the warnings of a run: suppressed ones are counted, new ones are kept; with --verbose the run is made again once,
 * recorded, for the stacks of both sides of a race.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "campaign/campaign.h"
#include "control/rerun.h"
#include "tale/tale.h"
#include "trace/headline.h"
#include "util/log.h"
#include "util/stop.h"

#define STACKS_TIME CLOCK_SECOND /* of a campaign, for running again; the last of these runs may take longer */

/* ---- stacks --------------------------------------------------------------------------------------------------------- */

/* "T2 add at bank.c:18, called by work at bank.c:30" */
static void add_stack(const struct tale *tale, const struct tale_stack *stack, struct buffer *text)
{
    buffer_printf(text, "%sT%" PRIu32, text->size > 0 ? "\n" : "", stack->thread);
    for (size_t i = 0; i < stack->places.count; i++) {
        const struct tale_place *place = &tale->places.data[stack->places.data[i]];
        buffer_printf(text, "%s %s at %s", i > 0 ? ", called by" : "",
                      place->function[0] != '\0' ? place->function : "?", place->where);
    }
}

/* Of the two accesses; the stacks after them say where blocks were allocated and threads were created. */
static char *stacks_text(struct symbols *symbols, const struct wire_copy *copy, const struct wire_finding *finding)
{
    struct tale tale;
    struct buffer text = {0};
    tale_build(&tale, symbols, copy, finding);
    for (size_t i = 0; i < tale.stacks.count && i < 2; i++)
        add_stack(&tale, &tale.stacks.data[i], &text);
    tale_free(&tale);
    return buffer_take(&text);
}

static void tell_stacks(struct campaign *campaign, const struct judged_run *rerun)
{
    struct symbols *symbols = server_symbols_get(&campaign->confirm_symbols, &campaign->confirm_server);
    const struct wire_result *result = &rerun->copy.result;
    for (uint32_t i = 0; i < result->finding_count; i++) {
        const struct wire_finding *finding = &result->findings[i];
        struct result_warning *warning = finding->kind == KIND_RACE || finding->kind == KIND_VOLATILE_RACE
                                             ? results_warning_of(campaign->results, symbols, &rerun->copy, finding)
                                             : NULL;
        if (warning != NULL && warning->stacks == NULL)
            warning->stacks = stacks_text(symbols, &rerun->copy, finding);
    }
}

/* Runs the schedule of the slot again. */
static void run_for_stacks(struct campaign *campaign, const struct slot *slot)
{
    struct judged_run *rerun = memory_allocate(1, sizeof *rerun);
    struct trial trial = campaign_confirm_trial(campaign, NULL);
    struct schedule schedule = {0};
    struct error error;
    int64_t from = clock_now();
    campaign_schedule_of(slot, &schedule);
    if (campaign_confirm_server(campaign, &error) != NULL &&
        rerun_schedule(&trial, &schedule, false, rerun) != TRIAL_BROKEN)
        tell_stacks(campaign, rerun);
    campaign->stacks_time += clock_now() - from;
    campaign->results->seconds_telling += (double)(clock_now() - from) / 1e9;
    schedule_free(&schedule);
    judged_run_free(rerun);
    free(rerun);
}

/* ---- the warnings of a run ------------------------------------------------------------------------------------------ */

/* Returns the new warning that the finding is, or NULL. */
static struct result_warning *take_finding(struct campaign *campaign, struct slot *slot,
                                           const struct wire_finding *finding)
{
    struct suppression *suppression = oracle_suppressed(campaign->oracle, &slot->server, &slot->copy, finding);
    if (suppression == NULL && !oracle_is_warning(campaign->oracle, finding->kind))
        return NULL;
    struct symbols *symbols = server_symbols_get(&slot->symbols, &slot->server);
    if (suppression != NULL) {
        results_suppress(campaign->results, symbols, &slot->copy, finding, suppression);
        return NULL;
    }
    struct result_warning *warning = results_warn(campaign->results, symbols, &slot->copy, finding, slot->number);
    if (warning == NULL)
        return NULL;
    results_place_race(campaign->results, warning, &slot->symbols, finding);
    log_verbose("warning: %s (schedule %" PRIu64 ")", warning->text, slot->number);
    return warning;
}

void campaign_warnings(struct campaign *campaign, struct slot *slot)
{
    const struct wire_result *result = &slot->copy.result;
    bool without_stacks = false;
    if (result->leaks_known && (campaign->oracle->checked & (1u << KIND_LEAK)) != 0)
        results_leaks(campaign->results, campaign->oracle->suppressions,
                      server_symbols_get(&slot->symbols, &slot->server), &slot->copy, slot->number);
    for (uint32_t i = 0; i < result->finding_count; i++) {
        const struct result_warning *warning = take_finding(campaign, slot, &result->findings[i]);
        without_stacks |= warning != NULL && warning->stacks == NULL;
    }
    if (without_stacks && log_is_verbose() && campaign->stacks_time < STACKS_TIME && !stop_requested())
        run_for_stacks(campaign, slot);
}
