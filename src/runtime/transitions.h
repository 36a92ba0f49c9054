/* SPDX-License-Identifier: MIT
 *
 * transitions.h - with PLAN_TRANSITIONS: writes what each task does from point to point, for the searches of the driver (wire_transition.h).
 *
 * DESIGN
 *   The next transition of a task is an entry of wire.pending from the point at which its operation is published.  It is appended to
 *   wire.transitions when it is done.  What a single first task does before there is a second one is left out: everything comes after it.
 */
#ifndef RADDLE_RUNTIME_TRANSITIONS_H
#define RADDLE_RUNTIME_TRANSITIONS_H

#include "runtime/rt.h"

static inline bool transitions_wanted(void)
{
    return unlikely((rt.flags & PLAN_TRANSITIONS) != 0);
}

/* The task has published this operation. */
void transition_publish(const struct task *task, const struct op *op);
/* Its readiness has been determined again, or whether it is passed over for certain. */
void transition_refresh(const struct task *task, bool passed);
/* Its operation is about to be done. */
void transition_execute(const struct task *task, const struct op *op);
/* In it, `value` of n was chosen. */
void transition_choose(uint32_t value, uint32_t n);
/* The transition that is being done lets this task go on. */
void transition_enable(const struct task *task);
/* The run may depend on this, which the order of transitions does not determine. */
static inline void transition_beyond(uint32_t what)
{
    if (transitions_wanted())
        rt.wire->result.beyond |= what;
}

#endif
