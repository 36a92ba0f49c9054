/* SPDX-License-Identifier: MIT
 *
 * reorder_private.h - what reorder.c (which orders are tried) and reorder_order.c (how one is made) share.
 */
#ifndef RADDLE_DIRECT_REORDER_PRIVATE_H
#define RADDLE_DIRECT_REORDER_PRIVATE_H

#include "direct/event_graph.h"
#include "direct/flow.h"
#include "direct/reorder.h"

/* The events that are steps, in their order. */
struct sequence {
    unsigned count;
    uint32_t nodes[PATTERN_STEPS];
    struct access access[PATTERN_STEPS]; /* of each, that matters */
    int before[PATTERN_STEPS];           /* the one that it must follow at once; -1 none */
};

struct actor {           /* a task */
    uint32_t next;       /* place of what it does next */
    uint32_t limit;      /* place that it may not come to yet */
    bool read_differs;   /* what it has read is not what it read */
    bool path_unknown;   /* and nobody knows where it goes from here */
    bool path_uncertain; /* where it goes from here may depend on it */
    uint32_t holds;      /* locks, in the run's `holds` */
};

struct reorderer {
    struct event_graph graph;
    struct flow flow;
    const struct wire_step *steps; /* of the run */
    size_t step_count;
    uint64_t work;
    /* the order that is being made */
    uint64_t *done, *wanted;  /* bits */
    uint32_t uncertain_reads; /* places where somebody may go another way */
    uint64_t *value_unknown;  /* bits: what the event writes may be another value */
    uint32_t began;           /* the events below this number were done first, as they were */
    uint32_t *writers;        /* of each location, if somebody has written there since */
    uint32_t *written;        /* the order in which somebody has */
    uint32_t orders;          /* that have been made */
    size_t run_holds;         /* of the run's own */
    VECTOR(struct actor) actors;
    const struct sequence *sequence; /* that is being done */
    unsigned steps_done;
    bool blocked; /* something is wanted that may not come now */
    node_list demanded, order;
    struct table pairs;      /* two events → whether they can follow each other at once */
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

/* Makes the order in which the steps come as they are given: `order`, behind the beginning of the run.  False: there is none. */
bool reorder_try(struct reorderer *reorderer, const struct sequence *sequence);

#endif
