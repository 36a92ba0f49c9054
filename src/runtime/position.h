/* SPDX-License-Identifier: MIT
 *
 * position.h - where a run stands in the middle, and whether another plan would have led there too.
 *
 * DESIGN
 *   A run is the same whether it is continued from a checkpoint or begun at the beginning, if all that its plan decides on the way
 *   turns out as it did: the same sites are visible, the same tasks were switched to at the same operations, the same values chosen, and
 *   no random number was drawn, other than by a strategy when it begins or a task is created, which is done again.  So a plan
 *   that begins with the steps of the schedule so far leads here; and every plan without steps does where no task has had a
 *   choice yet, unless its strategy takes an interest in what the only task did.
 *
 *   What strategies learn on the way is how often each task has done operations at which place; that is counted beforehand, in runs
 *   that are to be held.
 */
#ifndef RADDLE_POSITION_H
#define RADDLE_POSITION_H

#include "runtime/rt.h"

struct strategy;

struct position {
    uint32_t step_count, segment; /* the schedule so far; which of its steps is under way */
    uint64_t until;               /* where the running task stands; UINT64_MAX: it has ended */
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
/* The run as it stands, before a choice; `steps` and `choices` are the wire's.  False: it cannot be continued from here. */
bool position_take(struct position *position, const struct task *self);
/* The plan that is in the wire now leads here. */
bool position_serves(const struct position *position);
/* Tells the strategy, which has just begun, what the tasks have done. */
void position_recall(const struct strategy *strategy);

#endif
