/* SPDX-License-Identifier: MIT
 *
 * wire_transition.c - see wire_transition.h.  Part of the driver and of the runtime.
 */
#include "wire/wire_transition.h"

static bool overlap(uint64_t a, uint32_t a_size, uint64_t b, uint32_t b_size)
{
    return a < b + b_size && b < a + a_size;
}

bool transition_is_memory(const struct wire_transition *transition)
{
    switch (op_object(transition->op)) {
    case ABOUT_MEMORY:
    case ABOUT_ATOMIC:
    case ABOUT_HEAP:
        return true;
    default:
        return false;
    }
}

bool transition_writes(const struct wire_transition *transition)
{
    return op_class(transition->op) == CLASS_WRITE || op_object(transition->op) == ABOUT_ONCE;
}

bool transition_is_global(const struct wire_transition *transition)
{
    if (transition->flags & (TRANSITION_ENDS | TRANSITION_BARRIER))
        return true;
    if (transition->flags & TRANSITION_ALONE)
        return false;
    switch (op_object(transition->op)) {
    case ABOUT_SIGNAL:
    case ABOUT_OPENMP:
    case ABOUT_PROCESS:
        return true;
    case ABOUT_THREAD:
        return transition->op == OP_CANCEL || transition->op == OP_CANCELLED;
    case ABOUT_NONE:
        return transition->op == OP_EXTERNAL;
    default:
        return false;
    }
}

uint64_t transition_object(const struct wire_transition *transition)
{
    switch (op_object(transition->op)) {
    case ABOUT_MUTEX:
    case ABOUT_SPIN:
    case ABOUT_RWLOCK:
    case ABOUT_SEM:
    case ABOUT_ONCE:
        return transition->address;
    case ABOUT_COND:
        return transition->address2;
    default:
        return 0;
    }
}

/* Ranges of memory, of which one may be the word of a futex. */
static bool accesses_conflict(const struct wire_transition *a, const struct wire_transition *b)
{
    bool a_writes = transition_writes(a), b_writes = transition_writes(b);
    bool a_writes2 = a->flags & TRANSITION_WRITES2, b_writes2 = b->flags & TRANSITION_WRITES2;
    return ((a_writes || b_writes) && overlap(a->address, a->size, b->address, b->size)) ||
           ((a_writes || b_writes2) && overlap(a->address, a->size, b->address2, b->size2)) ||
           ((a_writes2 || b_writes) && overlap(a->address2, a->size2, b->address, b->size)) ||
           ((a_writes2 || b_writes2) && overlap(a->address2, a->size2, b->address2, b->size2));
}

static bool is_of_reader(const struct wire_transition *transition)
{
    return op_effect(transition->op) == EFFECT_RDLOCK || (transition->flags & TRANSITION_READER);
}

/* What both do to the object that has this address in both commutes. */
static bool commute(const struct wire_transition *a, const struct wire_transition *b)
{
    switch (op_object(a->op)) {
    case ABOUT_SEM:
        return (a->op == OP_SEM_POST && b->op == OP_SEM_POST) || (a->op == OP_SEM_GETVALUE && b->op == OP_SEM_GETVALUE);
    case ABOUT_RWLOCK:
        return is_of_reader(a) && is_of_reader(b);
    default:
        return false;
    }
}

/* As operations on a condition variable, not on its mutex. */
static bool conditions_conflict(const struct wire_transition *a, const struct wire_transition *b)
{
    if (a->address != b->address)
        return false;
    bool a_wakes = a->op == OP_COND_WAKE && !(a->flags & TRANSITION_TIMED);
    bool b_wakes = b->op == OP_COND_WAKE && !(b->flags & TRANSITION_TIMED);
    bool a_sets = op_effect(a->op) == EFFECT_INIT || op_effect(a->op) == EFFECT_DESTROY;
    bool b_sets = op_effect(b->op) == EFFECT_INIT || op_effect(b->op) == EFFECT_DESTROY;
    return (!a_wakes || b_sets) && (!b_wakes || a_sets);
}

static bool barriers_conflict(const struct wire_transition *a, const struct wire_transition *b)
{
    bool a_leaves = a->op == OP_BARRIER_LEAVE, b_leaves = b->op == OP_BARRIER_LEAVE;
    if (a->address != b->address || (a_leaves && b_leaves))
        return false;
    return !(a_leaves && b->op == OP_BARRIER_ARRIVE) && !(b_leaves && a->op == OP_BARRIER_ARRIVE);
}

static bool threads_conflict(const struct wire_transition *a, const struct wire_transition *b)
{
    bool a_takes = a->op == OP_CREATE || a->op == OP_JOIN, b_takes = b->op == OP_CREATE || b->op == OP_JOIN;
    if (a->op == OP_CREATE || b->op == OP_CREATE)
        return a_takes && b_takes;
    return a->address != 0 && a->address == b->address;
}

/* Both lock or unlock this mutex, one of them in a condition wait. */
static bool mutexes_conflict(const struct wire_transition *a, const struct wire_transition *b)
{
    bool a_has = op_object(a->op) == ABOUT_MUTEX || op_object(a->op) == ABOUT_COND;
    bool b_has = op_object(b->op) == ABOUT_MUTEX || op_object(b->op) == ABOUT_COND;
    uint64_t object = transition_object(a);
    return a_has && b_has && object != 0 && object == transition_object(b);
}

/* A wait that ends by time may end others: those of condition variables, whose signals then go elsewhere. */
static bool times_conflict(const struct wire_transition *a, const struct wire_transition *b)
{
    return (a->flags & TRANSITION_TIMED) && op_object(b->op) == ABOUT_COND &&
           (b->op != OP_COND_WAKE || (b->flags & TRANSITION_TIMED));
}

/* A futex reads its word.  The word of a once is read by compiled code, too. */
static bool is_range(const struct wire_transition *transition)
{
    enum op_object object = op_object(transition->op);
    return transition_is_memory(transition) || object == ABOUT_FUTEX || object == ABOUT_ONCE;
}

static bool objects_conflict(const struct wire_transition *a, const struct wire_transition *b)
{
    enum op_object object = op_object(a->op);
    if (object != op_object(b->op))
        return false;
    switch (object) {
    case ABOUT_MUTEX:
    case ABOUT_SPIN:
    case ABOUT_ONCE:
    case ABOUT_SEM:
    case ABOUT_RWLOCK:
        return a->address == b->address && !commute(a, b);
    case ABOUT_COND:
        return conditions_conflict(a, b);
    case ABOUT_BARRIER:
        return barriers_conflict(a, b);
    case ABOUT_FUTEX:
        return a->address == b->address;
    case ABOUT_THREAD:
        return threads_conflict(a, b);
    case ABOUT_FILE:
        return true;
    default:
        return false;
    }
}

bool transitions_depend(const struct wire_transition *a, const struct wire_transition *b)
{
    if (a->task == b->task || transition_is_global(a) || transition_is_global(b))
        return true;
    if ((a->flags | b->flags) & TRANSITION_ALONE)
        return false;
    if (is_range(a) && is_range(b) && accesses_conflict(a, b))
        return true;
    return objects_conflict(a, b) || mutexes_conflict(a, b) || times_conflict(a, b) || times_conflict(b, a);
}
