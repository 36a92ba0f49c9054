/* SPDX-License-Identifier: MIT
 *
 * surw.c - selectively uniform random walk: the order of the accesses to a few locations is drawn evenly.
 *
 * H. Zhao, D. Wolff, U. Mathur, A. Roychoudhury, "Selectively Uniform Concurrency Testing", ASPLOS 2025.
 *
 * The program's part is runtime/strategy/surw.c.  It has to know how often each thread will access what is of interest: profile.h,
 * from the events of an earlier run.  Each schedule takes another location, now and then all of them.
 */
#include <stdlib.h>

#include "technique/profile.h"
#include "technique/techniques.h"
#include "util/memory.h"

enum { ALL_LOCATIONS = 8 }; /* one schedule in so many takes all locations */

struct surw {
    struct profile profile;
};

static void *open_surw(const struct technique_setup *setup, struct error *error)
{
    (void)setup;
    (void)error;
    return memory_allocate(1, sizeof(struct surw));
}

static void close_surw(void *state)
{
    struct surw *surw = state;
    profile_free(&surw->profile);
    free(surw);
}

static void plan_location(void *state, struct technique_run *run)
{
    const struct surw *surw = state;
    size_t locations = surw->profile.locations.count, index = SIZE_MAX;
    if (run->number == 1) /* the one without preemptions: there is no profile yet */
        return;
    bool everything = generator_below(&run->random, ALL_LOCATIONS) == 0;
    if (locations > 0 && !everything && !run->addresses_vary)
        index = generator_below(&run->random, locations);
    profile_apply(&surw->profile, index, run->plan);
}

static bool observe_run(void *state, const struct technique_run *run, const struct technique_seen *seen)
{
    struct surw *surw = state;
    (void)run;
    if (seen->profile && execution_count(seen->execution) > 0)
        profile_make(&surw->profile, seen->execution);
    return false;
}

const struct technique technique_surw = {
    .name = "surw",
    .help = "draws the order of the accesses to one location evenly; from a profile",
    .flags = TECHNIQUE_IN_ALL | TECHNIQUE_PROFILE,
    .strategy = STRATEGY_SURW,
    .open = open_surw,
    .plan = plan_location,
    .observe = observe_run,
    .close = close_surw,
};
