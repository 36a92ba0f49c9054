/* SPDX-License-Identifier: MIT
 *
 * section entry.h - where each task of a run was inside of critical sections.
 *
 * The section entry of an operation is the operation at which its task took the first of the locks that it holds there.  Whoever is to come
 * before the operation, and takes one of these locks on the way, must come before the section entry.
 */
#ifndef RADDLE_DIRECT_SECTION_ENTRY_H
#define RADDLE_DIRECT_SECTION_ENTRY_H

#include <stddef.h>
#include <stdint.h>

#include "util/vector.h"
#include "wire/wire.h"

struct entry_section { /* operations of the task, both included */
    uint64_t first, last;
};

struct entry_task {
    VECTOR(struct entry_section) sections; /* in order */
    uint32_t depth;
};

struct section_entries { /* all zero is the beginning */
    VECTOR(struct entry_task) tasks;
};

/* Replaces what was there. */
void section_entries_make(struct section_entries *entries, const struct wire_event *events, size_t count);
/* 0: the task was in no critical section. */
uint64_t section_entries_find(const struct section_entries *entries, uint16_t task, uint64_t operation);
void section_entries_free(struct section_entries *entries);

#endif
