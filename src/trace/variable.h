/* SPDX-License-Identifier: MIT
 *
 * variable.h - the global, static, thread-local and local variables of one module, and the field or element at an
 * offset.  Internal to symbols.c.
 */
#ifndef RADDLE_TRACE_VARIABLE_H
#define RADDLE_TRACE_VARIABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/module.h"
#include "trace/symbols.h"

struct variables;

/* The module must stay valid as long as they are open. */
struct variables *variables_open(struct module *module);
void variables_close(struct variables *variables);

/* By relative address, or by offset in the module's thread-local block.  The texts are owned by the variables. */
bool variables_find(struct variables *variables, uint64_t address, uint32_t size, struct variable *variable);
bool variables_find_tls(struct variables *variables, uint64_t offset, uint32_t size, struct variable *variable);

/* In the frame of a call, whose pc is relative; the function is in this unit. */
bool variables_find_local(struct variables *variables, const struct module_unit *unit, const struct wire_frame *frame,
                          uint64_t address, uint32_t size, struct variable *variable);

/* What a pointer in scope at the relative pc points to, of all structures that have this size; NULL: none, or several. */
const struct structure *variables_find_pointed(struct variables *variables, const struct module_unit *unit, uint64_t pc,
                                               uint64_t size);

/* In a structure of this module or another. */
void variables_find_member(const struct structure *structure, uint64_t offset, uint32_t size,
                           struct variable *variable);

const char *variable_enumerator(const struct variable *variable, uint64_t value);

#endif
