/* SPDX-License-Identifier: MIT
 *
 * sched.c - scheduling points: publish, choose, switch.  state.h describes the sets of tasks.
 */
#include "runtime/sched/state.h"

#include "runtime/checkpoint.h"
#include "runtime/debug.h"
#include "runtime/model/signal.h"
#include "runtime/model/thread.h"
#include "runtime/position.h"
#include "runtime/record.h"
#include "runtime/sched/carrier.h"
#include "runtime/sched/handler.h"
#include "runtime/sched/idle.h"
#include "runtime/sched/replay.h"
#include "runtime/tear.h"
#include "runtime/transitions.h"

/* ---- random numbers: splitmix64 -------------------------------------------------------------------------------------- */

uint64_t sched_random(void)
{
    return rt_mix(sched.random += 0x9e3779b97f4a7c15ull);
}

uint32_t sched_random_below(uint32_t n)
{
    return (uint32_t)(((sched_random() >> 32) * n) >> 32);
}

/* ---- slices ---------------------------------------------------------------------------------------------------------- */

/* A task that does only private work, or waits for a location that no other task has accessed yet, has no scheduling points.  So it is
   stopped every SLICE operations: other tasks may run, and the driver sees that the program is alive. */
enum { SLICE = 1 << 16 };

void sched_begin_slice(struct task *self, bool private)
{
    uint64_t end = self->operations + SLICE, planned = sched.replaying ? replay_stop(self) : UINT64_MAX;
    self->stop_at = planned < end ? planned : end;
    handler_plan_stop(self, private);
    if (self->handler_stop < self->stop_at)
        self->stop_at = self->handler_stop;
}

/* ---- from one task to another ---------------------------------------------------------------------------------------- */

/* The plan has a checkpoint here.  (dfs.c decides this itself.) */
static bool is_held_here(const struct task *self)
{
    const struct wire_plan *plan = &rt.wire->plan;
    if (sched_is_systematic())
        return false;
    if (plan->checkpoint == CHECKPOINT_FIRST)
        return rt.task_count > 1;
    return sched.replaying && replay_is_at(self, plan->checkpoint - 1, plan->checkpoint_until);
}

struct task *sched_choose_task(struct task *self)
{
    if (unlikely(checkpoint_wanted) && is_held_here(self))
        checkpoint_make(self);
    if (unlikely(signal_arrivals != 0 || sched.replaying))
        signal_collect();
    idle_refresh();
    if (sched.replaying) {
        struct task *next = replay_pick(self);
        if (next != NULL) {
            while (next->ready == READY_NO)
                idle_wait(next);
            return next;
        }
        sched.replaying = false;
    }
    struct task *next;
    while ((next = pick_task(self)) == NULL)
        idle_wait(NULL);
    return next;
}

void sched_count_point(struct task *self)
{
    record_settle(self);
    self->operations++;
    self->points++;
    rt.points++;
    rt.wire->result.points = rt.points;
    rt.wire->result.operations++;
    sched_forget_yields();
}

/* The task is left although it could go on. */
static bool is_preempted(const struct task *self)
{
    return self->ready == READY_YES && !sched_is_passed_over(self);
}

/* Private work is stopped at the end of a slice (or where a replay switches).  Then other tasks go first. */
static bool is_yielding(const struct task *self, const struct op *op)
{
    return (op->flags & OP_YIELDS) || ((op->flags & OP_PRIVATE) && self->operations != self->handler_stop);
}

void sched_tell_executed(struct task *self, const struct op *op)
{
    if (transitions_wanted())
        transition_execute(self, op);
    if (sched.strategy->executed != NULL)
        sched.strategy->executed(self, op);
    if (unlikely(checkpoint_wanted))
        position_executed(self, op->pc);
}

static void check_bounds(void)
{
    if (unlikely(rt.points - sched.progress_point >= sched.hang_points || rt.points > sched.max_points))
        sched_bound_reached();
}

void sched_switch(struct task *self, uint64_t operation, struct task *next)
{
    record_segment_end(operation, is_preempted(self) || replay_preempted(self, operation));
    record_segment(next);
    self->state = TASK_PARKED;
    next->state = TASK_RUNNING;
    carrier->switch_to(self, next);
    debug_switched();
}

/* ---- waits that end early -------------------------------------------------------------------------------------------- */

/* The task was chosen to go on before its time.  That is early if another task could go on and does not spin. */
static void note_early(struct task *self, const struct op *op, int64_t began)
{
    static struct task_set others;
    for (uint32_t i = 0; i < set_words(); i++)
        others.words[i] = sched.yes.words[i] & ~sched.demoted.words[i];
    const struct task *other = set_next(&others, -1);
    sched.is_early = other != NULL && op->deadline != RT_NEVER && op->deadline > rt.now;
    if (!sched.is_early)
        return;
    const struct op *next = other->pending;
    sched.early = (struct wire_early){.task = (uint16_t)self->id,
                                      .op = (uint8_t)op->kind,
                                      .other = (uint16_t)other->id,
                                      .other_op = (uint8_t)next->kind,
                                      .pc = op->pc,
                                      .other_pc = next->pc,
                                      .other_address = next->address,
                                      .nanoseconds = (uint64_t)(op->deadline - began)};
}

bool sched_is_early(const struct task *self)
{
    return sched.is_early && sched.early.task == self->id;
}

void sched_timed_out(const struct task *self)
{
    struct wire_result *result = &rt.wire->result;
    if (!sched_is_early(self))
        return;
    sched.is_early = false;
    if (result->early_count++ == 0)
        result->early = sched.early;
}

/* ---- points ---------------------------------------------------------------------------------------------------------- */

enum wake sched_point(struct task *self, struct op *op)
{
    if (unlikely(self->torn != NULL))
        tear_finish(self);
    int64_t began = rt.now;
    for (;;) {
        sched_count_point(self);
        sched_publish(self, op);
        check_bounds();
        if (is_yielding(self, op))
            set_put(&sched.yielded, self, true);
        struct task *next = handler_is_put_off(self, op) ? self : sched_choose_task(self);
        if (next != self)
            sched_switch(self, self->operations, next);
        enum ready alone = sched_op_ready(self);
        sched_tell_executed(self, op);
        sched_unpublish(self);
        sched.is_early = false;
        if (unlikely(alone == READY_LATE))
            note_early(self, op, began);
        bool handle = signal_due(self) && (alone != READY_YES || handler_runs_now(self, op));
        sched_begin_slice(self, op->flags & OP_PRIVATE);
        if (handle) {
            signal_deliver(self);
            if (alone != READY_YES && (op->flags & OP_INTERRUPTIBLE))
                return WAKE_SIGNAL;
            continue;
        }
        if (thread_cancel_due(self, op)) {
            if (!(op->flags & OP_CANCEL_RETURNS))
                thread_cancel_here(self);
            self->cancelling = true;
            return WAKE_GO;
        }
        if (alone == READY_YES)
            return WAKE_GO;
        if (op->deadline != RT_NEVER && op->deadline > rt.now)
            rt.now = op->deadline;
        sched_time_passed();
        return WAKE_LATE;
    }
}

bool sched_tears(void)
{
    enum { ONE_IN = 4 }; /* there are many wide accesses, and most are protected by locks */
    if (sched.replaying || rt.live_count == 1)
        return false; /* a plan says itself where it stops */
    if (rt.flags & PLAN_TRANSITIONS) {
        rt.wire->result.beyond |= BEYOND_TORN;
        return false;
    }
    return sched.strategy == &strategy_dfs || sched_random_below(ONE_IN) == 0;
}

struct task *sched_middle(struct task *self, struct op *rest, bool wanted)
{
    if (!wanted && self->operations + 1 != self->stop_at) {
        self->operations++;
        rt.wire->result.operations++;
        return NULL;
    }
    sched_count_point(self);
    sched_publish(self, rest);
    check_bounds();
    struct task *next = handler_is_put_off(self, rest) ? self : sched_choose_task(self);
    sched_unpublish(self);
    sched_begin_slice(self, !wanted);
    return next != self ? next : NULL;
}

void sched_leave(struct task *self, struct op *rest, uint64_t operation, struct task *next)
{
    record_settle(self);
    sched_publish(self, rest);
    sched_switch(self, operation, next);
    sched_unpublish(self);
    rest->flags &= ~(uint32_t)OP_PRIVATE;
    bool handle = signal_due(self) && handler_runs_now(self, rest);
    sched_begin_slice(self, false);
    if (handle)
        signal_deliver(self);
}

/* ---- other choices --------------------------------------------------------------------------------------------------- */

uint32_t sched_choose_from(struct task *self, uint32_t first, uint32_t n)
{
    uint32_t value = 0;
    if (n <= 1)
        return 0;
    bool planned = sched.replaying || (rt.flags & PLAN_BEST_EFFORT);
    if (!planned || !replay_choose(self, n, &value)) {
        uint32_t ways = n - first;
        value = first;
        if (ways > 1)
            value += sched.strategy == &strategy_dfs      ? dfs_choose(ways)
                     : sched.strategy == &strategy_traces ? traces_choose(ways)
                                                          : sched_random_below(ways);
    }
    record_choice(self, value);
    return value;
}

uint32_t sched_choose(struct task *self, uint32_t n)
{
    return sched_choose_from(self, 0, n);
}
