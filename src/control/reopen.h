/* SPDX-License-Identifier: MIT
 *
 * reopen.h - opens a saved failure to run it again: its program, oracle, input and a server.  For the commands that
 * take a failure: replay, shrink, explain.
 */
#ifndef RADDLE_CONTROL_REOPEN_H
#define RADDLE_CONTROL_REOPEN_H

#include "control/rerun.h"
#include "util/paths.h"

struct reopened { /* all zero to begin with */
    struct failure failure;
    struct server_setup setup;
    struct server server;
    struct server_symbols symbols;
    struct oracle oracle;
    struct trial trial; /* with all of these; its key is the failure's */
    struct input input;
    struct paths paths;
    char *path; /* of the program */
};

/* `command`: replaces the command line of the failure; if its first entry is NULL, the failure's is used.  reopen_close
   must be called in any case. */
bool reopen(struct reopened *opened, const char *directory, char **command, int64_t hang_after, uint32_t head_flags,
            struct error *error);
void reopen_close(struct reopened *opened);

#endif
