/* SPDX-License-Identifier: MIT
 *
 * flow.h - which way threads go when they have read this or that, as far as runs have shown.
 *
 * What follows a read is its task's next event: where in the program, and how many operations later.  A read that was always followed
 * by the same, whatever it read, has no say in the way; of the others it is remembered what followed which value.
 */
#ifndef RADDLE_DIRECT_FLOW_H
#define RADDLE_DIRECT_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/table.h"
#include "wire/wire.h"

struct flow {               /* all zero is the beginning */
    struct table ways;      /* site → what follows */
    struct table values;    /* site → the value read or written there */
    struct table by_value;  /* site and value → what follows */
    struct table addresses; /* site → what is accessed there */
};

/* Learns from a run; sites: of each event. */
void flow_observe(struct flow *flow, const struct wire_event *events, const uint32_t *sites, size_t count);
/* Whether a task goes on as it did if a read that found `value` finds `other`. */
bool flow_is_same(const struct flow *flow, uint32_t site, uint64_t value, uint64_t other);
/* The same, whatever it finds. */
bool flow_is_straight(const struct flow *flow, uint32_t site);
/* What follows is known, whatever else the task has read before. */
bool flow_is_certain(const struct flow *flow, uint32_t site, bool valued, uint64_t value);
/* The same memory or object was accessed there each time. */
bool flow_is_fixed(const struct flow *flow, uint32_t site);
/* What is written there was the same each time. */
bool flow_is_constant(const struct flow *flow, uint32_t site);
void flow_free(struct flow *flow);

#endif
