/* SPDX-License-Identifier: MIT
 *
 * follow.h - an old failure on a rebuilt program: followed as far as it fits, then looked for near by.
 *
 * DESIGN
 *   A schedule counts operations, and those counts move with every change of the code.  What does not move is what the
 *   threads do: the event log says before which event of its thread each switch came.  So the new program is run, recorded, and its
 *   events are laid beside the old ones, thread by thread (follow_align.h); every switch is translated to the operation that stands
 *   for it now (follow_translate.c), and that schedule is run loosely (PLAN_BEST_EFFORT).  The run it gives is a better one to
 *   translate by than the one before, up to the first switch at least; that is repeated until nothing changes.  What the
 *   program does not let happen any more is left out, and the first such place is told.
 *
 *   Whether the old failure or not, the neighbourhood is looked at (follow_near.c): switches a little earlier or later, one
 *   left out, other ends behind a beginning, and the usual strategies.  Only then it is called fixed.
 *
 *   The same failure is the same kind at the same place, wherever that is now: follow_same.c is the one place that decides it.
 */
#ifndef RADDLE_EXPLAIN_FOLLOW_H
#define RADDLE_EXPLAIN_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "control/rerun.h"
#include "trace/failure.h"
#include "util/buffer.h"

enum {
    FOLLOW_NEAR = 300,
    FOLLOW_NEAR_KNOWN = 100,
    FOLLOW_NEAR_FIXED = 20
}; /* replay; run; run, already known as fixed */
#define FOLLOW_TIME       (5 * CLOCK_SECOND)
#define FOLLOW_TIME_KNOWN (2 * CLOCK_SECOND)

enum follow_verdict {
    FOLLOW_FIXED,
    FOLLOW_STILL_FAILS,
    FOLLOW_FAILS_OTHERWISE, /* not as it did, but something else fails */
    FOLLOW_UNKNOWN,         /* it could not be found out: interrupted, or no run came to an end */
};

struct follow_report { /* all zero to begin with */
    enum follow_verdict verdict;
    uint32_t switches, followed;
    char *left;    /* where and why it could not be followed; NULL: it could */
    uint64_t near; /* schedules near it that were run; what fails was found by the last of them, if by_near */
    bool by_near;  /* … and not by following */
    struct judged_run *rerun; /* STILL_FAILS, FAILS_OTHERWISE: recorded, of `schedule` */
    struct schedule schedule;
    char *key;                    /* of what fails now */
    struct buffer output, errors; /* what the program printed then */
};

/* `first`: the exact rerun of the failure's schedule, which did not show it as it was.  `budget`: of the schedules near it; runs 0: none of
   them.  False: the trial is broken. */
bool follow_failure(struct follow_report *report, struct trial *trial, const struct failure *failure,
                    const struct judged_run *first, const struct trial_budget *budget);
void follow_report_free(struct follow_report *report);
/* "followed 7 of 9 switches; left at T2 queue.c:41: …", fresh. */
char *follow_sentence(const struct follow_report *report);

/* follow_save.c */
/* STILL_FAILS: what is in the failure's directory becomes that of the program as it is now.  What was there: *.old.  The trial's key too is that
   of the failure from then on. */
bool follow_save(struct failure *failure, const struct follow_report *report, struct trial *trial, struct error *error);

#endif
