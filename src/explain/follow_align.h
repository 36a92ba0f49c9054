/* SPDX-License-Identifier: MIT
 *
 * follow_align.h - aligns the operations of an old run with those of a new one.
 *
 * DESIGN
 *   The alignment with the greatest sum of likenesses (S. Needleman, C. Wunsch, 1970): of what one thread did in the
 *   old run and does in the new one, in order.  Operations are alike if they do the same kind of thing, in the same
 *   function or to the same object; the same source line is a weaker hint, since lines move.  Among equally good
 *   alignments, the one that matches earliest is taken.  If the sequences are too long for all pairs, only pairs near
 *   the diagonal are compared.
 */
#ifndef RADDLE_EXPLAIN_FOLLOW_ALIGN_H
#define RADDLE_EXPLAIN_FOLLOW_ALIGN_H

#include <stddef.h>
#include <stdint.h>

/* The properties of an operation that are compared.  Texts are hashes. */
struct align_item {
    uint32_t op;     /* enum wire_op */
    uint32_t family; /* operations of the same family may be matched */
    uint64_t function, object, place;
};

enum { ALIGN_NONE = -1 };

/* 0: they must not be matched. */
uint32_t align_likeness(const struct align_item *a, const struct align_item *b);
/* match[i], for each of the n items of a: index of its partner in b, ascending, or ALIGN_NONE.  Returns the sum of
   likenesses. `cells`: the largest number of pairs to compare; 0: a default. */
uint64_t align_sequences(const struct align_item *a, size_t n, const struct align_item *b, size_t m, size_t cells,
                         int32_t *match);

#endif
