/* SPDX-License-Identifier: MIT
 *
 * pcr_values.h - what reads have found, so that a value that would be new to a read is known as such.
 *
 * DESIGN
 *   A value is *fresh* at a read if the site, in its calling context, has never found it in this place of memory.  It is new to the
 *   *turn* if it is not fresh, but the task has not found it when it was there for the first time, the second time, and so on.
 *
 *   Which reads steer what a task does is not known; what the runs show of it is: a site that found many values and went on to the same
 *   site each time is about data, not about the way.
 *
 *   Addresses of one process mean nothing in another: of an address, and of a value that looks like one, only the part counts that is
 *   always the same.
 */
#ifndef RADDLE_TECHNIQUE_PCR_VALUES_H
#define RADDLE_TECHNIQUE_PCR_VALUES_H

#include "solve/rules.h"

struct pcr_values {        /* all zero to begin with */
    struct table found;    /* place of reading and value; turn and value */
    struct table valued;   /* site that reads and value */
    struct table followed; /* site that reads and the site after it */
    struct table counts;   /* site that reads → values << 32 | sites after it */
};

/* What the value would be to a read; the higher the more it promises. */
enum pcr_news {
    NEWS_NONE,
    NEWS_DATA_TURN, /* new to the turn, of a site to which values make no difference, as far as is known */
    NEWS_DATA,      /* fresh, of such a site */
    NEWS_TURN,      /* new to the turn, of any other site */
    NEWS_TASK,      /* and to the task */
    NEWS_STEERS,    /* fresh, of a site that goes on to different sites */
    NEWS_FRESH,     /* fresh, of a site that has found few values */
    NEWS_FREED,     /* no value at all: the memory was freed */
};

/* By event: how often the task has been at the site and the address before, and which task and site: as one number. */
typedef VECTOR(uint64_t) pcr_turns;
void pcr_turns_make(pcr_turns *turns, const struct execution *execution);

/* What a read finds that reads from this event (EVENT_NONE: the initial value) at the location. */
uint64_t pcr_value_written(const struct rules *rules, uint32_t writer, uint32_t location);
/* What the event, a read, has found at the location. */
uint64_t pcr_value_read(const struct rules *rules, uint32_t event, uint32_t location);
/* What it would have found if it had come just before the write. */
uint64_t pcr_value_before(const struct rules *rules, uint32_t event, uint32_t write, uint32_t location);

/* The same as the program has it.  False: not known. */
bool pcr_value_exactly_before(const struct rules *rules, uint32_t write, uint32_t location, uint64_t *value);

/* It is what was there at the beginning, and that is not known. */
bool pcr_value_is_beginning(const struct rules *rules, uint32_t write, uint32_t location);

/* All reads of the execution; returns how many of them found what was fresh. */
uint32_t pcr_values_observe(struct pcr_values *values, const struct rules *rules, const pcr_turns *turns);
/* If the event, a read, found that value. */
enum pcr_news pcr_values_news(const struct pcr_values *values, const struct execution *execution, uint32_t event,
                              uint64_t turn, uint64_t value);
void pcr_values_free(struct pcr_values *values);

#endif
