/* SPDX-License-Identifier: MIT
 *
 * die.h - queries on entries of debug information (DIEs).  Malformed entries give empty results.
 */
#ifndef RADDLE_TRACE_DIE_H
#define RADDLE_TRACE_DIE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "trace/scopes.h"
#include "util/buffer.h"

/* An attribute of the entry itself; "" if there is none. */
const char *die_text(Dwarf_Die *die, unsigned attribute);
/* An attribute of the entry or of what it is an instance of; `missing` if there is none. */
uint64_t die_number(Dwarf_Die *die, unsigned attribute, uint64_t missing);
bool die_flag(Dwarf_Die *die, unsigned attribute);
/* The entry that an attribute refers to, also through what it is an instance of. */
bool die_follow(Dwarf_Die *die, unsigned attribute, Dwarf_Die *target);
/* The declaration of which this is an instance or a definition; itself if there is none. */
Dwarf_Die die_declaration(Dwarf_Die *die);
/* Whether its unit is written in C. */
bool die_is_plain_c(Dwarf_Die *die);
/* The name with namespaces, classes and (for what is local to one) the function: "bank::account::add".  Nothing is
   added if it has no name.  Written from the structure, so C++ names need no demangler. */
void die_add_qualified_name(struct scopes *scopes, Dwarf_Die *die, struct buffer *name);

#endif
