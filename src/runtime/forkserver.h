/* SPDX-License-Identifier: MIT
 *
 * forkserver.h - the place where the program waits for the driver, and is forked once per schedule.
 */
#ifndef RADDLE_FORKSERVER_H
#define RADDLE_FORKSERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/wire.h"

void forkserver_connect(struct wire *wire, const int descriptors[3]);
void forkserver_disconnect(void);
bool forkserver_owns(int fd); /* one of the pipes */
/* Tells the driver why this program cannot be controlled, and ends. */
__attribute__((noreturn)) void forkserver_refuse(enum wire_refusal why, int error);
/* Whether the program says itself where its runs begin (raddle_ready). */
bool forkserver_waits_for_ready(void);
/* Serves the driver. Returns once per schedule, in a new child that is under control (or in this very process if the
   driver asked for one process per schedule). */
void forkserver_enter(void);
/* The program has ended by itself in this process with that exit status, all exit handlers have run and all output is written.
   Ends the process, or begins the next run in it. Returns if it was started for this run alone. */
void forkserver_run_ended(int status);
/* A run had to make shadow memory for this address. */
void forkserver_note_leaf(uintptr_t address);
/* A run had to make a context for a task: it has so many now. */
void forkserver_note_contexts(uint32_t count);
/* For checkpoints: whether the driver still runs; reports a new holder; that the plan does not lead there. */
bool forkserver_driver_lives(void);
void forkserver_tell_holder(int pid, uint32_t slot);
void forkserver_tell_declined(void);
/* In the holder: before it makes a continuation; that it has begun, and its end, for which it waits.  Returns whether continuations
   from here can restart in place. */
void forkserver_before_held(uint32_t slot);
bool forkserver_tell_run(int pid, uint32_t slot);
/* In a continuation, before its first run: returns again for each later one (restart_count).  False: it cannot restart in place. */
bool forkserver_stay_held(uint32_t slot);
/* A later run has begun. */
void forkserver_begin_held(void);
/* pthread_create while attached but not yet controlled. */
void forkserver_before_first_thread(void);

#endif
