/* SPDX-License-Identifier: MIT
 *
 * held_private.h - what held.c (which places there are) and held_choose.c (where to make the next) share.
 */
#ifndef RADDLE_EXPLORE_HELD_PRIVATE_H
#define RADDLE_EXPLORE_HELD_PRIVATE_H

#include "explore/held.h"

/* Both are the same part of a schedule. */
bool held_same_step(const struct wire_step *a, const struct wire_step *b);
/* The index of the last step in which a task runs; SIZE_MAX: there is none. */
size_t held_last_run(const struct wire_step *steps, size_t count);

/* The slot of the deepest place that a run comes by, whether it pays or not; -1: none. */
int held_deepest(const struct held *held, const struct server *server, const struct held_wish *wish);
/* To do so many operations again takes longer than to continue. */
bool held_pays(const struct held *held, uint64_t operations);

#endif
