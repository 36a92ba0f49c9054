/* SPDX-License-Identifier: MIT
 *
 * replay.c - follows the steps of a plan exactly, or reports where that is not possible.
 *
 * The plan names each switch by the operation number of the task that is left, so it does not matter which accesses are
 * scheduling points this time: stop_at makes the fast path call the scheduler at exactly that operation.
 *
 * With PLAN_PREFIX the steps are only a beginning: where they cannot be followed, the strategy goes on.
 * best_effort.c does PLAN_BEST_EFFORT.
 */
#include <stdarg.h>

#include "runtime/init.h"
#include "runtime/model/signal.h"
#include "runtime/sched/replay.h"
#include "runtime/sched/sched.h"

static struct {
    uint32_t next; /* the next step */
    uint32_t count;
    const struct wire_step *segment; /* current STEP_RUN */
    const struct wire_step *ended;   /* the one before it */
    uint32_t child_ends;             /* how many SIGCHLD are still expected */
} plan;

/* The signal that arrives with this step; 0: none. */
static int arrival_of(const struct wire_step *step)
{
    bool is_arrival =
        step->type == STEP_CHOICE && step->value > ARRIVAL_CHOICE && step->value < ARRIVAL_CHOICE + SIGNAL_COUNT;
    return is_arrival ? (int)(step->value - ARRIVAL_CHOICE) : 0;
}

void replay_begin(void)
{
    if (rt.flags & PLAN_BEST_EFFORT)
        best_effort_begin();
    plan.count = rt.wire->plan.plan_step_count;
    plan.next = 0;
    plan.segment = plan.ended = NULL;
    plan.child_ends = 0;
    for (uint32_t i = 0; i < plan.count; i++)
        plan.child_ends += arrival_of(&rt.wire->plan_steps[i]) == SIGCHLD;
}

void replay_diverged(struct task *task, const char *format, ...)
{
    struct wire_result *result = &rt.wire->result;
    va_list arguments;
    va_start(arguments, format);
    rt_format_list(result->text, sizeof result->text, format, arguments);
    va_end(arguments);
    result->diverged_step = plan.next > 0 ? plan.next - 1 : 0;
    result->diverged_task = task != NULL ? task->id : 0;
    result->diverged_operation = task != NULL ? task->operations : 0;
    sched_run_ended(END_DIVERGED);
    rt_end_process(RT_EXIT_FAILURE);
}

static void leave(void)
{
    plan.next = plan.count;
    plan.segment = NULL;
}

static bool is_prefix(void)
{
    return (rt.flags & PLAN_PREFIX) != 0;
}

/* It waits for another task: a schedule that was possible does not go on with it. */
static bool is_blocked(const struct task *task)
{
    return task->ready == READY_NO && task->pending != NULL && !(task->pending->flags & OP_IO) &&
           task->state != TASK_EXTERNAL;
}

static bool segment_lasts(const struct task *self)
{
    return plan.segment != NULL && plan.segment->task == self->id && self->state != TASK_ENDED &&
           self->operations < plan.segment->until;
}

/* It was left on the way to an operation, at which it may be blocked. */
static bool is_computing(const struct task *task)
{
    return task->pending != NULL && task->computing.taken_off > 0 && task->operations == task->computing.operations;
}

static struct task *any_computing(void)
{
    for (uint32_t i = 0; i < rt.task_count; i++)
        if (rt.tasks[i] != NULL && rt.tasks[i]->state != TASK_ENDED && is_computing(rt.tasks[i]))
            return rt.tasks[i];
    return NULL;
}

/* Whether the schedule could have gone on where it ends.  If not, it ended in a deadlock, which is found again. */
static bool any_task_ready(void)
{
    for (uint32_t i = 0; i < rt.task_count; i++) {
        const struct task *task = rt.tasks[i];
        if (task == NULL || task->state == TASK_ENDED || task->pending == NULL || is_computing(task))
            continue;
        if (task->ready == READY_YES || (task->ready == READY_LATE && task->pending->deadline != RT_NEVER))
            return true;
    }
    return false;
}

/* The segment of self is over, by plan or because the task ended: go to the next one. */
static struct task *next_segment(struct task *self)
{
    if (plan.segment != NULL && plan.segment->until != UINT64_MAX) {
        bool early = self->state == TASK_ENDED && self->operations < plan.segment->until;
        if ((plan.segment->task != self->id || early) && is_prefix())
            leave();
        else if (plan.segment->task != self->id || early)
            replay_diverged(self, "T%u ended at its operation %lu, the schedule has it run until %lu", self->id,
                            (unsigned long)self->operations, (unsigned long)plan.segment->until);
    }
    plan.ended = plan.segment;
    while (plan.next < plan.count) {
        const struct wire_step *step = &rt.wire->plan_steps[plan.next++];
        if (step->type != STEP_RUN && is_prefix())
            break;
        if (step->type != STEP_RUN)
            replay_diverged(self, "the schedule has a choice of T%u at its operation %lu that was not met", step->task,
                            (unsigned long)step->until);
        plan.segment = step;
        struct task *task = step->task < rt.task_count ? rt.tasks[step->task] : NULL;
        if (is_prefix() && (task == NULL || task->state == TASK_ENDED || is_blocked(task)))
            break;
        if (task == NULL || task->state == TASK_ENDED)
            replay_diverged(self, "the schedule goes on with T%u, which %s", step->task,
                            task == NULL ? "does not exist yet" : "has ended");
        if (task->operations >= step->until)
            continue; /* an empty segment */
        task->stop_at = step->until;
        return task;
    }
    leave();
    bool exact = !(rt.flags & (PLAN_THEN_RANDOM | PLAN_PREFIX));
    if (exact && any_task_ready())
        replay_diverged(self, "the program goes on where the schedule ends");
    return exact ? any_computing() : NULL;
}

bool replay_preempted(const struct task *self, uint64_t operation)
{
    const struct wire_step *ended = plan.ended;
    return sched_is_replaying() && !(rt.flags & PLAN_BEST_EFFORT) && ended != NULL && ended->value != 0 &&
           ended->task == self->id && ended->until == operation;
}

struct task *replay_pick(struct task *self)
{
    if (rt.flags & PLAN_BEST_EFFORT)
        return best_effort_pick(self);
    if (!segment_lasts(self)) {
        self->stop_at = UINT64_MAX;
        return next_segment(self);
    }
    if (is_blocked(self)) {
        if (is_prefix())
            leave();
        if (is_prefix() || (plan.next == plan.count && !any_task_ready()))
            return NULL;
        replay_diverged(self, "T%u blocks at its operation %lu, the schedule has it run on", self->id,
                        (unsigned long)self->operations);
    }
    return self;
}

struct task *replay_compute(struct task *self)
{
    enum { PATIENCE = 4 };
    bool leaves = self->computing.taken_off > PATIENCE;
    if (rt.flags & PLAN_BEST_EFFORT)
        return best_effort_compute(self, leaves);
    if (plan.segment != NULL && plan.segment->task == self->id && plan.segment->until == self->operations + 1)
        return next_segment(self);
    if (leaves && is_prefix()) {
        leave();
        return NULL;
    }
    return self;
}

bool replay_is_at(const struct task *self, uint32_t step, uint64_t until)
{
    if (plan.segment == NULL || plan.segment != &rt.wire->plan_steps[step] || plan.segment->task != self->id)
        return false;
    return until != 0 ? self->operations == until : !segment_lasts(self);
}

void replay_continue(uint32_t done, uint32_t segment)
{
    plan.count = rt.wire->plan.plan_step_count;
    plan.next = done;
    plan.segment = &rt.wire->plan_steps[segment];
}

/* The next step, if it is a choice of this task. */
static const struct wire_step *next_choice(const struct task *task)
{
    const struct wire_step *step = plan.next < plan.count ? &rt.wire->plan_steps[plan.next] : NULL;
    return step != NULL && step->type == STEP_CHOICE && step->task == task->id ? step : NULL;
}

uint64_t replay_stop(const struct task *task)
{
    if (rt.flags & PLAN_BEST_EFFORT)
        return best_effort_stop(task);
    bool planned = plan.segment != NULL && plan.segment->task == task->id && plan.segment->until > task->operations;
    uint64_t stop = planned ? plan.segment->until : UINT64_MAX;
    const struct wire_step *step = next_choice(task);
    return step != NULL && step->until > task->operations && step->until < stop ? step->until : stop;
}

bool replay_is_exact(void)
{
    return sched_is_replaying() && !(rt.flags & (PLAN_BEST_EFFORT | PLAN_PREFIX | PLAN_THEN_RANDOM));
}

int replay_arrival(const struct task *self)
{
    const struct wire_step *step = replay_is_exact() ? next_choice(self) : NULL;
    if (step == NULL || step->until != self->operations || arrival_of(step) == 0)
        return 0;
    plan.next++;
    plan.child_ends -= arrival_of(step) == SIGCHLD;
    return arrival_of(step);
}

bool replay_holds(int signo)
{
    return replay_is_exact() && (signo != SIGCHLD || plan.child_ends > 0);
}

bool replay_choose(struct task *self, uint32_t n, uint32_t *value)
{
    if (rt.flags & PLAN_BEST_EFFORT)
        return best_effort_choose(self, n, value);
    if (plan.next >= plan.count && (rt.flags & (PLAN_THEN_RANDOM | PLAN_PREFIX)))
        return false;
    const struct wire_step *step = plan.next < plan.count ? &rt.wire->plan_steps[plan.next] : NULL;
    if (step == NULL || step->type != STEP_CHOICE || step->task != self->id || step->until != self->operations ||
        step->value >= n) {
        if (is_prefix()) {
            leave();
            return false;
        }
        replay_diverged(self, "T%u chooses among %u at its operation %lu, the schedule does not", self->id, n,
                        (unsigned long)self->operations);
    }
    plan.next++;
    *value = step->value;
    return true;
}

bool replay_handler(const struct task *self, uint64_t *operation)
{
    if (rt.flags & PLAN_BEST_EFFORT)
        return best_effort_handler(self, operation);
    if (plan.next >= plan.count && (rt.flags & (PLAN_THEN_RANDOM | PLAN_PREFIX)))
        return false;
    const struct wire_step *step = next_choice(self);
    *operation = step != NULL ? step->until : UINT64_MAX;
    return true;
}
