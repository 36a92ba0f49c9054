/* SPDX-License-Identifier: MIT
 *
 * thread_np.c - calls for which libc would ask the kernel about a thread.
 *
 * A task need not have a kernel thread of its own, so these are answered from what the runtime knows.  Processors and
 * priorities have no effect: one task runs at a time, and the strategy decides which.
 */
#include <sched.h>

#include "runtime/hooks/thread_np.h"
#include "runtime/model/process.h"
#include "runtime/raw.h"
#include "runtime/rt.h"
#include "runtime/sched/task.h"

REAL_FUNCTION(pthread_getattr_np);
REAL_FUNCTION(pthread_setname_np);
REAL_FUNCTION(pthread_getname_np);
REAL_FUNCTION(pthread_setaffinity_np);
REAL_FUNCTION(pthread_getaffinity_np);
REAL_FUNCTION(pthread_setschedparam);
REAL_FUNCTION(pthread_getschedparam);
REAL_FUNCTION(pthread_setschedprio);
REAL_FUNCTION(pthread_getcpuclockid);
REAL_FUNCTION(sched_getaffinity);

/* The processors that the program was started with.  The driver may change the present ones at any time. */
static cpu_set_t first_processors;

void thread_learn_processors(void)
{
    REAL(sched_getaffinity)(0, sizeof first_processors, &first_processors);
}

static int answer_processors(size_t size, cpu_set_t *set)
{
    if (size < sizeof(long))
        return EINVAL;
    for (size_t i = 0; i < size; i++)
        ((char *)set)[i] = i < sizeof first_processors ? ((const char *)&first_processors)[i] : 0;
    return 0;
}

RT_HOOK int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
    struct task *self = pid == 0 || process_real_pid(pid) == raw_getpid() ? rt_enter() : NULL;
    if (self == NULL)
        return REAL(sched_getaffinity)(pid, size, set);
    return (int)rt_leave_errno(self, 0, answer_processors(size, set));
}

/* The task with this handle, if the caller is under control; the caller must leave with rt_leave(*self). */
static struct task *enter_with(pthread_t handle, struct task **self)
{
    *self = rt_enter();
    return *self != NULL ? task_by_handle(handle) : NULL;
}

RT_HOOK int pthread_getattr_np(pthread_t handle, pthread_attr_t *attributes)
{
    struct task *self, *task = enter_with(handle, &self);
    if (self == NULL)
        return REAL(pthread_getattr_np)(handle, attributes);
    int error = ESRCH;
    if (task != NULL) {
        pthread_attr_init(attributes);
        pthread_attr_setstack(attributes, (void *)task->stack_lo, task->stack_hi - task->stack_lo);
        error =
            pthread_attr_setdetachstate(attributes, task->detached ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE);
    }
    rt_leave(self);
    return error;
}

RT_HOOK int pthread_setname_np(pthread_t handle, const char *name)
{
    struct task *self, *task = enter_with(handle, &self);
    if (self == NULL)
        return REAL(pthread_setname_np)(handle, name);
    size_t length = 0;
    while (name[length] != '\0')
        length++;
    int error = task == NULL ? ESRCH : length >= sizeof task->name ? ERANGE : 0;
    if (error == 0)
        rt_format(task->name, sizeof task->name, "%s", name);
    rt_leave(self);
    return error;
}

RT_HOOK int pthread_getname_np(pthread_t handle, char *name, size_t size)
{
    struct task *self, *task = enter_with(handle, &self);
    if (self == NULL)
        return REAL(pthread_getname_np)(handle, name, size);
    int error = task == NULL ? ESRCH : size < sizeof task->name ? ERANGE : 0;
    if (error == 0)
        rt_format(name, size, "%s", task->name);
    rt_leave(self);
    return error;
}

RT_HOOK int pthread_setaffinity_np(pthread_t handle, size_t size, const cpu_set_t *set)
{
    struct task *self, *task = enter_with(handle, &self);
    if (self == NULL)
        return REAL(pthread_setaffinity_np)(handle, size, set);
    rt_leave(self);
    return task != NULL ? 0 : ESRCH;
}

RT_HOOK int pthread_getaffinity_np(pthread_t handle, size_t size, cpu_set_t *set)
{
    struct task *self, *task = enter_with(handle, &self);
    if (self == NULL)
        return REAL(pthread_getaffinity_np)(handle, size, set);
    int error = task == NULL ? ESRCH : answer_processors(size, set);
    rt_leave(self);
    return error;
}

RT_HOOK int pthread_setschedparam(pthread_t handle, int policy, const struct sched_param *parameter)
{
    struct task *self, *task = enter_with(handle, &self);
    if (self == NULL)
        return REAL(pthread_setschedparam)(handle, policy, parameter);
    rt_leave(self);
    if (task == NULL)
        return ESRCH;
    return policy == SCHED_OTHER ? 0 : EPERM; /* as for an ordinary user */
}

RT_HOOK int pthread_getschedparam(pthread_t handle, int *policy, struct sched_param *parameter)
{
    struct task *self, *task = enter_with(handle, &self);
    if (self == NULL)
        return REAL(pthread_getschedparam)(handle, policy, parameter);
    *policy = SCHED_OTHER;
    parameter->sched_priority = 0;
    rt_leave(self);
    return task != NULL ? 0 : ESRCH;
}

RT_HOOK int pthread_setschedprio(pthread_t handle, int priority)
{
    struct task *self, *task = enter_with(handle, &self);
    if (self == NULL)
        return REAL(pthread_setschedprio)(handle, priority);
    rt_leave(self);
    return task == NULL ? ESRCH : priority == 0 ? 0 : EINVAL;
}

RT_HOOK int pthread_getcpuclockid(pthread_t handle, clockid_t *clock)
{
    struct task *self, *task = enter_with(handle, &self);
    if (self == NULL)
        return REAL(pthread_getcpuclockid)(handle, clock);
    *clock = CLOCK_THREAD_CPUTIME_ID;
    rt_leave(self);
    return task != NULL ? 0 : ESRCH;
}
