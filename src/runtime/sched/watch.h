/* SPDX-License-Identifier: MIT
 *
 * watch.h - threads that change nothing that other threads see: do they wait for ever, or do they compute?
 *
 * DESIGN
 *   A run in which nothing has changed for very many scheduling points is suspected to hang.  It hangs if every thread returns to a state
 *   in which it has been: the same registers and stack, the same values in the private memory that it has read in between.
 *   Then it goes on like this for ever.  A thread that counts, or follows a list, comes to a new state each time.  This check
 *   costs time, so it is done only when a hang is suspected; accesses to private memory are seen then, too.
 */
#ifndef RADDLE_WATCH_H
#define RADDLE_WATCH_H

#include "runtime/rt.h"

enum watch_verdict { WATCH_GOES_ON, WATCH_WAITS, WATCH_COMPUTES };

/* Nothing has changed for long.  The first call begins to watch (rt.watching); later calls return what is known so far. */
enum watch_verdict watch_ask(void);
/* Something has changed, or a run begins. */
void watch_end(void);

/* The same for one task (spin.c): from now on a digest of its states is computed. */
void watch_follow(struct task *task, bool follow);
/* The digest of all states of the task since the last call, or since it is followed. */
uint64_t watch_take(struct task *task);

/* The task is about to access private memory, which has this value. */
void watch_access(struct task *self, uintptr_t pc, uintptr_t address, uint64_t value);

#endif
