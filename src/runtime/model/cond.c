/* SPDX-License-Identifier: MIT
 *
 * cond.c - condition variables; docs/posix.md C1 and on.
 *
 * DESIGN
 *   A wait is two points.  At OP_COND_WAIT the mutex is given back and the task joins the queue, as one step.
 *   OP_COND_WAKE can be done when the mutex can be taken and the task was signalled, its time is up, or it is
 *   cancelled.  A signal takes one waiter out of the queue; which one is a choice of the scheduler, because POSIX leaves
 *   it open.
 *
 *   A waiter whose deadline has passed when a signal is sent has timed out already, even if it could not have the mutex
 *   yet: it does not take the signal.
 *
 *   Of the real object, `wrefs` is kept: bit 0 process-shared, bit 1 monotonic clock, bit 2 destroyed, above them the
 *   number of waiters.  A count of 0 beside a queue that is not empty means new content (model.h).
 */
#include "runtime/model/model.h"

#include <sys/syscall.h>

#include "runtime/arch/arch.h"
#include "runtime/init.h"
#include "runtime/model/object.h"
#include "runtime/model/thread.h"
#include "runtime/model/time.h"
#include "runtime/oracle/clock.h"
#include "runtime/transitions.h"

REAL_FUNCTION(pthread_cond_init);
REAL_FUNCTION(pthread_cond_clockwait);
REAL_FUNCTION(pthread_cond_wait);
REAL_FUNCTION(pthread_cond_signal);
REAL_FUNCTION(pthread_cond_broadcast);

enum { WREFS_SHARED = 1, WREFS_MONOTONIC = 2, WREFS_DESTROYED = 4, WREFS_WAITER = 8 };

struct cond_waiter {
    struct cond_waiter *next; /* in order of arrival */
    struct task *task;
    struct object *queue_of; /* NULL: not in a queue any more */
    pthread_mutex_t *mutex;
    int64_t deadline;
    bool signalled;
    bool past; /* its deadline had passed when the wait began: POSIX requires ETIMEDOUT then, not a spurious wake-up */
    bool late; /* its deadline has passed */
    bool spurious;
    bool cancelled;
};

/* ---- the object ------------------------------------------------------------------------------------------------- */

static uint32_t wrefs_of(const pthread_cond_t *cond)
{
    return __atomic_load_n(&cond->__data.__wrefs, __ATOMIC_RELAXED);
}

static bool is_shared(const pthread_cond_t *cond)
{
    return (wrefs_of(cond) & WREFS_SHARED) != 0;
}

/* The number in the memory; other processes count in that of a shared one. */
static void count_waiter(pthread_cond_t *cond, int change)
{
    if (!is_shared(cond))
        cond->__data.__wrefs += (uint32_t)change * WREFS_WAITER;
}

static void forget(struct object *object)
{
    for (struct cond_waiter *waiter = object->cond.queue; waiter != NULL; waiter = waiter->next)
        waiter->queue_of = NULL; /* it waits for an object that does not exist any more */
    object->cond.queue = NULL;
    object->cond.waiters = 0;
    object->cond.mutex = NULL;
    object->cond.destroyed = 0;
    object->cond.initialised = 1;
}

static struct object *cond_object(pthread_cond_t *cond)
{
    struct object *object = object_get((uintptr_t)cond, OBJECT_COND);
    uint32_t wrefs = wrefs_of(cond);
    if (!object->cond.initialised) {
        forget(object);
        if (wrefs & WREFS_SHARED)
            model_shared("process-shared condition variable");
    } else if ((object->cond.waiters > 0 && !(wrefs & WREFS_SHARED) && wrefs < WREFS_WAITER) ||
               (object->cond.destroyed && !(wrefs & WREFS_DESTROYED))) {
        forget(object); /* new content */
    }
    object->cond.clock = (wrefs & WREFS_MONOTONIC) ? CLOCK_MONOTONIC : CLOCK_REALTIME;
    return object;
}

static bool reported_destroyed(struct task *self, uintptr_t pc, const struct object *object, const char *verb)
{
    if (object->cond.destroyed)
        finding_misuse(self, pc, object->address, "%s a condition variable that was destroyed", verb);
    return object->cond.destroyed;
}

/* ---- the queue -------------------------------------------------------------------------------------------------- */

static void enqueue(struct object *object, struct cond_waiter *waiter)
{
    struct cond_waiter **link = &object->cond.queue;
    while (*link != NULL)
        link = &(*link)->next;
    *link = waiter;
    waiter->queue_of = object;
    object->cond.waiters++;
    count_waiter((pthread_cond_t *)object->address, 1);
}

static void dequeue(struct cond_waiter *waiter)
{
    struct object *object = waiter->queue_of;
    if (object == NULL)
        return;
    struct cond_waiter **link = &object->cond.queue;
    while (*link != waiter)
        link = &(*link)->next;
    *link = waiter->next;
    waiter->queue_of = NULL;
    if (--object->cond.waiters == 0)
        object->cond.mutex = NULL;
    count_waiter((pthread_cond_t *)object->address, -1);
}

/* Waiters whose deadline has passed leave the queue. */
static void expire(struct object *object)
{
    for (struct cond_waiter *waiter = object->cond.queue, *next; waiter != NULL; waiter = next) {
        next = waiter->next;
        if (waiter->deadline < rt.now) {
            waiter->late = true;
            dequeue(waiter);
            sched_refresh(waiter->task);
        }
    }
}

/* A waiter whose deadline has not passed; NULL: there is none. */
static struct cond_waiter *blocked_waiter(const struct object *object)
{
    struct cond_waiter *waiter = object->cond.queue;
    while (waiter != NULL && waiter->deadline <= rt.now)
        waiter = waiter->next;
    return waiter;
}

/* Wakes one of the waiters, if there is any; returns it. */
static struct task *wake_one(struct task *self, struct object *object)
{
    expire(object);
    if (object->cond.waiters == 0)
        return NULL;
    struct cond_waiter *waiter = object->cond.queue;
    for (uint32_t skip = sched_choose(self, object->cond.waiters); skip > 0; skip--)
        waiter = waiter->next;
    waiter->signalled = true;
    dequeue(waiter);
    if (transitions_wanted())
        transition_enable(waiter->task);
    sched_refresh(waiter->task);
    return waiter->task;
}

/* ---- waiting ---------------------------------------------------------------------------------------------------- */

static enum ready wake_ready(struct task *task, const struct op *op)
{
    const struct cond_waiter *waiter = (const struct cond_waiter *)(uintptr_t)op->argument;
    bool blocked = mutex_blocks(task, op->object2);
    if (waiter->signalled || waiter->late || waiter->spurious || waiter->cancelled || thread_cancel_due(task, op))
        return blocked ? READY_NO : READY_YES;
    if (blocked) /* it may stop waiting, and then wait for the mutex */
        return op->deadline != RT_NEVER || (rt.flags & PLAN_SPURIOUS) ? READY_LATE : READY_NO;
    if ((rt.flags & PLAN_SPURIOUS) || (model_has_children && is_shared((const pthread_cond_t *)op->address)))
        return op->deadline <= rt.now ? READY_YES : READY_LATE;
    return model_ready_later(op);
}

/* The task was chosen to run: decides why its wait ended. */
static void decide_reason(struct task *self, struct cond_waiter *waiter)
{
    if (waiter->signalled || waiter->late || waiter->spurious || waiter->cancelled)
        return;
    bool timed = waiter->deadline != RT_NEVER;
    if (timed && !waiter->past && (rt.flags & PLAN_SPURIOUS))
        waiter->spurious = sched_choose_from(self, (rt.flags & PLAN_PATIENT) && sched_is_early(self), 2) == 1;
    else
        waiter->spurious = !timed;
    waiter->late = !waiter->spurious;
    if (waiter->late)
        sched_timed_out(self);
}

/* A signal that a cancelled waiter had received goes to another waiter. */
static void cancelled(struct task *self, struct object *object, struct cond_waiter *waiter, struct op *op)
{
    if (waiter->signalled && !object->cond.destroyed)
        wake_one(self, object);
    record_event(self, op, (uint64_t)ECANCELED, EVENT_FAILED);
    rt_free(waiter, sizeof *waiter);
    thread_cancel_here(self);
}

/* The second half: until the mutex is held again. */
static int wait_for_wake(struct task *self, uintptr_t pc, pthread_cond_t *cond, struct cond_waiter *waiter)
{
    pthread_mutex_t *mutex = waiter->mutex;
    struct object *object = object_get((uintptr_t)cond, OBJECT_COND);
    struct op op;
    int error;
    rt.wire->result.waits |= WAITS_CONDITION;
    do {
        op = model_op(OP_COND_WAKE, pc, cond, object);
        op.object2 = mutex_object(mutex);
        op.ready = wake_ready;
        op.argument = (uintptr_t)waiter;
        op.deadline = waiter->deadline;
        op.flags = OP_CANCELLABLE | OP_CANCEL_RETURNS | model_outside_flags(mutex_is_shared(mutex));
        bool unwinding = self->cancelling; /* in a clean-up handler */
        sched_point(self, &op);            /* the condition variable may be destroyed by then, which is allowed */
        model_check_memory(self, pc, mutex);
        waiter->cancelled |= self->cancelling && !unwinding;
        decide_reason(self, waiter);
        dequeue(waiter);
        error = mutex_blocks(self, mutex_object(mutex)) ? EBUSY : mutex_take(self, mutex);
    } while (error == EBUSY); /* the time was over before the mutex was free, or another process took it first */
    mutex_add_waiter(mutex, -1);
    object = object_get((uintptr_t)cond, OBJECT_COND);
    if (waiter->cancelled)
        cancelled(self, object, waiter, &op);
    if (waiter->signalled)
        hb_acquire(self, object);
    if (error == 0 && waiter->late)
        error = ETIMEDOUT;
    rt_free(waiter, sizeof *waiter);
    return model_done(self, &op, error, 0);
}

/* Process-shared, and there are other processes: waits in libc, without the baton. */
static int wait_outside(struct task *self, pthread_cond_t *cond, pthread_mutex_t *mutex, int64_t deadline)
{
    int error;
    struct timespec until;
    syscall_raw(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&until, 0, 0, 0, 0);
    int64_t left = deadline > rt.now ? deadline - rt.now : 0; /* another process does not know virtual time */
    until.tv_sec += left / 1000000000;
    until.tv_nsec += left % 1000000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    sched_external_begin(self, "wait for a process-shared condition variable");
    if (deadline == RT_NEVER)
        error = REAL(pthread_cond_wait)(cond, mutex);
    else
        error = REAL(pthread_cond_clockwait)(cond, mutex, CLOCK_MONOTONIC, &until);
    sched_external_end(self);
    mutex_take_back(self, mutex);
    return error;
}

static int cond_deadline(const struct object *object, clockid_t clock, const struct timespec *until, int64_t *deadline)
{
    *deadline = RT_NEVER;
    if (until == NULL)
        return 0;
    if (clock == -1)
        clock = object->cond.clock;
    if (!time_valid(until) || !model_clock_supported(clock))
        return EINVAL;
    *deadline = time_deadline(clock, until);
    return 0;
}

int cond_wait(struct task *self, uintptr_t pc, pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
              const struct timespec *until)
{
    struct op op = model_op(OP_COND_WAIT, pc, cond, cond_object(cond));
    op.object2 = mutex_object(mutex);
    model_point(self, &op);
    struct object *object = cond_object(cond);
    int64_t deadline;
    int error = cond_deadline(object, clock, until, &deadline);
    if (error != 0)
        return model_done(self, &op, error, 0);
    reported_destroyed(self, pc, object, "wait for");
    expire(object);
    model_check_memory(self, pc, mutex);
    struct object *locked = mutex_object(mutex);
    if (blocked_waiter(object) != NULL && object->cond.mutex != locked)
        finding_misuse(self, pc, object->address, "wait for one condition variable with two mutexes at a time");
    if (is_shared(cond) && model_has_children && mutex_lend(self, mutex)) {
        record_event(self, &op, (uintptr_t)mutex, EVENT_VALUE);
        return wait_outside(self, cond, mutex, deadline);
    }
    error = mutex_give(self, pc, mutex, "wait with");
    if (error != 0)
        return model_done(self, &op, error, 0);
    record_event(self, &op, (uintptr_t)mutex, EVENT_VALUE);
    mutex_add_waiter(mutex, 1);
    struct cond_waiter *waiter = rt_alloc(sizeof *waiter);
    waiter->task = self;
    waiter->mutex = mutex;
    waiter->deadline = deadline;
    waiter->past = deadline <= rt.now;
    enqueue(object, waiter);
    object->cond.mutex = locked;
    return wait_for_wake(self, pc, cond, waiter);
}

/* ---- the other calls -------------------------------------------------------------------------------------------- */

int cond_signal(struct task *self, uintptr_t pc, pthread_cond_t *cond)
{
    struct op op = model_op(OP_COND_SIGNAL, pc, cond, cond_object(cond));
    model_point(self, &op);
    struct object *object = cond_object(cond);
    reported_destroyed(self, pc, object, "signal to");
    struct task *woken = wake_one(self, object);
    if (woken != NULL)
        hb_release_merge(self, object);
    else if (model_has_children && is_shared(cond))
        REAL(pthread_cond_signal)(cond);
    record_event(self, &op, woken != NULL ? woken->id : 0, woken != NULL ? EVENT_VALUE : 0);
    return 0;
}

int cond_broadcast(struct task *self, uintptr_t pc, pthread_cond_t *cond)
{
    struct op op = model_op(OP_COND_BROADCAST, pc, cond, cond_object(cond));
    model_point(self, &op);
    struct object *object = cond_object(cond);
    reported_destroyed(self, pc, object, "broadcast to");
    expire(object);
    uint32_t count = object->cond.waiters;
    while (object->cond.queue != NULL) {
        object->cond.queue->signalled = true;
        if (transitions_wanted())
            transition_enable(object->cond.queue->task);
        dequeue(object->cond.queue);
    }
    if (count > 0) {
        hb_release_merge(self, object);
        object_changed(object);
    }
    if (model_has_children && is_shared(cond))
        REAL(pthread_cond_broadcast)(cond);
    record_event(self, &op, count, EVENT_VALUE);
    return 0;
}

int cond_init(struct task *self, uintptr_t pc, pthread_cond_t *cond, const pthread_condattr_t *attributes)
{
    struct op op = model_op(OP_COND_INIT, pc, cond, object_get((uintptr_t)cond, OBJECT_COND));
    model_point(self, &op);
    struct object *object = object_get((uintptr_t)cond, OBJECT_COND);
    int error = REAL(pthread_cond_init)(cond, attributes);
    if (error == 0) {
        forget(object);
        if (is_shared(cond))
            model_shared("process-shared condition variable");
    }
    return model_done(self, &op, error, 0);
}

static enum ready destroy_ready(struct task *task, const struct op *op)
{
    (void)task;
    return op->object->cond.waiters == 0 ? READY_YES : READY_NO;
}

int cond_destroy(struct task *self, uintptr_t pc, pthread_cond_t *cond)
{
    struct op op = model_op(OP_COND_DESTROY, pc, cond, cond_object(cond));
    model_point(self, &op);
    struct object *object = cond_object(cond);
    reported_destroyed(self, pc, object, "destruction of");
    expire(object);
    struct cond_waiter *waiter = blocked_waiter(object);
    if (waiter != NULL)
        finding_misuse(self, pc, object->address, "destruction of a condition variable that T%u waits for",
                       waiter->task->id);
    if (object->cond.waiters > 0) { /* libc waits until they have left */
        op.object = object;
        op.ready = destroy_ready;
        model_point(self, &op);
        object = cond_object(cond);
    }
    forget(object);
    object->cond.destroyed = 1;
    cond->__data.__wrefs |= WREFS_DESTROYED;
    return model_done(self, &op, 0, 0);
}

/* ---- fork ------------------------------------------------------------------------------------------------------- */

static void look_again(struct object *object, void *context)
{
    (void)context;
    if (object->cond.waiters > 0)
        object_changed(object);
}

void cond_before_fork(void)
{
    object_each(OBJECT_COND, look_again, NULL);
}

/* The waiters are not in the child. */
static void materialise(struct object *object, void *context)
{
    (void)context;
    pthread_cond_t *cond = (pthread_cond_t *)object->address;
    if (object->cond.waiters > 0 && !is_shared(cond) && wrefs_of(cond) / WREFS_WAITER == object->cond.waiters)
        cond->__data.__wrefs %= WREFS_WAITER;
}

void cond_materialise(void)
{
    object_each(OBJECT_COND, materialise, NULL);
}
