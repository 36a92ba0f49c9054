/* SPDX-License-Identifier: MIT
 *
 * conflict.c - which operations do not commute.
 */
#include "runtime/sched/sched.h"
#include "runtime/sched/strategy.h"

bool op_is_read(const struct op *op)
{
    return op_facts[op->kind].class == CLASS_READ;
}

bool op_is_memory(const struct op *op)
{
    return op_facts[op->kind].class == CLASS_READ || op_facts[op->kind].class == CLASS_WRITE;
}

bool op_conflicts(const struct op *a, const struct op *b)
{
    if (op_is_memory(a) && op_is_memory(b))
        return (op_facts[a->kind].class == CLASS_WRITE || op_facts[b->kind].class == CLASS_WRITE) &&
               a->address < b->address + b->size && b->address < a->address + a->size;
    if (a->object != NULL && (a->object == b->object || a->object == b->object2))
        return true;
    if (a->object2 != NULL && (a->object2 == b->object || a->object2 == b->object2))
        return true;
    if (a->address == 0 || a->address != b->address)
        return op_facts[a->kind].class == CLASS_IO && op_facts[b->kind].class == CLASS_IO && a->fd == b->fd;
    return op_facts[a->kind].class != CLASS_OTHER && op_facts[b->kind].class != CLASS_OTHER;
}
