/* SPDX-License-Identifier: MIT
 *
 * checkpoint.h - a run that is held in the middle, to be continued many times in different ways.
 */
#ifndef RADDLE_CHECKPOINT_H
#define RADDLE_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>

struct task;

/* The plan has a checkpoint, and it has not been reached yet. */
extern bool checkpoint_wanted;

/* A run begins. */
void checkpoint_begin(void);
/* Called before a choice is made.  Makes a process that holds the run here, if the run has changed nothing that copies of it would
   share and nothing has depended on the seed.  Returns in the run, which goes on, and in every continuation that the driver requests,
   with the new plan. */
void checkpoint_make(const struct task *self);
/* Something was done that a copy of the run could not put back; a noun that names it, for the driver.  The first one counts. */
void checkpoint_forbid(const char *why);

#endif
