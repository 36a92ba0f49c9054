/* SPDX-License-Identifier: MIT
 *
 * scopes.h - which namespace, class or function an entry of debug information is in, and which function has the code at an address.
 *
 * DESIGN
 *   Entries do not name the entry that they are in, so libdw walks through the whole unit for each question.  Here a unit is walked
 *   through once, at its first question; then each answer is a binary search.
 */
#ifndef RADDLE_TRACE_SCOPES_H
#define RADDLE_TRACE_SCOPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/table.h"

/* Of one file; all zero to begin with.  The entries that are asked for belong to it. */
struct scopes {
    struct table units; /* address of the unit's entry → struct unit_scopes */
};

void scopes_free(struct scopes *scopes);

/* The innermost namespace, class or function around the entry whose name is part of the names in it.  False: there is none. */
bool scopes_around(struct scopes *scopes, Dwarf_Die *die, Dwarf_Die *scope);

/* The function of this unit that has the code at the relative address.  `nested`: also one whose entry is in a class or another function,
   as those of lambda expressions are. */
bool scopes_function(struct scopes *scopes, const Dwarf_Die *unit, uint64_t pc, bool nested, Dwarf_Die *function);

#endif
