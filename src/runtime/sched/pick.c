/* SPDX-License-Identifier: MIT
 *
 * pick.c - which task goes on: asks the strategy, and chooses among sleeping and spinning tasks.
 *
 * DESIGN
 *   The strategy chooses among yes \ demoted \ yielded \ computing (the sets of state.h).  With a small probability a sleeping or spinning task
 *   runs instead.  When only those are left, they run at random, so every task runs again and again: no strategy can starve one.
 *   When no task can run at all, idle.c waits for the outside or reports a deadlock.
 *
 *   With PLAN_PATIENT time passes only when all tasks that are left are certain to spin, or when nothing has changed for STILL points.
 *   Depth-first search draws no random numbers: see pick_systematic.
 */
#include "runtime/sched/state.h"

#include "runtime/sched/idle.h"
#include "runtime/sched/watch.h"

/* For a task that is alone no number is drawn: what happens before there are two tasks does not depend on the seed. */
static struct task *pick_random(const struct task_set *set)
{
    if (rt.task_count == 1)
        return rt.tasks[0];
    return set_nth(set, sched_random_below(set_count(set)));
}

struct task *pick_sleeper(const struct task_set *set)
{
    struct task *best = NULL;
    SET_EACH(task, set)
    {
        if (task->pending->deadline != RT_NEVER && (best == NULL || task->pending->deadline < best->pending->deadline))
            best = task;
    }
    return best;
}

/* As far as is known, all tasks that can run wait for something that only a sleeping task will do. */
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

/* A task of `late` may go on although other tasks could. */
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

/* With the probability of the plan: a task that sleeps or spins.  NULL: none. */
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
    return pick_random(&early);
}

struct task *pick_reluctant(void)
{
    static struct task_set rest;
    for (uint32_t i = 0; i < set_words(); i++)
        rest.words[i] = sched.yes.words[i] & ~sched.yielded.words[i];
    if (set_empty(&rest))
        rest = sched.yes;
    if (set_empty(&rest)) {
        if (pick_sleeper(&sched.late) == NULL)
            return NULL;
        idle_outside_first();
        return set_empty(&sched.yes) ? pick_sleeper(&sched.late) : pick_random(&sched.yes);
    }
    /* Time passes while other tasks spin. */
    struct task *sleeper = time_may_pass() ? pick_sleeper(&sched.late) : NULL;
    if (sleeper != NULL && sched_random_below(set_count(&rest) + 1) == 0)
        return sleeper;
    return pick_random(&rest);
}

/* For a strategy that holds tasks back.  First it chooses among the tasks that are not held.  If there are none, sleeping, spinning and
   yielding tasks run, since the strategy may wait for what they do.  If that does not help within PATIENCE points, a held task is
   released.  When there is only one task, no task has to be released. */
static struct task *pick_with_holding(struct task *self, struct task_set *candidates)
{
    enum { PATIENCE = 64 };
    sched.strategy->hold(candidates);
    if (!set_empty(candidates)) {
        sched.reluctance = 0;
        watch_end();
        return sched.strategy->pick(self, candidates);
    }
    static struct task_set quick; /* without tasks that compute: it takes long until they reach a point */
    set_minus(&quick, &sched.yes, &sched.computing);
    if (sched.reluctance++ < PATIENCE || rt.task_count == 1) {
        static struct task_set rest;
        rest = quick;
        sched.strategy->hold(&rest);
        if (set_empty(&rest))
            idle_outside_first();
        struct task *sleeper = time_may_pass() ? pick_sleeper(&sched.late) : NULL;
        if (set_empty(&rest) && sleeper != NULL && sched.woken++ < PATIENCE)
            return sleeper;
        if (!set_empty(&rest))
            return sleeper != NULL && sched_random_below(2) == 0 ? sleeper : pick_random(&rest);
    }
    sched.reluctance = sched.woken = 0;
    if (!set_empty(&quick))
        return sched.strategy->release(&quick);
    return set_empty(&sched.yes) ? pick_sleeper(&sched.late) : pick_random(&sched.yes);
}

/* Depth-first search.  Also alternatives are: spinning tasks, until it is certain that they wait; tasks that yield, since they may go on at
   once; waits that may end early.  No random number is drawn: the same choices lead to the same run. */
static struct task *pick_systematic(struct task *self)
{
    static struct dfs_ways ways;
    all_early(&ways.early);
    static struct task_set able;
    sched_end_passing_over();
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
    bool any = !set_empty(&ways.candidates) || !set_empty(&ways.passed);
    if (any)
        return sched.strategy == &strategy_dfs ? dfs_pick(self, &ways) : traces_pick(self, &ways, NULL);
    struct task *sleeper = pick_sleeper(&sched.late);
    if (sleeper != NULL && set_empty(&sched.yes))
        idle_outside_first();
    if (sleeper == NULL && !set_empty(&sched.yes)) { /* only spinning tasks: in turn */
        struct task *next = set_next(&sched.yes, (int)self->id);
        return next != NULL ? next : set_next(&sched.yes, -1);
    }
    return sched.strategy == &strategy_dfs ? dfs_pick_late(sleeper, &ways.early) : traces_pick(self, &ways, sleeper);
}

struct task *pick_task(struct task *self)
{
    if (sched_is_systematic())
        return pick_systematic(self);
    struct task *early = pick_early();
    if (early != NULL)
        return early;
    sched_end_passing_over();
    static struct task_set candidates;
    for (uint32_t i = 0; i < set_words(); i++)
        candidates.words[i] =
            sched.yes.words[i] & ~sched.demoted.words[i] & ~sched.yielded.words[i] & ~sched.computing.words[i];
    if (sched.strategy->hold != NULL && rt.points <= sched.max_points / 2)
        return pick_with_holding(self, &candidates);
    uint32_t count = set_count(&candidates);
    if (count == 0)
        return pick_reluctant();
    if (count == 1)
        return set_next(&candidates, -1);
    if (rt.points > sched.max_points / 2)
        return pick_random(&candidates); /* late in a long run: fair to all tasks */
    return sched.strategy->pick(self, &candidates);
}
