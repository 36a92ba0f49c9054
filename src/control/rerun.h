/* SPDX-License-Identifier: MIT
 *
 * rerun.h - runs one schedule again, exactly, and records its events.
 *
 * DESIGN
 *   Which accesses are scheduling points, and so events, depends on which sites are known to access shared data, and
 *   this is learned from runs.  So a rerun has two passes: the first starts without known sites and learns them; the
 *   second uses them, and its events are the result (the events of the first only if the second took another path).  So
 *   the event log depends on schedule, program and input only.
 */
#ifndef RADDLE_CONTROL_RERUN_H
#define RADDLE_CONTROL_RERUN_H

#include <stdbool.h>

#include "control/trial.h"
#include "trace/failure.h"
#include "trace/schedule.h"
#include "util/buffer.h"

/* The plan that replays this schedule exactly and records events. */
void rerun_plan(struct wire_plan *plan, const struct schedule *schedule);
/* Both passes, not counted in the trial's budget.  `pass_on`: the program's output is copied to our stdout and stderr,
   once. */
enum trial_verdict rerun_schedule(struct trial *trial, const struct schedule *schedule, bool pass_on,
                                  struct judged_run *run);
/* Only the first pass: what it learned is in trial->server->wire, for the run that comes next. */
enum trial_verdict rerun_learn(struct trial *trial, const struct schedule *schedule, struct judged_run *run);
/* The place of a hang is known only from recorded events: the last one of the thread.  failure_key does not use it. */
void rerun_locate_hang(struct judged_run *run);
/* The oracle that found the failure, for runs in `server`.  The failure must stay valid as long as the oracle. */
bool rerun_oracle(struct oracle *oracle, const struct failure *failure, const struct server *server,
                  struct error *error);

/* The event log as text: whole, or cut if it is long (events.h).  False if a stream failed, or there was no time. */
bool rerun_events(const struct judged_run *run, struct symbols *symbols, bool whole, struct buffer *text);
/* The same for the files of a failure: whole if failure->full_events is set.  Notes in the failure how many events there are, and how many of
   them are in the log. */
bool rerun_failure_events(const struct judged_run *run, struct symbols *symbols, struct failure *failure,
                          struct buffer *text);

#endif
