/* SPDX-License-Identifier: MIT
 *
 * structure.h - what pointers of one module point to.  Internal to variable.c.
 */
#ifndef RADDLE_TRACE_STRUCTURE_H
#define RADDLE_TRACE_STRUCTURE_H

#include <elfutils/libdw.h>

#include "trace/module.h"
#include "trace/symbols.h"

struct structures;
struct variables;

/* What structure.detail is. */
struct structure_detail {
    Dwarf_Die type;
    struct variables *owner;
};

/* The module must stay valid as long as they are open. */
struct structures *structures_open(struct module *module, struct variables *owner);
void structures_close(struct structures *structures);

/* What a type is without typedefs and qualifiers; of a structure that is only declared in its unit what others define.
   NULL: it has no name, says nothing (void, characters), or there are several definitions that differ. */
const struct structure *structures_find(struct structures *structures, Dwarf_Die type);

#endif
