/* SPDX-License-Identifier: MIT
 *
 * follow.h - an old failure on a rebuilt program: its schedule is followed as far as possible, then schedules near it
 * are tried.
 *
 * DESIGN
 *   A schedule counts operations, and these counts change with every change of the code.  What the threads do changes
 *   less: the event log says before which event of its thread each switch came.  So the new program is run with
 *   recording, and its events are aligned with the old ones, thread by thread (follow_align.h).  Every switch is
 *   translated to the matching operation (follow_translate.c), and that schedule is run with PLAN_BEST_EFFORT.  The new
 *   run is a better base for the translation than the one before, at least up to the first switch; this is repeated
 *   until nothing changes.  Steps that are not possible any more are left out, and the first of them is reported.
 *
 *   If that does not show the failure, schedules near it are tried (follow_near.c): switches a little earlier or later,
 *   one switch left out, a prefix with another continuation, and the usual strategies.  Only then the failure counts as
 *   fixed.
 *
 *   The same failure means: the same kind at the same place, which may have moved.  follow_same.c decides it.
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
    FOLLOW_FAILS_OTHERWISE, /* another failure shows */
    FOLLOW_UNKNOWN,         /* no result: interrupted, or no run came to an end */
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
    struct buffer output, errors; /* output of that run */
};

/* `first`: the exact rerun of the failure's schedule, which did not show it as it was.  `budget`: for the schedules
   near it; runs 0: none are tried.  False: the trial is broken. */
bool follow_failure(struct follow_report *report, struct trial *trial, const struct failure *failure,
                    const struct judged_run *first, const struct trial_budget *budget);
void follow_report_free(struct follow_report *report);
/* "followed 7 of 9 switches; left at T2 queue.c:41: …"; freed by the caller. */
char *follow_sentence(const struct follow_report *report);

/* follow_save.c */
/* For STILL_FAILS: saves the failure as it shows on the current program.  The old files become *.old.  The trial's key
   becomes the key of the new failure. */
bool follow_save(struct failure *failure, const struct follow_report *report, struct trial *trial, struct error *error);

#endif
