/* SPDX-License-Identifier: MIT
 *
 * locals.h - the call frame in which an address on a stack is.  The driver needs it to name the local variable.
 */
#ifndef RADDLE_RUNTIME_LOCALS_H
#define RADDLE_RUNTIME_LOCALS_H

#include "runtime/rt.h"

/* Number of the frame in the result's table, from 1; 0 if the address is on no stack, or in no frame that is known.  `pc`: where
   `self` is now. */
uint32_t locals_frame(const struct task *self, uintptr_t pc, uintptr_t address);

#endif
