/* SPDX-License-Identifier: MIT
 *
 * dfs.c - depth first: every schedule once.
 *
 * The basis of systematic search (P. Godefroid, "Model Checking for Programming Languages using VeriSoft", POPL 1997), with the
 * preemption bound of CHESS (M. Musuvathi, S. Qadeer, "Iterative Context Bounding for Systematic Testing of Multithreaded
 * Programs", PLDI 2007).  The program follows the choices given by the driver, then always takes the first alternative: the running
 * task goes on, else the task with the lowest number.  Every choice is recorded with the number of alternatives; the driver changes the last
 * one that has another alternative left.  Where we differ: choices are also which waiter a signal wakes, and whether a sleep or timed wait ends
 * early.
 * A task is passed over only when it is certain that it spins (sched/spin.c), so the search ends for programs that spin.
 */
#include "runtime/checkpoint.h"
#include "runtime/sched/replay.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/strategy.h"

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

/* The alternative with this number: the running task first, if it may go on, then the other tasks, then those that spin or have yielded. */
static struct task *take(struct task *self, const struct dfs_ways *ways, uint32_t chosen)
{
    static struct task_set others;
    others = ways->candidates;
    bool goes_on = set_has(&others, self);
    if (goes_on && chosen == 0)
        return self;
    preemptions += goes_on;
    chosen -= goes_on;
    set_put(&others, self, false);
    uint32_t count = set_count(&others);
    return chosen < count ? set_nth(&others, chosen) : set_nth(&ways->passed, chosen - count);
}

/* The number of waits that may end early is the bound of preemptions plus one. */
struct task *dfs_pick(struct task *self, const struct dfs_ways *ways)
{
    bool goes_on = set_has(&ways->candidates, self);
    if (goes_on && preemptions >= rt.wire->plan.bound)
        return self;
    uint32_t ordinary = set_count(&ways->candidates) + set_count(&ways->passed);
    uint32_t extra = early <= rt.wire->plan.bound ? set_count(&ways->early) : 0;
    uint32_t chosen = ordinary + extra > 1 ? dfs_choose(ordinary + extra) : 0;
    if (chosen < ordinary)
        return take(self, ways, chosen);
    early++;
    preemptions += goes_on;
    return set_nth(&ways->early, chosen - ordinary);
}

struct task *dfs_pick_late(struct task *sleeper, const struct task_set *ways)
{
    static struct task_set others;
    others = *ways;
    if (sleeper != NULL)
        set_put(&others, sleeper, false);
    uint32_t extra = early <= rt.wire->plan.bound ? set_count(&others) : 0;
    uint32_t chosen = extra > 0 ? dfs_choose(1 + extra) : 0;
    if (chosen == 0)
        return sleeper;
    early++;
    return set_nth(&others, chosen - 1);
}

/* Never called: pick.c uses dfs_pick. */
static struct task *pick(struct task *self, const struct task_set *candidates)
{
    return set_has(candidates, self) ? self : set_next(candidates, -1);
}

const struct strategy strategy_dfs = {.begin = begin, .pick = pick};
