/* SPDX-License-Identifier: MIT
 *
 * spawn.h - starting the program so that it finds the wire: descriptors, environment, no address randomisation.
 */
#ifndef RADDLE_EXPLORE_SPAWN_H
#define RADDLE_EXPLORE_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/error.h"

struct spawn {
    const char *path;           /* the file to run */
    char *const *command;       /* its arguments, ends with NULL */
    const char *directory;      /* NULL: here */
    const char *preload;        /* library for LD_PRELOAD; NULL none */
    int memory, request, reply; /* the program's ends of the wire */
    int input, output, errors;  /* its standard streams */
};

/* Starts it in a process group of its own, to die with raddle.  Returns its pid, or -1.  *randomised: the system did not let
   us switch address randomisation off. */
pid_t spawn_program(const struct spawn *spawn, bool *randomised, struct error *error);

#endif
