/* SPDX-License-Identifier: MIT
 *
 * handler.c - before which operation of its task a signal handler runs: any, also between two private ones.
 *
 * DESIGN
 *   A signal arrives while its task is before some operation.  If other tasks can see that operation, the handler runs now.  If it is
 *   private, the handler runs before it or before a later one, at the latest before the first that is not private.  Since no other task can
 *   see private work, this is as if the signal had arrived later.  No handler runs later than that, so the task never sees what the sender
 *   does after sending before its handler has run.
 *   A signal may also arrive after a visible operation, not only before the next one.  So a task that may have to run a handler
 *   stops at the operation after each visible one.  With both, every place is reached at which a signal without delay could arrive.
 *
 *   That the handler ran is a choice in the schedule, with the number of the operation before which it ran; its value says whether it was put
 *   off.  Later runs know better what is private, so a replay uses that number only.
 */
#include "runtime/sched/handler.h"
#include "runtime/model/signal.h"
#include "runtime/record.h"
#include "runtime/sched/replay.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/strategy.h"

/* How far a handler is put off, in operations: by dfs at most (the search then counts as incomplete); at random, a power of two, mostly small. */
enum { FARTHEST_TRIED = 1024, NEAR_BITS = 5, FAR_BITS = 12 };

static bool planned(const struct task *self, uint64_t *operation)
{
    return sched_is_replaying() && replay_handler(self, operation);
}

void handler_plan_stop(struct task *self, bool private)
{
    uint64_t next = self->operations + 1;
    if (!signal_due(self)) {
        bool may_come = !private && rt.task_count > 1 && !sched_is_replaying() && signal_may_come(self);
        self->handler_stop = may_come ? next : UINT64_MAX;
        self->handler_from = self->handler_at = 0;
        return;
    }
    uint64_t at = UINT64_MAX;
    if (!planned(self, &at))
        at = self->handler_at;
    self->handler_stop = at > next ? at : next;
}

/* All distances are possible, and small ones are likely, for private work of any length. */
static uint64_t distance(void)
{
    uint32_t bits = sched_random_below(4) == 0 ? FAR_BITS : NEAR_BITS;
    return sched_random_below(1u << sched_random_below(bits + 1));
}

static bool runs_at_random(struct task *self)
{
    if (self->handler_at == 0)
        self->handler_at = self->operations + distance();
    return self->operations >= self->handler_at;
}

static bool runs_in_search(struct task *self)
{
    if (self->operations - self->handler_from >= FARTHEST_TRIED) {
        rt.wire->result.lost |= LOST_CHOICES;
        return true;
    }
    self->handler_at = self->operations + 1;
    return dfs_choose(2) == 0;
}

static bool runs_now(struct task *self, const struct op *op)
{
    bool private = op->flags & OP_PRIVATE, exact = !(rt.flags & (PLAN_BEST_EFFORT | PLAN_PREFIX));
    uint64_t at;
    if ((private || exact) && planned(self, &at))
        return self->operations >= at;
    if (!private || (rt.flags & PLAN_BEST_EFFORT))
        return true;
    return sched_is_searching() ? runs_in_search(self) : runs_at_random(self);
}

bool handler_runs_now(struct task *self, const struct op *op)
{
    if (self->handler_from == 0)
        self->handler_from = self->operations;
    if (!runs_now(self, op))
        return false;
    uint32_t was_put_off = self->operations != self->handler_from;
    if (sched_is_replaying())
        replay_choose(self, 2, &was_put_off);
    record_choice(self, was_put_off);
    self->handler_from = self->handler_at = 0;
    return true;
}

bool handler_is_put_off(const struct task *self, const struct op *op)
{
    return self->handler_at != 0 && (op->flags & OP_PRIVATE) && !sched_is_replaying() && signal_due(self);
}
