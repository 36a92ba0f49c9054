/* SPDX-License-Identifier: MIT
 *
 * shrink.h - a failing schedule made simple: fewest preemptions, then the earliest simple order (a thread runs on as long as it
 * can), then the fewest threads.  The same failure (story_key) remains, always.
 */
#ifndef RADDLE_EXPLORE_SHRINK_H
#define RADDLE_EXPLORE_SHRINK_H

#include <stdbool.h>
#include <stdint.h>

#include "explore/rerun.h"

struct shrink_budget {
    uint64_t runs;   /* 0: any number */
    int64_t time;    /* ns; 0: any.  What ends by time may end otherwise the next time */
    uint64_t points; /* scheduling points of all runs; 0: any number */
};

struct shrink_report {
    uint64_t runs;
    uint32_t preemptions_before, preemptions_after;
    uint32_t switches_before, switches_after;
    uint32_t threads_before, threads_after; /* that take part: do an operation */
    bool complete;                          /* nothing simpler of its kind was left to try: not the budget ended it */
};

/* `schedule` shows the failure `key`; it is replaced by the simplest one found that does.  `symbols`: of the server.  False: the
   server could not be used any more; the schedule is then the best one so far, and still good. */
bool shrink_schedule(struct schedule *schedule, struct server *server, struct server_symbols *symbols,
                     const struct oracle *oracle, const char *key, const struct shrink_budget *budget,
                     struct shrink_report *report, struct error *error);

#endif
