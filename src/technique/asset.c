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
 */
#include <stdlib.h>

#include "technique/aim.h"
#include "technique/techniques.h"
#include "util/memory.h"

enum { KNOWN_WAYS = 7 };

static void *open_asset(const struct technique_setup *setup, struct error *error)
{
    struct aim *aim = memory_allocate(1, sizeof *aim);
    *aim = (struct aim){.setup = *setup, .rows = family_by_name("asset", error), .known_ways = KNOWN_WAYS};
    aim_open(aim);
    return aim;
}

static void close_asset(void *state)
{
    aim_close(state);
    free(state);
}

static void plan_run(void *state, struct technique_run *run)
{
    aim_plan(state, run, run->own);
}

static bool observe_run(void *state, const struct technique_run *run, const struct technique_seen *seen)
{
    aim_learn(state, seen);
    if (run != NULL)
        aim_observe(state, run, run->own, seen);
    return false;
}

static void abandon_run(void *state, const struct technique_run *run)
{
    aim_abandon(state, run->own);
}

static void count(const void *state, uint64_t *values)
{
    aim_counts(state, values);
}

static void summarise(const void *state, struct buffer *out)
{
    aim_summarise(state, "violation", out);
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
