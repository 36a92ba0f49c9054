/* SPDX-License-Identifier: MIT
 *
 * conflict.c - which operations do not commute.
 */
#include "runtime/sched/sched.h"

static const uint8_t op_class[WIRE_OP_COUNT] = {
#define X(name, text, class) [OP_##name] = CLASS_##class,
    WIRE_OPS(X)
#undef X
};

bool op_is_read(const struct op *op)
{
    return op_class[op->kind] == CLASS_READ;
}

bool op_is_memory(const struct op *op)
{
    return op_class[op->kind] == CLASS_READ || op_class[op->kind] == CLASS_WRITE;
}

bool op_conflicts(const struct op *a, const struct op *b)
{
    if (op_is_memory(a) && op_is_memory(b))
        return (op_class[a->kind] == CLASS_WRITE || op_class[b->kind] == CLASS_WRITE) &&
               a->address < b->address + b->size && b->address < a->address + a->size;
    if (a->object != NULL && (a->object == b->object || a->object == b->object2))
        return true;
    if (a->object2 != NULL && (a->object2 == b->object || a->object2 == b->object2))
        return true;
    if (a->address == 0 || a->address != b->address)
        return op_class[a->kind] == CLASS_IO && op_class[b->kind] == CLASS_IO && a->fd == b->fd;
    return op_class[a->kind] != CLASS_OTHER && op_class[b->kind] != CLASS_OTHER;
}
