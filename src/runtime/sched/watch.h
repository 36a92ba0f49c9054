/* SPDX-License-Identifier: MIT
 *
 * watch.h - threads that change nothing which others see: do they wait in vain, or do they compute?
 *
 * DESIGN
 *   A run in which nothing has changed for very many scheduling points is suspected to hang.  It does if every thread comes back to a state
 *   that it has been in: the same registers and stack, the same values in the memory of its own that it has looked at on the way.
 *   Then it goes on like this forever.  A thread that counts, or walks along a list, comes to a new state each time.  To find out
 *   costs time, so it is done only while there is a suspicion; accesses to private memory are seen then, too.
 */
#ifndef RADDLE_WATCH_H
#define RADDLE_WATCH_H

#include "runtime/rt.h"

enum watch_verdict { WATCH_GOES_ON, WATCH_WAITS, WATCH_COMPUTES };

/* Nothing has changed for long.  What the watching (rt.watching) has come to by now; it begins with the first call. */
enum watch_verdict watch_ask(void);
/* Something has changed, or a run begins. */
void watch_end(void);

/* The same for one task (spin.c): what it goes through from now on is digested. */
void watch_follow(struct task *task, bool follow);
/* The digest of all states of the task since the last call, or since it is followed. */
uint64_t watch_take(struct task *task);

/* The task is about to access its own memory, where this is now. */
void watch_access(struct task *self, uintptr_t pc, uintptr_t address, uint64_t value);

#endif
