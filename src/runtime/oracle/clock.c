/* SPDX-License-Identifier: MIT
 *
 * clock.c - vector clocks, and the happens-before edges that the models of synchronisation objects draw with them.
 */
#include "runtime/oracle/clock.h"

#include "runtime/model/object.h"
#include "runtime/shadow.h"

static size_t clock_bytes(uint32_t capacity)
{
    return sizeof(struct clock) + capacity * sizeof(uint32_t);
}

/* Makes room for `size` times; the old ones are kept. */
static void clock_grow(struct clock **clock, uint32_t size)
{
    struct clock *old = *clock;
    if (old != NULL && old->capacity >= size) {
        if (old->size < size)
            old->size = size;
        return;
    }
    uint32_t capacity = 6;
    while (capacity < size)
        capacity = capacity * 2 + 2; /* 6, 14, 30, …: with the head whole multiples of 16 bytes */
    struct clock *grown = rt_alloc(clock_bytes(capacity));
    grown->capacity = capacity;
    grown->size = size;
    if (old != NULL) {
        for (uint32_t i = 0; i < old->size; i++)
            grown->time[i] = old->time[i];
        rt_free(old, clock_bytes(old->capacity));
    }
    *clock = grown;
}

void clock_join(struct clock **into, const struct clock *from)
{
    if (from == NULL || from == *into)
        return;
    clock_grow(into, from->size);
    uint32_t *time = (*into)->time;
    for (uint32_t i = 0; i < from->size; i++)
        if (time[i] < from->time[i])
            time[i] = from->time[i];
}

void clock_assign(struct clock **into, const struct clock *from)
{
    if (from == NULL) {
        clock_drop(into);
        return;
    }
    clock_grow(into, from->size);
    struct clock *clock = *into;
    for (uint32_t i = 0; i < from->size; i++)
        clock->time[i] = from->time[i];
    for (uint32_t i = from->size; i < clock->size; i++)
        clock->time[i] = 0;
    clock->size = from->size;
}

void clock_drop(struct clock **clock)
{
    if (*clock != NULL)
        rt_free(*clock, clock_bytes((*clock)->capacity));
    *clock = NULL;
}

/* The epoch that the fast path writes into notes. */
static void set_epoch(struct task *self)
{
    bool inside = task_is_inside(self);
    self->epoch = shadow_epoch(self->id, clock_now(self));
    if (!inside)
        task_go_outside(self);
}

void clock_tick(struct task *self)
{
    self->clock->time[self->id]++;
    set_epoch(self);
}

static bool clocks_run(const struct task *self)
{
    return (rt.flags & PLAN_RACES) != 0 && self->clock != NULL;
}

void hb_fork(struct task *parent, struct task *child)
{
    shadow_init();
    if (rt.flags & PLAN_RACES) {
        clock_grow(&child->clock, child->id + 1);
        if (parent != NULL) {
            clock_join(&child->clock, parent->clock);
            clock_tick(parent);
        }
        child->clock->time[child->id] = CLOCK_ALONE;
    } else if (parent != NULL) {
        set_epoch(parent);
    }
    set_epoch(child);
}

void hb_acquire(struct task *self, struct object *object)
{
    if (clocks_run(self))
        clock_join(&self->clock, object->clock);
}

void hb_release(struct task *self, struct object *object)
{
    if (!clocks_run(self))
        return;
    clock_assign(&object->clock, self->clock);
    clock_tick(self);
}

void hb_release_merge(struct task *self, struct object *object)
{
    if (!clocks_run(self))
        return;
    clock_join(&object->clock, self->clock);
    clock_tick(self);
}

/* Data that a task reads from outside may depend on everything that any task has written there before. */
static struct clock *outside;

void hb_io_release(struct task *self)
{
    if (!clocks_run(self))
        return;
    clock_join(&outside, self->clock);
    clock_tick(self);
}

void hb_io_acquire(struct task *self)
{
    if (clocks_run(self))
        clock_join(&self->clock, outside);
}
