/* SPDX-License-Identifier: MIT
 *
 * yield.c - calls that ask for somebody else to run.
 */
#include <sched.h>
#include <threads.h>

#include "runtime/rt.h"

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
