/* SPDX-License-Identifier: MIT
 *
 * traces.c - follows the transitions that a search of the driver has planned, then goes on so that the run is a new one.
 *
 * The runtime's part of dynamic partial order reduction (technique/dpor.c).  The plan has a task for each transition, and the tasks that
 * are asleep after the last one: what begins with their next transition has been explored.  A task wakes up when a transition that its own
 * next one depends on has been done (P. Godefroid's sleep sets).  After the plan the running task goes on as long as it can, else the one
 * with the lowest number; tasks that spin or yield, then waits that end early, come last.
 */
#include "runtime/sched/replay.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/strategy.h"
#include "runtime/transitions.h"

static struct task_set asleep;
static bool fell_asleep;       /* the plan's tasks have been put into `asleep` */
static uint32_t chosen_so_far; /* what is left of the planned choice of the transition */
static uint32_t choosing;      /* ... which is this one */

static void begin(void)
{
    asleep = (struct task_set){0};
    fell_asleep = false;
    choosing = UINT32_MAX;
}

static uint32_t number(void)
{
    return rt.wire->result.transition_count;
}

static bool is_planned(uint32_t transition)
{
    return transition < rt.wire->plan.plan_choice_count;
}

uint32_t traces_choose(uint32_t n)
{
    uint32_t value = 0, current = number() - 1;
    if (number() > 0 && is_planned(current)) {
        if (choosing != current)
            chosen_so_far = rt.wire->plan_choices[current].count;
        choosing = current;
        value = chosen_so_far % n;
        chosen_so_far /= n;
    }
    transition_choose(value, n);
    return value;
}

static struct task *planned_task(void)
{
    uint32_t id = rt.wire->plan_choices[number()].chosen;
    struct task *task = id < rt.task_count ? rt.tasks[id] : NULL;
    if (task == NULL || task->pending == NULL || task->state == TASK_ENDED || task->ready == READY_NO)
        replay_diverged(task, "transition %u is to be one of T%u, which cannot go on", number(), id);
    return task;
}

static void fall_asleep(void)
{
    const struct wire_plan *plan = &rt.wire->plan;
    fell_asleep = true;
    for (uint32_t i = 0; i < plan->asleep_count; i++) {
        uint32_t id = rt.wire->plan_choices[plan->plan_choice_count + i].chosen;
        if (id < rt.task_count && rt.tasks[id] != NULL)
            set_put(&asleep, rt.tasks[id], true);
    }
}

static struct task *first_of(struct task *self, const struct task_set *set)
{
    static struct task_set awake;
    set_minus(&awake, set, &asleep);
    return set_has(&awake, self) ? self : set_next(&awake, -1);
}

/* The wait with the earliest end.  (What can only come spuriously has none.) */
static struct task *first_to_end(const struct task_set *early)
{
    struct task *best = NULL;
    SET_EACH(task, early)
    {
        if (!set_has(&asleep, task) && task->pending->deadline != RT_NEVER &&
            (best == NULL || task->pending->deadline < best->pending->deadline))
            best = task;
    }
    return best;
}

static struct task *first_awake(struct task *self, const struct dfs_ways *ways, struct task *sleeper)
{
    struct task *task = first_of(self, &ways->candidates);
    if (task == NULL)
        task = first_of(self, &ways->passed);
    if (task == NULL)
        task = first_to_end(&ways->early);
    return task != NULL || sleeper == NULL || set_has(&asleep, sleeper) ? task : sleeper;
}

/* After the plan. */
static struct task *pick_new(struct task *self, const struct dfs_ways *ways, struct task *sleeper)
{
    if (!fell_asleep)
        fall_asleep();
    struct task *task = first_awake(self, ways, sleeper);
    if (task != NULL || set_empty(&asleep))
        return task;
    bool only_asleep = !set_empty(&ways->candidates) || !set_empty(&ways->passed) || sleeper != NULL;
    asleep = (struct task_set){0};
    rt.wire->result.asleep += only_asleep;
    return first_awake(self, ways, sleeper);
}

struct task *traces_pick(struct task *self, const struct dfs_ways *ways, struct task *sleeper)
{
    if (rt.task_count == 1)
        return set_empty(&ways->candidates) && set_empty(&ways->passed) ? sleeper : self;
    return is_planned(number()) ? planned_task() : pick_new(self, ways, sleeper);
}

/* The next transition of this task is being done. */
static void executed(struct task *self, const struct op *op)
{
    (void)op;
    if (!fell_asleep || set_empty(&asleep) || number() == 0)
        return;
    const struct wire_transition *done = &rt.wire->transitions[number() - 1];
    set_put(&asleep, self, false);
    SET_EACH(task, &asleep)
    {
        if (transitions_depend(&rt.wire->pending[task->id], done))
            set_put(&asleep, task, false);
    }
}

/* Never called: pick.c uses traces_pick. */
static struct task *pick(struct task *self, const struct task_set *candidates)
{
    return set_has(candidates, self) ? self : set_next(candidates, -1);
}

const struct strategy strategy_traces = {.begin = begin, .pick = pick, .executed = executed};
