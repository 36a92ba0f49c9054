/* SPDX-License-Identifier: MIT
 *
 * locks.h - which locks a thread certainly holds at an operation, and in which orders locks are taken.
 *
 * DESIGN
 *   A lock is a spot.  An operation on a lock counts as taking it only if it is clear which spot it is.  The spot may stand for several locks
 *   (of the elements of an array, of the blocks that one call allocates): then holding it is a statement about one of them.
 */
#ifndef RADDLE_ANALYZE_LOCKS_H
#define RADDLE_ANALYZE_LOCKS_H

#include "analyze/threads.h"

struct lock_edge { /* a task that holds `held` takes `taken` at the operation */
    uint32_t held, taken, op;
};

struct locks;

struct locks *locks_find(const struct ir_program *program, const struct points *points, const struct threads *threads);
void locks_free(struct locks *locks);
/* The locks that are held at each operation that is ever done: the empty set if it is none. */
const struct set *locks_held(const struct locks *locks, uint32_t op);
/* The spot is one lock, and not several. */
bool locks_is_one(const struct locks *locks, uint32_t spot);
/* In the order of the operations. */
const struct lock_edge *locks_edges(const struct locks *locks, size_t *count);

#endif
