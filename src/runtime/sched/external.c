/* SPDX-License-Identifier: MIT
 *
 * external.c - calls that are not controlled: other tasks go on meanwhile.
 */
#include "runtime/sched/state.h"

#include "runtime/debug.h"
#include "runtime/record.h"
#include "runtime/sched/carrier.h"
#include "runtime/sched/idle.h"
#include "runtime/sched/replay.h"

void sched_external_begin(struct task *self, const char *name)
{
    sched_uncontrolled(name);
    sched_count_point(self);
    struct op *op = idle_external_op(self);
    sched_publish(self, op);
    self->state = TASK_EXTERNAL;
    struct task *next = NULL;
    /* If no other task can run, this one keeps the baton and blocks. */
    sched_refresh(self);
    if (sched.replaying) {
        next = replay_pick(self);
        while (next != NULL && next != self && next->ready == READY_NO)
            idle_wait(next);
        if (next == NULL && (rt.flags & (PLAN_PREFIX | PLAN_BEST_EFFORT)))
            sched.replaying = false; /* and the strategy goes on */
    }
    if (!sched.replaying)
        next = pick_task(self);
    if (next == NULL || next == self) {
        sched_unpublish(self);
        self->state = TASK_RUNNING;
        idle_external_done(self);
        return;
    }
    record_segment_end(self->operations, false);
    record_segment(next);
    next->state = TASK_RUNNING;
    carrier->hand_over(self, next);
}

void sched_external_end(struct task *self)
{
    if (self->state == TASK_RUNNING)
        return; /* it kept the baton */
    carrier->come_back(self);
    debug_switched();
    idle_external_done(self);
    sched_unpublish(self);
    sched_begin_slice(self, false);
}

void sched_uncontrolled(const char *name)
{
    struct wire_result *result = &rt.wire->result;
    for (uint32_t i = 0; i < result->uncontrolled_count; i++) {
        const char *a = result->uncontrolled[i].name, *b = name;
        while (*a != '\0' && *a == *b)
            a++, b++;
        if (*a == *b) {
            result->uncontrolled[i].count++;
            return;
        }
    }
    if (result->uncontrolled_count == WIRE_UNCONTROLLED) {
        result->lost |= LOST_UNCONTROLLED;
        return;
    }
    struct wire_uncontrolled *entry = &result->uncontrolled[result->uncontrolled_count++];
    rt_format(entry->name, sizeof entry->name, "%s", name);
    entry->count = 1;
}
