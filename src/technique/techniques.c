/* SPDX-License-Identifier: MIT
 *
 * techniques.c - the table of techniques, and those that are a runtime strategy with another seed for each run.
 */
#include "technique/techniques.h"

const struct technique *const techniques[] = {
#define X(name) &technique_##name,
    TECHNIQUES(X)
#undef X
        NULL,
};

/* runtime/strategy/random.c */
const struct technique technique_random = {
    .name = "random",
    .help = "any task that can go on, at each scheduling point",
    .flags = TECHNIQUE_IN_ALL,
    .strategy = STRATEGY_RANDOM,
};

/* runtime/strategy/pct.c */
const struct technique technique_pct = {
    .name = "pct",
    .help = "random priorities that change at --depth - 1 random points",
    .flags = TECHNIQUE_IN_ALL,
    .strategy = STRATEGY_PCT,
};

const struct technique technique_pctlarge = {
    .name = "pctlarge",
    .help = "pct with many changes, for long runs",
    .flags = TECHNIQUE_IN_ALL,
    .strategy = STRATEGY_PCTLARGE,
};

/* runtime/strategy/pos.c */
const struct technique technique_pos = {
    .name = "pos",
    .help = "partial order sampling: random priorities, new ones for conflicting accesses",
    .flags = TECHNIQUE_IN_ALL,
    .strategy = STRATEGY_POS,
};

/* runtime/strategy/roundrobin.c */
static void plan_roundrobin(void *state, struct technique_run *run)
{
    (void)state;
    run->plan->seed = roundrobin_seed(run->plan->seed, run->round);
}

const struct technique technique_roundrobin = {
    .name = "roundrobin",
    .help = "each task in turn; the first schedule has no preemption",
    .flags = TECHNIQUE_IN_ALL | TECHNIQUE_FEW,
    .strategy = STRATEGY_ROUNDROBIN,
    .plan = plan_roundrobin,
};
