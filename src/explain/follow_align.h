/* SPDX-License-Identifier: MIT
 *
 * follow_align.h - which operation of an old run is which of a new one: two sequences laid side by side.
 *
 * DESIGN
 *   The alignment with the greatest sum of likenesses (S. Needleman, C. Wunsch, 1970): what one thread did then and what it does
 *   now, in order.  Operations are alike if they do the same kind of thing, in the same function or to the same object; the
 *   same source line is a weaker hint, since lines move.  Of alignments that are equally good the one is taken that matches
 *   early.  Where the sequences are too long for all pairs, only those near the diagonal are looked at.
 */
#ifndef RADDLE_EXPLAIN_FOLLOW_ALIGN_H
#define RADDLE_EXPLAIN_FOLLOW_ALIGN_H

#include <stddef.h>
#include <stdint.h>

/* An operation, as far as it is compared.  Texts are hashes. */
struct align_item {
    uint32_t op;     /* enum wire_op */
    uint32_t family; /* operations of the same family may stand for each other */
    uint64_t function, object, place;
};

enum { ALIGN_NONE = -1 };

/* 0: not to be matched. */
uint32_t align_likeness(const struct align_item *a, const struct align_item *b);
/* match[i], for each of the n items of a: index of its partner in b, ascending, or ALIGN_NONE.  Returns the sum of likenesses.
   `cells`: how many pairs to look at at most, 0 for as many as are sensible. */
uint64_t align_sequences(const struct align_item *a, size_t n, const struct align_item *b, size_t m, size_t cells,
                         int32_t *match);

#endif
