/* SPDX-License-Identifier: MIT
 *
 * strategies.h - which strategy, with which seed and parameters, for schedule n.
 *
 * DESIGN
 *   The answer depends on the campaign's seed, on n, and on what earlier schedules showed (length, profile): so a campaign
 *   with one job is the same each time for a seed.  The strategies of the list take turns.  The first schedule is the one
 *   without preemptions wherever a profile is needed, because it also tells how long a run is; round-robin has only a
 *   handful of schedules, so in a list with others it leaves its place to them after a while.
 */
#ifndef RADDLE_EXPLORE_STRATEGIES_H
#define RADDLE_EXPLORE_STRATEGIES_H

#include <stdbool.h>
#include <stdint.h>

#include "explore/profile.h"
#include "util/error.h"
#include "wire/wire.h"

struct strategies {
    enum wire_strategy list[16];
    uint32_t count;
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
const char *strategies_name(enum wire_strategy strategy);
/* Fills in strategy, seed and parameters of schedule n (from 1); adds PLAN_RECORD to the flags if it is to be observed with
   its events. */
void strategies_plan(const struct strategies *strategies, uint64_t n, struct wire_plan *plan);
/* Schedule n has ended: its length, and its events if it was recorded. */
void strategies_observe(struct strategies *strategies, uint64_t points, const struct wire_event *events, size_t count);
void strategies_free(struct strategies *strategies);

#endif
