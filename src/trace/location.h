/* SPDX-License-Identifier: MIT
 *
 * location.h - memory as the accesses divide it: disjoint ranges of bytes, each of which was always touched as a whole.
 *
 * DESIGN
 *   A range is made by the first access to it and split when a later access touches only a part.  So an array of a
 *   megabyte that is cleared at once is one location per page, an int is one location, and what is said of a location
 *   holds for each of its bytes.  Locations are numbered; the owner of the map keeps what it knows about number n in
 *   its own table, and is told when n was split.  Numbers of dropped locations are used again.
 *
 *   `life` tells whether two ranges with the same addresses are the same memory: a block that was freed and allocated
 *   again has another life.
 *
 *   Ranges are kept per page of 4096 bytes, sorted: a look-up is a hash look-up and a binary search in the page.
 */
#ifndef RADDLE_TRACE_LOCATION_H
#define RADDLE_TRACE_LOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/table.h"
#include "util/vector.h"

struct location {
    uint64_t lo, hi;
    uint32_t life;
};

struct location_owner {
    void (*made)(void *owner, uint32_t location);                  /* knows nothing yet */
    void (*split)(void *owner, uint32_t location, uint32_t upper); /* `upper` was a part of it */
    void (*dropped)(void *owner, uint32_t location);
    void *owner;
};

struct location_page;

struct locations {
    struct location_owner owner;
    VECTOR(struct location) all;
    VECTOR(uint32_t) spare;
    VECTOR(struct location_page *) pages;
    struct table by_page; /* page number → index into pages + 1 */
    uint64_t last_number; /* the page looked up last */
    struct location_page *last;
    uint32_t life;
};

typedef VECTOR(uint32_t) location_list;

void locations_init(struct locations *locations, struct location_owner owner);
void locations_free(struct locations *locations); /* says `dropped` for each that is left */

/* The locations that [lo, hi) consists of, in order; replaces what was in `found`. */
void locations_touch(struct locations *locations, uint64_t lo, uint64_t hi, location_list *found);
/* As locations_touch, but makes no location of memory that was not touched before. */
void locations_find(struct locations *locations, uint64_t lo, uint64_t hi, location_list *found);
/* The memory is another one from now on. */
void locations_drop(struct locations *locations, uint64_t lo, uint64_t hi);

#endif
