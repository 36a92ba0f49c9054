/* SPDX-License-Identifier: MIT
 *
 * spawn.h - starting the program so that it finds the wire: descriptors, environment, no address randomisation; and
 * collecting it and whatever it leaves behind.
 *
 * DESIGN
 *   Whoever loses its parent below raddle (what a run had started, a holder whose run has ended, all after the server was
 *   killed) becomes raddle's child (PR_SET_CHILD_SUBREAPER), and raddle reaps it: process 1 of a container often does not, and
 *   zombies use up process numbers.  Statuses that somebody waits for are not taken away: those of started programs belong to
 *   spawn_wait, and any other child has to be waited for before spawn_reap is called again.
 */
#ifndef RADDLE_CONTROL_SPAWN_H
#define RADDLE_CONTROL_SPAWN_H

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

/* A child that somebody else has started, and waits for by spawn_wait. */
void spawn_adopt(pid_t pid);
/* As waitpid, for a program that spawn_program started. */
pid_t spawn_wait(pid_t pid, int *status, int flags);

/* Whether there is such a process, and that is its parent. */
bool spawn_is_child(pid_t pid, pid_t parent);
/* Whether there is such a process, and it has not ended. */
bool spawn_is_alive(pid_t pid);

/* Reaps what has ended and that nobody else waits for. */
void spawn_reap(void);
/* The same for a process group that was killed; waits until all of it that is ours has ended (a second at most).  The program
   that leads it, if it is one, must have been waited for. */
void spawn_reap_group(pid_t group);
/* When no program is left: gives the last ones a moment to end. */
void spawn_reap_rest(void);

#endif
