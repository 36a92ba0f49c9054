/* SPDX-License-Identifier: MIT
 *
 * monitor.c - see monitor.h.
 */
#include "campaign/monitor.h"

#include "campaign/observation.h"
#include "util/hash.h"
#include "util/table.h"

enum {
    SHARE = 4,       /* it may take one in so many of what the runs take */
    SOME = 2000000,  /* and at the beginning */
    EVENT_WORK = 40, /* what recording and labelling an event takes, about */
    CHECK_WORK = 4,  /* a unit of serializability_check */
    RUN_WORK = 400,
};

/* ---- which runs ---------------------------------------------------------------------------------------------------- */

static bool is_wanted(const struct oracle *oracle)
{
    return (oracle->checked >> KIND_SERIALIZABILITY & 1) != 0;
}

static int64_t work_left(const struct results *results)
{
    return SOME + (int64_t)(observation_work_of_runs(results) / SHARE) - (int64_t)results->monitor.work;
}

/* What looking at the schedules will cost that were planned before this one and have not been looked at yet, and at this one. */
static int64_t expected_work(const struct campaign *campaign, const struct slot *slot)
{
    const struct result_monitor *monitor = &campaign->results->monitor;
    uint64_t coming = 1;
    for (uint64_t n = campaign->oldest; n < slot->number; n++)
        coming += campaign_slot(campaign, n)->monitored;
    return monitor->looked > 0 ? (int64_t)(coming * (monitor->work / monitor->looked)) : 0;
}

/* Many programs have no atomic sets, and in their runs nothing can be found. */
static bool has_no_sets(const struct result_monitor *monitor)
{
    enum { ENOUGH = 16 };
    return monitor->looked >= ENOUGH && monitor->with_sets == 0;
}

/* Whether the random number that is made from the schedule's says so.  Runs that go through all schedules continue from checkpoints of runs that
   were recorded in the same way: of those many in a row are looked at, and many are not. */
static bool is_turn(const struct slot *slot, bool none)
{
    enum { IN_A_ROW = 64, ONE_IN = 2, ONE_IN_OF_SEARCH = 16, ONE_IN_WITHOUT_SETS = 64 };
    bool search = slot->plan->strategy == STRATEGY_DFS;
    uint64_t number = search ? slot->number / IN_A_ROW : slot->number;
    unsigned one_in = none ? ONE_IN_WITHOUT_SETS : search ? ONE_IN_OF_SEARCH : ONE_IN;
    return hash_mix(hash_combine(number, ONE_IN)) % one_in == 0;
}

/* All at first; then with a probability, so that what comes after an expensive run is not always of the same technique. */
static bool is_chosen(const struct campaign *campaign, const struct slot *slot)
{
    enum { ALWAYS = 3, EVERY_ONE = 200 };
    bool none = has_no_sets(&campaign->results->monitor);
    if (slot->number <= ALWAYS)
        return true;
    if ((none || slot->number > EVERY_ONE) && !is_turn(slot, none))
        return false;
    return work_left(campaign->results) >= expected_work(campaign, slot);
}

void monitor_plan(const struct campaign *campaign, struct slot *slot)
{
    slot->monitored = is_wanted(campaign->oracle) && (campaign->settings->coverage_all || is_chosen(campaign, slot));
    if (slot->monitored)
        slot->plan->flags |= PLAN_RECORD | PLAN_UNITS;
}

/* ---- a run --------------------------------------------------------------------------------------------------------- */

static void found(void *context, const struct violation *violation)
{
    struct result_seen_run *seen = context;
    results_violation(seen, violation);
}

/* The run's events are labelled. */
static void check(struct campaign *campaign, struct slot *slot, const struct judgement *judgement)
{
    struct results *results = campaign->results;
    unit_accesses_read(&campaign->execution, &results->monitor.accesses);
    struct result_seen_run seen = {
        .results = results,
        .oracle = campaign->oracle,
        .server = &slot->server,
        .run = {.copy = &slot->copy,
                .execution = &campaign->execution,
                .units = &campaign->units,
                .sets = server_symbols_sets(&slot->symbols, campaign->oracle->assumptions),
                .symbols = slot->symbols.symbols,
                .accesses = results->monitor.accesses.data},
        .schedule = slot->number,
        .failed = judgement->verdict == VERDICT_FAILURE && judgement->finding.kind != KIND_SERIALIZABILITY,
        .warn = oracle_is_warning(campaign->oracle, KIND_SERIALIZABILITY),
    };
    uint64_t work = 0;
    serializability_check(results->monitor.accesses.data, results->monitor.accesses.count, found, &seen, &work);
    result_seen_run_end(&seen);
    results->monitor.work += RUN_WORK + slot->copy.events.count * EVENT_WORK + work * CHECK_WORK;
    results->monitor.looked++;
    results->monitor.with_sets += results->monitor.accesses.count > 0;
}

void monitor_look(struct campaign *campaign, struct slot *slot, const struct judgement *judgement)
{
    if (!slot->monitored || (slot->plan->flags & PLAN_UNITS) == 0)
        return;
    server_symbols_get(&slot->symbols, &slot->server);
    if (!slot->observed && !slot->run.profile)
        execution_read(&campaign->execution, &slot->copy);
    units_label(&campaign->units, server_symbols_sets(&slot->symbols, campaign->oracle->assumptions), &slot->copy,
                &campaign->execution);
    check(campaign, slot, judgement);
}
