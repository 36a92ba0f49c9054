/* SPDX-License-Identifier: MIT
 *
 * door.h - where each task of a run was inside of critical sections.
 *
 * The door of an operation is the operation at which its task took the first of the locks that it holds there.  Whoever is to come
 * before the operation, and takes one of these locks on the way, must come before the door.
 */
#ifndef RADDLE_DIRECT_DOOR_H
#define RADDLE_DIRECT_DOOR_H

#include <stddef.h>
#include <stdint.h>

#include "util/vector.h"
#include "wire/wire.h"

struct door_section { /* operations of the task, both included */
    uint64_t first, last;
};

struct door_task {
    VECTOR(struct door_section) sections; /* in order */
    uint32_t depth;
};

struct doors { /* all zero is the beginning */
    VECTOR(struct door_task) tasks;
};

/* Replaces what was there. */
void doors_make(struct doors *doors, const struct wire_event *events, size_t count);
/* 0: the task was in no critical section. */
uint64_t doors_find(const struct doors *doors, uint16_t task, uint64_t operation);
void doors_free(struct doors *doors);

#endif
