/* SPDX-License-Identifier: MIT
 *
 * compute.c - a task that computes between two operations is left there, and other tasks go on.
 */
#include "runtime/sched/state.h"

#include "runtime/model/signal.h"
#include "runtime/model/thread.h"
#include "runtime/record.h"
#include "runtime/sched/idle.h"
#include "runtime/sched/replay.h"
#include "runtime/tear.h"

void sched_stop_soon(struct task *self)
{
    /* The next operation may have begun already. */
    if (!sched_is_systematic() && self->stop_at > self->operations + 2)
        self->stop_at = self->operations + 2;
}

/* The task that goes on instead.  For dfs that is no alternative, because it depends on time that the task is left. */
static struct task *pick_instead(struct task *self)
{
    if (sched.replaying) {
        struct task *next = replay_compute(self);
        if (next != NULL)
            return next;
        sched.replaying = false;
    }
    if (!sched_is_systematic())
        return pick_task(self);
    static struct task_set others;
    set_minus(&others, &sched.yes, &sched.computing);
    return set_empty(&others) ? pick_reluctant() : set_next(&others, -1);
}

/* Reports a hang if every task that can go on is in an endless loop, and nothing from outside can change that. */
static void look_for_hang(void)
{
    SET_EACH(task, &sched.yes)
    {
        if (!task->computing.endless || signal_due(task) || thread_cancel_due(task, task->pending))
            return;
    }
    if (pick_sleeper(&sched.late) != NULL || idle_waits_for_outside() || signal_arrivals != 0 || signal_idle())
        return;
    struct task *first = set_next(&sched.yes, -1); /* the same in every run, whichever was interrupted last */
    sched_list_blocked();
    finding_fail(finding_add(first, KIND_HANG, first->pending->pc, 0,
                             "T%u is in a loop that never ends, and no other thread can go on", first->id));
}

void sched_compute(struct task *self, uintptr_t pc)
{
    enum { FIRST = 16, DOUBLED = 40 };
    struct op op = {.kind = OP_YIELD, .pc = pc, .fd = -1, .deadline = RT_NEVER};
    if (unlikely(self->torn != NULL))
        tear_finish(self);
    uint32_t times = self->computing.taken_off++;
    self->computing.passed_over = rt.points + ((uint64_t)FIRST << (times < DOUBLED ? times : DOUBLED));
    record_settle(self);
    sched_forget_yields();
    sched_publish(self, &op);
    set_put(&sched.computing, self, true);
    idle_refresh();
    struct task *next = pick_instead(self);
    if (next != NULL && next != self) {
        while (next->ready == READY_NO)
            idle_wait(next);
        rt.wire->result.taken_off++;
        sched_switch(self, self->operations + 1, next);
    } else if (self->computing.endless) {
        look_for_hang();
    }
    sched_unpublish(self);
    sched_begin_slice(self, true);
    bool endless = self->computing.endless;
    self->computing.endless = false; /* a handler may jump out of the loop */
    if (!endless)
        return; /* signals that it got meanwhile are handled at its next operation */
    if (signal_due(self))
        signal_deliver(self);
    else if (thread_cancel_due(self, &op))
        thread_cancel_here(self);
}
