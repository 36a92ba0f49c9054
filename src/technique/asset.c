/* SPDX-License-Identifier: MIT
 *
 * asset.c - violations of atomic-set serializability that a run shows to be possible are made to happen.
 *
 * Z. Lai, S. C. Cheung, W. K. Chan, "Detecting Atomic-Set Serializability Violations in Multithreaded Programs through Active Randomized
 * Testing", ICSE 2010 (AssetFuzzer).
 *
 * Memory that must be consistent together is an atomic set, code that keeps it so a unit of work (trace/units.h).  A run is not serializable
 * if a unit interrupts another one in one of eleven patterns (the family `asset`).  Those that other runs could show are predicted (predict/),
 * and each is attempted: the task of the first step is suspended when it has done it, until the other unit has done its steps (director.h).
 * Those come first after which a value is used that should not be there: the pattern ends with a read, or what one of its writes left is read later in
 * some run.
 */
#include <stdlib.h>

#include "technique/aim.h"
#include "technique/techniques.h"
#include "util/memory.h"
#include "util/table.h"

enum { KNOWN_WAYS = 7 };

struct asset {
    struct aim aim;
    struct table used; /* sites of writes to atomic sets whose values were read later */
};

/* ---- ranks -------------------------------------------------------------------------------------------------------- */

enum { RANK_USED, RANK_NOT_USED };

/* What the last access of the pattern read, or what one of its writes left, is used. */
static unsigned rank(const void *context, const struct instance *instance)
{
    const struct asset *asset = context;
    const struct pattern *shape = family_shape(instance->row);
    for (unsigned i = 0; i < shape->count; i++) {
        bool write = access_is_strong((enum access_kind)instance->kind[i]);
        if (write ? table_get(&asset->used, instance->site[i]) != NULL : i + 1 == shape->count)
            return RANK_USED;
    }
    return RANK_NOT_USED;
}

static void see_uses(struct asset *asset, const struct execution *execution)
{
    execution_prepare(execution, EXECUTION_READS_FROM);
    for (uint32_t i = 0; i < execution_count(execution); i++) {
        const struct event *event = execution_event(execution, i);
        uint32_t count = 0;
        if (event->set == 0 || op_class(event->op) != CLASS_READ)
            continue;
        const struct execution_piece *pieces = execution_pieces(execution, i, &count);
        for (uint32_t k = 0; k < count; k++)
            if (pieces[k].writer != EVENT_NONE)
                *table_put(&asset->used, execution_event(execution, pieces[k].writer)->site) = 1;
    }
}

/* ---- the technique ------------------------------------------------------------------------------------------------ */

static void *open_asset(const struct technique_setup *setup, struct error *error)
{
    struct asset *asset = memory_allocate(1, sizeof *asset);
    asset->aim = (struct aim){.setup = *setup,
                              .rows = family_by_name("asset", error),
                              .known_ways = KNOWN_WAYS,
                              .rank = rank,
                              .context = asset};
    aim_open(&asset->aim);
    return asset;
}

static void close_asset(void *state)
{
    struct asset *asset = state;
    aim_close(&asset->aim);
    table_free(&asset->used);
    free(asset);
}

static void plan_run(void *state, struct technique_run *run)
{
    aim_plan(&((struct asset *)state)->aim, run, run->own);
}

static bool observe_run(void *state, const struct technique_run *run, const struct technique_seen *seen)
{
    struct asset *asset = state;
    if (seen->observed)
        see_uses(asset, seen->execution);
    aim_learn(&asset->aim, seen);
    if (run != NULL)
        aim_observe(&asset->aim, run, run->own, seen);
    return false;
}

static void abandon_run(void *state, const struct technique_run *run)
{
    aim_abandon(&((struct asset *)state)->aim, run->own);
}

static void count(const void *state, uint64_t *values)
{
    const struct asset *asset = state;
    aim_counts(asset != NULL ? &asset->aim : NULL, values);
}

static void summarise(const void *state, struct buffer *out)
{
    aim_summarise(&((const struct asset *)state)->aim, "violation", out);
}

static const char *const counters[] = {AIM_COUNTERS};

const struct technique technique_asset = {
    .name = "asset",
    .help = "interrupts units of work, so that what belongs together is seen or left half changed",
    .flags = TECHNIQUE_COVERAGE | TECHNIQUE_AIMS,
    .families = "asset",
    .strategy = STRATEGY_RANDOM,
    .run_size = sizeof(struct aim_run),
    .counters = counters,
    .open = open_asset,
    .plan = plan_run,
    .observe = observe_run,
    .abandon = abandon_run,
    .counts = count,
    .summary = summarise,
    .close = close_asset,
};
