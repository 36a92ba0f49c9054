/* SPDX-License-Identifier: MIT
 *
 * deadlock.c - which task waits for what, and which task holds it.
 */
#include "runtime/model/object.h"
#include "runtime/origin.h"
#include "runtime/sched/sched.h"

/* The task that holds an object of the operation; NULL: not known. */
static struct task *holder_of(const struct op *op)
{
    struct task *holder = op->object != NULL ? object_holder(op->object) : NULL;
    if (holder == NULL && op->object2 != NULL)
        holder = object_holder(op->object2);
    if (holder == NULL && op->kind == OP_JOIN)
        for (uint32_t i = 0; i < rt.task_count; i++)
            if (rt.tasks[i] != NULL && rt.tasks[i]->end == op->object)
                return rt.tasks[i];
    return holder;
}

uint32_t sched_list_blocked(void)
{
    struct wire_result *result = &rt.wire->result;
    uint32_t count = 0;
    for (uint32_t i = 0; i < rt.task_count && count < WIRE_BLOCKED; i++) {
        struct task *task = rt.tasks[i];
        if (task == NULL || task->pending == NULL || task->state == TASK_ENDED)
            continue;
        if (task->pending->kind == OP_TEAM_START)
            continue; /* an idle worker: no task waits for it */
        struct task *holder = holder_of(task->pending);
        result->blocked[count++] = (struct wire_blocked){
            .task = (uint16_t)task->id,
            .holder = holder != NULL ? (uint16_t)holder->id : UINT16_MAX,
            .op = (uint8_t)task->pending->kind,
            .origin = origin_of_task(task, task->pending->pc),
            .address = task->pending->address,
            .pc = task->pending->pc,
        };
    }
    result->blocked_count = count;
    return count;
}
