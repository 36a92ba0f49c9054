/* SPDX-License-Identifier: MIT
 *
 * barrier.c - barriers; docs/posix.md B1 and on.
 *
 * DESIGN
 *   A wait is an arrival and, for all tasks but the last to arrive, a leaving.  A task that left may arrive for the next round
 *   while others have not left this one.  So a task waits until the number of its own round has passed.  Rounds use two
 *   phase objects in turn, which carry the clocks of the tasks that arrived: a task must not see what others did in the next
 *   round.
 */
#include "runtime/model/model.h"
#include "runtime/model/object.h"
#include "runtime/oracle/clock.h"
#include "runtime/transitions.h"

REAL_FUNCTION(pthread_barrier_init);
REAL_FUNCTION(pthread_barrier_wait);

struct real_barrier { /* libc's */
    unsigned in, round, count;
    int shared;
    unsigned out;
};

static struct real_barrier *real_of(pthread_barrier_t *barrier)
{
    return (struct real_barrier *)barrier;
}

static struct object *barrier_object(pthread_barrier_t *barrier)
{
    struct object *object = object_get((uintptr_t)barrier, OBJECT_BARRIER);
    if (!object->barrier.initialised) { /* set up before the run */
        object->barrier.initialised = 1;
        object->barrier.needed = real_of(barrier)->count;
        if (real_of(barrier)->shared)
            model_shared("process-shared barrier");
    }
    return object;
}

static struct object *phase_object(const struct object *object, uint64_t generation)
{
    return object_get(object->address + (generation & 1 ? 4 : 8), OBJECT_ATOMIC);
}

static void check_destroyed(struct task *self, uintptr_t pc, const struct object *object, const char *verb)
{
    if (object->barrier.destroyed)
        finding_misuse(self, pc, object->address, "%s a barrier that was destroyed", verb);
    else if (object->barrier.needed == 0)
        finding_misuse(self, pc, object->address, "%s a barrier that was never initialised", verb);
}

static enum ready leave_ready(struct task *task, const struct op *op)
{
    (void)task;
    return op->object->barrier.generation != op->argument ? READY_YES : READY_NO;
}

static void arrive(struct task *self, struct object *object)
{
    struct object *phase = phase_object(object, object->barrier.generation);
    if (object->barrier.arrived++ == 0 && phase->barrier.leaving == 0)
        hb_release(self, phase);
    else
        hb_release_merge(self, phase);
}

static void enable_leavers(const struct object *object)
{
    for (const struct task *task = object->pending[0]; task != NULL; task = task->next_pending[0])
        if (task->pending->kind == OP_BARRIER_LEAVE && task->pending->argument == object->barrier.generation)
            transition_enable(task);
}

/* The last task to arrive opens it. */
static void open_barrier(struct task *self, struct object *object)
{
    struct object *phase = phase_object(object, object->barrier.generation);
    hb_acquire(self, phase);
    phase->barrier.leaving += object->barrier.arrived - 1;
    object->barrier.leaving += object->barrier.arrived - 1;
    object->barrier.arrived = 0;
    if (transitions_wanted())
        enable_leavers(object);
    object->barrier.generation++;
    object_changed(object);
}

static void leave(struct task *self, struct object *object, uint64_t generation)
{
    struct object *phase = phase_object(object, generation);
    hb_acquire(self, phase);
    if (phase->barrier.leaving > 0)
        phase->barrier.leaving--;
    if (object->barrier.leaving > 0 && --object->barrier.leaving == 0)
        object_changed(object);
}

int barrier_wait(struct task *self, uintptr_t pc, pthread_barrier_t *barrier)
{
    struct op op = model_op(OP_BARRIER_ARRIVE, pc, barrier, barrier_object(barrier));
    model_point(self, &op);
    struct object *object = barrier_object(barrier);
    check_destroyed(self, pc, object, "wait at");
    if (object->barrier.needed == 0)
        return model_done(self, &op, EINVAL, 0);
    if (model_has_children && real_of(barrier)->shared && object->barrier.arrived == 0) {
        sched_external_begin(self, "process-shared barrier");
        int result = REAL(pthread_barrier_wait)(barrier);
        sched_external_end(self);
        return result;
    }
    uint64_t generation = object->barrier.generation;
    arrive(self, object);
    record_event(self, &op, object->barrier.arrived, EVENT_VALUE);
    if (object->barrier.arrived >= object->barrier.needed) {
        open_barrier(self, object);
        return PTHREAD_BARRIER_SERIAL_THREAD;
    }
    op = model_op(OP_BARRIER_LEAVE, pc, barrier, object);
    op.ready = leave_ready;
    op.argument = generation;
    sched_point(self, &op);
    leave(self, barrier_object(barrier), generation);
    return model_done(self, &op, 0, 0);
}

int barrier_init(struct task *self, uintptr_t pc, pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes,
                 unsigned count)
{
    struct op op = model_op(OP_BARRIER_INIT, pc, barrier, object_get((uintptr_t)barrier, OBJECT_BARRIER));
    model_point(self, &op);
    struct object *object = object_get((uintptr_t)barrier, OBJECT_BARRIER);
    int error = REAL(pthread_barrier_init)(barrier, attributes, count);
    if (error != 0)
        return model_done(self, &op, error, 0);
    object->barrier.needed = count;
    object->barrier.arrived = 0;
    object->barrier.leaving = 0;
    object->barrier.initialised = 1;
    object->barrier.destroyed = 0;
    phase_object(object, 0)->barrier.leaving = 0;
    phase_object(object, 1)->barrier.leaving = 0;
    if (real_of(barrier)->shared)
        model_shared("process-shared barrier");
    return model_done(self, &op, 0, 0);
}

static enum ready unused_ready(struct task *task, const struct op *op)
{
    (void)task;
    return op->object->barrier.leaving == 0 && op->object->barrier.arrived == 0 ? READY_YES : READY_NO;
}

static enum ready left_ready(struct task *task, const struct op *op)
{
    (void)task;
    return op->object->barrier.leaving == 0 ? READY_YES : READY_NO;
}

int barrier_destroy(struct task *self, uintptr_t pc, pthread_barrier_t *barrier)
{
    struct op op = model_op(OP_BARRIER_DESTROY, pc, barrier, barrier_object(barrier));
    op.ready = left_ready; /* libc waits for the tasks that have not left yet */
    model_point(self, &op);
    struct object *object = barrier_object(barrier);
    check_destroyed(self, pc, object, "destruction of");
    if (object->barrier.arrived > 0) {
        finding_misuse(self, pc, object->address, "destruction of a barrier at which %u of %u threads wait",
                       object->barrier.arrived, object->barrier.needed);
        op.object = object;
        op.ready = unused_ready;
        model_point(self, &op);
        object = barrier_object(barrier);
    }
    object->barrier.destroyed = 1;
    return model_done(self, &op, 0, 0);
}
