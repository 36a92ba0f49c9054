/* SPDX-License-Identifier: MIT
 *
 * c11_thread.c - the threads of C11's <threads.h>: POSIX threads with other names and an int for a result.
 */
#include <threads.h>

#include "runtime/forkserver.h"
#include "runtime/model/thread.h"

REAL_FUNCTION(thrd_create);
REAL_FUNCTION(thrd_join);
REAL_FUNCTION(thrd_detach);
REAL_FUNCTION(thrd_exit);

struct c11_start {
    thrd_start_t function;
    void *argument;
};

static void *as_pointer(int result)
{
    return (void *)(intptr_t)result;
}

static int as_c11(int error)
{
    switch (error) {
    case 0:
        return thrd_success;
    case ENOMEM:
        return thrd_nomem;
    case ETIMEDOUT:
        return thrd_timedout;
    case EBUSY:
        return thrd_busy;
    default:
        return thrd_error;
    }
}

static void *c11_main(void *argument)
{
    struct c11_start start = *(struct c11_start *)argument;
    rt_free(argument, sizeof start);
    return as_pointer(start.function(start.argument));
}

RT_HOOK int thrd_create(thrd_t *handle, thrd_start_t function, void *argument)
{
    if (unlikely(rt.attached && !rt.controlled))
        forkserver_before_first_thread();
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(thrd_create)(handle, function, argument);
    struct c11_start *start = rt_alloc(sizeof *start);
    *start = (struct c11_start){function, argument};
    struct thread_request request = {
        .handle = handle,
        .start = c11_main,
        .argument = start,
        .start_pc = (uintptr_t)function,
        .pc = CALLER,
    };
    int error = thread_create(self, &request);
    if (error != 0)
        rt_free(start, sizeof *start);
    rt_leave(self);
    return as_c11(error);
}

RT_HOOK int thrd_join(thrd_t handle, int *result)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(thrd_join)(handle, result);
    void *value = NULL;
    int error = thread_join(self, CALLER, handle, &value, RT_NEVER);
    if (error == 0 && result != NULL)
        *result = (int)(intptr_t)value;
    rt_leave(self);
    return as_c11(error);
}

RT_HOOK int thrd_detach(thrd_t handle)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(thrd_detach)(handle);
    int error = thread_detach(self, CALLER, handle);
    rt_leave(self);
    return as_c11(error);
}

RT_HOOK void thrd_exit(int result)
{
    struct task *self = rt_enter();
    if (self != NULL)
        thread_exit(self, as_pointer(result));
    REAL(thrd_exit)(result);
    __builtin_unreachable();
}
