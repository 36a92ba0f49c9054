/* SPDX-License-Identifier: MIT
 *
 * waits.c - see waits.h.
 */
#include "trace/waits.h"

#include <assert.h>

static void unlock(struct waits_task *task, uint64_t mutex)
{
    for (size_t i = task->held.count; i-- > 0;) {
        if (task->held.data[i] != mutex)
            continue;
        memmove(&task->held.data[i], &task->held.data[i + 1], (task->held.count - i - 1) * sizeof *task->held.data);
        task->held.count--;
        return;
    }
}

static uint64_t begin_wait(struct waits_task *task, const struct event *event)
{
    uint64_t mutex = event->flags & EVENT_VALUE ? event->value : 0;
    if (mutex == 0 && task->held.count > 0)
        mutex = task->held.data[task->held.count - 1];
    unlock(task, mutex);
    task->waits_with = mutex;
    return mutex;
}

uint64_t waits_event(struct waits *waits, const struct event *event)
{
    while (waits->tasks.count <= event->task)
        vector_push(&waits->tasks, (struct waits_task){0});
    struct waits_task *task = &waits->tasks.data[event->task];
    uint64_t mutex = 0;
    if (event->op == OP_COND_WAKE) { /* the mutex is held again, with or without success */
        mutex = task->waits_with;
        task->waits_with = 0;
        if (mutex != 0)
            vector_push(&task->held, mutex);
    } else if (!event_succeeded(event)) {
        return 0;
    } else if (event->op == OP_COND_WAIT) {
        mutex = begin_wait(task, event);
    } else if (op_object(event->op) == ABOUT_MUTEX && op_takes_lock(event->op)) {
        vector_push(&task->held, event->address);
    } else if (event->op == OP_MUTEX_UNLOCK) {
        unlock(task, event->address);
    }
    assert(mutex == 0 || event->op == OP_COND_WAIT || event->op == OP_COND_WAKE);
    return mutex;
}

void waits_clear(struct waits *waits)
{
    for (size_t i = 0; i < waits->tasks.count; i++) {
        vector_clear(&waits->tasks.data[i].held);
        waits->tasks.data[i].waits_with = 0;
    }
}

void waits_free(struct waits *waits)
{
    for (size_t i = 0; i < waits->tasks.count; i++)
        vector_free(&waits->tasks.data[i].held);
    vector_free(&waits->tasks);
}
