/* SPDX-License-Identifier: MIT
 *
 * conflict.h - what could go wrong between two calls, from what each of them does when it runs alone from the same state.
 */
#ifndef RADDLE_GENERATE_CONFLICT_H
#define RADDLE_GENERATE_CONFLICT_H

#include <stdbool.h>

#include "util/vector.h"
#include "wire/wire_generate.h"

/* A predicted violation. */
struct conflict {
    uint64_t hash; /* of the places in the code that it is about */
    unsigned weight;
};
typedef VECTOR(struct conflict) conflict_list;

/* Adds, each once:
     a conflicting access of the other call that can come between two accesses of one call to the same block of memory: those to one location
     that no order of the calls gives count more;
     two conflicting accesses that no lock orders (a race);
     two locks that the calls take in both orders. */
void conflict_predict(const struct gen_event *a, size_t a_count, const struct gen_event *b, size_t b_count,
                      conflict_list *found);

#endif
