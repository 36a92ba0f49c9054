/* SPDX-License-Identifier: MIT
 *
 * sem.c - semaphores; docs/posix.md P1 and on.  Named ones: sem_named.c.
 *
 * The value is in the real semaphore.  Only a wait can block, and that is done by the model.  So a
 * semaphore that was set up before the run, or is posted by a child process, needs nothing special.
 */
#include "runtime/model/model.h"

#include "runtime/model/object.h"
#include "runtime/model/signal.h"
#include "runtime/oracle/clock.h"

REAL_FUNCTION(sem_init);
REAL_FUNCTION(sem_trywait);
REAL_FUNCTION(sem_post);
REAL_FUNCTION(sem_getvalue);

#define DATA_DESTROYED 0xdeadbee7deadbee7ull /* libc's destroy writes nothing */

static uint64_t *data_of(sem_t *sem)
{
    return (uint64_t *)sem; /* libc: value below, number of real waiters above */
}

static bool is_shared(const sem_t *sem)
{
    return ((const int *)sem)[2] != 0;
}

static struct object *sem_object(sem_t *sem)
{
    struct object *object = object_get((uintptr_t)sem, OBJECT_SEM);
    if (object->sem.destroyed && *data_of(sem) != DATA_DESTROYED)
        object->sem.destroyed = 0; /* new content */
    return object;
}

static int value_of(sem_t *sem)
{
    int value = 0;
    REAL(sem_getvalue)(sem, &value);
    return value;
}

/* libc uses a destroyed semaphore as if it were not destroyed. */
static void check_destroyed(struct task *self, uintptr_t pc, struct object *object, const char *verb)
{
    if (!object->sem.destroyed)
        return;
    finding_misuse(self, pc, object->address, "%s a semaphore that was destroyed", verb);
    object->sem.destroyed = 0;
    *data_of((sem_t *)object->address) = object->sem.value;
}

static enum ready sem_ready(struct task *task, const struct op *op)
{
    (void)task;
    if (op->object->sem.destroyed || value_of((sem_t *)op->address) > 0)
        return READY_YES;
    return model_ready_later(op);
}

static int take(struct task *self, struct object *object, sem_t *sem)
{
    if (REAL(sem_trywait)(sem) != 0)
        return EAGAIN;
    hb_acquire(self, object);
    object_changed(object);
    return 0;
}

int semaphore_wait(struct task *self, uintptr_t pc, sem_t *sem, int64_t deadline)
{
    for (;;) {
        struct op op = model_op(OP_SEM_WAIT, pc, sem, sem_object(sem));
        op.ready = sem_ready;
        op.deadline = deadline;
        op.flags = OP_INTERRUPTIBLE | OP_CANCELLABLE | model_outside_flags(is_shared(sem));
        enum wake wake = model_point(self, &op);
        struct object *object = sem_object(sem);
        check_destroyed(self, pc, object, "wait for");
        if (wake == WAKE_SIGNAL) {
            if (deadline == RT_NEVER && signal_restarts(self)) /* the kernel does not start a timed wait again */
                continue;
            return model_done(self, &op, EINTR, EVENT_SIGNALLED);
        }
        if (take(self, object, sem) == 0)
            return model_done(self, &op, 0, 0);
        if (deadline <= rt.now)
            return model_done(self, &op, ETIMEDOUT, 0);
        /* Another process took it first. */
    }
}

int semaphore_trywait(struct task *self, uintptr_t pc, sem_t *sem)
{
    struct op op = model_op(OP_SEM_TRYWAIT, pc, sem, sem_object(sem));
    model_point(self, &op);
    struct object *object = sem_object(sem);
    check_destroyed(self, pc, object, "wait for");
    return model_done(self, &op, take(self, object, sem), 0);
}

int semaphore_post(struct task *self, uintptr_t pc, sem_t *sem)
{
    struct op op = model_op(OP_SEM_POST, pc, sem, sem_object(sem));
    model_point(self, &op);
    struct object *object = sem_object(sem);
    check_destroyed(self, pc, object, "post of");
    if (REAL(sem_post)(sem) != 0)
        return model_done(self, &op, EOVERFLOW, 0);
    hb_release_merge(self, object);
    object_changed(object);
    return model_done(self, &op, 0, 0);
}

int semaphore_getvalue(struct task *self, uintptr_t pc, sem_t *sem, int *value)
{
    struct op op = model_op(OP_SEM_GETVALUE, pc, sem, sem_object(sem));
    model_point(self, &op);
    check_destroyed(self, pc, sem_object(sem), "reading of");
    *value = value_of(sem);
    record_event(self, &op, (uint64_t)*value, EVENT_VALUE);
    return 0;
}

int semaphore_init(struct task *self, uintptr_t pc, sem_t *sem, int shared, unsigned value)
{
    struct op op = model_op(OP_SEM_INIT, pc, sem, object_get((uintptr_t)sem, OBJECT_SEM));
    model_point(self, &op);
    struct object *object = object_get((uintptr_t)sem, OBJECT_SEM);
    if (REAL(sem_init)(sem, shared, value) != 0)
        return model_done(self, &op, errno, 0);
    object->sem.destroyed = 0;
    if (shared)
        model_shared("process-shared semaphore");
    object_changed(object);
    record_event(self, &op, value, EVENT_VALUE);
    return 0;
}

/* A task that is certain to be blocked in a wait; NULL: none. */
static struct task *blocked_waiter(const struct object *object)
{
    if (value_of((sem_t *)object->address) > 0)
        return NULL;
    for (struct task *task = object->pending[0]; task != NULL; task = task->next_pending[0])
        if (task->pending->kind == OP_SEM_WAIT && task->pending->deadline > rt.now && !task->cancel_requested)
            return task;
    return NULL;
}

int semaphore_destroy(struct task *self, uintptr_t pc, sem_t *sem)
{
    struct op op = model_op(OP_SEM_DESTROY, pc, sem, sem_object(sem));
    model_point(self, &op);
    struct object *object = sem_object(sem);
    check_destroyed(self, pc, object, "destruction of");
    if (semaphore_is_named(sem)) {
        finding_misuse(self, pc, object->address, "sem_destroy of a semaphore that sem_open made");
        return model_done(self, &op, 0, 0);
    }
    struct task *waiter = blocked_waiter(object);
    if (waiter != NULL)
        finding_misuse(self, pc, object->address, "destruction of a semaphore that T%u waits for", waiter->id);
    if (!is_shared(sem)) { /* another process may still use its own */
        object->sem.value = (uint32_t)value_of(sem);
        object->sem.destroyed = 1;
        *data_of(sem) = DATA_DESTROYED;
    }
    return model_done(self, &op, 0, 0);
}
