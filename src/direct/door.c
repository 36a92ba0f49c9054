/* SPDX-License-Identifier: MIT
 *
 * door.c - see door.h.
 */
#include "direct/door.h"

#include "pattern/access.h"

static struct door_task *task_of(struct doors *doors, uint16_t task)
{
    while (doors->tasks.count <= task)
        vector_push(&doors->tasks, ((struct door_task){0}));
    return &doors->tasks.data[task];
}

static void locked(struct door_task *task, uint64_t operation)
{
    if (task->depth++ == 0)
        vector_push(&task->sections, ((struct door_section){operation, UINT64_MAX}));
}

static void unlocked(struct door_task *task, uint64_t operation)
{
    if (task->depth > 0 && --task->depth == 0)
        task->sections.data[task->sections.count - 1].last = operation;
}

void doors_make(struct doors *doors, const struct wire_event *events, size_t count)
{
    doors_free(doors);
    for (size_t i = 0; i < count; i++) {
        struct event event = event_from_wire(&events[i], 0);
        struct access accesses[EVENT_ACCESSES];
        bool waits = event.op == OP_COND_WAIT || event.op == OP_COND_WAKE;
        unsigned accessed = event_accesses(&event, waits, accesses);
        for (unsigned j = 0; j < accessed; j++) {
            if (accesses[j].kind == ACCESS_LOCK || accesses[j].kind == ACCESS_RDLOCK)
                locked(task_of(doors, event.task), event.operation);
            else if (accesses[j].kind == ACCESS_UNLOCK || accesses[j].kind == ACCESS_RDUNLOCK)
                unlocked(task_of(doors, event.task), event.operation);
        }
    }
}

uint64_t doors_find(const struct doors *doors, uint16_t task, uint64_t operation)
{
    if (task >= doors->tasks.count)
        return 0;
    const struct door_task *own = &doors->tasks.data[task];
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

void doors_free(struct doors *doors)
{
    for (size_t i = 0; i < doors->tasks.count; i++)
        vector_free(&doors->tasks.data[i].sections);
    vector_free(&doors->tasks);
}
