/* SPDX-License-Identifier: MIT
 *
 * clock.h - vector clocks and happens-before edges.
 *
 * A clock maps task ids to times.  A task's own time ticks when it releases something, so all that it does between two
 * releases has one time.  What task t did at time c happens before what task u does now iff u's clock has t at c or later.
 */
#ifndef RADDLE_CLOCK_H
#define RADDLE_CLOCK_H

#include "runtime/rt.h"

struct clock {
    uint32_t size, capacity;
    uint32_t time[]; /* by task id; 0 beyond size */
};

static inline uint32_t clock_get(const struct clock *clock, uint32_t task)
{
    return clock != NULL && task < clock->size ? clock->time[task] : 0;
}

/* The time of main before it creates a thread.  Without race detection that is the only time that differs from others. */
enum { CLOCK_ALONE = 1 };

/* The task's own time. */
static inline uint32_t clock_now(const struct task *self)
{
    if (self->clock != NULL)
        return clock_get(self->clock, self->id);
    return rt.task_count > 1 ? CLOCK_ALONE + 1 : CLOCK_ALONE;
}

/* Whether all that `task` did at `time` happens before what self does now. */
static inline bool clock_ordered(const struct task *self, uint32_t task, uint32_t time)
{
    return self->clock == NULL || clock_get(self->clock, task) >= time;
}

void clock_join(struct clock **into, const struct clock *from); /* maximum of both; from may be NULL */
void clock_assign(struct clock **into, const struct clock *from);
void clock_drop(struct clock **clock);
/* self has released its clock: what it does from now on is later. */
void clock_tick(struct task *self);

/* ---- happens-before edges; they do nothing without PLAN_RACES --------------------------------------------------------- */

struct object;
void hb_acquire(struct task *self, struct object *object); /* task clock := max(task, object) */
void hb_release(struct task *self, struct object *object); /* object clock := task clock, as a mutex does */
/* object clock := max(object, task), as a semaphore does */
void hb_release_merge(struct task *self, struct object *object);
void hb_fork(struct task *parent, struct task *child);
void hb_io_release(struct task *self); /* one clock for everything outside of the program */
void hb_io_acquire(struct task *self);

#endif
