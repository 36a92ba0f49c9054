/* SPDX-License-Identifier: MIT
 *
 * rerun.h - run one schedule again, exactly, and record its events.
 *
 * DESIGN
 *   Which accesses are scheduling points, and so events, depends on which sites are known to touch shared data, and that is
 *   learned as runs go by.  So a rerun takes two passes: the first begins with nothing known and learns, the second knows what
 *   the first one learned, and its events count (the first's only if it went another way).  Then the event log depends on nothing but
 *   schedule, program and input.
 */
#ifndef RADDLE_CONTROL_RERUN_H
#define RADDLE_CONTROL_RERUN_H

#include <stdbool.h>

#include "control/trial.h"
#include "trace/failure.h"
#include "trace/schedule.h"
#include "util/buffer.h"

/* This schedule, exactly, recorded. */
void rerun_plan(struct wire_plan *plan, const struct schedule *schedule);
/* Both passes, outside of the trial's budget.  `pass_on`: what the program prints goes to our stdout and stderr, once. */
enum trial_verdict rerun_schedule(struct trial *trial, const struct schedule *schedule, bool pass_on,
                                  struct judged_run *run);
/* Only the first pass: what it learned is in trial->server->wire, for the run that comes next. */
enum trial_verdict rerun_learn(struct trial *trial, const struct schedule *schedule, struct judged_run *run);
/* The place of a hang is known only from recorded events: the last one of the thread.  Not for failure_key, which does without. */
void rerun_locate_hang(struct judged_run *run);
/* The oracle that a failure was found by, for runs in `server`.  The failure must outlive it. */
bool rerun_oracle(struct oracle *oracle, const struct failure *failure, const struct server *server,
                  struct error *error);

/* The event log as text; false if memory or a stream gave out. */
bool rerun_events(const struct judged_run *run, struct symbols *symbols, struct buffer *text);

#endif
