/* SPDX-License-Identifier: MIT
 *
 * transitions.h - the behaviour that a run was one of: which of its transitions come in which order.
 */
#ifndef RADDLE_TRACE_TRANSITIONS_H
#define RADDLE_TRACE_TRANSITIONS_H

#include "wire/wire_check.h"

/* A digest of the order of dependent transitions (wire_transition.h): the same for runs that differ only in the order of independent
   ones.  0: the run has none. */
uint64_t transitions_digest(const struct wire_copy *copy);

#endif
