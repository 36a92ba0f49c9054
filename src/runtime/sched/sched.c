/* SPDX-License-Identifier: MIT
 *
 * sched.c - scheduling points: publish, choose, switch.
 *
 * DESIGN
 *   Three sets say all about who may run: `yes` (its operation can be done now), `late` (only if time passes), and `demoted`
 *   (could run, but is known to be spinning).  Those that were taken off between two operations (`computing`) count as
 *   demoted for a while.  They are kept up to date by publish/unpublish and object_changed, never
 *   computed again.  The strategy chooses among yes \ demoted \ yielded; now and then a coin lets a sleeper or a spinner run
 *   early; when nothing else is left they run at random, so that every task runs again and again: no strategy can starve one.
 *   When no task can run at all, idle.c waits for the outside world or calls it a deadlock.
 *
 *   Under PLAN_PATIENT time passes only when all that is left is certain to spin (`certain`, a part of `demoted`), or nothing has
 *   changed for STILL points.  Depth-first search draws nothing: see pick_systematic.
 */
#include "runtime/sched/sched.h"

#include "runtime/checkpoint.h"
#include "runtime/debug.h"
#include "runtime/hooks/signal.h"
#include "runtime/init.h"
#include "runtime/model/thread.h"
#include "runtime/position.h"
#include "runtime/sched/carrier.h"
#include "runtime/sched/idle.h"
#include "runtime/sched/preempt.h"
#include "runtime/sched/watch.h"

static struct {
    struct task_set yes, late, demoted, certain, yielded, computing;
    const struct strategy *strategy;
    bool replaying;
    uint64_t random, undrawn; /* state of the generator: as it is; as it is if nothing depends on it yet */
    uint64_t max_points, hang_points;
    uint64_t progress_point;
    uint32_t progress_step;
    uint32_t
        woken; /* sleepers that ran while others were held back, since one of those was let go: a timer may go on for ever */
    uint32_t reluctance;     /* points in a row at which only sleepers and spinners ran, while others were held back */
    struct wire_early early; /* the wait of task `early.task` has just ended, while `early.other` could go on */
    bool is_early;
} sched;

static const struct strategy *const strategies[WIRE_STRATEGY_COUNT] = {
    [STRATEGY_REPLAY] = &strategy_random, /* when the plan is used up */
    [STRATEGY_RANDOM] = &strategy_random,     [STRATEGY_PCT] = &strategy_pct,
    [STRATEGY_PCTLARGE] = &strategy_pctlarge, [STRATEGY_POS] = &strategy_pos,
    [STRATEGY_SURW] = &strategy_surw,         [STRATEGY_ROUNDROBIN] = &strategy_roundrobin,
    [STRATEGY_DFS] = &strategy_dfs,           [STRATEGY_DIRECT] = &strategy_direct,
};

/* ---- random numbers: splitmix64 ------------------------------------------------------------------------------------- */

uint64_t sched_random(void)
{
    return rt_mix(sched.random += 0x9e3779b97f4a7c15ull);
}

uint32_t sched_random_below(uint32_t n)
{
    return (uint32_t)(((sched_random() >> 32) * n) >> 32);
}

/* ---- slices ---------------------------------------------------------------------------------------------------------- */

/* A task that does only private work, or waits for a location that no other task has touched yet, meets no scheduling point. So
   it is stopped every SLICE operations: others may run, and the driver sees that it is alive. */
enum { SLICE = 1 << 16 };

static void begin_slice(struct task *self, bool private)
{
    uint64_t end = self->operations + SLICE, planned = sched.replaying ? replay_stop(self) : UINT64_MAX;
    self->stop_at = planned < end ? planned : end;
    handler_plan_stop(self, private);
    if (self->handler_stop < self->stop_at)
        self->stop_at = self->handler_stop;
}

/* ---- who is ready --------------------------------------------------------------------------------------------------- */

/* The operation alone, without signals and cancellation. */
static enum ready op_ready(struct task *task)
{
    const struct op *op = task->pending;
    return op->ready == NULL ? READY_YES : op->ready(task, op);
}

static enum ready task_ready(struct task *task)
{
    const struct op *op = task->pending;
    if (signal_due(task))
        return READY_YES;
    if (!(op->flags & OP_CANCEL_RETURNS) && thread_cancel_due(task, op))
        return READY_YES;
    return op_ready(task);
}

void sched_refresh(struct task *task)
{
    if (task->pending == NULL) {
        if (task == rt.current && signal_due(task))
            begin_slice(task, true); /* it stops for the handler */
        return;
    }
    task->ready = task_ready(task);
    set_put(&sched.yes, task, task->ready == READY_YES);
    set_put(&sched.late, task, task->ready == READY_LATE);
}

static void link_to(struct task *task, struct object *object, int slot)
{
    if (object == NULL)
        return;
    task->next_pending[slot] = object->pending[slot];
    task->prev_pending[slot] = &object->pending[slot];
    if (object->pending[slot] != NULL)
        object->pending[slot]->prev_pending[slot] = &task->next_pending[slot];
    object->pending[slot] = task;
}

static void unlink_from(struct task *task, int slot)
{
    if (task->prev_pending[slot] == NULL)
        return;
    *task->prev_pending[slot] = task->next_pending[slot];
    if (task->next_pending[slot] != NULL)
        task->next_pending[slot]->prev_pending[slot] = task->prev_pending[slot];
    task->prev_pending[slot] = NULL;
}

static void publish(struct task *task, struct op *op)
{
    task->pending = op;
    link_to(task, op->object, 0);
    link_to(task, op->object2, 1);
    if (op->flags & OP_IO)
        idle_watch(task, true);
    if (unlikely(op->deadline != RT_NEVER))
        rt.wire->result.waits |= WAITS_TIME;
    sched_refresh(task);
}

static void unpublish(struct task *task)
{
    unlink_from(task, 0);
    unlink_from(task, 1);
    if (task->pending->flags & OP_IO)
        idle_watch(task, false);
    task->pending = NULL;
    set_put(&sched.yes, task, false);
    set_put(&sched.late, task, false);
    set_put(&sched.yielded, task, false);
    set_put(&sched.computing, task, false);
}

void sched_demote(struct task *task, bool demoted, bool certain)
{
    set_put(&sched.demoted, task, demoted);
    set_put(&sched.certain, task, certain);
}

void sched_progress(void)
{
    if (unlikely(rt.watching))
        watch_end();
    sched.progress_point = rt.points;
    sched.progress_step = rt.wire->result.step_count;
}

/* ---- choosing ------------------------------------------------------------------------------------------------------- */

/* Whoever is alone is not drawn: what happens before there are two tasks does not depend on the seed. */
static struct task *lot(const struct task_set *set)
{
    if (rt.task_count == 1)
        return rt.tasks[0];
    return set_nth(set, sched_random_below(set_count(set)));
}

/* The sleeper whose time comes first. One that could only wake spuriously is not waiting for time: NULL if there are but those. */
static struct task *earliest(const struct task_set *set)
{
    struct task *best = NULL;
    SET_EACH(task, set)
    {
        if (task->pending->deadline != RT_NEVER && (best == NULL || task->pending->deadline < best->pending->deadline))
            best = task;
    }
    return best;
}

/* All that can run wait for something that only a sleeper will do, as far as anyone can tell. */
static bool time_may_pass(void)
{
    enum { STILL = 10000 };
    if (!(rt.flags & PLAN_PATIENT) || rt.points - sched.progress_point > STILL)
        return true;
    for (uint32_t i = 0; i < set_words(); i++)
        if (sched.yes.words[i] & ~sched.certain.words[i] & ~sched.computing.words[i])
            return false;
    return true;
}

/* A task of `late` may go on although others could. */
static bool may_end_early(const struct task *task)
{
    return !(rt.flags & PLAN_PATIENT) || ((rt.flags & PLAN_SPURIOUS) && task->pending->kind == OP_COND_WAKE);
}

bool sched_may_wake(const struct task *task)
{
    return may_end_early(task) || time_may_pass();
}

static void all_early(struct task_set *early)
{
    for (uint32_t i = 0; i < set_words(); i++)
        early->words[i] = sched.late.words[i];
    if (rt.flags & PLAN_PATIENT)
        SET_EACH(task, &sched.late)
        {
            set_put(early, task, may_end_early(task));
        }
}

/* Now and then: a task that sleeps or spins, out of turn. */
static struct task *pick_early(void)
{
    uint32_t chance = rt.wire->plan.early_timeouts;
    if (chance == 0 || rt.task_count == 1)
        return NULL;
    static struct task_set early;
    all_early(&early);
    bool any = false;
    for (uint32_t i = 0; i < set_words(); i++) {
        early.words[i] |= sched.yes.words[i] & sched.demoted.words[i];
        any |= early.words[i] != 0;
    }
    if (!any || (sched_random() & 0xffff) >= chance)
        return NULL;
    return lot(&early);
}

/* Nothing but sleepers, spinners and those who just yielded. */
static struct task *pick_reluctant(void)
{
    static struct task_set rest;
    for (uint32_t i = 0; i < set_words(); i++)
        rest.words[i] = sched.yes.words[i] & ~sched.yielded.words[i];
    if (set_empty(&rest))
        rest = sched.yes;
    if (set_empty(&rest)) {
        if (earliest(&sched.late) == NULL)
            return NULL;
        idle_outside_first();
        return set_empty(&sched.yes) ? earliest(&sched.late) : lot(&sched.yes);
    }
    /* Time passes for sleepers while others spin. */
    struct task *sleeper = time_may_pass() ? earliest(&sched.late) : NULL;
    if (sleeper != NULL && sched_random_below(set_count(&rest) + 1) == 0)
        return sleeper;
    return lot(&rest);
}

/* A strategy that holds tasks back: who is free runs first, then those who sleep, spin or yield, since they may be what is
   waited for; when they do not get anywhere either, one that was held.  Who is alone keeps nobody waiting. */
static struct task *pick_around(struct task *self, struct task_set *candidates)
{
    enum { PATIENCE = 64 };
    sched.strategy->hold(candidates);
    if (!set_empty(candidates)) {
        sched.reluctance = 0;
        watch_end();
        return sched.strategy->pick(self, candidates);
    }
    static struct task_set quick; /* one that computes takes long to show that it does not get anywhere */
    set_minus(&quick, &sched.yes, &sched.computing);
    if (sched.reluctance++ < PATIENCE || rt.task_count == 1) {
        static struct task_set rest;
        rest = quick;
        sched.strategy->hold(&rest);
        if (set_empty(&rest))
            idle_outside_first();
        struct task *sleeper = time_may_pass() ? earliest(&sched.late) : NULL;
        if (set_empty(&rest) && sleeper != NULL && sched.woken++ < PATIENCE)
            return sleeper;
        if (!set_empty(&rest))
            return sleeper != NULL && sched_random_below(2) == 0 ? sleeper : lot(&rest);
    }
    sched.reluctance = sched.woken = 0;
    if (!set_empty(&quick))
        return sched.strategy->release(&quick);
    return set_empty(&sched.yes) ? earliest(&sched.late) : lot(&sched.yes);
}

/* Those who were taken off while they computed have been passed over for long enough. */
static void end_passing_over(void)
{
    SET_EACH(task, &sched.computing)
    {
        if (rt.points >= task->computing.passed_over)
            set_put(&sched.computing, task, false);
    }
}

/* Depth-first search.  Spinners are ways until they are certain to wait; so are tasks that yield, which costs them nothing, and waits that
   may end early.  Nothing is drawn: the same choices lead to the same run. */
static struct task *pick_systematic(struct task *self)
{
    static struct dfs_ways ways;
    all_early(&ways.early);
    static struct task_set able;
    end_passing_over();
    for (uint32_t i = 0; i < set_words(); i++)
        able.words[i] = sched.yes.words[i] & ~sched.certain.words[i] & ~sched.computing.words[i];
    ways.candidates = able;
    SET_EACH(task, &sched.yielded)
    {
        if ((task->pending->flags & OP_PAUSE) || (task->pending->kind != OP_YIELD && task->pending->kind != OP_SLEEP))
            set_put(&ways.candidates, task, false);
    }
    if (set_empty(&ways.candidates))
        ways.candidates = able;
    for (uint32_t i = 0; i < set_words(); i++) {
        ways.passed.words[i] = ways.candidates.words[i] & (sched.demoted.words[i] | sched.yielded.words[i]);
        ways.candidates.words[i] &= ~ways.passed.words[i];
    }
    if (!set_empty(&ways.candidates) || !set_empty(&ways.passed))
        return dfs_pick(self, &ways);
    struct task *sleeper = earliest(&sched.late);
    if (sleeper != NULL && set_empty(&sched.yes))
        idle_outside_first();
    if (sleeper == NULL && !set_empty(&sched.yes)) { /* spinners in turn */
        struct task *next = set_next(&sched.yes, (int)self->id);
        return next != NULL ? next : set_next(&sched.yes, -1);
    }
    return dfs_pick_late(sleeper, &ways.early);
}

static struct task *pick(struct task *self)
{
    if (sched.strategy == &strategy_dfs)
        return pick_systematic(self);
    struct task *early = pick_early();
    if (early != NULL)
        return early;
    end_passing_over();
    static struct task_set candidates;
    for (uint32_t i = 0; i < set_words(); i++)
        candidates.words[i] =
            sched.yes.words[i] & ~sched.demoted.words[i] & ~sched.yielded.words[i] & ~sched.computing.words[i];
    if (sched.strategy->hold != NULL && rt.points <= sched.max_points / 2)
        return pick_around(self, &candidates);
    uint32_t count = set_count(&candidates);
    if (count == 0)
        return pick_reluctant();
    if (count == 1)
        return set_next(&candidates, -1);
    if (rt.points > sched.max_points / 2)
        return lot(&candidates); /* late in a long run: be fair */
    return sched.strategy->pick(self, &candidates);
}

/* The plan wants the run to be held here; dfs.c looks for itself. */
static bool is_held_here(const struct task *self)
{
    const struct wire_plan *plan = &rt.wire->plan;
    if (sched.strategy == &strategy_dfs)
        return false;
    if (plan->checkpoint == CHECKPOINT_FIRST)
        return rt.task_count > 1;
    return sched.replaying && replay_is_at(self, plan->checkpoint - 1, plan->checkpoint_until);
}

/* Who goes on. Waits for the outside world if it must. */
static struct task *choose(struct task *self)
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
    while ((next = pick(self)) == NULL)
        idle_wait(NULL);
    return next;
}

static void report_hang(void)
{
    struct wire_result *result = &rt.wire->result;
    sched_list_blocked();
    struct task *self = rt.current;
    struct wire_finding *finding =
        finding_add(self, KIND_HANG, self->pending != NULL ? self->pending->pc : 0, 0,
                    "no thread has changed anything in the last %lu steps", (unsigned long)sched.hang_points);
    result->step_count = sched.progress_step; /* what came after is waiting only */
    finding_fail(finding);
}

void sched_cut(enum wire_end end)
{
    rt.wire->result.end = end;
    sched_run_ended(end);
    rt_end_process(RT_EXIT_FAILURE);
}

static void step_bound(void)
{
    if (rt.points - sched.progress_point >= sched.hang_points)
        switch (watch_ask()) {
        case WATCH_WAITS:
            report_hang();
            break;
        case WATCH_COMPUTES:
            sched_progress();
            break;
        case WATCH_GOES_ON:
            break;
        }
    if (rt.points > sched.max_points)
        sched_cut(END_STEPS);
}

/* Who has yielded has let another task go on. */
static void forget_yields(void)
{
    for (uint32_t i = 0; i < set_words(); i++)
        sched.yielded.words[i] = 0;
}

static void count_point(struct task *self)
{
    record_settle(self);
    self->operations++;
    self->points++;
    rt.points++;
    rt.wire->result.points = rt.points;
    rt.wire->result.operations++;
    forget_yields();
}

bool sched_is_passed_over(const struct task *task)
{
    return set_has(&sched.demoted, task) || set_has(&sched.yielded, task) || set_has(&sched.computing, task);
}

/* Taken off although it would have gone on. */
static bool is_preempted(const struct task *self)
{
    return self->ready == READY_YES && !sched_is_passed_over(self);
}

/* Private work is stopped at the end of a slice (or where a replay wants to switch), and then others come first. */
static bool is_yielding(const struct task *self, const struct op *op)
{
    return (op->flags & OP_YIELDS) || ((op->flags & OP_PRIVATE) && self->operations != self->handler_stop);
}

static void tell_executed(struct task *self, const struct op *op)
{
    if (sched.strategy->executed != NULL)
        sched.strategy->executed(self, op);
    if (unlikely(checkpoint_wanted))
        position_executed(self, op->pc);
}

static void check_bounds(void)
{
    if (unlikely(rt.points - sched.progress_point >= sched.hang_points || rt.points > sched.max_points))
        step_bound();
}

/* The task, whose operation is published, runs until the number `operation`; then `next` does. */
static void leave(struct task *self, uint64_t operation, struct task *next)
{
    record_segment_end(operation, is_preempted(self));
    record_segment(next);
    self->state = TASK_PARKED;
    next->state = TASK_RUNNING;
    carrier->switch_to(self, next);
    debug_switched();
}

/* The task has been chosen to go on before its time.  Others could: they are not certain to spin. */
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

/* Who slept until now or earlier can go on.  (Without PLAN_PATIENT sleepers may do so at any time.) */
void sched_time_passed(void)
{
    if (!(rt.flags & PLAN_PATIENT))
        return;
    SET_EACH(task, &sched.late)
    {
        if (task->pending->deadline <= rt.now)
            sched_refresh(task);
    }
}

enum wake sched_point(struct task *self, struct op *op)
{
    if (unlikely(self->torn != NULL))
        tear_finish(self);
    int64_t began = rt.now;
    for (;;) {
        count_point(self);
        publish(self, op);
        check_bounds();
        if (is_yielding(self, op))
            set_put(&sched.yielded, self, true);
        struct task *next = handler_is_put_off(self, op) ? self : choose(self);
        if (next != self)
            leave(self, self->operations, next);
        enum ready alone = op_ready(self);
        tell_executed(self, op);
        unpublish(self);
        sched.is_early = false;
        if (unlikely(alone == READY_LATE))
            note_early(self, op, began);
        bool handle = signal_due(self) && (alone != READY_YES || handler_runs_now(self, op));
        begin_slice(self, op->flags & OP_PRIVATE);
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
    enum { ONE_IN = 4 }; /* there are many wide accesses, and most of them are under locks */
    if (sched.replaying || rt.live_count == 1)
        return false; /* a plan stops where it wants to */
    return sched.strategy == &strategy_dfs || sched_random_below(ONE_IN) == 0;
}

struct task *sched_middle(struct task *self, struct op *rest, bool wanted)
{
    if (!wanted && self->operations + 1 != self->stop_at) {
        self->operations++;
        rt.wire->result.operations++;
        return NULL;
    }
    count_point(self);
    publish(self, rest);
    check_bounds();
    struct task *next = handler_is_put_off(self, rest) ? self : choose(self);
    unpublish(self);
    begin_slice(self, !wanted);
    return next != self ? next : NULL;
}

void sched_leave(struct task *self, struct op *rest, uint64_t operation, struct task *next)
{
    record_settle(self);
    publish(self, rest);
    leave(self, operation, next);
    unpublish(self);
    rest->flags &= ~(uint32_t)OP_PRIVATE;
    bool handle = signal_due(self) && handler_runs_now(self, rest);
    begin_slice(self, false);
    if (handle)
        signal_deliver(self);
}

/* ---- between two operations -------------------------------------------------------------------------------------------- */

void sched_stop_soon(struct task *self)
{
    /* The next operation may have been begun already. */
    if (sched.strategy != &strategy_dfs && self->stop_at > self->operations + 2)
        self->stop_at = self->operations + 2;
}

void sched_tell_progress(void)
{
    rt.wire->result.progress = sched.progress_point;
}

/* Who goes on instead.  For dfs that is no choice: that it is asked for depends on time. */
static struct task *pick_instead(struct task *self)
{
    if (sched.replaying) {
        struct task *next = replay_compute(self);
        if (next != NULL)
            return next;
        sched.replaying = false;
    }
    if (sched.strategy != &strategy_dfs)
        return pick(self);
    static struct task_set others;
    set_minus(&others, &sched.yes, &sched.computing);
    return set_empty(&others) ? pick_reluctant() : set_next(&others, -1);
}

/* No task can go on, now or later, but those who stay where they are for ever. */
static void look_for_hang(void)
{
    SET_EACH(task, &sched.yes)
    {
        if (!task->computing.endless || signal_due(task) || thread_cancel_due(task, task->pending))
            return;
    }
    if (earliest(&sched.late) != NULL || idle_anyone_outside() || signal_arrivals != 0 || signal_idle())
        return;
    struct task *first = set_next(&sched.yes, -1); /* the same each time, whichever was found last */
    sched_list_blocked();
    finding_fail(finding_add(first, KIND_HANG, first->pending->pc, 0,
                             "T%u is in a loop that never ends, and no other thread can go on", first->id));
}

void sched_compute(struct task *self, uintptr_t pc)
{
    enum { FIRST = 16, DOUBLED = 40 };
    struct op op = {.kind = OP_YIELD, .pc = pc, .fd = -1, .deadline = RT_NEVER};
    if (unlikely(self->torn != NULL))
        tear_finish(self);
    uint32_t times = self->computing.taken_off++;
    self->computing.passed_over = rt.points + ((uint64_t)FIRST << (times < DOUBLED ? times : DOUBLED));
    record_settle(self);
    forget_yields();
    publish(self, &op);
    set_put(&sched.computing, self, true);
    idle_refresh();
    struct task *next = pick_instead(self);
    if (next != NULL && next != self) {
        while (next->ready == READY_NO)
            idle_wait(next);
        rt.wire->result.taken_off++;
        leave(self, self->operations + 1, next);
    } else if (self->computing.endless) {
        look_for_hang();
    }
    unpublish(self);
    begin_slice(self, true);
    bool endless = self->computing.endless;
    self->computing.endless = false; /* a handler may lead out of it */
    if (!endless)
        return; /* what was sent to it meanwhile is for its next operation */
    if (signal_due(self))
        signal_deliver(self);
    else if (thread_cancel_due(self, &op))
        thread_cancel_here(self);
}

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
            value += sched.strategy == &strategy_dfs ? dfs_choose(ways) : sched_random_below(ways);
    }
    record_choice(self, value);
    return value;
}

uint32_t sched_choose(struct task *self, uint32_t n)
{
    return sched_choose_from(self, 0, n);
}

/* ---- uncontrolled calls ---------------------------------------------------------------------------------------------- */

void sched_external_begin(struct task *self, const char *name)
{
    sched_uncontrolled(name);
    count_point(self);
    struct op *op = idle_external_op(self);
    publish(self, op);
    self->state = TASK_EXTERNAL;
    struct task *next = NULL;
    /* Somebody else must be able to run: if not, this task keeps the baton and simply blocks. */
    sched_refresh(self);
    if (sched.replaying) {
        next = replay_pick(self);
        while (next != NULL && next != self && next->ready == READY_NO)
            idle_wait(next);
        if (next == NULL && (rt.flags & (PLAN_PREFIX | PLAN_BEST_EFFORT)))
            sched.replaying = false; /* and the strategy goes on */
    }
    if (!sched.replaying)
        next = pick(self);
    if (next == NULL || next == self) {
        unpublish(self);
        self->state = TASK_RUNNING;
        idle_external_done(self);
        return;
    }
    record_segment_end(self->operations, false);
    record_segment(next);
    next->state = TASK_RUNNING;
    carrier->hand_over(self, next);
}

void sched_external_end(struct task *self)
{
    if (self->state == TASK_RUNNING)
        return; /* it kept the baton */
    carrier->come_back(self);
    debug_switched();
    idle_external_done(self);
    unpublish(self);
    begin_slice(self, false);
}

void sched_uncontrolled(const char *name)
{
    struct wire_result *result = &rt.wire->result;
    for (uint32_t i = 0; i < result->uncontrolled_count; i++) {
        const char *a = result->uncontrolled[i].name, *b = name;
        while (*a != '\0' && *a == *b)
            a++, b++;
        if (*a == *b) {
            result->uncontrolled[i].count++;
            return;
        }
    }
    if (result->uncontrolled_count == WIRE_UNCONTROLLED) {
        result->lost |= LOST_UNCONTROLLED;
        return;
    }
    struct wire_uncontrolled *entry = &result->uncontrolled[result->uncontrolled_count++];
    rt_format(entry->name, sizeof entry->name, "%s", name);
    entry->count = 1;
}

/* ---- begin and end --------------------------------------------------------------------------------------------------- */

/* Whatever a strategy draws for a task it draws again in a continuation. */
static void tell_created(struct task *task)
{
    bool undrawn = sched_is_undrawn();
    if (sched.strategy->created != NULL)
        sched.strategy->created(task);
    if (undrawn)
        sched.undrawn = sched.random;
}

void sched_admit(struct task *task)
{
    publish(task, task->pending);
    tell_created(task);
}

void sched_turned_out(struct task *self, const struct op *op, uint8_t flags)
{
    if (sched.strategy->turned_out != NULL)
        sched.strategy->turned_out(self, op, flags);
}

void sched_started(struct task *self)
{
    debug_switched();
    tell_executed(self, self->pending);
    struct op op = *self->pending;
    unpublish(self);
    begin_slice(self, false);
    record_event(self, &op, 0, 0);
}

void sched_depart(struct task *self)
{
    record_settle(self);
    self->state = TASK_ENDED;
    struct task *next = choose(self);
    record_segment_end(UINT64_MAX, false);
    record_segment(next);
    next->state = TASK_RUNNING;
    carrier->depart(self, next);
}

bool sched_is_undrawn(void)
{
    return sched.random == sched.undrawn;
}

bool sched_is_replaying(void)
{
    return sched.replaying;
}

bool sched_is_searching(void)
{
    return !sched.replaying && sched.strategy == &strategy_dfs;
}

const struct strategy *sched_strategy(uint32_t number)
{
    return strategies[number < WIRE_STRATEGY_COUNT ? number : STRATEGY_RANDOM];
}

static void begin_strategy(void)
{
    sched.strategy->begin();
    sched.undrawn = sched.random;
}

void sched_begin(void)
{
    const struct wire_plan *plan = &rt.wire->plan;
    rt.flags = plan->flags;
    sched.random = plan->seed;
    checkpoint_begin();
    sched.max_points = plan->max_steps != 0 ? plan->max_steps : 10000000;
    sched.hang_points = sched.max_points / 2 < 1000000 ? sched.max_points / 2 : 1000000;
    if (sched.hang_points <
        100000) /* a short bound is no reason to call something a hang: it then ends as unfinished */
        sched.hang_points = 100000;
    sched.replaying = plan->strategy == STRATEGY_REPLAY || (plan->flags & (PLAN_PREFIX | PLAN_BEST_EFFORT));
    sched.reluctance = sched.woken = 0;
    sched.strategy = sched_strategy(plan->strategy);
    record_begin();
    rt.wire->result.shared_sites = rt.wire->site_count;
    if (sched.replaying)
        replay_begin();
    rt.controlled = true;
    task_adopt_main();
    begin_strategy();
    tell_created(rt.current);
    record_segment(rt.current);
    if (sched.replaying)
        replay_pick(rt.current);
    begin_slice(rt.current, false);
    signal_begin_run();
    preempt_begin_run();
    if (debug_wanted)
        debug_stop_begin();
    task_go_outside(rt.current);
}

void sched_new_plan(const struct position *position)
{
    const struct wire_plan *plan = &rt.wire->plan;
    rt.flags = plan->flags;
    sched.random = sched.undrawn = plan->seed;
    checkpoint_wanted = plan->checkpoint != CHECKPOINT_NOWHERE && plan->checkpoint != CHECKPOINT_FIRST;
    if (plan->strategy == STRATEGY_DFS)
        return; /* all that it knows are the choices that led here */
    sched.strategy = sched_strategy(plan->strategy);
    sched.reluctance = 0;
    sched.replaying = plan->strategy == STRATEGY_REPLAY || (plan->flags & PLAN_PREFIX);
    if (sched.replaying)
        replay_continue(position->step_count, position->segment);
    rt.wire->result.directed = (struct wire_directed){0};
    begin_strategy();
    for (uint32_t i = 0; i < rt.task_count; i++) {
        if (rt.tasks[i] == NULL)
            continue;
        for (uint32_t k = 0; k < sizeof rt.tasks[i]->strategy / sizeof rt.tasks[i]->strategy[0]; k++)
            rt.tasks[i]->strategy[k] = 0;
        tell_created(rt.tasks[i]);
    }
    position_recall(sched.strategy);
}

void sched_run_ended(enum wire_end end)
{
    struct wire_result *result = &rt.wire->result;
    if (rt.finishing)
        return;
    rt.finishing = true;
    result->end = end;
    result->runner = 0;
    result->progress = sched.progress_point;
    result->virtual_time = (uint64_t)rt.now;
    result->task_count = rt.task_count;
    uint64_t operations = 0;
    for (uint32_t i = 0; i < rt.task_count; i++) {
        struct task *task = rt.tasks[i];
        if (task == NULL)
            continue;
        result->tasks[i].operations = task->operations;
        result->tasks[i].points = task->points;
        operations += task->operations;
    }
    result->operations = operations;
    if (end == END_EXIT)
        init_list_new_modules();
    if (debug_wanted)
        debug_stop_end();
}
