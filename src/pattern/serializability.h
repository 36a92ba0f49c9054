/* SPDX-License-Identifier: MIT
 *
 * serializability.h - whether an execution is serializable for each atomic set, and where it is not.
 *
 * DESIGN
 *   Memory that must be consistent together is an *atomic set*; code that keeps it consistent is a *unit of work*.  An access here is
 *   labelled with both: a call of a function, say, is one unit, and its next call is another one.
 *
 *   Two accesses conflict if they are to one location, of two units, and one of them writes.  An execution is serializable for a set
 *   if the conflicts among the accesses to the set order its units without a cycle.  A cycle of two units nearly always has one of
 *   eleven shapes (families asset.1 to asset.11).  Of the others, and of cycles of more units, the conflicts are given, if no pattern has
 *   the same last access.
 *
 *   The execution is serializable for all sets if and only if nothing is found.  Of each pair of units and each pattern that their first
 *   and last accesses to a location show, one occurrence is found for the two locations.  A pattern is found at its last access.
 *
 *   The accesses are read once, in order.  Of each location the accesses of each unit are known: the first and the last read and write.
 *   What no unit that still goes on can come back to is forgotten, so the cost of an access depends on how many units overlap, and not on
 *   the length of the run.
 *
 *   Vaziri, Tip, Dolby: Associating synchronization constraints with data in an object-oriented language (POPL 2006).
 */
#ifndef RADDLE_PATTERN_SERIALIZABILITY_H
#define RADDLE_PATTERN_SERIALIZABILITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unit_access {
    uint32_t event;    /* number of the access in the execution; rises, may be repeated */
    uint32_t unit;     /* never 0: an access that is in no unit is a unit of its own */
    uint32_t set;      /* never 0 */
    uint32_t location; /* in the set or in the whole execution */
    uint16_t thread;
    bool write;
};

enum {
    SERIALIZABILITY_PATTERNS = 11,
    SERIALIZABILITY_EVENTS = 8, /* of a violation that are given, at most: four conflicts */
};

struct violation {
    unsigned pattern; /* 1 to 11; 0: a cycle that is none of them */
    uint32_t set;
    uint32_t unit,
        other;      /* u and u' of the pattern; of another cycle: the unit that closed it, and the one before it */
    uint32_t units; /* in the cycle: 2 if it is a pattern */
    /* Indices of accesses.  Of a pattern in its order: those of u and u' (3 or 4).  Of another cycle: conflict by conflict, the earlier
       access and the later one; those at the end if there are too many. */
    uint32_t accesses[SERIALIZABILITY_EVENTS];
    unsigned count;
};

typedef void serializability_found(void *context, const struct violation *violation);

/* Reads the accesses and calls `found` for each violation, sets in the order of their first access, and those of one set in the order of
   their last accesses.  Returns how many there were.  `work`, if not NULL, is increased by what it took, in a unit that does not depend on
   the machine: about 1 per access and comparison. */
size_t serializability_check(const struct unit_access *accesses, size_t count, serializability_found *found,
                             void *context, uint64_t *work);

#endif
