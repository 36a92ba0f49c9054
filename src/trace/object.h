/* SPDX-License-Identifier: MIT
 *
 * object.h - names of addresses and values that do not depend on where things were loaded.
 *
 * DESIGN
 *   The same schedule must give the same log after the program was linked again or loaded elsewhere, so no address is
 *   ever printed.  Globals go by name; a heap block is heap#N, numbered in order of allocation in the event stream, and
 *   what is in it heap#N+8, or heap#N.next for people; a word of a stack is T2.stack#N and any other word mem#N, numbered
 *   by first appearance.  Hence the events must be given to objects_event in order, and an address must be named when its
 *   event is reached, not later: a block may be freed and its address used again.
 */
#ifndef RADDLE_TRACE_OBJECT_H
#define RADDLE_TRACE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/symbols.h"
#include "wire/wire.h"

enum { OBJECT_NAME = 256 }; /* size of buffers for names; longer names are cut */

struct objects;

/* Both are referenced and must stay valid as long as the objects. */
struct objects *objects_open(struct symbols *symbols, const struct wire_result *result);
/* The same, but what is in heap blocks is named by member where the events of the whole run tell what a block is
   (object_type.h): heap#2.next.  Not for event logs, whose names must not depend on later events. */
struct objects *objects_open_typed(struct symbols *symbols, const struct wire_result *result,
                                   const struct wire_event *events, size_t count);
void objects_close(struct objects *objects);

/* The next event: allocations, frees and thread starts change what later addresses are called. */
void objects_event(struct objects *objects, const struct wire_event *event);

/* The name of the `size` bytes at `address`; "-" for address 0.  Returns buffer.  `variable` (may be NULL) gets its
   type. */
char *objects_name(struct objects *objects, uint64_t address, uint32_t size, char buffer[OBJECT_NAME],
                   struct variable *variable);

/* The value of `size` bytes as text: a pointer as the name of what it points to, else a number as `variable` (may be
   NULL) says.  Returns buffer. */
char *objects_value(struct objects *objects, uint64_t value, uint32_t size, const struct variable *variable,
                    char buffer[OBJECT_NAME]);

/* Give out the numbers that objects_name, and objects_value for a value found at `address`, would: for events that are
   not printed, so that the later ones get the same names as if they were.  They return a number that stands for the name: the
   same one wherever the program is loaded. */
uint64_t objects_number(struct objects *objects, uint64_t address);
uint64_t objects_number_value(struct objects *objects, uint64_t value, uint64_t address, uint32_t size);

/* The same number for the same 8-byte word in the same life of its memory: a block that was freed and allocated again
   is a different one, and so is the stack of another thread at the same address. */
uint64_t objects_identity(const struct objects *objects, uint64_t address);

/* The heap block that holds the address now (or held it last): its number (from 1), start and size, and where it was
   allocated and freed (0 if not).  False if there is none. */
struct object_block {
    uint64_t start, size;
    uint32_t number;
    uint16_t allocated_by, freed_by;
    uint64_t allocated_pc, freed_pc;
    uint32_t allocated_from, freed_from; /* these calls in the result's origins; 0: not there */
    uint64_t elements;                   /* number of elements, from calloc; else 1 */
    bool reused;                         /* another block was there before */
    const struct structure
        *type; /* type of the block or of its elements; only with objects_open_typed.  NULL: not known */
};
bool objects_block(const struct objects *objects, uint64_t address, struct object_block *block);
/* The block with the name heap#NUMBER. */
bool objects_block_numbered(const struct objects *objects, uint32_t number, struct object_block *block);

#endif
