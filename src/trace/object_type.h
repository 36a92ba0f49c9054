/* SPDX-License-Identifier: MIT
 *
 * object_type.h - types of heap blocks, derived from the pointers to them.  Internal to object.c.
 */
#ifndef RADDLE_TRACE_OBJECT_TYPE_H
#define RADDLE_TRACE_OBJECT_TYPE_H

#include <stddef.h>
#include <stdint.h>

#include "trace/symbols.h"
#include "util/vector.h"
#include "wire/wire.h"

struct object_types {                      /* all zero: nothing is known */
    VECTOR(const struct structure *) list; /* by number of the block, from 1 at index 0; NULL: not known */
};

/* From all events of a run. */
void object_types_find(struct object_types *types, struct symbols *symbols, const struct wire_result *result,
                       const struct wire_event *events, size_t count);
void object_types_free(struct object_types *types);

/* NULL: not known. */
static inline const struct structure *object_types_get(const struct object_types *types, uint32_t number)
{
    return number > 0 && number <= types->list.count ? types->list.data[number - 1] : NULL;
}

#endif
