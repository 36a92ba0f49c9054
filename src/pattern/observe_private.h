/* SPDX-License-Identifier: MIT
 *
 * observe_private.h - what observe.c (dependencies) and join.c (combinations) share.
 */
#ifndef RADDLE_PATTERN_OBSERVE_PRIVATE_H
#define RADDLE_PATTERN_OBSERVE_PRIVATE_H

#include "pattern/observe.h"
#include "pattern/shape.h"
#include "trace/location.h"

/* An access that was done. */
struct access_record {
    uint64_t number;    /* of its event, from 1 */
    uint64_t operation; /* of its task */
    uint64_t lo, hi;
    uint64_t context;
    uint32_t site, unit, set, occurrence;
    uint16_t task;
    uint8_t kind;
    bool atomic;
};

/* A dependency between two accesses. */
struct dependency_edge {
    struct access_record from, to;
    uint64_t lo, hi;     /* the bytes where it holds */
    uint64_t previous;   /* number of the access before `to` of its task to these bytes; 0 none */
    uint32_t life;       /* of the location */
    uint32_t statically; /* number of the pair of (site, kind): equal for equal ones */
    uint32_t older;      /* in a log: the one before it with the same number, index + 1; 0 none */
    uint8_t space;
    uint8_t relations; /* bits 1 << enum relation */
    bool brink;        /* to's task did nothing between `from` and `to` */
};

/* What is known about a location. */
struct task_record { /* by one task */
    uint16_t task;
    uint64_t number;              /* of its last access */
    struct access_record last[2]; /* weak, strong; site SITE_ANY and number 0: none.  For < only. */
};
struct location_cell {
    struct access_record strong;       /* the last strong access; number 0: none */
    VECTOR(struct access_record) weak; /* since then; the last of each task, site and kind */
    VECTOR(struct task_record) seen;   /* by task */
};

/* Dependencies from one task to another, in the order of their targets; and those with the same static number linked
   together, so that a whole chain can be passed over.  Chains are in a list, the one that was added to last in front.
   All links are index + 1, 0 none. */
struct edge_chain {
    uint32_t statically;
    uint32_t latest;       /* edge */
    uint32_t newer, older; /* chains */
};
struct edge_log {
    VECTOR(struct dependency_edge) edges;
    VECTOR(struct edge_chain) chains;
    struct table chain_index; /* static number → index into chains + 1 */
    uint32_t front;
    size_t limit; /* look for useless ones at this length */
};

/* What was done of a run's work; see observer_observe. */
struct observer_bound {
    uint64_t most;         /* 0: none */
    uint64_t from;         /* observer_work at the beginning */
    uint64_t events, read; /* of the execution: in all, so far */
    struct table joined;   /* two tasks and a static number → how many were joined */
};

/* Static numbers below COMPLETE have a bit for each two of them, and direction: nothing new can come of the two.  By the number of the
   later one, since chain after chain is looked up for it. */
enum { COMPLETE = 1024 };
struct complete_row {
    uint64_t bits[2][COMPLETE / 64];
};

struct memory_space {
    struct locations locations;
    VECTOR(struct location_cell) cells; /* by location */
};

/* Kinds of combination: what the ends of e1 = A→B and e2 = C→D, with D the latest, can be. */
enum join_case {
    JOIN_PAIR,
    JOIN_TRIPLE,
    JOIN_ABCD_ONE, /* one variable */
    JOIN_ABCD,     /* A and D are of one task */
    JOIN_ACBD,
    JOIN_CABD,
    JOIN_SAME_ABCD, /* A and C are of one task */
    JOIN_SAME_ACBD,
    JOIN_CASES
};

struct observer {
    struct observer_options options;
    struct instances *found;
    struct memory_space spaces[2];
    bool nearest; /* a wanted row has < between the ends of a dependency */
    shape_choices choices[JOIN_CASES];
    uint64_t opposite, along;             /* the cases of either direction that have choices, as bits */
    uint64_t number;                      /* of the last event */
    uint64_t work;                        /* observer_work */
    VECTOR(uint64_t) operations;          /* by task: the last one */
    VECTOR(uint64_t) numbers;             /* by task: its last event */
    VECTOR(struct dependency_edge) fresh; /* dependencies of this event */
    VECTOR(struct edge_log) logs;
    struct table log_index;   /* to task, from task → index into logs + 1 */
    struct table occurrences; /* task, site → count */
    struct table statics;     /* hash of sites and kinds of a dependency → its number */
    struct table done; /* two static numbers → cases (bits 1 << enum join_case) of which nothing new can come */
    struct complete_row *complete; /* by static number; NULL: not needed yet */
    struct observer_bound bound;
    uint64_t dependencies, passed_over;
    location_list touched;
};

/* The execution has taken more than its part of the work. */
static inline bool observer_is_late(const struct observer *observer)
{
    const struct observer_bound *bound = &observer->bound;
    return bound->most != 0 &&
           observer->work - bound->from > bound->most / bound->events * bound->read + bound->most / 16;
}

/* join.c */
void join_init(struct observer *observer);
void join_fresh(struct observer *observer); /* reports what the fresh dependencies make, and keeps them */
void join_restart(struct observer *observer);
void join_free(struct observer *observer);

#endif
