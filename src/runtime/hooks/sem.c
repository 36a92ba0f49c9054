/* SPDX-License-Identifier: MIT
 *
 * sem.c - sem_*; the models are model/sem.c and model/sem_named.c.
 */
#include <fcntl.h>
#include <stdarg.h>

#include "runtime/model/model.h"

REAL_FUNCTION(sem_init);
REAL_FUNCTION(sem_destroy);
REAL_FUNCTION(sem_wait);
REAL_FUNCTION(sem_trywait);
REAL_FUNCTION(sem_timedwait);
REAL_FUNCTION(sem_clockwait);
REAL_FUNCTION(sem_post);
REAL_FUNCTION(sem_getvalue);

RT_HOOK int sem_init(sem_t *sem, int shared, unsigned value)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(sem_init)(sem, shared, value);
    return (int)rt_leave_errno(self, 0, semaphore_init(self, CALLER, sem, shared, value));
}

RT_HOOK int sem_destroy(sem_t *sem)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(sem_destroy)(sem);
    return (int)rt_leave_errno(self, 0, semaphore_destroy(self, CALLER, sem));
}

RT_HOOK int sem_wait(sem_t *sem)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(sem_wait)(sem);
    return (int)rt_leave_errno(self, 0, semaphore_wait(self, CALLER, sem, RT_NEVER));
}

RT_HOOK int sem_trywait(sem_t *sem)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(sem_trywait)(sem);
    return (int)rt_leave_errno(self, 0, semaphore_trywait(self, CALLER, sem));
}

/* Unlike those of mutexes, the time and the clock are looked at first. */
static int wait_until(struct task *self, uintptr_t pc, sem_t *sem, clockid_t clock, const struct timespec *until)
{
    int error = EINVAL;
    if (model_clock_supported(clock) && time_valid(until))
        error = semaphore_wait(self, pc, sem, time_deadline(clock, until));
    return (int)rt_leave_errno(self, 0, error);
}

RT_HOOK int sem_timedwait(sem_t *restrict sem, const struct timespec *restrict until)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(sem_timedwait)(sem, until);
    return wait_until(self, CALLER, sem, CLOCK_REALTIME, until);
}

RT_HOOK int sem_clockwait(sem_t *restrict sem, clockid_t clock, const struct timespec *restrict until)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(sem_clockwait)(sem, clock, until);
    return wait_until(self, CALLER, sem, clock, until);
}

RT_HOOK int sem_post(sem_t *sem)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(sem_post)(sem);
    return (int)rt_leave_errno(self, 0, semaphore_post(self, CALLER, sem));
}

RT_HOOK int sem_getvalue(sem_t *restrict sem, int *restrict value)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(sem_getvalue)(sem, value);
    return (int)rt_leave_errno(self, 0, semaphore_getvalue(self, CALLER, sem, value));
}

/* ---- named ones: a forked child that runs free shares the names, so the model is always asked ------------------- */

static int leave_or_set(struct task *self, int error)
{
    if (self != NULL)
        return (int)rt_leave_errno(self, 0, error);
    if (error == 0)
        return 0;
    errno = error;
    return -1;
}

RT_HOOK sem_t *sem_open(const char *name, int flags, ...)
{
    mode_t mode = 0;
    unsigned value = 0;
    if (flags & O_CREAT) {
        va_list arguments;
        va_start(arguments, flags);
        mode = va_arg(arguments, mode_t);
        value = va_arg(arguments, unsigned);
        va_end(arguments);
    }
    struct task *self = rt_enter();
    sem_t *sem = SEM_FAILED;
    int error = semaphore_open(self, CALLER, name, flags, mode, value, &sem);
    return leave_or_set(self, error) == 0 ? sem : SEM_FAILED;
}

RT_HOOK int sem_close(sem_t *sem)
{
    struct task *self = rt_enter();
    return leave_or_set(self, semaphore_close(self, CALLER, sem));
}

RT_HOOK int sem_unlink(const char *name)
{
    struct task *self = rt_enter();
    return leave_or_set(self, semaphore_unlink(self, CALLER, name));
}
