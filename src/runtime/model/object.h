/* SPDX-License-Identifier: MIT
 *
 * object.h - the table of synchronisation objects: one per lock, condition variable and so on, by address.
 *
 * An object says which tasks wait for it (op.object, op.object2).  When its state has changed, object_changed computes again whether their
 * operations are ready.
 */
#ifndef RADDLE_OBJECT_H
#define RADDLE_OBJECT_H

#include "runtime/rt.h"

enum object_kind {
    OBJECT_MUTEX,
    OBJECT_COND,
    OBJECT_RWLOCK,
    OBJECT_SPIN,
    OBJECT_SEM,
    OBJECT_BARRIER,
    OBJECT_ONCE,
    OBJECT_LOCK, /* of OpenMP */
    OBJECT_FUTEX,
    OBJECT_TASK,
    OBJECT_ATOMIC,
    OBJECT_FILE,
    OBJECT_CHANNEL,
    OBJECT_KINDS
};

struct object {
    struct object *next; /* hash chain */
    uintptr_t address;
    enum object_kind kind;
    uint32_t number;         /* in order of first use */
    struct task *pending[2]; /* tasks whose op has this as object / object2 */
    struct clock *clock;
    uint64_t created_operation;
    /* the state of the model that has this kind */
    union {
        struct {
            struct task *owner;
            uint32_t count;
            uint8_t type, robust, dead, inconsistent, initialised, destroyed;
            uint32_t waiters;
        } mutex;
        struct {
            uint64_t next_ticket;
            uint32_t waiters;
            uint8_t initialised, destroyed, clock;
            struct object *mutex;
            struct cond_waiter *queue;
        } cond;
        struct {
            struct task *writer;
            uint32_t readers;
            uint8_t initialised, destroyed, prefer_writer;
            struct holder *held;
        } rwlock;
        struct {
            struct task *owner;
            uint8_t initialised, destroyed;
        } spin;
        struct {
            uint32_t value;
            uint8_t initialised, destroyed;
        } sem;
        struct {
            uint32_t needed, arrived, leaving;
            uint64_t generation;
            uint8_t initialised, destroyed;
        } barrier;
        struct {
            uint8_t done;
            struct task *running;
        } once;
        struct {
            struct task *owner;
            uint32_t count;
            bool destroyed;
        } lock;
        struct {
            struct futex_waiter *queue;
        } futex;
    };
};

/* The object at address; made (zeroed) at first use.  An object of another kind there is replaced. */
struct object *object_get(uintptr_t address, enum object_kind kind);
struct object *object_find(uintptr_t address, enum object_kind kind); /* NULL if none */
void object_drop(struct object *object);            /* it was destroyed; stays while a task waits for it */
void object_drop_range(uintptr_t lo, uintptr_t hi); /* all in this memory, which was freed */
/* Every object of a kind, for materialising state in a forked child. */
void object_each(enum object_kind kind, void (*visit)(struct object *, void *), void *context);
/* State changed: recompute ready() of the tasks that wait for it. */
void object_changed(struct object *object);
/* The task that holds the lock, for deadlock reports; NULL: no task. */
struct task *object_holder(const struct object *object);

#endif
