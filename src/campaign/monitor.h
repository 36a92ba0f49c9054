/* SPDX-License-Identifier: MIT
 *
 * monitor.h - looks for violations of serializability in the runs of a campaign, whatever strategy made them.
 *
 * DESIGN
 *   A run that is to be looked at is recorded with its units of work (PLAN_UNITS), its events are labelled (trace/units.h), and all patterns are
 *   looked for at once (pattern/serializability.h).  What is found is a warning (result_violation.c), or a failure if the user wants that;
 *   then the oracle looks at every run (control/oracle_serializability.h).
 *
 *   It may take a quarter of what the runs take, beside a small amount at the beginning.  What that is is reckoned as observation.h reckons,
 *   in the same units, so a campaign is the same each time.  All of the first runs are looked at; later ones at random, while something is
 *   left; and only few of a program whose runs have accessed no atomic set.  A run is continued only from checkpoints of runs that were recorded
 *   in the same way, so in searches through all schedules the later ones that are looked at are many in a row.
 */
#ifndef RADDLE_CAMPAIGN_MONITOR_H
#define RADDLE_CAMPAIGN_MONITOR_H

#include "campaign/campaign.h"

/* Decides whether the run that is planned is looked at (slot->monitored). */
void monitor_plan(const struct campaign *campaign, struct slot *slot);
/* Looks at it.  The campaign's execution was read from it if it was observed or is a profile run. */
void monitor_look(struct campaign *campaign, struct slot *slot, const struct judgement *judgement);

#endif
