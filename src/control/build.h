/* SPDX-License-Identifier: MIT
 *
 * build.h - is it still the same program?  A hash over the files of its instrumented modules.
 */
#ifndef RADDLE_CONTROL_BUILD_H
#define RADDLE_CONTROL_BUILD_H

#include "control/server.h"
#include "trace/failure.h"

/* What tells this build of the program from others; the caller frees. */
char *build_hash(const struct server *server);
/* Whether the program is the one that failed; false if that is not known. */
bool build_is_unchanged(const struct failure *failure, const struct server *server);

#endif
