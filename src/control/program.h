/* SPDX-License-Identifier: MIT
 *
 * program.h - checks the program before it is run: does it exist, may it be executed, can it be controlled?
 */
#ifndef RADDLE_CONTROL_PROGRAM_H
#define RADDLE_CONTROL_PROGRAM_H

#include <stdbool.h>

#include "util/buffer.h"
#include "util/error.h"

/* The file to run for `name`, freed by the caller; searched in PATH if it has no slash, relative to `directory` (NULL:
   the current one).  With `preload` a program without raddle's runtime is accepted, too.  NULL: `error` says what to
   do. */
char *program_find(const char *name, const char *directory, bool preload, struct error *error);

/* Functions of the program that have names of raddle's hooks and replace them; a list for a message. hooks_library:
   libraddle_preload.so.  heap: the program has functions or variables under names of malloc's family, so raddle does
   not control the heap.  False: there are no such functions. */
bool program_own_names(const char *path, const char *hooks_library, struct buffer *names, bool *heap);

#endif
