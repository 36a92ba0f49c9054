/* SPDX-License-Identifier: MIT
 *
 * access.c - see access.h.
 */
#include "trace/access.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "trace/events.h"

static const struct {
    const char *name;
    bool strong;
    uint16_t group, partners;
} kinds[] = {
#define X(name, text, strong, group, partners) {text, strong, group, partners},
    ACCESS_KINDS(X)
#undef X
};

const char *access_kind_name(enum access_kind kind)
{
    return kind < ACCESS_KIND_COUNT ? kinds[kind].name : "?";
}

enum access_kind access_kind_by_name(const char *name, size_t length)
{
    enum access_kind kind = ACCESS_ANY;
    while (kind < ACCESS_KIND_COUNT &&
           (strlen(kinds[kind].name) != length || memcmp(kinds[kind].name, name, length) != 0))
        kind++;
    return kind;
}

bool access_is_strong(enum access_kind kind)
{
    return kinds[kind].strong;
}

bool access_is_data(enum access_kind kind)
{
    return (kinds[kind].group & (GROUP_READ | GROUP_WRITE)) != 0;
}

bool access_are_partners(enum access_kind first, enum access_kind second)
{
    return (kinds[first].partners & kinds[second].group) != 0;
}

bool access_blocks(enum access_kind first, enum access_kind between, enum access_kind second)
{
    return kinds[between].strong || (kinds[first].strong && kinds[second].strong);
}

bool access_fits(enum access_kind wanted, enum access_kind kind)
{
    switch (wanted) {
    case ACCESS_ANY:
        return true;
    case ACCESS_READ:
        return kind == ACCESS_READ || kind == ACCESS_UPDATE;
    case ACCESS_WRITE:
        return kind == ACCESS_WRITE || kind == ACCESS_UPDATE || kind == ACCESS_FREE;
    default:
        return wanted == kind;
    }
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

struct event event_from_wire(const struct wire_event *wire)
{
    return (struct event){.address = wire->address,
                          .operation = wire->operation,
                          .value = wire->value,
                          .context = wire->context,
                          .pc = wire->pc,
                          .before = wire->before,
                          .size = wire->size,
                          .task = wire->task,
                          .op = wire->op,
                          .flags = wire->flags};
}

bool event_succeeded(const struct event *event)
{
    /* The owner of a robust mutex has died: an error, but the lock is taken. */
    return !(event->flags & EVENT_FAILED) || (event->op == OP_MUTEX_LOCK && event->value == EOWNERDEAD);
}

/* What an operation that succeeds is, by its number. */
enum { ACCESS_NONE = ACCESS_ANY }; /* no access */
static const uint8_t kind_of_op[WIRE_OP_COUNT] = {
#define X(name, text, class, object, effect, ...) ACCESS_##effect,
    WIRE_OPS(X)
#undef X
};

/* What a call on a synchronisation object is, if it succeeded; ACCESS_ANY: no access. */
static enum access_kind sync_kind(const struct event *event, enum access_kind kind)
{
    if (event->op == OP_RWLOCK_UNLOCK && (event->flags & EVENT_READING))
        return ACCESS_RDUNLOCK;
    if (event->op == OP_FUTEX_WAIT &&
        !(event->flags & EVENT_UNCHANGED)) /* was woken; going to sleep was another event */
        return ACCESS_ANY;
    return kind;
}

/* A call that did not get what it wanted has only looked. */
static enum access_kind failed_kind(enum access_kind kind)
{
    return kind == ACCESS_LOCK || kind == ACCESS_RDLOCK || kind == ACCESS_ACQUIRE ? ACCESS_TRY : ACCESS_ANY;
}

/* What an access to memory is. */
static enum access_kind data_kind(const struct event *event, enum access_kind kind)
{
    bool unchanged = (event->flags & (EVENT_FAILED | EVENT_UNCHANGED)) != 0;
    return kind == ACCESS_UPDATE && unchanged ? ACCESS_READ : kind;
}

static struct access sync_access(uint64_t address, enum access_kind kind)
{
    return (struct access){
        .lo = address, .hi = address + 1, .kind = (uint8_t)kind, .space = SPACE_SYNC, .atomic = true};
}

unsigned event_accesses(const struct event *event, uint64_t mutex, struct access accesses[EVENT_ACCESSES])
{
    unsigned count = 0;
    enum access_kind kind = event->op < WIRE_OP_COUNT ? (enum access_kind)kind_of_op[event->op] : ACCESS_ANY;
    if (access_is_data(kind)) {
        uint64_t hi = event->address + event->size;
        if (hi <= event->address)
            return 0;
        accesses[0] = (struct access){.lo = event->address,
                                      .hi = hi,
                                      .kind = (uint8_t)data_kind(event, kind),
                                      .space = SPACE_DATA,
                                      .atomic = op_object(event->op) == ABOUT_ATOMIC};
        return 1;
    }
    kind = sync_kind(event, kind);
    if (!event_succeeded(event))
        kind = failed_kind(kind);
    if (kind != ACCESS_ANY)
        accesses[count++] = sync_access(event->address, kind);
    assert(mutex == 0 || event->op == OP_COND_WAIT || event->op == OP_COND_WAKE);
    if (mutex != 0)
        accesses[count++] = sync_access(mutex, event->op == OP_COND_WAIT ? ACCESS_UNLOCK : ACCESS_LOCK);
    assert(count <= EVENT_ACCESSES);
    return count;
}
