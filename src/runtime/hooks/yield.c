/* SPDX-License-Identifier: MIT
 *
 * yield.c - calls that let other threads run; and the number of the processor.
 */
#include <sched.h>
#include <threads.h>

#include "runtime/record.h"
#include "runtime/rt.h"
#include "runtime/sched/point.h"

REAL_FUNCTION(sched_yield);

static void yield_task(struct task *self, uintptr_t pc)
{
    struct op op = {.kind = OP_YIELD, .flags = OP_YIELDS, .pc = pc, .fd = -1, .deadline = RT_NEVER};
    sched_point(self, &op);
    record_event(self, &op, 0, 0);
    rt_leave(self);
}

RT_HOOK int sched_yield(void)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(sched_yield)();
    yield_task(self, CALLER);
    return 0;
}

/* An old name: programs linked long ago call it. The header makes calls of it calls of sched_yield. */
int raddle_pthread_yield(void) __asm__("pthread_yield");
RT_HOOK int raddle_pthread_yield(void)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(sched_yield)();
    yield_task(self, CALLER);
    return 0;
}

RT_HOOK void thrd_yield(void)
{
    struct task *self = rt_enter();
    if (self == NULL)
        REAL(sched_yield)();
    else
        yield_task(self, CALLER);
}

/* ---- the processor: always the same, because one task runs at a time --------------------------------------------- */

REAL_FUNCTION(sched_getcpu);
REAL_FUNCTION(getcpu);

static bool fixed_processor(void)
{
    return rt_self != NULL || (rt.attached && !rt.controlled);
}

RT_HOOK int sched_getcpu(void)
{
    return fixed_processor() ? 0 : REAL(sched_getcpu)();
}

RT_HOOK int getcpu(unsigned *processor, unsigned *node)
{
    if (!fixed_processor())
        return REAL(getcpu)(processor, node);
    if (processor != NULL)
        *processor = 0;
    if (node != NULL)
        *node = 0;
    return 0;
}
