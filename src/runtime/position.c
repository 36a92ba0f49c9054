/* SPDX-License-Identifier: MIT
 *
 * position.c - see position.h.
 */
#include "runtime/position.h"

#include "runtime/init.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/strategy.h"

/* ---- what the tasks have done -------------------------------------------------------------------------------------------- */

struct count {
    uintptr_t pc; /* 0: free */
    uint64_t times;
    uint32_t task;
};

enum { COUNTS = 1 << 14 }; /* a power of two */

/* Not from rt_alloc: addresses of the runtime are in events.  They must not depend on whether a run is held. */
static RT_TABLE struct count counts[COUNTS]; /* open addressing; empty when a run begins */
static uint32_t count_used;
static uint64_t sites_before; /* known when the run began */

void position_begin(void)
{
    sites_before = rt.wire->site_count;
}

static struct count *find(uint32_t task, uintptr_t pc)
{
    uint32_t slot = (uint32_t)(((pc ^ (uint64_t)task << 48) * 0x9e3779b97f4a7c15ull) >> 32) & (COUNTS - 1);
    while (counts[slot].pc != 0 && (counts[slot].pc != pc || counts[slot].task != task))
        slot = (slot + 1) & (COUNTS - 1);
    return &counts[slot];
}

static bool is_full(void)
{
    return count_used >= COUNTS / 4 * 3;
}

void position_executed(const struct task *task, uintptr_t pc)
{
    if (pc == 0 || is_full())
        return;
    struct count *count = find(task->id, pc);
    count_used += count->pc == 0;
    count->pc = pc;
    count->task = task->id;
    count->times++;
}

void position_restore_history(const struct strategy *strategy)
{
    for (uint32_t i = 0; strategy->restore_history != NULL && i < COUNTS; i++) {
        const struct count *count = &counts[i];
        struct task *task = count->pc != 0 && count->task < rt.task_count ? rt.tasks[count->task] : NULL;
        if (task != NULL)
            strategy->restore_history(task, count->pc, count->times);
    }
}

static bool is_indifferent(const struct strategy *strategy)
{
    if (strategy->needs_history == NULL)
        return strategy->executed == NULL;
    for (uint32_t i = 0; i < COUNTS; i++)
        if (counts[i].pc != 0 && strategy->needs_history(rt.tasks[counts[i].task], counts[i].pc))
            return false;
    return true;
}

/* ---- where ------------------------------------------------------------------------------------------------------------------ */

bool position_take(struct position *position, const struct task *self)
{
    const struct wire_result *result = &rt.wire->result;
    const struct wire_plan *plan = &rt.wire->plan;
    if (rt.wire->site_count != sites_before || !sched_is_undrawn() || is_full() || result->lost != 0)
        return false;
    /* Another plan would not stop where only this plan does. */
    const struct op *op = self->pending;
    if (sched_is_replaying() && op != NULL && op_is_memory(op) && (op->flags & (OP_YIELDS | OP_PRIVATE)))
        return false;
    if (op != NULL && op->kind == OP_NONE) /* in the middle of an access */
        return false;
    uint32_t segment = result->step_count - 1;
    while (segment > 0 && rt.wire->steps[segment].type != STEP_RUN)
        segment--;
    *position = (struct position){.step_count = result->step_count,
                                  .segment = segment,
                                  .until = self->state == TASK_ENDED ? UINT64_MAX : self->operations,
                                  .first = plan->checkpoint == CHECKPOINT_FIRST,
                                  .steps = rt.wire->steps,
                                  .choice_count = result->choice_count,
                                  .choices = rt.wire->choices,
                                  .sites = sites_before,
                                  .strategy = plan->strategy,
                                  .flags = plan->flags,
                                  .bound = plan->bound,
                                  .max_steps = plan->max_steps};
    return true;
}

/* ---- whether a plan leads there ------------------------------------------------------------------------------------------ */

static bool choices_lead(const struct position *position)
{
    for (uint32_t i = 0; i < position->choice_count; i++) {
        bool given = i < rt.wire->plan.plan_choice_count;
        if ((given ? rt.wire->plan_choices[i].chosen : 0) != position->choices[i].chosen)
            return false;
    }
    return true;
}

static bool step_leads(const struct position *position, uint32_t index)
{
    const struct wire_step *done = &position->steps[index], *planned = &rt.wire->plan_steps[index];
    if (done->type != planned->type || done->task != planned->task)
        return false;
    if (index != position->segment)
        return done->until == planned->until && (done->type == STEP_RUN || done->value == planned->value);
    return planned->until >= position->until;
}

static bool steps_lead(const struct position *position)
{
    if (rt.wire->plan.plan_step_count < position->step_count)
        return false;
    for (uint32_t i = 0; i < position->step_count; i++)
        if (!step_leads(position, i))
            return false;
    return true;
}

bool position_serves(const struct position *position)
{
    const struct wire_plan *plan = &rt.wire->plan;
    const struct strategy *strategy = sched_strategy(plan->strategy);
    const uint32_t steps_first = PLAN_PREFIX | PLAN_THEN_RANDOM;
    if (rt.wire->site_count != position->sites || plan->max_steps != position->max_steps ||
        ((plan->flags ^ position->flags) & ~steps_first) != 0 || (plan->flags & PLAN_BEST_EFFORT))
        return false;
    if (plan->strategy == STRATEGY_TRACES || position->strategy == STRATEGY_TRACES)
        return false;
    if (plan->strategy == STRATEGY_DFS || position->strategy == STRATEGY_DFS)
        return plan->strategy == position->strategy && plan->bound == position->bound && choices_lead(position);
    if (plan->strategy == STRATEGY_REPLAY || (plan->flags & PLAN_PREFIX))
        return (strategy->executed == NULL || strategy->restore_history != NULL) && steps_lead(position);
    return position->first && is_indifferent(strategy);
}
