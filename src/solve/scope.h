/* SPDX-License-Identifier: MIT
 *
 * scope.h - which events of an execution matter for a question: the cone of influence.
 *
 * Events that must be done: what is needed, what the tasks do before it, and what that waits for.  Events that may be done: writes whose
 * value is needed, ends of critical sections, posts and signals, and what comes before them.  No other event needs to be part of an order.
 */
#ifndef RADDLE_SOLVE_SCOPE_H
#define RADDLE_SOLVE_SCOPE_H

#include "solve/question.h"

struct scope {            /* all zero to begin with; used again */
    event_list must, may; /* by task: so many of its events must be done, may be done */
    uint32_t count;       /* events that may be done */
};

void scope_make(struct scope *scope, const struct rules *rules, const struct question *question);
void scope_free(struct scope *scope);

/* Critical sections of one lock, and reads and writes of one location: how many pairs are in the scope. */
uint64_t scope_pairs(const struct scope *scope, const struct rules *rules);

static inline bool scope_must(const struct scope *scope, const struct rules *rules, uint32_t event)
{
    return rules->execution->place.data[event] < scope->must.data[execution_event(rules->execution, event)->task];
}
static inline bool scope_may(const struct scope *scope, const struct rules *rules, uint32_t event)
{
    return rules->execution->place.data[event] < scope->may.data[execution_event(rules->execution, event)->task];
}

/* The event reads, and finds what it found if the next event of its task is done. */
static inline bool scope_keeps_value(const struct scope *scope, const struct rules *rules, uint32_t event)
{
    uint32_t next = rules_next(rules, event);
    return rules_event(rules, event)->reads && next != EVENT_NONE && scope_may(scope, rules, next);
}

/* The writes that the event may read from, so that it finds that value; true: or what was there at the beginning.  In `writes`, which is
   replaced.  Only for events with a location (rules_location). */
bool scope_sources(const struct rules *rules, uint32_t event, uint64_t value, event_list *writes);
/* No write of its own task comes before it, and what was there at the beginning is not known: it may be any value. */
bool scope_may_find_unknown(const struct rules *rules, uint32_t event);

#endif
