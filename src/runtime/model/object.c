/* SPDX-License-Identifier: MIT
 *
 * object.c - the table of synchronisation objects, by address.
 */
#include "runtime/model/object.h"
#include "runtime/model/model.h"
#include "runtime/oracle/clock.h"
#include "runtime/sched/sched.h"

enum { FIRST_BITS = 9 };        /* the first table is one page */
static struct object **buckets; /* NULL: nothing was ever in the table */
static uint32_t bits;           /* 1 << bits buckets, at least one for each object */
static uint32_t objects;        /* in the table */
static uint32_t object_numbers;
static uintptr_t lowest, highest; /* of all addresses ever in the table; both 0: there was none */

static uint32_t bucket_count(void)
{
    return buckets != NULL ? 1u << bits : 0;
}

static struct object **bucket(uintptr_t address)
{
    return &buckets[(address * 0x9e3779b97f4a7c15ull) >> (64 - bits)];
}

/* Makes the table, or makes it twice as large. */
static void grow(void)
{
    struct object **old = buckets;
    uint32_t count = bucket_count();
    bits = old != NULL ? bits + 1 : FIRST_BITS;
    buckets = rt_alloc(sizeof *buckets << bits);
    for (uint32_t i = 0; i < count; i++)
        for (struct object *object = old[i], *next; object != NULL; object = next) {
            next = object->next;
            object->next = *bucket(object->address);
            *bucket(object->address) = object;
        }
    if (old != NULL)
        rt_free(old, count * sizeof *old);
}

struct object *object_find(uintptr_t address, enum object_kind kind)
{
    for (struct object *object = buckets != NULL ? *bucket(address) : NULL; object != NULL; object = object->next)
        if (object->address == address && object->kind == kind)
            return object;
    return NULL;
}

static void count_lock(enum object_kind kind)
{
    if (kind != OBJECT_COND && kind <= OBJECT_FUTEX) /* a condition always comes with a mutex */
        rt.wire->result.locks++;
}

struct object *object_get(uintptr_t address, enum object_kind kind)
{
    struct object *object = object_find(address, kind);
    if (object != NULL)
        return object;
    if (objects == bucket_count())
        grow();
    objects++;
    object = rt_alloc(sizeof *object);
    object->address = address;
    object->kind = kind;
    object->number = object_numbers++;
    object->next = *bucket(address);
    *bucket(address) = object;
    if (address < lowest || highest == 0)
        lowest = address;
    if (address > highest)
        highest = address;
    count_lock(kind);
    return object;
}

void object_drop(struct object *object)
{
    struct object **link = bucket(object->address);
    while (*link != NULL && *link != object)
        link = &(*link)->next;
    if (*link == NULL || object->pending[0] != NULL || object->pending[1] != NULL)
        return; /* a task still waits for it: it stays */
    *link = object->next;
    objects--;
    clock_drop(&object->clock);
    rt_free(object, sizeof *object);
}

static void drop_bucket_range(struct object *object, uintptr_t lo, uintptr_t hi)
{
    while (object != NULL) {
        struct object *next = object->next;
        if (object->address >= lo && object->address < hi)
            object_drop(object);
        object = next;
    }
}

void object_drop_range(uintptr_t lo, uintptr_t hi)
{
    if (hi <= lowest || lo > highest)
        return;
    if (hi - lo <= (uintptr_t)8 * bucket_count()) {
        for (uintptr_t address = lo & ~(uintptr_t)3; address < hi; address += 4)
            drop_bucket_range(*bucket(address), address, address + 4 < hi ? address + 4 : hi);
    } else {
        for (uint32_t i = 0; i < bucket_count(); i++)
            drop_bucket_range(buckets[i], lo, hi);
    }
}

void object_each(enum object_kind kind, void (*visit)(struct object *, void *), void *context)
{
    for (uint32_t i = 0; i < bucket_count(); i++)
        for (struct object *object = buckets[i], *next; object != NULL; object = next) {
            next = object->next;
            if (object->kind == kind)
                visit(object, context);
        }
}

void object_changed(struct object *object)
{
    for (int slot = 0; slot < 2; slot++)
        for (struct task *task = object->pending[slot]; task != NULL; task = task->next_pending[slot])
            sched_refresh(task);
}

struct task *object_holder(const struct object *object)
{
    switch (object->kind) {
    case OBJECT_MUTEX:
    case OBJECT_FILE:
        return object->mutex.owner;
    case OBJECT_SPIN:
        return object->spin.owner;
    case OBJECT_RWLOCK:
        return object->rwlock.writer == NULL && object->rwlock.held != NULL ? object->rwlock.held->task
                                                                            : object->rwlock.writer;
    case OBJECT_LOCK:
        return object->lock.owner;
    case OBJECT_ONCE:
        return object->once.running;
    default:
        return NULL;
    }
}
