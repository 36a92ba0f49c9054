/* SPDX-License-Identifier: MIT
 *
 * surw.c - selectively uniform random walk.
 *
 * H. Zhao, D. Wolff, U. Mathur, A. Roychoudhury, "Selectively Uniform Concurrency Testing", ASPLOS 2025.  Choosing tasks with odds
 * equal to the number of events that each still has to do samples interleavings uniformly.  Doing so only for the *interesting*
 * events (here: accesses to one location that the driver picks per schedule, or all) makes the sample space small:
 * the task that does the next interesting event is drawn with odds by what each has left; the other tasks run up to their next one.
 * Where we differ: counts come from an earlier run by task number; a task counts the events of children that it has not
 * created yet as its own; what the first task does while it is alone does not count; every live task has odds of at least one, so that no interleaving is impossible when the counts are wrong.
 */
#include "runtime/sched/sched.h"
#include "runtime/sched/strategy.h"

enum { LEFT = 0 };

static struct task *intended;

static uint64_t planned(uint32_t id)
{
    const struct wire_plan *plan = &rt.wire->plan;
    return id < plan->task_count ? plan->task_points[id] : 0;
}

static bool interesting(const struct op *op)
{
    const struct wire_plan *plan = &rt.wire->plan;
    if (plan->interest_hi == 0)
        return true;
    return op->address < plan->interest_hi && op->address + (op->size != 0 ? op->size : 1) > plan->interest_lo;
}

static void begin(void)
{
    intended = NULL;
}

static void created(struct task *task)
{
    uint64_t own = planned(task->id);
    if (task->parent == NULL) { /* main: everything is still to come */
        own = 0;
        for (uint32_t i = 0; i < rt.wire->plan.task_count; i++)
            own += planned(i);
    } else {
        uint64_t *left = &task->parent->strategy[LEFT];
        *left = *left > own ? *left - own : 0;
    }
    task->strategy[LEFT] = own;
}

static struct task *draw(const struct task_set *set)
{
    uint64_t total = 0;
    SET_EACH(task, set)
    {
        total += task->strategy[LEFT] + 1;
    }
    uint64_t at = total > 0 ? sched_random() % total : 0;
    SET_EACH(task, set)
    {
        if (at <= task->strategy[LEFT])
            return task;
        at -= task->strategy[LEFT] + 1;
    }
    return NULL;
}

static struct task *pick(struct task *self, const struct task_set *candidates)
{
    (void)self;
    if (intended == NULL || intended->state == TASK_ENDED || !set_has(candidates, intended))
        intended = draw(candidates);
    /* Every task whose next event is not interesting may run, and the drawn task. */
    static struct task_set free_to_run;
    free_to_run = *candidates;
    SET_EACH(task, candidates)
    {
        if (task != intended && interesting(task->pending))
            set_put(&free_to_run, task, false);
    }
    return set_nth(&free_to_run, sched_random_below(set_count(&free_to_run)));
}

static void executed(struct task *self, const struct op *op)
{
    if (rt.task_count == 1 || !interesting(op))
        return;
    if (self->strategy[LEFT] > 0)
        self->strategy[LEFT]--;
    if (self == intended)
        intended = NULL;
}

/* Events of a task that is alone do not count. */
static bool needs_history(const struct task *task, uintptr_t pc)
{
    (void)task;
    (void)pc;
    return false;
}

const struct strategy strategy_surw = {
    .begin = begin, .created = created, .pick = pick, .executed = executed, .needs_history = needs_history};
