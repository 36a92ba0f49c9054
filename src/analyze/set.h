/* SPDX-License-Identifier: MIT
 *
 * set.h - sets of numbers, sparse: sorted blocks of 64.  All zero is the empty set.
 */
#ifndef RADDLE_ANALYZE_SET_H
#define RADDLE_ANALYZE_SET_H

#include <stdbool.h>
#include <stdint.h>

struct set_block {
    uint32_t base; /* number / 64 */
    uint64_t bits;
};

struct set {
    struct set_block *blocks;
    uint32_t count, capacity;
};

void set_free(struct set *set);
void set_clear(struct set *set); /* keeps the memory */
/* Whether it was not there. */
bool set_add(struct set *set, uint32_t number);
bool set_has(const struct set *set, uint32_t number);
/* Whether it has grown. */
bool set_unite(struct set *set, const struct set *with);
/* What `a` has and `b` has not; replaces what was in `into`. */
void set_subtract(struct set *into, const struct set *a, const struct set *b);
void set_intersect(struct set *set, const struct set *with);
void set_copy(struct set *into, const struct set *from);
bool set_meets(const struct set *a, const struct set *b);
uint32_t set_size(const struct set *set);
static inline bool set_is_empty(const struct set *set)
{
    return set->count == 0;
}

/* for (struct set_walk walk = {.set = &set}; set_next(&walk);) use(walk.number); */
struct set_walk {
    const struct set *set;
    uint32_t block, number;
    uint64_t left;
    bool begun;
};
bool set_next(struct set_walk *walk);

#endif
