/* SPDX-License-Identifier: MIT
 *
 * local.h - the local variable at an address in a frame.  Internal to variable.c.
 */
#ifndef RADDLE_TRACE_LOCAL_H
#define RADDLE_TRACE_LOCAL_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "wire/wire.h"

/* The variable or parameter, in scope at the frame's pc (relative to the module), that holds `address`.  `function` has the code
   at that pc (scopes.h).  False: there is none, or it is not known. */
bool local_find(Dwarf_Die *function, const struct wire_frame *frame, uint64_t address, Dwarf_Die *variable,
                Dwarf_Die *type, uint64_t *start);

/* What the pointers among the variables and parameters in scope at `pc` point to.  Returns how many; at most `most`. */
size_t local_pointed(Dwarf_Die *function, uint64_t pc, Dwarf_Die *types, size_t most);

#endif
