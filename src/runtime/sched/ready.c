/* SPDX-License-Identifier: MIT
 *
 * ready.c - which tasks can go on: published operations, and the sets that are kept of them.
 */
#include "runtime/sched/state.h"

#include "runtime/model/object.h"
#include "runtime/model/signal.h"
#include "runtime/model/thread.h"
#include "runtime/sched/idle.h"
#include "runtime/transitions.h"

struct sched_state sched;

/* ---- readiness ------------------------------------------------------------------------------------------------------- */

enum ready sched_op_ready(struct task *task)
{
    const struct op *op = task->pending;
    return op->ready == NULL ? READY_YES : op->ready(task, op);
}

static enum ready task_ready(struct task *task)
{
    const struct op *op = task->pending;
    if (signal_due(task))
        return READY_YES;
    if (!(op->flags & OP_CANCEL_RETURNS) && thread_cancel_due(task, op))
        return READY_YES;
    return sched_op_ready(task);
}

void sched_refresh(struct task *task)
{
    if (task->pending == NULL) {
        if (task == rt.current && signal_due(task))
            sched_begin_slice(task, true); /* so that it stops for the handler */
        return;
    }
    task->ready = task_ready(task);
    set_put(&sched.yes, task, task->ready == READY_YES);
    set_put(&sched.late, task, task->ready == READY_LATE);
    if (transitions_wanted())
        transition_refresh(task, set_has(&sched.certain, task));
}

/* A task whose deadline is not after rt.now can go on.  (Without PLAN_PATIENT it may do so at any time.) */
void sched_time_passed(void)
{
    if (!(rt.flags & PLAN_PATIENT))
        return;
    SET_EACH(task, &sched.late)
    {
        if (task->pending->deadline <= rt.now)
            sched_refresh(task);
    }
}

/* ---- published operations -------------------------------------------------------------------------------------------- */

static void link_to(struct task *task, struct object *object, int slot)
{
    if (object == NULL)
        return;
    task->next_pending[slot] = object->pending[slot];
    task->prev_pending[slot] = &object->pending[slot];
    if (object->pending[slot] != NULL)
        object->pending[slot]->prev_pending[slot] = &task->next_pending[slot];
    object->pending[slot] = task;
}

static void unlink_from(struct task *task, int slot)
{
    if (task->prev_pending[slot] == NULL)
        return;
    *task->prev_pending[slot] = task->next_pending[slot];
    if (task->next_pending[slot] != NULL)
        task->next_pending[slot]->prev_pending[slot] = task->prev_pending[slot];
    task->prev_pending[slot] = NULL;
}

void sched_publish(struct task *task, struct op *op)
{
    task->pending = op;
    link_to(task, op->object, 0);
    link_to(task, op->object2, 1);
    if (op->flags & OP_IO)
        idle_watch(task, true);
    if (unlikely(op->deadline != RT_NEVER))
        rt.wire->result.waits |= WAITS_TIME;
    if (transitions_wanted())
        transition_publish(task, op);
    sched_refresh(task);
}

void sched_unpublish(struct task *task)
{
    unlink_from(task, 0);
    unlink_from(task, 1);
    if (task->pending->flags & OP_IO)
        idle_watch(task, false);
    task->pending = NULL;
    set_put(&sched.yes, task, false);
    set_put(&sched.late, task, false);
    set_put(&sched.yielded, task, false);
    set_put(&sched.computing, task, false);
}

/* ---- tasks that are passed over -------------------------------------------------------------------------------------- */

void sched_demote(struct task *task, bool demoted, bool certain)
{
    set_put(&sched.demoted, task, demoted);
    bool ends = set_has(&sched.certain, task) && !certain;
    set_put(&sched.certain, task, certain);
    if (!transitions_wanted() || task->pending == NULL)
        return;
    transition_refresh(task, certain);
    if (ends)
        transition_enable(task);
}

bool sched_is_passed_over(const struct task *task)
{
    return set_has(&sched.demoted, task) || set_has(&sched.yielded, task) || set_has(&sched.computing, task);
}

void sched_forget_yields(void)
{
    for (uint32_t i = 0; i < set_words(); i++)
        sched.yielded.words[i] = 0;
}

void sched_end_passing_over(void)
{
    SET_EACH(task, &sched.computing)
    {
        if (rt.points >= task->computing.passed_over)
            set_put(&sched.computing, task, false);
    }
}
