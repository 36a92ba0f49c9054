/* SPDX-License-Identifier: MIT
 *
 * lockset.c - see lockset.h.
 */
#include "predict/lockset.h"

#include <assert.h>

#include "trace/events.h"

struct lock_task *locksets_task(struct locksets *locksets, uint16_t task)
{
    while (locksets->tasks.count <= task)
        vector_push(&locksets->tasks, (struct lock_task){0});
    return &locksets->tasks.data[task];
}

static struct lock_section *find_section(const struct lock_task *task, uint64_t lock)
{
    for (size_t i = task->sections.count; i-- > 0;)
        if (task->sections.data[i].lock == lock)
            return &task->sections.data[i];
    return NULL;
}

static void remove_section(struct lock_task *task, struct lock_section *section)
{
    size_t index = (size_t)(section - task->sections.data);
    assert(index < task->sections.count);
    vector_free(&section->touched);
    memmove(section, section + 1, (task->sections.count - index - 1) * sizeof *section);
    task->sections.count--;
    task->changes++;
}

static void end_section(struct locksets *locksets, uint16_t id, uint64_t lock, section_ends *ends, void *context)
{
    struct lock_section *section = find_section(locksets_task(locksets, id), lock);
    assert(section == NULL || section->depth > 0);
    if (section == NULL || --section->depth > 0)
        return;
    ends(context, id, section);
    remove_section(locksets_task(locksets, id), find_section(locksets_task(locksets, id), lock));
}

static void begin_section(struct lock_task *task, uint64_t lock, bool shared, uint64_t number)
{
    struct lock_section *section = find_section(task, lock);
    if (section != NULL) {
        section->depth++;
        return;
    }
    vector_push(&task->sections, (struct lock_section){.lock = lock, .since = number, .depth = 1, .shared = shared});
    task->changes++;
}

void locksets_before(struct locksets *locksets, const struct clocks *clocks, const struct event *event, uint64_t mutex,
                     section_ends *ends, void *context)
{
    if (!event_succeeded(event))
        return;
    if (event->op == OP_COND_WAIT)
        end_section(locksets, event->task, mutex, ends, context);
    else if (op_effect(event->op) == EFFECT_UNLOCK ||
             (event->op == OP_SEM_POST && clocks_semaphore_locks(clocks, event->address)))
        end_section(locksets, event->task, event->address, ends, context);
}

void locksets_after(struct locksets *locksets, const struct clocks *clocks, const struct event *event, uint64_t mutex,
                    uint64_t number)
{
    struct lock_task *task = locksets_task(locksets, event->task);
    if (event->op == OP_COND_WAKE) { /* the mutex is held again, with or without success */
        if (mutex != 0)
            begin_section(task, mutex, false, number);
        return;
    }
    if (!event_succeeded(event))
        return;
    if (op_takes_lock(event->op))
        begin_section(task, event->address, op_effect(event->op) == EFFECT_RDLOCK, number);
    else if (op_object(event->op) == ABOUT_SEM && op_effect(event->op) == EFFECT_ACQUIRE &&
             clocks_semaphore_locks(clocks, event->address))
        begin_section(task, event->address, false, number);
}

void locksets_end(struct locksets *locksets, section_ends *ends, void *context)
{
    for (size_t i = 0; i < locksets->tasks.count; i++) {
        struct lock_task *task = &locksets->tasks.data[i];
        while (task->sections.count > 0) {
            struct lock_section *last = &task->sections.data[task->sections.count - 1];
            ends(context, (uint16_t)i, last);
            remove_section(task, last);
        }
    }
}

void locksets_free(struct locksets *locksets)
{
    for (size_t i = 0; i < locksets->tasks.count; i++) {
        for (size_t k = 0; k < locksets->tasks.data[i].sections.count; k++)
            vector_free(&locksets->tasks.data[i].sections.data[k].touched);
        vector_free(&locksets->tasks.data[i].sections);
    }
    vector_free(&locksets->tasks);
}
