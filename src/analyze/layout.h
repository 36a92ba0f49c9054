/* SPDX-License-Identifier: MIT
 *
 * layout.h - offsets into objects, where all elements of an array count as the first one.
 *
 * DESIGN
 *   An offset is *canonical* if it lies in the first element of each array that it lies in.  Any map of offsets to canonical ones would
 *   be safe, as long as everything that reaches several elements reaches the canonical one: a step by a constant from an element
 *   may leave the array only near its ends, which layout_step takes into account; a step by any number of elements stays in the array
 *   (anything else is an error of the program), or may go to every place of the object.
 *
 *   A block of the heap is taken as an array of its type.  Where the type is not known, offsets are as they are, until there is a
 *   reason to *collapse* the object: then all of it is one place.
 */
#ifndef RADDLE_ANALYZE_LAYOUT_H
#define RADDLE_ANALYZE_LAYOUT_H

#include "analyze/ir.h"

enum {
    LAYOUT_MOST = 64,      /* results of a step, and places that are told apart at once */
    LAYOUT_UNTYPED = 4096, /* bytes that are told apart in an object without a type */
};

struct layout_steps {
    uint64_t offsets[LAYOUT_MOST];
    unsigned count;
    bool collapse; /* the object has to be collapsed: the step may go anywhere */
};

/* IR_UNKNOWN: outside of the object. */
uint64_t layout_canonical(const struct ir_program *program, const struct ir_object *object, int64_t offset);
/* Where an address at a canonical offset may be, `bytes` further, and any number of `stride` bytes (0: none). */
void layout_step(const struct ir_program *program, const struct ir_object *object, uint64_t offset, int64_t bytes,
                 uint64_t stride, struct layout_steps *steps);
/* The offset lies in an array that has more than one element. */
bool layout_is_in_array(const struct ir_program *program, const struct ir_object *object, uint64_t offset);

#endif
