/* SPDX-License-Identifier: MIT
 *
 * order.c - happens-before edges of atomic operations and fences, by the memory orders of C11 (5.1.2.4, 7.17.3).
 *
 * DESIGN
 *   Execution is sequentially consistent, so a read always sees the last write.  What remains of the memory orders is which operations
 *   synchronise.  Each atomic object keeps the clock of the release sequence that its present value belongs to:
 *     a release store begins one; a read-modify-write by any task, and a relaxed store by a task that is a head of it,
 *     continue it; any other store ends it.  An acquire load joins it.
 *   A relaxed write after a release fence releases the fence's clock; a relaxed read takes the clock into the task's
 *   fence_acquire, which an acquire fence joins.  consume counts as acquire.
 *   Objects of different sizes may overlap (a 16-byte exchange and an 8-byte load): clocks are kept per set of bytes in a cell.
 */
#include "runtime/oracle/order.h"

#include "runtime/oracle/clock.h"

struct sync {
    struct sync *next;
    struct clock *clock;
    uint64_t heads; /* tasks that released into it, by id modulo 64: a task too many only adds an edge */
    unsigned mask;
};

static bool acquires(int order)
{
    return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
}

static bool releases(int order)
{
    return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

static uint64_t head_bit(const struct task *self)
{
    return 1ull << (self->id % 64);
}

void order_load(struct task *self, struct record *record, unsigned mask, int order)
{
    if (self->clock == NULL)
        return;
    for (const struct sync *sync = record->syncs; sync != NULL; sync = sync->next)
        if (sync->mask & mask)
            clock_join(acquires(order) ? &self->clock : &self->fence_acquire, sync->clock);
}

static void drop_sync(struct sync **link)
{
    struct sync *sync = *link;
    *link = sync->next;
    clock_drop(&sync->clock);
    rt_free(sync, sizeof *sync);
}

/* A plain store ends the release sequences of its bytes, except those that this task heads if it goes on with them. */
static void end_sequences(struct task *self, struct record *record, unsigned mask, bool goes_on)
{
    struct sync **link = &record->syncs;
    while (*link != NULL) {
        struct sync *sync = *link;
        if ((sync->mask & mask) != 0 && !(goes_on && (sync->heads & head_bit(self))))
            sync->mask &= ~mask;
        if (sync->mask == 0)
            drop_sync(link);
        else
            link = &sync->next;
    }
}

static struct sync *sync_for(struct record *record, unsigned mask)
{
    for (struct sync *sync = record->syncs; sync != NULL; sync = sync->next)
        if (sync->mask == mask)
            return sync;
    struct sync *sync = rt_alloc(sizeof *sync);
    *sync = (struct sync){.next = record->syncs, .mask = mask};
    record->syncs = sync;
    return sync;
}

void order_store(struct task *self, struct record *record, unsigned mask, int order, bool modifies)
{
    if (self->clock == NULL)
        return;
    const struct clock *released = releases(order) ? self->clock : self->fence_release;
    if (!modifies)
        end_sequences(self, record, mask, !releases(order));
    if (released == NULL)
        return;
    struct sync *sync = sync_for(record, mask);
    clock_join(&sync->clock, released);
    sync->heads |= head_bit(self);
}

void order_released(struct task *self, int order)
{
    if (self->clock != NULL && releases(order))
        clock_tick(self);
}

void order_fence(struct task *self, int order)
{
    if (self->clock == NULL)
        return;
    if (acquires(order))
        clock_join(&self->clock, self->fence_acquire);
    if (releases(order)) {
        clock_assign(&self->fence_release, self->clock);
        clock_tick(self);
    }
}

void order_drop(struct record *record)
{
    while (record->syncs != NULL)
        drop_sync(&record->syncs);
}
