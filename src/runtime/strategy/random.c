/* SPDX-License-Identifier: MIT
 *
 * random.c - random walk: at every point each task that can go on is equally likely.
 *
 * The simplest strategy (see P. Thomson, A. Donaldson, A. Betts, "Concurrency Testing Using Schedule Bounding", PPoPP 2014, for how
 * well it does).  All other strategies are compared with it.
 */
#include "runtime/sched/sched.h"
#include "runtime/sched/strategy.h"

static void begin(void)
{
}

static struct task *pick(struct task *self, const struct task_set *candidates)
{
    (void)self;
    return set_nth(candidates, sched_random_below(set_count(candidates)));
}

const struct strategy strategy_random = {.begin = begin, .pick = pick};
