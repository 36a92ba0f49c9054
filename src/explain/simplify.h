/* SPDX-License-Identifier: MIT
 *
 * simplify.h - shrinks a failure that replays, searches its cause and builds its tale.  Used by `run` for each new
 * failure and by `shrink` for an old one.
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
    const struct coverage *seen; /* of the campaign; NULL: none */
    uint64_t seed;               /* of the runs that search the cause */
    struct failure_files *files; /* output and errors: what the program printed; replaced if the schedule is */
};

/* `rerun` is a recorded rerun of failure->schedule that shows failure->key.  Both are replaced if something simpler was
   found, and replays; `found` (all zero) is then the schedule as it was.  The members of `failure` about shrinking are
   filled in, and the report.  False: the trial is broken; failure and rerun are still valid. */
bool simplify_failure(const struct simplify *simplify, struct failure *failure, struct judged_run *rerun,
                      struct schedule *found, const struct trial_budget *budget, struct shrink_report *report);
/* A schedule from simplify_cause: it becomes that of the failure, which is shrunk on from there, if it replays; else all stays as it is.  `found` as
   above, or what simplify_failure has put there.  The schedule is freed. */
bool simplify_again(const struct simplify *simplify, struct failure *failure, struct judged_run *rerun,
                    struct schedule *found, struct schedule *simpler, const struct trial_budget *budget);
/* Takes the output of the last run. */
void simplify_take_output(const struct simplify *simplify);
/* Searches the cause and adds it to the tale, which was built from the rerun, and to failure->cause.  `simpler` (all zero; NULL: not wanted) gets a
   schedule that showed the failure with fewer preemptions, if there was one: the caller begins again with simplify_again. */
bool simplify_cause(const struct simplify *simplify, struct failure *failure, const struct judged_run *rerun,
                    struct tale *tale, const struct trial_budget *budget, struct schedule *simpler);

#endif
