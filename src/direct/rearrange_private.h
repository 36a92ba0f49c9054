/* SPDX-License-Identifier: MIT
 *
 * rearrange_private.h - what rearrange.c (which orders are tried) and rearrange_order.c (how one is made) share.
 */
#ifndef RADDLE_DIRECT_REARRANGE_PRIVATE_H
#define RADDLE_DIRECT_REARRANGE_PRIVATE_H

#include "direct/deeds.h"
#include "direct/flow.h"
#include "direct/rearrange.h"

/* The deeds that are steps, in their order. */
struct sequence {
    unsigned count;
    uint32_t deeds[PATTERN_STEPS];
    struct access access[PATTERN_STEPS]; /* of each, that matters */
    int before[PATTERN_STEPS];           /* the one that it must follow at once; -1 none */
};

struct actor {      /* a task */
    uint32_t next;  /* place of what it does next */
    uint32_t limit; /* place that it may not come to yet */
    bool astray;    /* what it has read is not what it read */
    bool lost;      /* and nobody knows where it goes from here */
    bool doubtful;  /* where it goes from here may depend on it */
    uint32_t holds; /* locks, in the run's `holds` */
};

struct rearranger {
    struct deeds deeds;
    struct flow flow;
    const struct wire_step *steps; /* of the run */
    size_t step_count;
    uint64_t work;
    /* the order that is being made */
    uint64_t *done, *wanted; /* bits */
    uint32_t doubts;         /* places where somebody may go another way */
    uint64_t *strange;       /* bits: what the deed writes may be another value */
    uint32_t began;          /* the deeds below this number were done first, as they were */
    uint32_t *writers;       /* of each location, if somebody has written there since */
    uint32_t *written;       /* the order in which somebody has */
    uint32_t orders;         /* that have been made */
    size_t run_holds;        /* of the run's own */
    VECTOR(struct actor) actors;
    const struct sequence *sequence; /* that is being done */
    unsigned steps_done;
    bool blocked; /* something is wanted that may not come now */
    deed_list demanded, order;
    struct table pairs;      /* two deeds → whether they can follow each other at once */
    struct table tried, won; /* two sites → how often they were tried, and could */
};

static inline bool rearrange_has(const uint64_t *bits, uint32_t number)
{
    return bits[number / 64] >> (number % 64) & 1;
}

static inline void rearrange_put(uint64_t *bits, uint32_t number)
{
    bits[number / 64] |= 1ull << (number % 64);
}

static inline const struct deed *rearrange_deed(const struct rearranger *rearranger, uint32_t number)
{
    return &rearranger->deeds.all.data[number];
}

/* Makes the order in which the steps come as they are given: `order`, behind the beginning of the run.  False: there is none. */
bool rearrange_try(struct rearranger *rearranger, const struct sequence *sequence);

#endif
