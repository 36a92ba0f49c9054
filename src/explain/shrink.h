/* SPDX-License-Identifier: MIT
 *
 * shrink.h - simplifies a failing schedule: fewest preemptions, then the simplest order (a thread runs as long as it
 * can), then the fewest threads.  It always shows the same failure (failure_key).
 */
#ifndef RADDLE_EXPLAIN_SHRINK_H
#define RADDLE_EXPLAIN_SHRINK_H

#include <stdbool.h>
#include <stdint.h>

#include "control/rerun.h"

struct shrink_report {
    uint64_t runs;
    uint32_t preemptions_before, preemptions_after;
    uint32_t switches_before, switches_after;
    uint32_t threads_before, threads_after; /* threads that do an operation */
    bool complete;                          /* all candidates were tried; the budget was not used up */
};

/* `schedule` shows the failure trial->key; it is replaced by the simplest schedule found.  False: the trial is broken;
   the schedule is then the best one so far, and still valid. */
bool shrink_schedule(struct schedule *schedule, struct trial *trial, const struct trial_budget *budget,
                     struct shrink_report *report);

#endif
