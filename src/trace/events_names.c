/* SPDX-License-Identifier: MIT
 *
 * events_names.c - names of operations and kinds of findings.
 */
#include <string.h>

#include "trace/events.h"

static const char *const op_names[WIRE_OP_COUNT] = {
#define X(name, text, ...) text,
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

const char *event_kind_name(uint32_t kind)
{
    return kind < WIRE_KIND_COUNT ? kind_names[kind] : "?";
}

const char *event_object_kind(uint32_t op)
{
    switch (op_object(op)) {
    case ABOUT_COND:
        return "condition ";
    case ABOUT_SEM:
        return "semaphore ";
    case ABOUT_BARRIER:
        return "barrier ";
    case ABOUT_FUTEX:
        return "futex ";
    default:
        return "";
    }
}
