/* SPDX-License-Identifier: MIT
 *
 * position.h - a place in the middle of a run, and whether another plan would have led to it too.
 *
 * DESIGN
 *   A run continued from a checkpoint must be the same as if it had begun at the beginning.  It is, if its plan would have made the same
 *   decisions up to here: the same sites are visible, the same switches at the same operations, the same values chosen, and no random number
 *   drawn.  (Except by a strategy when it begins or a task is created: that is done again.)  So a plan that begins with the steps of
 *   the schedule so far leads here.  A plan without steps leads here if there was only one task so far, unless its strategy needs
 *   to know what that task did.
 *
 *   A strategy may need to know how often each task has done operations at which place.  That is counted in runs that are going to be
 *   held.
 */
#ifndef RADDLE_POSITION_H
#define RADDLE_POSITION_H

#include "runtime/rt.h"

struct strategy;

struct position {
    uint32_t step_count, segment; /* the schedule so far; which of its steps has begun and not ended */
    uint64_t until;               /* the operation before which the running task is; UINT64_MAX: it has ended */
    bool first;                   /* up to here there was one task */
    const struct wire_step *steps;
    uint32_t choice_count;
    const struct wire_choice *choices;
    uint64_t sites;
    uint32_t strategy, flags, bound; /* of the plan that led here */
    uint64_t max_steps;
};

/* A run begins. */
void position_begin(void);
/* The task has passed a scheduling point: it is about to do its operation at pc. */
void position_executed(const struct task *task, uintptr_t pc);
/* The run as it is now, before a choice; `steps` and `choices` are the wire's.  False: it cannot be continued from here. */
bool position_take(struct position *position, const struct task *self);
/* The plan that is in the wire now leads here. */
bool position_serves(const struct position *position);
/* Tells the strategy, which has just begun, what the tasks have done. */
void position_restore_history(const struct strategy *strategy);

#endif
