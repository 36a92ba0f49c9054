/* SPDX-License-Identifier: MIT
 *
 * pos.c - partial order sampling.
 *
 * X. Yuan, J. Yang, R. Gu, "Partial Order Aware Concurrency Sampling", CAV 2018.  Every published operation gets a random
 * priority; the highest runs; then the published operations that conflict with it get new priorities.  So every order of
 * conflicting operations is likely, independent of all other operations.
 */
#include "runtime/sched/sched.h"
#include "runtime/sched/strategy.h"

enum { PRIORITY = 0, DRAWN_FOR = 1 };

static void begin(void)
{
}

/* The priority belongs to the published operation: a new operation draws a new one. */
static uint64_t priority(struct task *task)
{
    if (task->strategy[DRAWN_FOR] != task->operations + 1) {
        task->strategy[DRAWN_FOR] = task->operations + 1;
        task->strategy[PRIORITY] = sched_random();
    }
    return task->strategy[PRIORITY];
}

static struct task *pick(struct task *self, const struct task_set *candidates)
{
    (void)self;
    struct task *best = NULL;
    SET_EACH(task, candidates)
    {
        if (best == NULL || priority(task) > priority(best))
            best = task;
    }
    return best;
}

static void executed(struct task *self, const struct op *op)
{
    for (uint32_t i = 0; i < rt.task_count; i++) {
        struct task *task = rt.tasks[i];
        if (task != NULL && task != self && task->pending != NULL && op_conflicts(op, task->pending))
            task->strategy[DRAWN_FOR] = 0;
    }
}

/* As long as there is one task, no other task has published an operation. */
static bool needs_history(const struct task *task, uintptr_t pc)
{
    (void)task;
    (void)pc;
    return false;
}

const struct strategy strategy_pos = {
    .begin = begin, .pick = pick, .executed = executed, .needs_history = needs_history};
