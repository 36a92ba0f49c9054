/* SPDX-License-Identifier: MIT
 *
 * observation.h - which runs of a campaign coverage looks at, and how much of each.
 *
 * DESIGN
 *   Recording, observing and predicting together shall take about a quarter of the time of the runs.  What they cost is reckoned, not
 *   measured, so that a campaign is the same each time whatever the machine's speed: in units of coverage_work(), of which a scheduling
 *   point of the program takes 32, and a run 4000 beside its points.  What coverage may take grows with every run by a quarter of what
 *   the run took, from a small amount on that it has at the beginning; of what is left, one run may take twice its own part, or a
 *   little where that is more.
 *
 *   A run is observed while there is something left.  Runs of a usual length are recorded as a whole.  Of a long run a window is
 *   recorded: as many events as what is left pays for, in another place for every schedule.  A run that is for one pattern is recorded
 *   from where a thread is at a step of it.
 *
 *   Where runs are long, reads of data that are only read are no scheduling points (PLAN_ONLY_READ): they cannot conflict, and there may
 *   be very many.  Short runs have them all, so that their stories show what was read, and a search that goes through all interleavings
 *   has the same points from the first run on.
 */
#ifndef RADDLE_CAMPAIGN_OBSERVATION_H
#define RADDLE_CAMPAIGN_OBSERVATION_H

#include "campaign/campaign.h"

enum {
    OBSERVATION_WHOLE = 1 << 14, /* runs of so many points are recorded as a whole */
    OBSERVATION_MOST = 1 << 17,  /* events of a run that are recorded, at most: the driver has to keep them in memory */
};

/* What all runs took, in units of coverage_work(). */
uint64_t observation_work_of_runs(const struct results *results);
/* A run of that length has ended. */
void observation_count(struct results *results, uint64_t points);
/* Units of coverage_work() that looking at the run that has just ended may take. */
uint64_t observation_budget(const struct results *results, const struct wire_result *result);

/* Decides whether the run that was planned is observed (slot->observed), and what is recorded of it; to be called after its technique
   has planned it. */
void observation_plan(const struct campaign *campaign, struct slot *slot);

/* How many pairs of accesses (wire_result.pairs) of the run no earlier one had.  From the first run on that could not be looked at as a whole,
   runs have them (PLAN_PAIRS): so it is known of each what it gained. */
uint32_t observation_new_pairs(struct results *results, const struct wire_result *result);

#endif
