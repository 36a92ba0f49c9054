/* SPDX-License-Identifier: MIT
 *
 * structure.h - the structures, unions and classes that pointers of one module point to.  Internal to variable.c.
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

/* The module must outlive them. */
struct structures *structures_open(struct module *module, struct variables *owner);
void structures_close(struct structures *structures);

/* The structure that a type is, through typedefs and qualifiers; if it is only declared in its unit, the one that others define.
   NULL: it is none, has no name, or there are several definitions that differ. */
const struct structure *structures_find(struct structures *structures, Dwarf_Die type);

#endif
