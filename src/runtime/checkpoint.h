/* SPDX-License-Identifier: MIT
 *
 * checkpoint.h - a run that is held in the middle, to be continued many times in different ways.
 */
#ifndef RADDLE_CHECKPOINT_H
#define RADDLE_CHECKPOINT_H

#include <stdint.h>

/* Called before a choice is made. Leaves a process behind that holds the run here, if the run has changed nothing outside its memory.
   Returns in the run that goes on, and again in every continuation that the driver asks for: by the new plan then. */
void checkpoint_make(uint32_t slot);

#endif
