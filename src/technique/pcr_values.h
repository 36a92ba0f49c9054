/* SPDX-License-Identifier: MIT
 *
 * pcr_values.h - what reads have found, so that a value that would be new to a read is known as such.
 *
 * DESIGN
 *   A place of reading is a site in a calling context.  Which reads steer what a task does is not known; what the runs show of it is: a
 *   site that found many values and went on to the same site each time is about data, not about the way.
 *
 *   Addresses of one process mean nothing in another: of a value that looks like one only the part counts that does not change.
 */
#ifndef RADDLE_TECHNIQUE_PCR_VALUES_H
#define RADDLE_TECHNIQUE_PCR_VALUES_H

#include "solve/rules.h"

struct pcr_values { /* all zero to begin with */
    struct table found;    /* place of reading and value */
    struct table valued;   /* site that reads and value */
    struct table followed; /* site that reads and the site after it */
    struct table counts;   /* site that reads → values << 32 | sites after it */
};

/* What the value would be to a read. */
enum pcr_news {
    NEWS_NONE,    /* found there before */
    NEWS_DATA,    /* of a site to which values make no difference, as far as is known */
    NEWS_UNKNOWN, /* of one that has found one value only, or few */
    NEWS_STEERS,  /* of one that goes on to different sites */
    NEWS_FREED,   /* no value at all: the memory was freed */
};

/* What a read finds that reads from this event (EVENT_NONE: the initial value) at the location. */
uint64_t pcr_value_written(const struct rules *rules, uint32_t writer, uint32_t location);
/* What the event, a read, has found at the location. */
uint64_t pcr_value_read(const struct rules *rules, uint32_t event, uint32_t location);
/* What it would have found if it had come just before the write. */
uint64_t pcr_value_before(const struct rules *rules, uint32_t event, uint32_t write, uint32_t location);

/* All reads of the execution; returns how many of them found something new. */
uint32_t pcr_values_observe(struct pcr_values *values, const struct rules *rules);
enum pcr_news pcr_values_news(const struct pcr_values *values, const struct event *read, uint64_t value);
void pcr_values_free(struct pcr_values *values);

#endif
