/* SPDX-License-Identifier: MIT
 *
 * names.h - a list of names that owns its texts.  All zero is the empty list.
 */
#ifndef RADDLE_UTIL_NAMES_H
#define RADDLE_UTIL_NAMES_H

#include <assert.h>
#include <stdlib.h>

#include "util/memory.h"
#include "util/vector.h"

struct names {
    VECTOR(char *) list;
};

/* Adds a copy of the name. */
static inline void names_add(struct names *names, const char *name)
{
    assert(name != NULL);
    vector_push(&names->list, memory_copy_string(name));
}

static inline void names_free(struct names *names)
{
    for (size_t i = 0; i < names->list.count; i++)
        free(names->list.data[i]);
    vector_free(&names->list);
}

#endif
