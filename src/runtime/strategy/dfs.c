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

static uint32_t preemptions;

static void begin(void)
{
    preemptions = 0;
}

uint32_t dfs_choose(uint32_t n)
{
    struct wire_result *result = &rt.wire->result;
    if (result->choice_count == rt.wire->plan.checkpoint)
        checkpoint_make(rt.wire->plan.checkpoint_slot);
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

static struct task *pick(struct task *self, const struct task_set *candidates)
{
    bool may_go_on = set_has(candidates, self);
    if (may_go_on && preemptions >= rt.wire->plan.bound)
        return self;
    uint32_t chosen = dfs_choose(set_count(candidates));
    if (!may_go_on)
        return set_nth(candidates, chosen);
    if (chosen == 0)
        return self;
    preemptions++;
    struct task_set others = *candidates;
    set_put(&others, self, false);
    return set_nth(&others, chosen - 1);
}

const struct strategy strategy_dfs = {.begin = begin, .pick = pick};
