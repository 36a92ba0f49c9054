/* SPDX-License-Identifier: MIT
 *
 * checkpoints_private.h - what checkpoints.c (the checkpoints that exist) and checkpoints_choose.c (where to make the
 * next one) share.
 */
#ifndef RADDLE_CONTROL_CHECKPOINTS_PRIVATE_H
#define RADDLE_CONTROL_CHECKPOINTS_PRIVATE_H

#include "control/checkpoints.h"

/* Whether both are the same step of a schedule. */
bool checkpoints_same_step(const struct wire_step *a, const struct wire_step *b);
/* The index of the last step in which a task runs; SIZE_MAX: there is none. */
size_t checkpoints_last_run(const struct wire_step *steps, size_t count);

/* The slot of the deepest checkpoint that a run passes, whether it pays or not; -1: none. */
int checkpoints_deepest(const struct checkpoints *checkpoints, const struct server *server,
                        const struct checkpoints_wish *wish);
/* Whether doing this number of operations again takes longer than to continue. */
bool checkpoints_pays(const struct checkpoints *checkpoints, uint64_t operations);

#endif
