/* SPDX-License-Identifier: MIT
 *
 * family.h - the named families of patterns, as one table: idiom (Maple), map (MAP-coverage, PCR), asset (atomic-set
 * serializability), race, atom.
 *
 * A row is a shape in the language of pattern.h and a few flags.  Observer, predictor and director read the table; no
 * family has code of its own.  A family may have several rows of one name (asset.6 leaves open which variable comes
 * first).
 */
#ifndef RADDLE_PATTERN_FAMILY_H
#define RADDLE_PATTERN_FAMILY_H

#include <stdint.h>

#include "pattern/pattern.h"

enum family_flag {
    FAMILY_WINDOW = 1 << 0,        /* two steps of one thread: at most the vulnerability window apart */
    FAMILY_UNINTERRUPTED = 1 << 1, /* a's steps on one variable are consecutive accesses of its thread to it */
    FAMILY_BRINK = 1 << 2,         /* when a's step was done, b was already about to do its own: both were possible */
    FAMILY_PLAIN = 1 << 3,         /* data, and not both atomic */
    FAMILY_UNIT = 1 << 4,          /* each thread's steps belong to one unit of work */
    FAMILY_SET = 1 << 5,           /* there are units of work, and all accesses are to one atomic set */
    FAMILY_ESTIMATED =
        1 << 6, /* its instances are compared with an estimate of how many there are (T_C of MAP-coverage) */
};

struct family {
    const char *name;    /* "idiom.4" */
    const char *shape;   /* its text */
    unsigned flags;      /* enum family_flag */
    const char *meaning; /* one line for people */
};

/* Sets of rows: bit i is row i. */
typedef uint64_t family_mask;

extern const struct family families[];
extern const unsigned family_count;

/* The shape of a row, parsed; its `family` is the row. */
const struct pattern *family_shape(unsigned row);
static inline unsigned family_row(const struct family *family)
{
    return (unsigned)(family - families);
}

/* Rows by name: "idiom", "map.7", a list with commas.  0 and an error for a name that is none. */
family_mask family_by_name(const char *names, struct error *error);
/* Some of the rows name atomic sets: the events of an execution have to be labelled with them. */
bool family_needs_units(family_mask rows);
/* The first row of that name that the pattern has the shape of; NULL if there is none.  `known`: the name exists. */
const struct family *family_of_pattern(const char *name, size_t length, const struct pattern *pattern, bool *known);

#endif
