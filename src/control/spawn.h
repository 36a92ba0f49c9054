/* SPDX-License-Identifier: MIT
 *
 * spawn.h - starts the program with its connection to the driver (descriptors, environment, no address randomisation),
 * and reaps it and the processes that it leaves.
 *
 * DESIGN
 *   An orphaned process below raddle (started by a run, a holder whose run has ended, all after the server was killed)
 *   becomes raddle's child (PR_SET_CHILD_SUBREAPER), and raddle reaps it: process 1 of a container often does not, and
 *   zombies use up process numbers.  spawn_reap does not reap started programs: their statuses belong to spawn_wait.
 *   Any other child must be waited for before spawn_reap is called again.
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
    const char *preload;        /* library for LD_PRELOAD; NULL: none */
    int memory, request, reply; /* the program's ends of the connection */
    int input, output, errors;  /* its standard streams */
};

/* Starts it in a process group of its own, to die with raddle.  Returns its pid, or -1.  *randomised: the system did not let
   us switch address randomisation off. */
pid_t spawn_program(const struct spawn *spawn, bool *randomised, struct error *error);

/* Registers a child that was started elsewhere; its owner waits with spawn_wait. */
void spawn_adopt(pid_t pid);
/* As waitpid, for a program that spawn_program started. */
pid_t spawn_wait(pid_t pid, int *status, int flags);

/* Whether there is such a process, and that is its parent. */
bool spawn_is_child(pid_t pid, pid_t parent);
/* Whether there is such a process, and it has not ended. */
bool spawn_is_alive(pid_t pid);

/* Reaps all ended children that no caller waits for. */
void spawn_reap(void);
/* The same for a process group that was killed; waits until all its processes that are our children have ended (at most
   a second).  The leader, if it is a started program, must have been waited for. */
void spawn_reap_group(pid_t group);
/* To be called when no program is left: gives the last processes a moment to end. */
void spawn_reap_rest(void);

#endif
