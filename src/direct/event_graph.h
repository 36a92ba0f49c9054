/* SPDX-License-Identifier: MIT
 *
 * event_graph.h - a run as what its tasks did, and what each event needs to be done again.
 *
 * A event is an event.  It needs the events of its task before it; the writes that it reads; what it waited for, as far as that does
 * not depend on who gets a lock first (clock.h); whom it woke, waiting; and what lies before it on an object that is no lock.  What a
 * event inside of a critical section needs is needed before the section, if it was there by then: while the lock is held nobody may
 * be able to do it.
 */
#ifndef RADDLE_DIRECT_EVENT_GRAPH_H
#define RADDLE_DIRECT_EVENT_GRAPH_H

#include "trace/access.h"
#include "util/table.h"
#include "util/vector.h"

#define NODE_NONE UINT32_MAX

struct node_dependency {
    uint32_t node;
    bool must; /* it cannot be done without; otherwise it only reads something else */
};

enum lock_use { LOCK_NO, LOCK_TAKE, LOCK_SHARE, LOCK_GIVE };

struct node_piece { /* of memory that a event accesses */
    uint32_t location;
    uint32_t writer; /* the event that wrote what was there; NODE_NONE */
};

struct node_hold { /* a lock that a task holds, and the others that it holds */
    uint64_t lock;
    uint32_t node;   /* that took it */
    uint32_t others; /* in `holds`; 0: none */
};

struct event_node {
    uint64_t operation, value;
    uint64_t lock;          /* that it takes or gives back */
    uint32_t site;          /* of the event */
    uint32_t alike;         /* the event before it at the same site; NODE_NONE */
    uint32_t place;         /* among its task's */
    uint32_t section_entry; /* place of the first lock that its task holds; its own place if it holds none */
    uint32_t holds;         /* what its task holds behind it, in `holds`; 0: nothing */
    uint32_t end;           /* of one that takes a lock: the event that gives it back; NODE_NONE */
    uint32_t dependency, dependency_count; /* in `needs` */
    uint32_t piece, piece_count;           /* in `pieces` */
    uint32_t access, access_count;         /* in `accesses` */
    uint16_t task;
    uint8_t lock_use;   /* enum lock_use */
    bool reads, writes; /* memory */
    bool valued;        /* `value` is what it read or wrote */
};

typedef VECTOR(uint32_t) node_list;
typedef VECTOR(struct node_dependency) dependency_list;

struct event_graph { /* all zero is the empty run */
    VECTOR(struct event_node) all;
    dependency_list dependencies;
    VECTOR(struct node_piece) pieces;
    VECTOR(struct access) accesses;
    VECTOR(struct node_hold) holds; /* the first is none */
    VECTOR(node_list) tasks;        /* the events of each, in order */
    VECTOR(node_list) writes;       /* to each location, in order */
    node_list first_reads;          /* of each location, before anybody had written there; NODE_NONE */
    struct table sites;             /* site → its last event + 1 */
};

/* sites: of each event.  Replaces what was there. */
void event_graph_make(struct event_graph *graph, const struct wire_event *events, const uint32_t *sites, size_t count);
void event_graph_free(struct event_graph *graph);

/* A event that has read what was there at the beginning; NODE_NONE: nobody knows. */
uint32_t event_graph_first_reader(const struct event_graph *graph, const struct event_node *node);
/* How many of the list come before the event with this number. */
uint32_t event_graph_count_before(const node_list *list, uint32_t number);
/* What is held when this is given back; adds to `holds` if it was not the last that was taken. */
uint32_t event_graph_let_go(struct event_graph *graph, uint32_t holds, uint64_t lock);
/* The access of the event that can be a step of that kind; NULL: none. */
const struct access *event_graph_access(const struct event_graph *graph, uint32_t node, enum access_kind kind);

#endif
