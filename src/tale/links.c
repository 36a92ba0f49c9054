/* SPDX-License-Identifier: MIT
 *
 * links.c - happens-before edges between threads (arrows), and which locks a thread holds from which event to which
 * (bars).
 *
 * DESIGN
 *   One pass over the events.  Each object remembers its last release (an unlock, a post, a finished once, an atomic
 *   store).  Each thread remembers the event that lets it continue (its creation, the signal, the end of the thread
 *   that it joins).  An arrow goes from there to the event that acquires.  Program order within a thread needs no
 *   arrows.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tale/tale_private.h"
#include "trace/events.h"
#include "util/hash.h"

#define NOWHERE UINT32_MAX

struct held {
    uint64_t lock;
    uint32_t bar; /* NOWHERE: taken by an event that is not in the tale */
    uint32_t depth;
};

struct link_task {
    VECTOR(struct held) held;
    uint64_t mutex;           /* that its condition wait released */
    char *mutex_name;         /* NULL: unknown */
    uint64_t condition;       /* that it waits for; 0: none */
    uint64_t barrier;         /* round of the barrier in which it has arrived */
    uint32_t woken_by, ended; /* events */
};

struct links {
    struct builder *builder;
    struct table given;  /* object → event + 1 of its last release */
    struct table rounds; /* barrier → number of rounds that have begun */
    VECTOR(struct link_task) tasks;
};

struct links *links_open(struct builder *builder)
{
    struct links *links = memory_allocate(1, sizeof *links);
    links->builder = builder;
    return links;
}

/* Valid until the next call. */
static struct link_task *task_of(struct links *links, uint64_t task)
{
    while (links->tasks.count <= task)
        vector_push(&links->tasks, (struct link_task){.woken_by = NOWHERE, .ended = NOWHERE});
    return &links->tasks.data[task];
}

static uint64_t object_key(const struct links *links, uint64_t address)
{
    return hash_combine(objects_identity(links->builder->objects, address), address & 7);
}

static uint32_t number_of(const struct links *links, const struct tale_event *event)
{
    return event != NULL ? (uint32_t)(event - links->builder->tale->events.data) : NOWHERE;
}

static bool succeeded(const struct wire_event *wire)
{
    /* The owner of a robust mutex has died: an error, but the lock is taken. */
    return !(wire->flags & (EVENT_FAILED | EVENT_TIMEOUT)) || (wire->op == OP_MUTEX_LOCK && wire->value == EOWNERDEAD);
}

/* ---- arrows --------------------------------------------------------------------------------------------------------------- */

static void add_arrow(struct links *links, uint32_t from, uint32_t to)
{
    assert(to < links->builder->tale->events.count || to == NOWHERE);
    struct tale *tale = links->builder->tale;
    if (from == NOWHERE || to == NOWHERE || tale->events.data[from].thread == tale->events.data[to].thread)
        return;
    vector_push(&tale->arrows, (struct tale_arrow){from, to});
}

static void give(struct links *links, uint64_t key, uint32_t number)
{
    *table_put(&links->given, key) = number == NOWHERE ? 0 : (uint64_t)number + 1;
}

static void take(struct links *links, uint64_t key, uint32_t number)
{
    const uint64_t *from = table_get(&links->given, key);
    if (from != NULL && *from != 0)
        add_arrow(links, (uint32_t)(*from - 1), number);
}

static bool names_task(const struct wire_event *wire)
{
    return (wire->flags & EVENT_VALUE) && !(wire->flags & (EVENT_FAILED | EVENT_TIMEOUT)) && wire->value < WIRE_TASKS;
}

static void link_threads(struct links *links, const struct wire_event *wire, uint32_t number)
{
    struct link_task *task = task_of(links, wire->task);
    switch (wire->op) {
    case OP_START:
    case OP_HANDLER:
    case OP_CANCELLED:
    case OP_COND_WAKE:
        if (wire->op != OP_COND_WAKE || succeeded(wire))
            add_arrow(links, task->woken_by, number);
        task->woken_by = NOWHERE;
        task->condition = 0;
        break;
    case OP_END:
        task->ended = number;
        break;
    case OP_CREATE:
    case OP_KILL:
    case OP_CANCEL:
    case OP_COND_SIGNAL:
        if (names_task(wire))
            task_of(links, wire->value)->woken_by = number;
        break;
    case OP_COND_BROADCAST:
        for (size_t i = 0; i < links->tasks.count; i++)
            if (links->tasks.data[i].condition == wire->address)
                links->tasks.data[i].woken_by = number;
        break;
    case OP_JOIN:
        if (names_task(wire))
            add_arrow(links, task_of(links, wire->value)->ended, number);
        break;
    default:
        break;
    }
}

/* The last arrival of a round releases the threads of this round only, even if some threads have already entered the
   next round. */
static void link_barrier(struct links *links, const struct wire_event *wire, uint32_t number)
{
    uint64_t key = object_key(links, wire->address);
    struct link_task *task = task_of(links, wire->task);
    if (wire->op == OP_BARRIER_ARRIVE) {
        uint64_t *round = table_put(&links->rounds, key);
        *round += wire->value == 1;
        task->barrier = hash_combine(key, *round);
        give(links, task->barrier, number);
    } else {
        take(links, task->barrier, number);
    }
}

static void link_atomic(struct links *links, const struct wire_event *wire, uint64_t key, uint32_t number)
{
    if (wire->op != OP_ATOMIC_STORE)
        take(links, key, number);
    if (event_is_write(wire))
        give(links, key, number);
}

static void link_objects(struct links *links, const struct wire_event *wire, uint32_t number)
{
    uint64_t key = object_key(links, wire->address);
    if (!succeeded(wire))
        return;
    switch (op_effect(wire->op)) {
    case EFFECT_LOCK:
    case EFFECT_RDLOCK:
    case EFFECT_ACQUIRE:
        take(links, key, number);
        break;
    case EFFECT_UNLOCK:
    case EFFECT_RELEASE:
        give(links, key, number);
        break;
    default:
        if (wire->op == OP_BARRIER_ARRIVE || wire->op == OP_BARRIER_LEAVE)
            link_barrier(links, wire, number);
        else if (op_object(wire->op) == ABOUT_ATOMIC)
            link_atomic(links, wire, key, number);
        break;
    }
}

/* ---- locks held ----------------------------------------------------------------------------------------------------------- */

static void begin_bar(struct links *links, const struct wire_event *wire, uint64_t lock, const struct tale_event *event,
                      char *name)
{
    struct tale *tale = links->builder->tale;
    struct link_task *task = task_of(links, wire->task);
    for (size_t i = 0; i < task->held.count; i++)
        if (task->held.data[i].lock == lock) {
            task->held.data[i].depth++;
            return;
        }
    struct held held = {.lock = lock, .bar = NOWHERE, .depth = 1};
    bool shared = op_effect(wire->op) == EFFECT_RDLOCK;
    if (event != NULL && name != NULL) {
        held.bar = (uint32_t)tale->bars.count;
        vector_push(&tale->bars,
                    (struct tale_bar){wire->task, number_of(links, event), UINT32_MAX, shared, .object = name});
    }
    vector_push(&task->held, held);
}

static void end_bar(struct links *links, const struct wire_event *wire, uint64_t lock, uint32_t number)
{
    struct link_task *task = task_of(links, wire->task);
    for (size_t i = task->held.count; i-- > 0;) {
        struct held *held = &task->held.data[i];
        if (held->lock != lock)
            continue;
        if (--held->depth > 0)
            return;
        if (held->bar != NOWHERE)
            links->builder->tale->bars.data[held->bar].until = number;
        memmove(held, held + 1, (task->held.count - i - 1) * sizeof *held);
        task->held.count--;
        return;
    }
}

/* A condition wait releases the mutex and acquires it again at its end, whether it was woken or timed out. */
static void follow_wait(struct links *links, const struct wire_event *wire, const struct tale_event *event)
{
    struct link_task *task = task_of(links, wire->task);
    uint32_t number = number_of(links, event);
    if (wire->op == OP_COND_WAIT && !(wire->flags & EVENT_FAILED) && (wire->flags & EVENT_VALUE)) {
        task->condition = wire->address;
        task->mutex = object_key(links, wire->value);
        task->mutex_name = event != NULL ? event->value : NULL;
        end_bar(links, wire, task->mutex, number);
        give(links, task->mutex, number);
    } else if (wire->op == OP_COND_WAKE && task->mutex != 0) {
        uint64_t mutex = task->mutex;
        task->mutex = 0;
        take(links, mutex, number);
        begin_bar(links, wire, mutex, event, task->mutex_name);
    }
}

static void follow_lock(struct links *links, const struct wire_event *wire, const struct tale_event *event)
{
    uint64_t lock = object_key(links, wire->address);
    if (!succeeded(wire))
        return;
    if (op_takes_lock(wire->op))
        begin_bar(links, wire, lock, event, event != NULL ? event->object : NULL);
    else if (op_effect(wire->op) == EFFECT_UNLOCK)
        end_bar(links, wire, lock, number_of(links, event));
}

void links_event(struct links *links, const struct wire_event *wire, const struct tale_event *event)
{
    uint32_t number = number_of(links, event);
    link_objects(links, wire, number);
    follow_lock(links, wire, event);
    link_threads(links, wire, number);
    follow_wait(links, wire, event);
}

static int compare_arrows(const void *left, const void *right)
{
    const struct tale_arrow *a = left, *b = right;
    return a->to != b->to ? (a->to < b->to ? -1 : 1) : (a->from > b->from) - (a->from < b->from);
}

void links_close(struct links *links)
{
    struct tale *tale = links->builder->tale;
    if (tale->arrows.count > 0)
        qsort(tale->arrows.data, tale->arrows.count, sizeof *tale->arrows.data, compare_arrows);
    for (size_t i = 0; i < links->tasks.count; i++)
        vector_free(&links->tasks.data[i].held);
    vector_free(&links->tasks);
    table_free(&links->given);
    table_free(&links->rounds);
    free(links);
}
