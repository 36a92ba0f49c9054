/* SPDX-License-Identifier: MIT
 *
 * build.h - compares builds of a program by a hash over the files of its instrumented modules.
 */
#ifndef RADDLE_CONTROL_BUILD_H
#define RADDLE_CONTROL_BUILD_H

#include "control/server.h"
#include "trace/failure.h"

/* The hash that identifies this build of the program; freed by the caller. */
char *build_hash(const struct server *server);
/* Whether the program is the one that failed; false if that is not known. */
bool build_is_unchanged(const struct failure *failure, const struct server *server);

#endif
