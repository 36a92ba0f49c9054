/* SPDX-License-Identifier: MIT
 *
 * race.c - both accesses of a possible data race are brought to the brink, on the same address, and done in both orders.
 *
 * K. Sen, "Race Directed Random Testing of Concurrent Programs", PLDI 2008 (RaceFuzzer).
 *
 * A pair of statements may race if two tasks access the same bytes there, one of them writes, they hold no common lock, and nothing but
 * locks could order them (the family `race`, predict/).  A task at one of them is held until another is at the other, on the same bytes.
 * Then the two are done in one order, in another run in the other, and the run goes on at random: what each order leads to is known from
 * the runs that it happened in (coverage_seen, coverage_passed), and said beside the race.
 *
 * Where it differs: each order is an instance that is aimed at by itself, instead of a coin; tasks, occurrences and the beginning of the run
 * that it was predicted from are used at first (director.h), the paper's random scheduler later; every run is predicted from.
 */
#include <stdlib.h>

#include "technique/aim.h"
#include "technique/techniques.h"
#include "util/memory.h"

static void *open_race(const struct technique_setup *setup, struct error *error)
{
    struct aim *aim = memory_allocate(1, sizeof *aim);
    *aim = (struct aim){.setup = *setup, .rows = family_by_name("race", error)};
    return aim;
}

static void close_race(void *state)
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
    aim_summarise(state, "order", out);
}

static const char *const counters[] = {AIM_COUNTERS};

const struct technique technique_race = {
    .name = "race",
    .help = "brings both accesses of a possible data race together, and tries both orders",
    .flags = TECHNIQUE_COVERAGE | TECHNIQUE_AIMS,
    .families = "race",
    .strategy = STRATEGY_RANDOM,
    .run_size = sizeof(struct aim_run),
    .counters = counters,
    .open = open_race,
    .plan = plan_run,
    .observe = observe_run,
    .abandon = abandon_run,
    .counts = count,
    .summary = summarise,
    .close = close_race,
};
