/* SPDX-License-Identifier: MIT
 *
 * changes.h - how events of an execution could come out otherwise in another order of its events: reads with other values, tries that find a
 * lock taken or free, semaphores that are 0 or not, waits that are woken after all.
 */
#ifndef RADDLE_SOLVE_CHANGES_H
#define RADDLE_SOLVE_CHANGES_H

#include "solve/question.h"

struct change {
    uint32_t event;
    enum question_change kind;
    uint64_t value;
};

struct changes {
    VECTOR(struct change) all; /* by rising event */
    bool certain;              /* there are no others */
};

/* Replaces what was there. */
void changes_find(const struct rules *rules, struct changes *changes);
void changes_free(struct changes *changes);

/* In an execution in which it was to come out so, the event did.  The rules are those of that execution. */
bool change_came_out(const struct rules *rules, uint32_t event, const struct change *change);

/* What the task of the event has done up to it, with all that it found: a number that two tasks share if they have done the same.  `change`: the
   event comes out so; NULL: as it did.  EVENT_NONE: the task has done nothing. */
uint64_t change_history(const struct rules *rules, uint32_t event, const struct change *change);

#endif
