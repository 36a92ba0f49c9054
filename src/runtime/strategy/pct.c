/* SPDX-License-Identifier: MIT
 *
 * pct.c - probabilistic concurrency testing.
 *
 * S. Burckhardt, P. Kothari, M. Musuvathi, S. Nagarakatte, "A Randomized Scheduler with Probabilistic Guarantees of Finding
 * Bugs", ASPLOS 2010.  Tasks get random priorities; the highest that can go on runs; at d-1 random points of the run the running
 * task gets the lowest priority.  A bug of depth d is found with probability at least 1/(n k^(d-1)) for n tasks and k points.
 * Where we differ: k is the length of earlier runs; tasks that spin or yield are passed over (pick.c), since a spinning task of high
 * priority would run for ever.
 *
 * pctlarge (J. Yu, S. Narayanasamy, C. Pereira, G. Pokam, "Maple", OOPSLA 2012): the same with priorities that are not strict. The
 * paper used nice values; here a task keeps running for a slice, and slices and odds grow by a quarter per level, as they do
 * in the kernel's weights.
 */
#include "runtime/sched/sched.h"
#include "runtime/sched/strategy.h"

enum { PRIORITY = 0, CHANGES = 64, LEVELS = 20 };

static struct {
    uint64_t change[CHANGES]; /* points at which the running task gets the lowest priority, ascending */
    uint32_t count, next;
    uint32_t slice; /* pctlarge: points left for the running task */
} pct;

static void draw_change_points(void)
{
    const struct wire_plan *plan = &rt.wire->plan;
    uint64_t length = plan->expected_points != 0 ? plan->expected_points : 100;
    pct.count = plan->depth > 1 ? plan->depth - 1 : 0;
    if (pct.count > CHANGES)
        pct.count = CHANGES;
    pct.next = 0;
    pct.slice = 0;
    for (uint32_t i = 0; i < pct.count; i++) {
        uint64_t point = 1 + sched_random() % length;
        uint32_t at = i;
        for (; at > 0 && pct.change[at - 1] > point; at--)
            pct.change[at] = pct.change[at - 1];
        pct.change[at] = point;
    }
}

/* Whether the run has reached a change point. */
static bool change_due(void)
{
    if (pct.next == pct.count || rt.points < pct.change[pct.next])
        return false;
    pct.next++;
    return true;
}

static void strict_created(struct task *task)
{
    task->strategy[PRIORITY] = (1ull << 32) | (sched_random() >> 33); /* above all priorities after a change point */
}

static struct task *strict_best(const struct task_set *candidates)
{
    struct task *best = NULL;
    SET_EACH(task, candidates)
    {
        if (best == NULL || task->strategy[PRIORITY] > best->strategy[PRIORITY])
            best = task;
    }
    return best;
}

static struct task *strict_pick(struct task *self, const struct task_set *candidates)
{
    (void)self;
    struct task *best = strict_best(candidates);
    while (change_due()) {
        best->strategy[PRIORITY] = pct.count - pct.next; /* lower than at the change point before */
        best = strict_best(candidates);
    }
    return best;
}

const struct strategy strategy_pct = {.begin = draw_change_points, .created = strict_created, .pick = strict_pick};

/* ---- pctlarge -------------------------------------------------------------------------------------------------------- */

/* 1.25^level, scaled by 16. */
static uint32_t weight(const struct task *task)
{
    uint64_t value = 16;
    for (uint64_t level = task->strategy[PRIORITY]; level > 0; level--)
        value += value / 4;
    return (uint32_t)value;
}

static void large_created(struct task *task)
{
    task->strategy[PRIORITY] = sched_random_below(LEVELS);
}

static struct task *large_pick(struct task *self, const struct task_set *candidates)
{
    if (change_due()) {
        self->strategy[PRIORITY] = 0;
        pct.slice = 0;
    }
    if (pct.slice > 0 && set_has(candidates, self)) {
        pct.slice--;
        return self;
    }
    uint64_t total = 0;
    SET_EACH(task, candidates)
    {
        total += weight(task);
    }
    uint64_t draw = total > 0 ? sched_random() % total : 0;
    SET_EACH(task, candidates)
    {
        uint32_t share = weight(task);
        if (draw < share) {
            pct.slice = sched_random_below(share / 16 + 1);
            return task;
        }
        draw -= share;
    }
    return self;
}

const struct strategy strategy_pctlarge = {.begin = draw_change_points, .created = large_created, .pick = large_pick};
