/* SPDX-License-Identifier: MIT
 *
 * observation.c - see observation.h.
 */
#include "campaign/observation.h"

#include <assert.h>

#include "campaign/monitor.h"
#include "util/hash.h"

enum {
    POINT_WORK = 32, /* what a scheduling point takes, in units of coverage_work() */
    RUN_WORK = 4000,
    SHARE = 4,              /* coverage may take one in so many */
    SOME = 20000000,        /* and at the beginning */
    SOME_SHORT = 40000000,  /* where runs are short */
    LEAST = 4000000,        /* of a run that is looked at, where there is so much to see in it */
    LEAST_SHORT = 20000000, /* of a short one */
    EVENT_WORK = 160,       /* what an event of a long run takes, about */
};

uint64_t observation_work_of_runs(const struct results *results)
{
    return results->points * POINT_WORK + results->schedules * RUN_WORK;
}

/* What coverage may still take; below 0: it has taken too much. */
static int64_t work_left(const struct results *results)
{
    uint64_t runs = observation_work_of_runs(results);
    int64_t some = results->typical_points <= OBSERVATION_WHOLE ? SOME_SHORT : SOME;
    uint64_t taken = results->coverage != NULL ? coverage_work(results->coverage) : 0;
    return some + (int64_t)(runs / SHARE) - (int64_t)taken;
}

/* Half of the runs are shorter, about.  The mean would be that of the few runs which never end. */
void observation_count(struct results *results, uint64_t points)
{
    uint64_t *typical = &results->typical_points, step = *typical / 8 + 1;
    if (*typical == 0)
        *typical = points;
    else if (points > *typical)
        *typical += step < points - *typical ? step : points - *typical;
    else
        *typical -= step < *typical - points ? step : *typical - points;
}

/* What the observation of the schedules will cost that were planned before this one and have not been looked at yet. */
static int64_t expected_work(const struct campaign *campaign, const struct slot *slot)
{
    const struct coverage *coverage = campaign->results->coverage;
    uint64_t coming = 0, observed = coverage != NULL ? coverage_observed(coverage) : 0;
    for (uint64_t n = campaign->oldest; n < slot->number; n++)
        coming += campaign_slot(campaign, n)->observed;
    return observed > 0 ? (int64_t)(coming * (coverage_work(coverage) / observed)) : 0;
}

/* There is work left for the run that is planned. */
static bool is_affordable(const struct campaign *campaign, const struct slot *slot)
{
    return work_left(campaign->results) >= expected_work(campaign, slot);
}

/* Of a run of that length. */
static uint64_t budget_of(const struct results *results, uint64_t points)
{
    int64_t left = work_left(results), twice = (int64_t)(2 * points * POINT_WORK / SHARE);
    int64_t least = points <= OBSERVATION_WHOLE ? LEAST_SHORT : LEAST;
    left = left < twice ? left : twice;
    return (uint64_t)(left > least ? left : least);
}

uint64_t observation_budget(const struct results *results, const struct wire_result *result)
{
    return budget_of(results, result->points);
}

/* ---- what is recorded --------------------------------------------------------------------------------------------- */

/* Events of a run, as what it may take pays for. */
static uint32_t window_size(const struct campaign *campaign)
{
    uint64_t size = budget_of(campaign->results, campaign->results->typical_points) / EVENT_WORK;
    return size < OBSERVATION_MOST ? (uint32_t)size : OBSERVATION_MOST;
}

/* In another place for each schedule. */
static uint64_t window_place(const struct campaign *campaign, const struct slot *slot, uint32_t size)
{
    uint64_t points = campaign->results->typical_points, number = hash_combine(campaign->portfolio->seed, slot->number);
    return points > size ? hash_mix(number) % (points - size + 1) : 0;
}

static void record_part(const struct campaign *campaign, struct slot *slot)
{
    struct wire_plan *plan = slot->plan;
    plan->record_most = LEAST / EVENT_WORK; /* always the same, for runs that are continued from checkpoints */
    if (campaign->results->typical_points <= OBSERVATION_WHOLE || plan->strategy == STRATEGY_DFS)
        return;
    plan->flags |= PLAN_WINDOW;
    plan->record_most = window_size(campaign);
    plan->record_from = plan->strategy == STRATEGY_DIRECT || (plan->flags & PLAN_PREFIX)
                            ? RECORD_AT_GOAL
                            : window_place(campaign, slot, plan->record_most);
}

/* ---- which runs --------------------------------------------------------------------------------------------------- */

/* All at first, then at random, so that no technique is left out because its turn is always another one.  The random number is made from
   the schedule's. */
static bool is_chosen(const struct campaign *campaign, const struct slot *slot)
{
    enum { ALWAYS = 3, EVERY_ONE = 200, LEAST_OFTEN = 8 };
    uint64_t one_in = 1;
    if (slot->number <= ALWAYS)
        return true;
    for (uint64_t more = EVERY_ONE; slot->number > more && one_in < LEAST_OFTEN; more *= 2)
        one_in *= 2;
    return (slot->run.worth_observing || hash_mix(slot->number) % one_in == 0) && is_affordable(campaign, slot);
}

/* The runs are too long to be looked at as a whole, or there is too much to see in them. */
static bool is_limited(const struct campaign *campaign, const struct slot *slot)
{
    return campaign->results->typical_points > OBSERVATION_WHOLE || !is_affordable(campaign, slot);
}

void observation_plan(const struct campaign *campaign, struct slot *slot)
{
    struct results *results = campaign->results;
    struct wire_plan *plan = slot->plan;
    bool whole = campaign->settings->coverage_all || slot->run.observe;
    slot->observed = results->coverage != NULL && (whole || is_chosen(campaign, slot));
    if (slot->observed)
        plan->flags |= PLAN_RECORD | (coverage_needs_units(results->coverage) ? PLAN_UNITS : 0);
    monitor_plan(campaign, slot);
    results->limited |= results->coverage != NULL && is_limited(campaign, slot);
    if (results->limited)
        plan->flags |= PLAN_PAIRS;
    if (plan->flags & PLAN_RECORD && !whole && campaign->oracle->serializability == NULL)
        record_part(campaign, slot);
    results->long_runs |= results->typical_points > OBSERVATION_WHOLE;
    if (results->long_runs && !whole && plan->strategy != STRATEGY_DFS)
        plan->flags |= PLAN_ONLY_READ;
}

/* ---- pairs -------------------------------------------------------------------------------------------------------- */

uint32_t observation_new_pairs(struct results *results, const struct wire_result *result)
{
    uint32_t fresh = 0;
    for (size_t i = 0; i < sizeof result->pairs / sizeof result->pairs[0]; i++) {
        fresh += (uint32_t)__builtin_popcountll(result->pairs[i] & ~results->pairs[i]);
        results->pairs[i] |= result->pairs[i];
    }
    return fresh;
}
