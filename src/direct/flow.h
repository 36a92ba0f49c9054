/* SPDX-License-Identifier: MIT
 *
 * flow.h - which path a task takes after which value, as far as executions have shown.
 *
 * What follows a read is its task's next event: where in the program, and how many operations later.  If a read was always followed by the
 * same, for several values, the path does not depend on it.  For the others it is remembered what followed which value.
 */
#ifndef RADDLE_DIRECT_FLOW_H
#define RADDLE_DIRECT_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/execution.h"
#include "util/table.h"

struct flow {               /* all zero is the beginning */
    struct table paths;     /* site → what follows */
    struct table values;    /* site → the value read or written there */
    struct table by_value;  /* site and value → what follows */
    struct table addresses; /* site → what is accessed there */
};

void flow_learn(struct flow *flow, const struct execution *execution);
/* Whether a task goes on as it did if a read that found `value` finds `other`. */
bool flow_is_same(const struct flow *flow, uint32_t site, uint64_t value, uint64_t other);
/* The same for every value. */
bool flow_is_straight(const struct flow *flow, uint32_t site);
/* What follows is known, and does not depend on what the task has read before. */
bool flow_is_certain(const struct flow *flow, uint32_t site, bool valued, uint64_t value);
/* The same memory or object was accessed there each time. */
bool flow_is_fixed(const struct flow *flow, uint32_t site);
/* What is written there was the same each time. */
bool flow_is_constant(const struct flow *flow, uint32_t site);
void flow_free(struct flow *flow);

#endif
