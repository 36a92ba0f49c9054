/* SPDX-License-Identifier: MIT
 *
 * roundrobin.c - tasks take turns.
 *
 * The seed chooses the length of a turn: seed 0 lets every task run until it blocks (the schedule without preemptions), others
 * take 1, 2, 4, … 64 points in turn.  These are few schedules, but the ones that come to mind first.
 */
#include "runtime/sched/sched.h"
#include "runtime/sched/strategy.h"

static uint64_t turn, used;

static void begin(void)
{
    uint64_t kind = rt.wire->plan.seed % 8;
    turn = kind == 0 ? UINT64_MAX : 1ull << (kind - 1);
    used = 0;
}

static struct task *pick(struct task *self, const struct task_set *candidates)
{
    if (set_has(candidates, self) && ++used < turn)
        return self;
    used = 0;
    struct task *next = set_next(candidates, (int)self->id);
    return next != NULL ? next : set_next(candidates, -1);
}

const struct strategy strategy_roundrobin = {.begin = begin, .pick = pick};
