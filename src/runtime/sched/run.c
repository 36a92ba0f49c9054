/* SPDX-License-Identifier: MIT
 *
 * run.c - the begin and the end of a run and of its tasks, as the scheduler sees them.
 */
#include "runtime/sched/state.h"

#include "runtime/checkpoint.h"
#include "runtime/debug.h"
#include "runtime/init.h"
#include "runtime/model/signal.h"
#include "runtime/position.h"
#include "runtime/record.h"
#include "runtime/sched/carrier.h"
#include "runtime/sched/preempt.h"
#include "runtime/sched/replay.h"
#include "runtime/sched/task.h"
#include "runtime/shadow.h"
#include "runtime/transitions.h"

static const struct strategy *const strategies[WIRE_STRATEGY_COUNT] = {
    [STRATEGY_REPLAY] = &strategy_random, /* when the plan is used up */
    [STRATEGY_RANDOM] = &strategy_random,     [STRATEGY_PCT] = &strategy_pct,
    [STRATEGY_PCTLARGE] = &strategy_pctlarge, [STRATEGY_POS] = &strategy_pos,
    [STRATEGY_SURW] = &strategy_surw,         [STRATEGY_ROUNDROBIN] = &strategy_roundrobin,
    [STRATEGY_DFS] = &strategy_dfs,           [STRATEGY_TRACES] = &strategy_traces,
    [STRATEGY_DIRECT] = &strategy_direct,
};

const struct strategy *sched_strategy(uint32_t number)
{
    return strategies[number < WIRE_STRATEGY_COUNT ? number : STRATEGY_RANDOM];
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

/* ---- tasks ----------------------------------------------------------------------------------------------------------- */

/* What a strategy draws for a new task is drawn again in a continuation: it does not count as drawn. */
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
    sched_publish(task, task->pending);
    if (transitions_wanted())
        transition_enable(task);
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
    sched_tell_executed(self, self->pending);
    struct op op = *self->pending;
    sched_unpublish(self);
    sched_begin_slice(self, false);
    record_event(self, &op, 0, 0);
}

void sched_depart(struct task *self)
{
    record_settle(self);
    self->state = TASK_ENDED;
    struct task *next = sched_choose_task(self);
    record_segment_end(UINT64_MAX, false);
    record_segment(next);
    next->state = TASK_RUNNING;
    carrier->depart(self, next);
}

/* ---- the run --------------------------------------------------------------------------------------------------------- */

enum { ALONE = 100 }; /* so many times as long may a run be before it has a second thread */

void sched_first_thread(void)
{
    const struct wire_plan *plan = &rt.wire->plan;
    uint64_t most = plan->max_steps != 0 ? plan->max_steps : 10000000;
    sched.max_points = most < UINT64_MAX - rt.points ? rt.points + most : most;
    record_first_thread();
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
    uint64_t most = plan->max_steps != 0 ? plan->max_steps : 10000000;
    sched.max_points = most < UINT64_MAX / ALONE ? most * ALONE : most;
    sched.hang_points = most / 2 < 1000000 ? most / 2 : 1000000;
    if (sched.hang_points < 100000) /* with a short bound a run ends as unfinished, not as a hang */
        sched.hang_points = 100000;
    sched.replaying = plan->strategy == STRATEGY_REPLAY || (plan->flags & (PLAN_PREFIX | PLAN_BEST_EFFORT));
    sched.reluctance = sched.woken = 0;
    sched.strategy = sched_strategy(plan->strategy);
    record_begin();
    site_begin_run();
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
    sched_begin_slice(rt.current, false);
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
        return; /* its whole state are the choices that led here */
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
    position_restore_history(sched.strategy);
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
