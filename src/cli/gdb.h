/* SPDX-License-Identifier: MIT
 *
 * gdb.h - a failure under gdb.
 */
#ifndef RADDLE_CLI_GDB_H
#define RADDLE_CLI_GDB_H

#include "control/reopen.h"

/* Replays the failure of `opened` once without gdb; if it shows, once more in a gdb session.  `rerun` is then the session's run,
   or, if gdb was left before its end, one without gdb.  `command`: the debugger and arguments for it.  False: `error` says why
   there was no session. */
bool gdb_rerun(struct judged_run *rerun, struct reopened *opened, const char *command, struct error *error);

#endif
