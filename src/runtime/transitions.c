/* SPDX-License-Identifier: MIT
 *
 * transitions.c - see transitions.h.
 */
#include "runtime/transitions.h"

#include "runtime/model/object.h"

/* It can be done in any state, because time may pass. */
static bool is_timed(const struct op *op)
{
    return ((rt.flags & PLAN_SPURIOUS) && op->kind == OP_COND_WAKE) ||
           (!(rt.flags & PLAN_PATIENT) && op->deadline != RT_NEVER);
}

static bool is_reader(const struct task *task, const struct op *op)
{
    return op->kind == OP_RWLOCK_UNLOCK && op->object != NULL && op->object->rwlock.writer != task;
}

static uint16_t flags_of(const struct task *task, const struct op *op)
{
    unsigned flags = TRANSITION_PENDING;
    flags |= op->flags & OP_PRIVATE ? TRANSITION_ALONE : 0;
    flags |= is_timed(op) ? TRANSITION_TIMED : 0;
    flags |= op->ready != NULL ? TRANSITION_BLOCKS : 0;
    flags |= is_reader(task, op) ? TRANSITION_READER : 0;
    flags |= op->flags & OP_IO ? TRANSITION_OUTSIDE : 0;
    flags |= op->more_writes ? TRANSITION_WRITES2 : 0;
    return (uint16_t)flags;
}

/* The thread that a thread operation is about, by number: objects of the runtime have other addresses in other orders. */
static uint64_t thread_of(const struct op *op)
{
    for (uint32_t id = 0; id < rt.task_count; id++)
        if (rt.tasks[id] != NULL && (uintptr_t)rt.tasks[id]->end == op->address)
            return id + 1;
    return 0;
}

void transition_publish(const struct task *task, const struct op *op)
{
    enum { WORD_SIZE = 4 };
    bool has_word = op_object(op->kind) == ABOUT_FUTEX || op_object(op->kind) == ABOUT_ONCE;
    struct wire_transition *pending = &rt.wire->pending[task->id];
    bool condition = op_object(op->kind) == ABOUT_COND && op->object2 != NULL;
    *pending = (struct wire_transition){
        .task = (uint16_t)task->id,
        .op = (uint8_t)op->kind,
        .flags = flags_of(task, op),
        .address = op_object(op->kind) == ABOUT_THREAD ? thread_of(op) : op->address,
        .size = has_word ? WORD_SIZE : op->size,
        .address2 = condition ? op->object2->address : op->more,
        .size2 = condition ? 0 : op->more_size,
        .pc = op->pc,
    };
    if (rt.wire->result.pending_count <= task->id)
        rt.wire->result.pending_count = task->id + 1;
}

void transition_refresh(const struct task *task, bool passed)
{
    struct wire_transition *pending = &rt.wire->pending[task->id];
    bool timed = pending->flags & TRANSITION_TIMED;
    bool ready = task->ready == READY_YES || (task->ready == READY_LATE && timed);
    pending->flags &= (uint16_t) ~(TRANSITION_READY | TRANSITION_PASSED);
    pending->flags |= (uint16_t)((ready ? TRANSITION_READY : 0) | (passed ? TRANSITION_PASSED : 0));
}

static uint32_t number_of(const struct task *task)
{
    return task != NULL ? task->id + 1 : 0;
}

static uint32_t state_of(const struct object *object)
{
    switch (object->kind) {
    case OBJECT_MUTEX:
    case OBJECT_FILE:
        return number_of(object->mutex.owner);
    case OBJECT_SPIN:
        return number_of(object->spin.owner);
    case OBJECT_ONCE:
        return number_of(object->once.running);
    case OBJECT_SEM: /* libc: the value below, waiters above */
        return (uint32_t) * (const volatile uint64_t *)object->address;
    case OBJECT_RWLOCK:
        if (object->rwlock.prefer_writer)
            rt.wire->result.beyond |= BEYOND_PREFERENCE;
        return object->rwlock.readers | (object->rwlock.writer != NULL ? STATE_WRITER : 0);
    default:
        return 0;
    }
}

void transition_execute(const struct task *task, const struct op *op)
{
    struct wire_result *result = &rt.wire->result;
    struct wire_transition *pending = &rt.wire->pending[task->id];
    pending->flags &= (uint16_t)~TRANSITION_PENDING;
    if (rt.task_count == 1)
        return;
    if (result->transition_count == WIRE_TRANSITIONS) {
        result->lost |= LOST_TRANSITIONS;
        return;
    }
    struct wire_transition *transition = &rt.wire->transitions[result->transition_count++];
    *transition = *pending;
    const struct object *object = op_object(op->kind) == ABOUT_COND ? op->object2 : op->object;
    if (object != NULL)
        transition->state = state_of(object);
    if (object != NULL && object->kind == OBJECT_FILE)
        result->beyond |= BEYOND_STREAM;
    if (task->ready == READY_LATE)
        transition->flags |= TRANSITION_LATE |
                             (rt.flags & PLAN_PATIENT && !(pending->flags & TRANSITION_TIMED) ? TRANSITION_BARRIER : 0);
}

static struct wire_transition *last(void)
{
    uint32_t count = rt.wire->result.transition_count;
    return count > 0 ? &rt.wire->transitions[count - 1] : NULL;
}

void transition_choose(uint32_t value, uint32_t n)
{
    struct wire_transition *transition = last();
    if (transition == NULL)
        return;
    uint32_t before = transition->choices > 0 ? transition->choices : 1;
    transition->choice = (uint16_t)(transition->choice + value * before);
    transition->choices = (uint16_t)(before * n);
}

void transition_enable(const struct task *task)
{
    rt.wire->pending[task->id].enabler = rt.wire->result.transition_count;
}
