/* SPDX-License-Identifier: MIT
 *
 * shrink.h - a failing schedule made simple: fewest preemptions, then the earliest simple order (a thread runs on as long as it
 * can), then the fewest threads.  The same failure (failure_key) remains, always.
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
    uint32_t threads_before, threads_after; /* that take part: do an operation */
    bool complete;                          /* nothing simpler of its kind was left to try: not the budget ended it */
};

/* `schedule` shows the failure trial->key; it is replaced by the simplest one found that does.  False: the trial is broken; the schedule is then
   the best one so far, and still good. */
bool shrink_schedule(struct schedule *schedule, struct trial *trial, const struct trial_budget *budget,
                     struct shrink_report *report);

#endif
