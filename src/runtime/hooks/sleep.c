/* SPDX-License-Identifier: MIT
 *
 * sleep.c - virtual clocks: waiting for them. A sleeping task runs when no other task can, or earlier by a choice of the
 * scheduler.
 */
#include "runtime/hooks/time.h"

#include <threads.h>
#include <unistd.h>

#include "runtime/hooks/timerfd.h"
#include "runtime/record.h"
#include "runtime/sched/point.h"

static enum ready sleep_ready(struct task *task, const struct op *op)
{
    (void)task;
    return op->deadline <= rt.now ? READY_YES : READY_LATE;
}

int time_sleep(struct task *self, uintptr_t pc, int64_t deadline)
{
    struct op op = {
        .kind = OP_SLEEP,
        .flags = OP_YIELDS | OP_INTERRUPTIBLE | OP_CANCELLABLE,
        .pc = pc,
        .fd = -1,
        .deadline = deadline,
        .ready = sleep_ready,
    };
    enum wake wake = sched_point(self, &op);
    timerfd_time_passed();
    if (wake == WAKE_SIGNAL) {
        record_event(self, &op, EINTR, EVENT_SIGNALLED | EVENT_FAILED);
        return EINTR;
    }
    record_event(self, &op, 0, EVENT_TIMEOUT);
    return 0;
}

int time_nanosleep(struct task *self, uintptr_t pc, clockid_t id, int flags, const struct timespec *request,
                   struct timespec *remain)
{
    int64_t base;
    if (id == CLOCK_THREAD_CPUTIME_ID || (!time_clock_base(id, &base) && id != CLOCK_PROCESS_CPUTIME_ID))
        return EINVAL;
    if (!time_valid(request) || request->tv_sec < 0)
        return EINVAL;
    bool absolute = flags & TIMER_ABSTIME;
    int64_t deadline = absolute ? time_deadline(id, request) : time_after(time_nanoseconds(request));
    int error = time_sleep(self, pc, deadline);
    if (error == EINTR && !absolute && remain != NULL)
        *remain = time_timespec(deadline > rt.now ? deadline - rt.now : 0);
    return error;
}

REAL_FUNCTION(sleep);
REAL_FUNCTION(usleep);
REAL_FUNCTION(nanosleep);
REAL_FUNCTION(clock_nanosleep);
REAL_FUNCTION(thrd_sleep);

RT_HOOK unsigned sleep(unsigned seconds)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(sleep)(seconds);
    int64_t deadline = time_after((int64_t)seconds * TIME_SECOND);
    unsigned left = 0;
    if (time_sleep(self, CALLER, deadline) == EINTR && deadline > rt.now)
        left = (unsigned)((deadline - rt.now + TIME_SECOND - 1) / TIME_SECOND);
    rt_leave(self);
    return left;
}

RT_HOOK int usleep(useconds_t microseconds)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(usleep)(microseconds);
    return (int)rt_leave_errno(self, 0, time_sleep(self, CALLER, time_after((int64_t)microseconds * 1000)));
}

RT_HOOK int nanosleep(const struct timespec *request, struct timespec *remain)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(nanosleep)(request, remain);
    return (int)rt_leave_errno(self, 0, time_nanosleep(self, CALLER, CLOCK_REALTIME, 0, request, remain));
}

RT_HOOK int clock_nanosleep(clockid_t id, int flags, const struct timespec *request, struct timespec *remain)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(clock_nanosleep)(id, flags, request, remain);
    int error = time_nanosleep(self, CALLER, id, flags, request, remain);
    rt_leave(self);
    return error;
}

RT_HOOK int thrd_sleep(const struct timespec *request, struct timespec *remain)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(thrd_sleep)(request, remain);
    int error = time_nanosleep(self, CALLER, CLOCK_REALTIME, 0, request, remain);
    rt_leave(self);
    return error == 0 ? 0 : error == EINTR ? -1 : -2;
}
