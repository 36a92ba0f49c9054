/* SPDX-License-Identifier: MIT
 *
 * events_names.c - names of operations and kinds of findings, and what operations are.
 */
#include <string.h>

#include "trace/events.h"

static const char *const op_names[WIRE_OP_COUNT] = {
#define X(name, text, class) text,
    WIRE_OPS(X)
#undef X
};

static const uint8_t op_classes[WIRE_OP_COUNT] = {
#define X(name, text, class) CLASS_##class,
    WIRE_OPS(X)
#undef X
};

static const char *const kind_names[WIRE_KIND_COUNT] = {
#define X(name, text, failure) text,
    WIRE_KINDS(X)
#undef X
};

const char *event_op_name(uint32_t op)
{
    return op < WIRE_OP_COUNT ? op_names[op] : "?";
}

uint32_t event_op_by_name(const char *name)
{
    uint32_t op = 0;
    while (op < WIRE_OP_COUNT && strcmp(name, op_names[op]) != 0)
        op++;
    return op;
}

enum wire_class event_op_class(uint32_t op)
{
    return op < WIRE_OP_COUNT ? (enum wire_class)op_classes[op] : CLASS_OTHER;
}

/* A condition wait gives back and takes a lock too, but that is not its object. */
enum event_hold event_op_hold(uint32_t op)
{
    switch (op) {
    case OP_MUTEX_LOCK:
    case OP_MUTEX_TRYLOCK:
    case OP_MUTEX_TIMEDLOCK:
    case OP_SPIN_LOCK:
    case OP_SPIN_TRYLOCK:
    case OP_RWLOCK_WRLOCK:
    case OP_RWLOCK_TRYWRLOCK:
        return HOLD_LOCK;
    case OP_RWLOCK_RDLOCK:
    case OP_RWLOCK_TRYRDLOCK:
        return HOLD_RDLOCK;
    case OP_MUTEX_UNLOCK:
    case OP_SPIN_UNLOCK:
    case OP_RWLOCK_UNLOCK:
        return HOLD_UNLOCK;
    case OP_SEM_WAIT:
    case OP_SEM_TRYWAIT:
    case OP_ONCE_BEGIN:
        return HOLD_ENTER;
    case OP_SEM_POST:
    case OP_ONCE_END:
        return HOLD_LEAVE;
    default:
        return HOLD_NONE;
    }
}

bool event_op_takes_lock(uint32_t op)
{
    enum event_hold hold = event_op_hold(op);
    return hold == HOLD_LOCK || hold == HOLD_RDLOCK;
}

const char *event_kind_name(uint32_t kind)
{
    return kind < WIRE_KIND_COUNT ? kind_names[kind] : "?";
}

const char *event_object_kind(uint32_t op)
{
    switch (op) {
    case OP_COND_WAIT:
    case OP_COND_WAKE:
        return "condition ";
    case OP_SEM_WAIT:
        return "semaphore ";
    case OP_BARRIER_ARRIVE:
    case OP_BARRIER_LEAVE:
        return "barrier ";
    case OP_FUTEX_WAIT:
        return "futex ";
    default:
        return "";
    }
}
