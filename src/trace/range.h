/* SPDX-License-Identifier: MIT
 *
 * range.h - disjoint address ranges, each with a number that says what it belongs to.  A new range replaces the parts
 * of older ranges that it overlaps; the rest of them stays.
 */
#ifndef RADDLE_TRACE_RANGE_H
#define RADDLE_TRACE_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/vector.h"

struct range {
    uint64_t lo, hi;
    uint32_t owner;
    uint32_t priority, left, right; /* a treap: heap by priority, search tree by lo; 0 is no node */
};

struct ranges { /* all zero is the empty set */
    VECTOR(struct range) nodes;
    VECTOR(uint32_t) spare;
    uint32_t root;
    uint64_t made;
};

/* lo < hi */
void ranges_put(struct ranges *ranges, uint64_t lo, uint64_t hi, uint32_t owner);
bool ranges_find(const struct ranges *ranges, uint64_t address, uint32_t *owner);
void ranges_free(struct ranges *ranges);

#endif
