/* SPDX-License-Identifier: MIT
 *
 * thread.c - pthread_create and what happens to a thread afterwards.
 */
#include "runtime/model/thread.h"

#include "runtime/forkserver.h"
#include "runtime/model/time.h"
#include "runtime/openmp/openmp.h"

REAL_FUNCTION(pthread_create);
REAL_FUNCTION(pthread_join);
REAL_FUNCTION(pthread_tryjoin_np);
REAL_FUNCTION(pthread_timedjoin_np);
REAL_FUNCTION(pthread_clockjoin_np);
REAL_FUNCTION(pthread_detach);
REAL_FUNCTION(pthread_exit);
REAL_FUNCTION(pthread_cancel);
REAL_FUNCTION(pthread_testcancel);
REAL_FUNCTION(pthread_setcancelstate);
REAL_FUNCTION(pthread_setcanceltype);

static int leave(struct task *self, int error)
{
    rt_leave(self);
    return error;
}

RT_HOOK int pthread_create(pthread_t *handle, const pthread_attr_t *attr, void *(*start)(void *), void *argument)
{
    if (unlikely(rt.attached && !rt.controlled))
        forkserver_before_first_thread();
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_create)(handle, attr, start, argument);
    openmp_check_creator(CALLER);
    struct thread_request request = {
        .handle = handle,
        .attr = attr,
        .start = start,
        .argument = argument,
        .start_pc = (uintptr_t)start,
        .pc = CALLER,
    };
    return leave(self, thread_create(self, &request));
}

RT_HOOK int pthread_join(pthread_t handle, void **result)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_join)(handle, result);
    return leave(self, thread_join(self, CALLER, handle, result, RT_NEVER));
}

RT_HOOK int pthread_tryjoin_np(pthread_t handle, void **result)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_tryjoin_np)(handle, result);
    return leave(self, thread_tryjoin(self, CALLER, handle, result));
}

static int timed_join(struct task *self, uintptr_t pc, pthread_t handle, void **result, clockid_t clock,
                      const struct timespec *limit)
{
    if ((clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) || (limit != NULL && !time_valid(limit)))
        return EINVAL;
    return thread_join(self, pc, handle, result, time_deadline(clock, limit));
}

RT_HOOK int pthread_timedjoin_np(pthread_t handle, void **result, const struct timespec *limit)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_timedjoin_np)(handle, result, limit);
    return leave(self, timed_join(self, CALLER, handle, result, CLOCK_REALTIME, limit));
}

RT_HOOK int pthread_clockjoin_np(pthread_t handle, void **result, clockid_t clock, const struct timespec *limit)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_clockjoin_np)(handle, result, clock, limit);
    return leave(self, timed_join(self, CALLER, handle, result, clock, limit));
}

RT_HOOK int pthread_detach(pthread_t handle)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_detach)(handle);
    return leave(self, thread_detach(self, CALLER, handle));
}

RT_HOOK void pthread_exit(void *result)
{
    struct task *self = rt_enter();
    if (self != NULL)
        thread_exit(self, result);
    REAL(pthread_exit)(result);
    __builtin_unreachable();
}

RT_HOOK int pthread_cancel(pthread_t handle)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_cancel)(handle);
    return leave(self, thread_cancel(self, CALLER, handle));
}

RT_HOOK void pthread_testcancel(void)
{
    struct task *self = rt_enter();
    if (self == NULL) {
        REAL(pthread_testcancel)();
        return;
    }
    thread_test_cancel(self, CALLER);
    rt_leave(self);
}

RT_HOOK int pthread_setcancelstate(int state, int *old)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_setcancelstate)(state, old);
    return leave(self, thread_set_cancel_state(self, state, old));
}

RT_HOOK int pthread_setcanceltype(int type, int *old)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_setcanceltype)(type, old);
    return leave(self, thread_set_cancel_type(self, type, old));
}
