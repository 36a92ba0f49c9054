/* SPDX-License-Identifier: MIT
 *
 * reorder_private.h - what reorder.c (which orders are tried) and reorder_order.c (how one is made) share.
 */
#ifndef RADDLE_DIRECT_REORDER_PRIVATE_H
#define RADDLE_DIRECT_REORDER_PRIVATE_H

#include "direct/event_graph.h"
#include "direct/flow.h"
#include "direct/orderer.h"

/* The events that are steps, in their order. */
struct sequence {
    unsigned count;
    uint32_t nodes[PATTERN_STEPS];
    struct access access[PATTERN_STEPS]; /* of each, that matters */
    int before[PATTERN_STEPS];           /* the one that it must follow immediately; -1 none */
};

struct reorder_task {
    uint32_t next;       /* place of what it does next */
    uint32_t limit;      /* place that it may not come to yet */
    bool read_differs;   /* it has read another value than in the execution */
    bool path_unknown;   /* and where it goes from here is not known */
    bool path_uncertain; /* where it goes from here may depend on it */
    uint32_t holds;      /* locks, in the graph's `holds` */
};

struct reorderer {
    struct event_graph graph;
    struct flow flow;
    uint64_t work;
    /* the order that is being made */
    uint64_t *done, *wanted;  /* bits */
    uint32_t uncertain_reads; /* how often a task may take another path */
    uint64_t *value_unknown;  /* bits: what the event writes may be another value */
    uint32_t began;           /* the events below this number were done first, as they were */
    uint32_t *writers;        /* of each location, if it was written since */
    uint32_t *written;        /* by location: the number of the order in which it was */
    uint32_t orders;          /* that have been made */
    size_t execution_holds;   /* of the graph's `holds`, those of the execution itself */
    VECTOR(struct reorder_task) tasks;
    const struct sequence *sequence; /* that is being done */
    unsigned steps_done;
    enum order_failure blocked; /* why something that is wanted may not come now; ORDER_FOUND: nothing is blocked */
    enum order_failure failure; /* of the last reorder_try */
    unsigned failed_after;      /* so many steps */
    event_list demanded, order;
    struct table pairs;      /* two events → 1 + why they cannot follow each other immediately */
    struct table tried, won; /* two sites → how often they were tried, and could */
};

static inline bool reorder_has(const uint64_t *bits, uint32_t number)
{
    return bits[number / 64] >> (number % 64) & 1;
}

static inline void reorder_put(uint64_t *bits, uint32_t number)
{
    bits[number / 64] |= 1ull << (number % 64);
}

static inline const struct event_node *reorder_node(const struct reorderer *reorderer, uint32_t number)
{
    return &reorderer->graph.all.data[number];
}

static inline const struct event *reorder_event(const struct reorderer *reorderer, uint32_t number)
{
    return execution_event(reorderer->graph.execution, number);
}

/* Makes the order in which the steps come as they are given: `order`, after the first `began` events.  False: there is none; `failure` says
   why, and `failed_after` how many steps were done. */
bool reorder_try(struct reorderer *reorderer, const struct sequence *sequence);

#endif
