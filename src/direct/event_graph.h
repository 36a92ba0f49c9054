/* SPDX-License-Identifier: MIT
 *
 * event_graph.h - what each event of an execution needs to happen again.
 *
 * An event needs the events of its task before it; the writes that it reads; what it waited for, as far as that does not depend on which
 * task gets a lock first (clock.h); that the tasks it woke are waiting; and what lies before it on an object that is no lock.  What an
 * event inside of a critical section needs is needed before the section, if it happened before it: while the lock is held no other
 * task may be able to do it.
 *
 * A node is an event, and has its number.
 */
#ifndef RADDLE_DIRECT_EVENT_GRAPH_H
#define RADDLE_DIRECT_EVENT_GRAPH_H

#include "trace/execution.h"
#include "util/table.h"
#include "util/vector.h"

#define NODE_NONE EVENT_NONE

struct node_dependency {
    uint32_t node;
    bool must; /* the event is impossible without it; otherwise it only reads another value */
};

enum lock_use { LOCK_NONE, LOCK_TAKE, LOCK_SHARE, LOCK_GIVE };

struct node_hold { /* a lock that a task holds, and the others that it holds */
    uint64_t lock;
    uint32_t node;   /* that took it */
    uint32_t others; /* in `holds`; 0: none */
};

struct event_node {
    uint64_t lock;  /* that it takes or gives back */
    uint32_t alike; /* the event before it at the same site; NODE_NONE */
    uint32_t
        section_entry; /* place (execution.h) of the event that took the lock which its task holds longest; its own place if
                               the task holds none */
    uint32_t holds;                        /* what its task holds after it, in `holds`; 0: nothing */
    uint32_t end;                          /* of one that takes a lock: the event that gives it back; NODE_NONE */
    uint32_t dependency, dependency_count; /* in `dependencies` */
    uint32_t place;                        /* as execution.place; kept here because searches ask for it at every step */
    uint16_t task;                         /* as in the event */
    uint8_t lock_use;                      /* enum lock_use */
    bool reads, writes;                    /* memory */
};

typedef VECTOR(struct node_dependency) dependency_list;

struct event_graph { /* all zero is the graph of the empty execution */
    const struct execution *execution;
    VECTOR(struct event_node) all; /* by event */
    dependency_list dependencies;
    VECTOR(struct node_hold) holds; /* the first is none */
    event_list first_reads;         /* by location: an event that read it before it was written; NODE_NONE */
    struct table sites;             /* site → its last event + 1 */
};

/* Replaces what was there.  The execution must not change while the graph is used.  After stop_requested() the graph may be empty. */
void event_graph_make(struct event_graph *graph, const struct execution *execution);
void event_graph_free(struct event_graph *graph);

/* An event that has read what was in the node's memory at the beginning; NODE_NONE: not known. */
uint32_t event_graph_first_reader(const struct event_graph *graph, uint32_t node);
/* What is held when this lock is given back; adds to `holds` if it was not the last that was taken. */
uint32_t event_graph_release(struct event_graph *graph, uint32_t holds, uint64_t lock);

#endif
