/* SPDX-License-Identifier: MIT
 *
 * thread.c - the life of a thread as POSIX defines it: create, join, detach, exit, cancel.
 *
 * DESIGN
 *   A task ends in two steps.  First the program's part ends (task->ended; joiners become ready); later the real thread
 *   that carried it is joined (task_reap), which gives its stack back.  When that happens decides which stack the next
 *   thread gets, hence its addresses, so it happens at fixed places: at the join, and for detached tasks at the next
 *   create.
 *
 *   Errors are those of glibc where POSIX leaves a choice: programs must see the same as without raddle.
 *
 *   Cancellation needs no signal: a request makes the target ready if it waits at a cancellation point (or is of the
 *   asynchronous type), and the scheduler then calls thread_cancel_here in it.
 */
#include "runtime/model/thread.h"

#include <dlfcn.h>

#include "runtime/arch/arch.h"
#include "runtime/model/keys.h"
#include "runtime/model/model.h"
#include "runtime/model/object.h"
#include "runtime/model/signal.h"
#include "runtime/oracle/clock.h"
#include "runtime/sched/carrier.h"
#include "runtime/sched/spin.h"
#include "runtime/sched/task.h"
#include "runtime/transitions.h"

static uint32_t
    detached_unreaped; /* detached tasks that have ended, or are about to, whose real thread is not joined */

static bool any_joined; /* a thread */

/* ---- create ------------------------------------------------------------------------------------------------------ */

/* Where the stack of the next thread is depends on which detached threads have ended, and, where libc keeps the stacks, on the order of joins. */
static void note_used_stacks(void)
{
    for (uint32_t id = 0; id < rt.task_count && transitions_wanted(); id++) {
        const struct task *task = rt.tasks[id];
        if (task != NULL && task->detached)
            transition_beyond(BEYOND_ADDRESS);
    }
    if (carrier == &carrier_kernel && any_joined)
        transition_beyond(BEYOND_ADDRESS);
}

/* Stacks of detached threads are given back to libc only here, in order of task id. */
static void reap_detached(void)
{
    note_used_stacks();
    for (uint32_t id = 0; id < rt.task_count && detached_unreaped > 0; id++) {
        struct task *task = rt.tasks[id];
        if (task == NULL || !task->detached || !task->ended || task->joined)
            continue;
        task->joined = true;
        detached_unreaped--;
        task_reap(task);
    }
}

static void inherit_signal_mask(const struct task *parent, struct task *child, const pthread_attr_t *attr)
{
    sigset_t mask;
    child->signal_mask = parent->signal_mask;
    if (attr != NULL && pthread_attr_getsigmask_np(attr, &mask) == 0)
        child->signal_mask = mask;
}

static void describe_to_driver(const struct task *task, const struct thread_request *request)
{
    struct wire_task *entry = &rt.wire->result.tasks[task->id];
    entry->parent = task->parent->id;
    entry->start_pc = request->start_pc;
    entry->create_pc = request->pc;
    entry->stack_lo = task->stack_lo;
    entry->stack_hi = task->stack_hi;
    entry->thread_pointer = arch_thread_pointer_of((uintptr_t)task->handle);
}

/* The real thread is always joinable: the runtime decides when its stack may be used again. */
static int carry(struct task *child, const struct thread_request *request)
{
    if (request->attr == NULL)
        return task_carry(child, NULL);
    int detach_state = PTHREAD_CREATE_JOINABLE;
    pthread_attr_t attr =
        *request->attr; /* shares what it points to; only a flag is changed, and it is not destroyed */
    pthread_attr_getdetachstate(&attr, &detach_state);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_JOINABLE);
    child->detached = detach_state == PTHREAD_CREATE_DETACHED;
    return task_carry(child, &attr);
}

int thread_create(struct task *self, const struct thread_request *request)
{
    struct op op = {.kind = OP_CREATE, .pc = request->pc, .address = request->start_pc, .fd = -1, .deadline = RT_NEVER};
    sched_point(self, &op);
    reap_detached();
    struct task *child = task_new(self);
    child->start = request->start;
    child->argument = request->argument;
    inherit_signal_mask(self, child, request->attr);
    int error = carry(child, request);
    if (error != 0) {
        task_discard(child);
        record_event(self, &op, (uint64_t)error, EVENT_FAILED | EVENT_VALUE);
        return error;
    }
    hb_fork(self, child);
    *request->handle = child->handle;
    describe_to_driver(child, request);
    record_event(self, &op, child->id, EVENT_VALUE);
    return 0;
}

/* ---- join -------------------------------------------------------------------------------------------------------- */

static enum ready ready_when_ended(struct task *task, const struct op *op)
{
    const struct task *target = (const struct task *)op->argument;
    bool joinable = target->ended && !target->joined;
    return joinable || thread_cancel_due(task, op) ? READY_YES : op->deadline != RT_NEVER ? READY_LATE : READY_NO;
}

/* What glibc finds wrong before it waits; 0 if nothing.  It does not notice two threads that join each other, nor
   two that join the same one (its test for that never holds): they block, and here the deadlock is found. */
static int join_refused(const struct task *self, const struct task *target)
{
    if (target == NULL)
        return ESRCH;
    if (target->detached)
        return EINVAL;
    return target == self ? EDEADLK : 0;
}

/* The target has ended: returns its result and forgets it. */
static void join_done(struct task *self, struct task *target, void **result)
{
    hb_acquire(self, target->end);
    target->joined = any_joined = true;
    object_changed(target->end); /* a second one that waits for it waits for ever */
    if (result != NULL)
        *result = target->result;
    task_reap(target);
}

/* Waits until the target has ended: 0, ETIMEDOUT.  Being cancelled meanwhile leaves the target joinable by others. */
static int join_wait(struct task *self, struct task *target, struct op *op, int64_t deadline)
{
    op->object = target->end;
    op->ready = ready_when_ended;
    op->argument = (uint64_t)(uintptr_t)target;
    op->deadline = deadline;
    op->flags = OP_CANCELLABLE | OP_CANCEL_RETURNS;
    target->joining = true;
    bool ending = self->cancelling; /* a join in a clean-up handler or destructor */
    enum wake wake = sched_point(self, op);
    target->joining = false;
    if (self->cancelling && !ending)
        thread_cancel_here(self);
    return wake == WAKE_LATE ? ETIMEDOUT : 0;
}

/* How many points a join has must not depend on the order of other transitions: there is one, after the end. */
static void join_as_one(const struct task *self, struct task *target, struct op *op)
{
    if (join_refused(self, target) != 0 || target->joined)
        return;
    op->object = target->end;
    op->ready = ready_when_ended;
    op->argument = (uint64_t)(uintptr_t)target;
}

int thread_join(struct task *self, uintptr_t pc, pthread_t handle, void **result, int64_t deadline)
{
    struct task *target = task_by_handle(handle);
    struct op op = {.kind = OP_JOIN, .flags = OP_CANCELLABLE, .pc = pc, .fd = -1, .deadline = RT_NEVER};
    op.address = target != NULL ? (uintptr_t)target->end : 0;
    if (transitions_wanted() && deadline == RT_NEVER)
        join_as_one(self, target, &op);

    /* First the call itself, whose errors depend on what other tasks did before; then the wait. */
    sched_point(self, &op);
    target = task_by_handle(handle);
    int error = join_refused(self, target);
    bool waits = error == 0 && !target->ended;
    if (waits)
        error = join_wait(self, target, &op, deadline);
    if (error != 0) {
        record_event(self, &op, (uint64_t)error, EVENT_VALUE | (error == ETIMEDOUT ? EVENT_TIMEOUT : EVENT_FAILED));
        return error;
    }
    uint32_t id = target->id;
    join_done(self, target, result);
    record_event(self, &op, id, EVENT_VALUE | (waits ? EVENT_WAITED : 0));
    return 0;
}

int thread_tryjoin(struct task *self, uintptr_t pc, pthread_t handle, void **result)
{
    struct task *target = task_by_handle(handle);
    struct op op = {.kind = OP_JOIN, .pc = pc, .fd = -1, .deadline = RT_NEVER};
    op.address = target != NULL ? (uintptr_t)target->end : 0;
    sched_point(self, &op);
    target = task_by_handle(handle);
    int error = target == NULL ? ESRCH : !target->ended ? EBUSY : join_refused(self, target);
    if (error != 0) {
        record_event(self, &op, (uint64_t)error, EVENT_VALUE | EVENT_FAILED);
        return error;
    }
    uint32_t id = target->id;
    join_done(self, target, result);
    record_event(self, &op, id, EVENT_VALUE);
    return 0;
}

int thread_detach(struct task *self, uintptr_t pc, pthread_t handle)
{
    struct task *target = task_by_handle(handle);
    struct op op = {.kind = OP_DETACH, .pc = pc, .fd = -1, .deadline = RT_NEVER};
    op.address = target != NULL ? (uintptr_t)target->end : 0;
    sched_point(self, &op);
    target = task_by_handle(handle);
    int error = target == NULL ? ESRCH : target->detached ? EINVAL : 0;
    if (error == 0 && !target->joining) { /* with a joiner waiting, glibc does nothing and returns 0 */
        target->detached = true;
        detached_unreaped += target->ended;
    }
    record_event(self, &op, error != 0 ? (uint64_t)error : target->id, EVENT_VALUE | (error != 0 ? EVENT_FAILED : 0));
    return error;
}

/* ---- cancellation ------------------------------------------------------------------------------------------------ */

bool thread_cancel_due(const struct task *task, const struct op *op)
{
    if (likely(!task->cancel_requested) || task->cancel_disabled || task->cancelling)
        return false;
    return task->cancel_asynchronous || (op != NULL && (op->flags & OP_CANCELLABLE) != 0);
}

/* What the canceller did before is seen by the clean-up handlers. */
static uintptr_t cancel_edge(const struct task *task)
{
    return (uintptr_t)&task->cancel_requested;
}

void thread_cancel_here(struct task *self)
{
    struct object *edge = object_find(cancel_edge(self), OBJECT_CHANNEL);
    if (edge != NULL)
        hb_acquire(self, edge);
    struct op op = {.kind = OP_CANCELLED, .address = (uintptr_t)self->end, .fd = -1, .deadline = RT_NEVER};
    self->cancelling = true;
    signal_set_waiting(self, 0);
    record_event(self, &op, self->id, EVENT_VALUE);
    task_unwind(self, PTHREAD_CANCELED);
}

int thread_cancel(struct task *self, uintptr_t pc, pthread_t handle)
{
    struct task *target = task_by_handle(handle);
    struct op op = {.kind = OP_CANCEL, .pc = pc, .fd = -1, .deadline = RT_NEVER};
    op.address = target != NULL ? (uintptr_t)target->end : 0;
    sched_point(self, &op);
    target = task_by_handle(handle);
    if (target == NULL) {
        record_event(self, &op, ESRCH, EVENT_VALUE | EVENT_FAILED);
        return ESRCH;
    }
    record_event(self, &op, target->id, EVENT_VALUE);
    if (target->ended || target->cancelling) /* too late, and no error */
        return 0;
    target->cancel_requested = true;
    hb_release_merge(self, object_get(cancel_edge(target), OBJECT_CHANNEL));
    spin_written(cancel_edge(target), sizeof target->cancel_requested);
    if (target != self)
        sched_refresh(target);
    else if (thread_cancel_due(self, NULL))
        thread_cancel_here(self);
    return 0;
}

void thread_test_cancel(struct task *self, uintptr_t pc)
{
    struct op op = {.kind = OP_NONE, .flags = OP_CANCELLABLE, .pc = pc, .fd = -1, .deadline = RT_NEVER};
    sched_point(self, &op);
    /* A loop around this call waits to be cancelled: other tasks must run. */
    spin_read(self, pc, cancel_edge(self), self->cancel_requested);
}

int thread_set_cancel_state(struct task *self, int state, int *old)
{
    if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE)
        return EINVAL;
    if (old != NULL)
        *old = self->cancel_disabled ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
    self->cancel_disabled = state == PTHREAD_CANCEL_DISABLE;
    if (thread_cancel_due(self, NULL))
        thread_cancel_here(self);
    return 0;
}

int thread_set_cancel_type(struct task *self, int type, int *old)
{
    if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS)
        return EINVAL;
    if (old != NULL)
        *old = self->cancel_asynchronous ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
    self->cancel_asynchronous = type == PTHREAD_CANCEL_ASYNCHRONOUS;
    if (thread_cancel_due(self, NULL))
        thread_cancel_here(self);
    return 0;
}

/* ---- end --------------------------------------------------------------------------------------------------------- */

void thread_exit(struct task *self, void *result)
{
    self->cancelling = true; /* nothing cancels the clean-up handlers */
    task_unwind(self, result);
}

void thread_finish(struct task *self)
{
    self->cancelling = true;
    bool inside = task_is_inside(self);
    task_go_outside(self);
    keys_run_thread_local(self);
    keys_run_destructors(self);
    while (dlerror() != NULL)
        continue; /* the next task of this context must not find it; a thread of its own forgets it here too */
    task_go_inside(self);
    model_task_ended(self);
    detached_unreaped += self->detached;
    if (!inside)
        task_go_outside(self);
}
