/* SPDX-License-Identifier: MIT
 *
 * model_hook.h - hooks that only call the model: most functions of pthreads, semaphores and <threads.h>.
 *
 *   MODEL_HOOK(leave_error, pthread_mutex_lock, (pthread_mutex_t *mutex), (mutex), mutex_lock(self, CALLER, mutex, PATIENCE_ENDLESS));
 *
 * defines the exported function.  If the calling thread is not under control it calls the next definition with the same arguments.
 * Else the last argument is evaluated, in which `self` is the calling task and CALLER the call's place in the program; its value, 0
 * or an error number, is turned into what the function returns by `leave`, which also calls rt_leave.
 */
#ifndef RADDLE_HOOKS_MODEL_HOOK_H
#define RADDLE_HOOKS_MODEL_HOOK_H

#include "runtime/model/model.h"

#define MODEL_HOOK(leave, name, parameters, arguments, error)                                                          \
    REAL_FUNCTION(name);                                                                                               \
    RT_HOOK int name parameters                                                                                        \
    {                                                                                                                  \
        struct task *self = rt_enter();                                                                                \
        if (self == NULL)                                                                                              \
            return REAL(name) arguments;                                                                               \
        return leave(self, error);                                                                                     \
    }                                                                                                                  \
    extern __typeof__(name) name

/* Returns the error number, as functions of pthreads do. */
static inline int leave_error(struct task *self, int error)
{
    rt_leave(self);
    return error;
}

/* Returns 0, or -1 with errno set. */
static inline int leave_errno(struct task *self, int error)
{
    return (int)rt_leave_errno(self, 0, error);
}

#endif
