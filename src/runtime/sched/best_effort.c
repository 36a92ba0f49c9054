/* SPDX-License-Identifier: MIT
 *
 * best_effort.c - follows a plan as well as possible (PLAN_BEST_EFFORT): to try a schedule without some of its parts.
 *
 * DESIGN
 *   A step means: run this task up to that operation (UINT64_MAX: as far as possible).  If the task does not exist, has ended or
 *   cannot go on, the step is skipped, and the next one is tried; a later step of the same task runs it further.  After the last
 *   step the strategy decides.  A task that sleeps, or waits with a timeout, is woken before its time if a step begins with it; in
 *   the middle of a step only if the step's value says so.  One that spins or yields goes on only if the step has an end.
 *
 *   The result says why the first skipped step could not be done (enum wire_left), except for steps whose value is STEP_AS_FAR:
 *   they run the task as far as possible.
 *
 *   Steps come first, then the choices.  Choices are found by task and operation, in any order.  For a choice that is not in the
 *   plan the strategy decides.
 */
#include "runtime/sched/replay.h"
#include "runtime/sched/sched.h"

static struct {
    uint32_t next, count;            /* of the steps; the choices come after them */
    const struct wire_step *segment; /* the current one */
    bool begun;                      /* its task has run in it */
} plan;

static RT_RARE uint32_t choice_cursor[WIRE_TASKS]; /* the first choice that a task may still come to */

void best_effort_begin(void)
{
    uint32_t all = rt.wire->plan.plan_step_count, runs = 0;
    while (runs < all && rt.wire->plan_steps[runs].type == STEP_RUN)
        runs++;
    plan.next = 0;
    plan.count = runs;
    plan.segment = NULL;
    plan.begun = false;
    for (uint32_t i = runs; i < all; i++)
        choice_cursor[rt.wire->plan_steps[i].task % WIRE_TASKS] = runs;
}

static bool can_go_on(const struct task *self, const struct task *task)
{
    if (task == NULL || task->state == TASK_ENDED || task->state == TASK_EXTERNAL)
        return false;
    if (task->pending == NULL)
        return task == self;
    bool bounded = plan.segment->until != UINT64_MAX;
    if (task->ready == READY_YES)
        return !plan.begun || bounded || !sched_is_passed_over(task);
    return task->ready == READY_LATE && sched_may_wake(task) && (!plan.begun || plan.segment->value != 0);
}

/* Why the step is over, if it is not done. */
static enum wire_left hindrance(const struct task *task, const struct wire_step *step)
{
    if (task == NULL)
        return LEFT_MISSING;
    if (task->operations > step->until)
        return plan.begun || step->value == STEP_AT_LEAST ? LEFT_NOT : LEFT_PAST;
    if (task->operations == step->until || (task->state == TASK_ENDED && plan.begun && step->until == UINT64_MAX))
        return LEFT_NOT;
    if (task->state == TASK_ENDED)
        return plan.begun ? LEFT_ENDS_EARLY : LEFT_ENDED;
    return plan.begun ? LEFT_STOPS : LEFT_WAITS;
}

static void leave_behind(const struct task *task, const struct wire_step *step)
{
    struct wire_result *result = &rt.wire->result;
    enum wire_left why = step->value != STEP_AS_FAR && result->left == LEFT_NOT ? hindrance(task, step) : LEFT_NOT;
    if (why == LEFT_NOT)
        return;
    result->left = why;
    result->diverged_step = plan.next - 1;
    result->diverged_task = step->task;
    result->diverged_operation = task != NULL ? task->operations : 0;
}

struct task *best_effort_pick(struct task *self)
{
    for (;;) {
        const struct wire_step *step = plan.segment;
        if (step != NULL) {
            struct task *task = step->task < rt.task_count ? rt.tasks[step->task] : NULL;
            if (task != NULL && can_go_on(self, task) && task->operations < step->until) {
                task->stop_at = step->until;
                plan.begun = true;
                return task;
            }
            leave_behind(task, step);
        }
        self->stop_at = UINT64_MAX;
        if (plan.next == plan.count) {
            plan.segment = NULL;
            return NULL;
        }
        plan.segment = &rt.wire->plan_steps[plan.next++];
        plan.begun = false;
    }
}

struct task *best_effort_compute(struct task *self, bool leave)
{
    const struct wire_step *step = plan.segment;
    if (step != NULL && step->task == self->id) {
        bool done = step->until == self->operations + 1;
        if (!done && leave)
            leave_behind(self, step);
        if (done || leave)
            plan.segment = NULL;
    }
    return best_effort_pick(self);
}

uint64_t best_effort_stop(const struct task *task)
{
    bool planned = plan.segment != NULL && plan.segment->task == task->id && plan.segment->until > task->operations;
    return planned ? plan.segment->until : UINT64_MAX;
}

/* The first choice that the task may still come to; NULL: none. */
static const struct wire_step *next_choice(const struct task *self)
{
    uint32_t all = rt.wire->plan.plan_step_count;
    if (plan.count == all)
        return NULL;
    uint32_t *cursor = &choice_cursor[self->id];
    for (; *cursor >= plan.count && *cursor < all; ++*cursor) {
        const struct wire_step *step = &rt.wire->plan_steps[*cursor];
        if (step->task == self->id && step->until >= self->operations)
            return step;
    }
    return NULL;
}

bool best_effort_choose(const struct task *self, uint32_t n, uint32_t *value)
{
    const struct wire_step *step = next_choice(self);
    if (step == NULL || step->until > self->operations || step->value >= n)
        return false;
    *value = step->value;
    ++choice_cursor[self->id];
    return true;
}

bool best_effort_handler(const struct task *self, uint64_t *operation)
{
    const struct wire_step *step = next_choice(self);
    if (step == NULL)
        return false;
    *operation = step->until;
    return true;
}
