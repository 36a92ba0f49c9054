/* SPDX-License-Identifier: MIT
 *
 * program.h - a look at the program before it is run: is it there, may it be run, can it be controlled?
 */
#ifndef RADDLE_CONTROL_PROGRAM_H
#define RADDLE_CONTROL_PROGRAM_H

#include <stdbool.h>

#include "util/buffer.h"
#include "util/error.h"

/* The file that is to be run for `name`, fresh; searched in PATH if it has no slash, relative to `directory` (NULL: here).
   With `preload` a program without raddle's runtime is good too.  NULL: `error` says what to do. */
char *program_find(const char *name, const char *directory, bool preload, struct error *error);

/* Functions that the program defines itself under names of raddle's hooks, which are then not in use; a list for a sentence.
   hooks_library: libraddle_preload.so.  heap: the program has functions or variables under names of malloc's family, so the heap is not
   raddle's.  False: there are no such functions. */
bool program_own_names(const char *path, const char *hooks_library, struct buffer *names, bool *heap);

#endif
