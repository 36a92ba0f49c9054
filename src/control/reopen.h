/* SPDX-License-Identifier: MIT
 *
 * reopen.h - a saved failure, opened to be run again: its program, oracle, input and a server.  For every command that takes a
 * failure: replay, shrink, explain.
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
    struct trial trial; /* of all these; its key is the failure's */
    struct input input;
    struct paths paths;
    char *path; /* of the program */
};

/* `command`: another command line than the failure's; its first entry NULL: the failure's.  Whatever it returns, reopen_close
   is to be called. */
bool reopen(struct reopened *opened, const char *directory, char **command, int64_t hang_after, uint32_t head_flags,
            struct error *error);
void reopen_close(struct reopened *opened);

#endif
