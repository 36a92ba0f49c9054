/* SPDX-License-Identifier: MIT
 *
 * order_walk.h - goes through an order of an execution's events, one by one, as the rules (rules.h) allow it.
 *
 * It shares nothing with the formulas of the solver.  What condition variables wake, and that nothing comes after the end of the process, is
 * not checked.
 */
#ifndef RADDLE_SOLVE_ORDER_WALK_H
#define RADDLE_SOLVE_ORDER_WALK_H

#include "solve/rules.h"

struct order_walk { /* from order_walk_begin to order_walk_end */
    const struct rules *rules;
    uint32_t changed;   /* this event comes out otherwise than it did; EVENT_NONE: none */
    uint32_t *next;     /* by task: the place of its next event */
    bool *differs;      /* by task: its last event found something else */
    uint32_t *writer;   /* by location, + 1; 0: none */
    int32_t *remaining; /* by semaphore */
    event_list *open;   /* by lock: sections that are begun and not ended */
    uint32_t got;       /* the event that comes out otherwise has got this lock, + 1; 0: none */
};

void order_walk_begin(struct order_walk *walk, const struct rules *rules, uint32_t changed);
void order_walk_end(struct order_walk *walk);

/* It can be the next event. */
bool order_walk_can(const struct order_walk *walk, uint32_t event);
/* It would find something else than it found; so its task could do nothing after it. */
bool order_walk_differs(const struct order_walk *walk, uint32_t event);
/* Only if it can. */
void order_walk_do(struct order_walk *walk, uint32_t event);

static inline bool order_walk_is_done(const struct order_walk *walk, uint32_t event)
{
    const struct execution *execution = walk->rules->execution;
    return execution->place.data[event] < walk->next[execution_event(execution, event)->task];
}

#endif
