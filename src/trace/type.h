/* SPDX-License-Identifier: MIT
 *
 * type.h - from a variable's type and an offset to the field or element that is there.  Internal to variable.c.
 */
#ifndef RADDLE_TRACE_TYPE_H
#define RADDLE_TRACE_TYPE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "trace/symbols.h"
#include "util/buffer.h"

/* Size in bytes; 0 if unknown. */
uint64_t type_size(Dwarf_Die *type);

/* Goes into `type` as far as the access of `access` bytes at variable->offset lies in one member.  Adds ".field", "[3]"
   to name and leaves in `variable` what remains of the offset, the size and the type of the innermost.  False if the
   type of the innermost is unknown; else it is in `innermost`. */
bool type_describe(Dwarf_Die type, uint32_t access, struct buffer *name, struct variable *variable,
                   Dwarf_Die *innermost);

/* Name of an enumeration's value; NULL if it has none. */
const char *type_enumerator(Dwarf_Die *type, uint64_t value);

#endif
