/* SPDX-License-Identifier: MIT
 *
 * rules.h - what every order of the events of an execution must obey, so that the program can do it.
 *
 * DESIGN
 *   Another order does a prefix of the events of each task.  As long as a task reads the values that it read, and its calls come out as they
 *   did, it does the same events.  So an order is possible if
 *     - each task does its events in their order;
 *     - events that wait for others come after these (edges);
 *     - critical sections of one lock exclude each other, unless both are shared; a call that found the lock taken comes inside of one;
 *     - a wait for a semaphore has a post of its own, or one of those that it began with; a failed one comes when there is none;
 *     - a task that was woken has a signal or broadcast of its own between the beginning and the end of its wait; a signal that comes while
 *       tasks wait wakes one of them;
 *     - each read after which its task goes on finds the value that it found.
 *   The last event of a task in the order may read anything.  What was in memory at the beginning counts as a value of its own where it is not
 *   known: a task that finds the same value from a write is held to have found another one.
 *
 *   (J. Huang, "Stateless model checking concurrent programs with maximal causality reduction", PLDI 2015.)
 *
 *   What cannot be said exactly is said too strictly, by edges that are not *certain*: operations on files, signals and cancellation keep
 *   their order, allocations too, since addresses depend on it.  An order that obeys the rules is possible in any case; that there is none
 *   is proven only if no such edge had a part in it, and the rules as a whole are `certain`.
 */
#ifndef RADDLE_SOLVE_RULES_H
#define RADDLE_SOLVE_RULES_H

#include "trace/execution.h"
#include "util/table.h"

struct rule_edge { /* `after` needs `before` */
    uint32_t before, after;
    bool certain;
};

struct rule_section { /* first takes the lock, last gives it back (EVENT_NONE: it does not end) */
    uint32_t first, last;
    uint16_t task;
    bool shared;
};

struct rule_lock {
    uint64_t address;
    VECTOR(struct rule_section) sections;
    event_list failures; /* calls that found it taken by another task */
};

struct rule_semaphore {
    uint64_t address;
    uint32_t initial;
    bool certain; /* what it begins with is known */
    event_list posts, waits, failures;
    event_list looks; /* at its value */
};

struct rule_wait {
    uint32_t begin, end; /* end: EVENT_NONE if it lasts */
    bool woken;          /* else it ended by itself: by time, or for no reason */
    bool timed;          /* it has a time limit */
};

struct rule_condition {
    uint64_t address;
    VECTOR(struct rule_wait) waits;
    event_list signals, broadcasts;
    event_list all; /* its events, those that begin and end waits too */
};

/* How a location is accessed. */
struct rule_location {
    bool simple;        /* each access to it is to it alone, as a whole */
    bool initial_known; /* what was there at the beginning: */
    uint64_t initial;
};

enum rule_role { ROLE_NONE, ROLE_TAKES, ROLE_GIVES, ROLE_FAILS, ROLE_POSTS, ROLE_WAITS, ROLE_FINDS_NONE, ROLE_LOOKS };

/* What an event is to the rules. */
struct rule_event {
    uint32_t object; /* index of the lock or semaphore */
    uint32_t section;
    uint8_t role; /* enum rule_role; a condition wait GIVES its mutex, and TAKES it when it ends */
    bool reads, writes;
};

struct rules { /* all zero are the rules of the empty execution */
    const struct execution *execution;
    VECTOR(struct rule_event) events;
    VECTOR(struct rule_edge) edges; /* by `after` */
    event_list first_edge;          /* by event, with one more at the end */
    VECTOR(struct rule_lock) locks;
    VECTOR(struct rule_semaphore) semaphores;
    VECTOR(struct rule_condition) conditions;
    VECTOR(struct rule_location) locations;
    event_list condition_of; /* by event: index into conditions + 1; 0: none */
    uint32_t done;           /* the first events were done before all others; they can be no part of what is asked */
    uint32_t exit;           /* ends the process; EVENT_NONE */
    bool certain;            /* the execution is whole, and all that it did is in the rules */
};

/* Replaces what was there.  The execution must not change while the rules are used. */
void rules_make(struct rules *rules, const struct execution *execution);
/* The same, where the first events were done before all others, in their order (window.h): edges that are not certain say so. */
void rules_make_after(struct rules *rules, const struct execution *execution, uint32_t done);
void rules_free(struct rules *rules);

static inline const struct rule_event *rules_event(const struct rules *rules, uint32_t event)
{
    assert(event < rules->events.count);
    return &rules->events.data[event];
}

/* The call returns in any case, sooner or later: it tries, or it has a time limit. */
bool rules_may_fail(const struct rules *rules, uint32_t event);

/* What the event writes depends on what it finds. */
bool rules_updates(const struct rules *rules, uint32_t event);

/* The next event of its task; EVENT_NONE: there is none. */
uint32_t rules_next(const struct rules *rules, uint32_t event);

/* The edges to an event. */
static inline const struct rule_edge *rules_edges(const struct rules *rules, uint32_t event, uint32_t *count)
{
    *count = rules->first_edge.data[event + 1] - rules->first_edge.data[event];
    return rules->edges.data + rules->first_edge.data[event];
}

/* ---- values ------------------------------------------------------------------------------------------------------- */

/* The one location that the event accesses as a whole, where that is all that is done with it; UINT32_MAX: it is not so simple. */
uint32_t rules_location(const struct rules *rules, uint32_t event);
/* What the event writes; false: not known. */
bool rules_written(const struct rules *rules, uint32_t event, uint64_t *value);
/* It reads what was there at the beginning, and that is not known. */
bool rules_reads_beginning(const struct rules *rules, uint32_t event);
/* What it reads; false: not known. */
bool rules_read(const struct rules *rules, uint32_t event, uint64_t *value);

#endif
