/* SPDX-License-Identifier: MIT
 *
 * section entry.c - see section entry.h.
 */
#include "direct/section_entry.h"

#include "trace/access.h"

static struct entry_task *task_of(struct section_entries *entries, uint16_t task)
{
    while (entries->tasks.count <= task)
        vector_push(&entries->tasks, ((struct entry_task){0}));
    return &entries->tasks.data[task];
}

static void locked(struct entry_task *task, uint64_t operation)
{
    if (task->depth++ == 0)
        vector_push(&task->sections, ((struct entry_section){operation, UINT64_MAX}));
}

static void unlocked(struct entry_task *task, uint64_t operation)
{
    if (task->depth > 0 && --task->depth == 0)
        task->sections.data[task->sections.count - 1].last = operation;
}

void section_entries_make(struct section_entries *entries, const struct wire_event *events, size_t count)
{
    section_entries_free(entries);
    for (size_t i = 0; i < count; i++) {
        struct event event = event_from_wire(&events[i], 0);
        struct access accesses[EVENT_ACCESSES];
        bool waits = event.op == OP_COND_WAIT || event.op == OP_COND_WAKE;
        unsigned accessed = event_accesses(&event, waits, accesses);
        for (unsigned j = 0; j < accessed; j++) {
            if (accesses[j].kind == ACCESS_LOCK || accesses[j].kind == ACCESS_RDLOCK)
                locked(task_of(entries, event.task), event.operation);
            else if (accesses[j].kind == ACCESS_UNLOCK || accesses[j].kind == ACCESS_RDUNLOCK)
                unlocked(task_of(entries, event.task), event.operation);
        }
    }
}

uint64_t section_entries_find(const struct section_entries *entries, uint16_t task, uint64_t operation)
{
    if (task >= entries->tasks.count)
        return 0;
    const struct entry_task *own = &entries->tasks.data[task];
    size_t low = 0, high = own->sections.count; /* the last section that begins at or before the operation */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (own->sections.data[middle].first <= operation)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && operation <= own->sections.data[low - 1].last ? own->sections.data[low - 1].first : 0;
}

void section_entries_free(struct section_entries *entries)
{
    for (size_t i = 0; i < entries->tasks.count; i++)
        vector_free(&entries->tasks.data[i].sections);
    vector_free(&entries->tasks);
}
