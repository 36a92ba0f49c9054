/* SPDX-License-Identifier: MIT
 *
 * header.h - reads a header by the library that is linked with libclang (src/clang/), which is loaded when it is needed.
 */
#ifndef RADDLE_GENERATE_HEADER_H
#define RADDLE_GENERATE_HEADER_H

#include "generate/api.h"
#include "util/error.h"

/* Fills an empty api with what the header offers; roles are not assigned.  EXIT_USAGE: the header does not parse; EXIT_UNSUPPORTED: there is no
   libclang. */
bool header_read(const char *path, bool plus, char *const *flags, int flag_count, struct api *api, struct error *error);

#endif
