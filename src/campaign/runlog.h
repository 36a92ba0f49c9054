/* SPDX-License-Identifier: MIT
 *
 * runlog.h - one line per schedule of a campaign, as text, for scripts and for comparing campaigns (--log-runs).
 *
 * DESIGN
 *   The first line names the columns, which are separated by tabs:
 *     schedule   number of the schedule, from 1
 *     strategy   that made it, and the `seed` that it was given
 *     verdict    good, unfinished, or the kind of the failure
 *     status     `exit N` or `signal N` as the program ended, `-` if raddle ended it
 *     points     scheduling points, `operations` instrumented operations, `threads` of the run
 *     findings   failures and warnings
 *     steps      digest of the schedule; `stdout` and `stderr` digests of what the program printed
 *     behaviour  dpor: digest of the order of dependent operations; 0 if that is not known
 *   Nothing in it depends on time or place: the same program, seed and options give the same file, whatever carries the threads.
 */
#ifndef RADDLE_CAMPAIGN_RUNLOG_H
#define RADDLE_CAMPAIGN_RUNLOG_H

#include <stdio.h>

#include "campaign/campaign.h"

/* NULL with a sentence in error if it cannot be written. */
FILE *runlog_open(const char *path, struct error *error);
/* The run in `slot` has just ended and was judged. */
void runlog_write(FILE *stream, const struct slot *slot, const struct judgement *judgement);
/* False if something of it could not be written. */
bool runlog_close(FILE *stream, const char *path, struct error *error);

#endif
