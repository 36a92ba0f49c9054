/* SPDX-License-Identifier: MIT
 *
 * strategies.h - which strategy, with which seed and parameters, for schedule n.
 *
 * DESIGN
 *   The answer depends on the campaign's seed, on n, and on what earlier schedules showed (length, profile): so a campaign
 *   with one job is the same each time for a seed.  The strategies of the list take turns; of the whole portfolio ("all") they
 *   share half of the schedules, and the other half goes to those that newly cover most (a bandit).  The first schedule is the one
 *   without preemptions wherever a profile is needed, because it also tells how long a run is; round-robin has only a
 *   handful of schedules, so in a list with others it leaves its place to them after a while.
 */
#ifndef RADDLE_TECHNIQUE_STRATEGIES_H
#define RADDLE_TECHNIQUE_STRATEGIES_H

#include <stdbool.h>
#include <stdint.h>

#include "technique/profile.h"
#include "util/error.h"
#include "wire/wire.h"

/* What a strategy of the list has brought. */
struct strategy_arm {
    uint64_t runs;              /* schedules that it got */
    uint64_t observed, covered; /* those with coverage measured, and what they covered first */
    double gain;                /* of late, per schedule */
};

struct strategies {
    enum wire_strategy list[16]; /* STRATEGY_DIRECT stands for maple */
    struct strategy_arm arms[16];
    uint32_t count;
    bool shares; /* "all": half of the schedules go to those that cover most */
    uint64_t seed;
    uint32_t depth;
    /* learned */
    double mean_points;
    uint64_t observed;
    struct profile profile;
    bool addresses_vary; /* randomised: a location of one process means nothing in another */
};

/* From "all" or "pct,pos". */
bool strategies_parse(struct strategies *strategies, const char *text, struct error *error);
/* Takes one out of the list; false if it was not there. */
bool strategies_drop(struct strategies *strategies, enum wire_strategy strategy);
const char *strategies_name(enum wire_strategy strategy);
/* Fills in strategy, seed and parameters of schedule n (from 1); adds PLAN_RECORD to the flags if it is to be observed with
   its events.  Returns its index in the list. */
uint32_t strategies_plan(const struct strategies *strategies, uint64_t n, struct wire_plan *plan);
/* Schedule n has ended: its length, and its execution if a profile is to be made of it, else NULL. */
void strategies_observe(struct strategies *strategies, uint64_t points, const struct execution *execution);
/* A schedule of list[arm] was observed. */
void strategies_gain(struct strategies *strategies, uint32_t arm, uint32_t newly_covered);
void strategies_free(struct strategies *strategies);

#endif
