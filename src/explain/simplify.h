/* SPDX-License-Identifier: MIT
 *
 * simplify.h - from a failure that replays to one that can be told: shrunk, its cause looked for, its tale made.  For `run`,
 * which does this after each failure, and `shrink`, which does it for an old one.
 */
#ifndef RADDLE_EXPLAIN_SIMPLIFY_H
#define RADDLE_EXPLAIN_SIMPLIFY_H

#include <stdbool.h>

#include "control/rerun.h"
#include "explain/shrink.h"
#include "tale/tale.h"

struct coverage;

struct simplify {                /* where it is run */
    struct trial *trial;         /* its key is the failure's */
    const struct coverage *seen; /* of the campaign; NULL: nothing is known */
    uint64_t seed;               /* of the runs that look for the cause */
    struct failure_files *files; /* output and errors: what the program printed; replaced if the schedule is */
};

/* `rerun` is a recorded rerun of failure->schedule that shows failure->key.  Both are replaced if something simpler was found, and
   replays; `found` (all zero) is then the schedule as it was.  What failure says about shrinking is filled in, and the
   report.  False: the trial is broken; failure and rerun are still good. */
bool simplify_failure(const struct simplify *simplify, struct failure *failure, struct judged_run *rerun,
                      struct schedule *found, const struct trial_budget *budget, struct shrink_report *report);
/* What the program printed in the last run. */
void simplify_take_output(const struct simplify *simplify);
/* The cause goes into the tale, which was built from the rerun, and into failure->cause. */
bool simplify_cause(const struct simplify *simplify, struct failure *failure, const struct judged_run *rerun,
                    struct tale *tale, const struct trial_budget *budget);

#endif
