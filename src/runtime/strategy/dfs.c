/* SPDX-License-Identifier: MIT
 *
 * dfs.c - depth first: every schedule once.
 *
 * The base line of all systematic search (P. Godefroid, "Model Checking for Programming Languages using VeriSoft", POPL 1997), with the
 * preemption bound of CHESS (M. Musuvathi, S. Qadeer, "Iterative Context Bounding for Systematic Testing of Multithreaded
 * Programs", PLDI 2007).  The program follows the choices given by the driver, then always takes the first way: the running task
 * goes on, else the lowest number.  Every choice is written down with how many ways there were; the driver changes the last one
 * that has another way left.  Where we differ: a choice is also which waiter a signal wakes.  Spinning and sleeping tasks are passed over
 * as for every strategy, so the search ends for programs that spin.
 */
#include "runtime/checkpoint.h"
#include "runtime/sched/sched.h"

static uint32_t preemptions, early;

static void begin(void)
{
    preemptions = early = 0;
}

uint32_t dfs_choose(uint32_t n)
{
    struct wire_result *result = &rt.wire->result;
    if (checkpoint_wanted && rt.wire->plan.checkpoint == CHECKPOINT_AT(result->choice_count))
        checkpoint_make(rt.current);
    uint32_t depth = result->choice_count, chosen = 0;
    if (depth == WIRE_CHOICES) {
        result->lost |= LOST_CHOICES;
        return 0;
    }
    if (depth < rt.wire->plan.plan_choice_count)
        chosen = rt.wire->plan_choices[depth].chosen;
    if (chosen >= n)
        replay_diverged(rt.current, "choice %u takes way %u of %u", depth, chosen, n);
    rt.wire->choices[result->choice_count++] = (struct wire_choice){.chosen = (uint16_t)chosen, .count = (uint16_t)n};
    return chosen;
}

/* The way with this number: the running task first, if it may go on, then the others. */
static struct task *take(struct task *self, const struct task_set *candidates, uint32_t chosen)
{
    if (!set_has(candidates, self))
        return set_nth(candidates, chosen);
    if (chosen == 0)
        return self;
    preemptions++;
    struct task_set others = *candidates;
    set_put(&others, self, false);
    return set_nth(&others, chosen - 1);
}

static struct task *pick(struct task *self, const struct task_set *candidates)
{
    if (set_has(candidates, self) && preemptions >= rt.wire->plan.bound)
        return self;
    return take(self, candidates, dfs_choose(set_count(candidates)));
}

/* The same with those who sleep or wait with a timeout as further ways, in one place more than preemptions are allowed. */
struct task *dfs_pick_early(struct task *self, const struct task_set *candidates, const struct task_set *late)
{
    bool may_go_on = set_has(candidates, self), bound_reached = preemptions >= rt.wire->plan.bound;
    bool free = !may_go_on || !bound_reached;
    uint32_t ordinary = free ? set_count(candidates) : 1;
    uint32_t extra = free && early <= rt.wire->plan.bound ? set_count(late) : 0;
    uint32_t chosen = ordinary + extra > 1 ? dfs_choose(ordinary + extra) : 0;
    if (chosen >= ordinary) {
        early++;
        preemptions += may_go_on;
        return set_nth(late, chosen - ordinary);
    }
    return take(self, candidates, chosen);
}

const struct strategy strategy_dfs = {.begin = begin, .pick = pick};
