/* SPDX-License-Identifier: MIT
 *
 * sem.c - sem_*; the models are model/sem.c and model/sem_named.c.
 */
#include <fcntl.h>
#include <stdarg.h>

#include "runtime/hooks/model_hook.h"
#include "runtime/model/time.h"

MODEL_HOOK(leave_errno, sem_init, (sem_t * sem, int shared, unsigned value), (sem, shared, value),
           semaphore_init(self, CALLER, sem, shared, value));

MODEL_HOOK(leave_errno, sem_destroy, (sem_t * sem), (sem), semaphore_destroy(self, CALLER, sem));

MODEL_HOOK(leave_errno, sem_wait, (sem_t * sem), (sem), semaphore_wait(self, CALLER, sem, RT_NEVER));

MODEL_HOOK(leave_errno, sem_trywait, (sem_t * sem), (sem), semaphore_trywait(self, CALLER, sem));

/* Unlike those of mutexes, the time and the clock are checked first. */
static int wait_until(struct task *self, uintptr_t pc, sem_t *sem, clockid_t clock, const struct timespec *until)
{
    if (!model_clock_supported(clock) || !time_valid(until))
        return EINVAL;
    return semaphore_wait(self, pc, sem, time_deadline(clock, until));
}

MODEL_HOOK(leave_errno, sem_timedwait, (sem_t *restrict sem, const struct timespec *restrict until), (sem, until),
           wait_until(self, CALLER, sem, CLOCK_REALTIME, until));

MODEL_HOOK(leave_errno, sem_clockwait, (sem_t *restrict sem, clockid_t clock, const struct timespec *restrict until),
           (sem, clock, until), wait_until(self, CALLER, sem, clock, until));

MODEL_HOOK(leave_errno, sem_post, (sem_t * sem), (sem), semaphore_post(self, CALLER, sem));

MODEL_HOOK(leave_errno, sem_getvalue, (sem_t *restrict sem, int *restrict value), (sem, value),
           semaphore_getvalue(self, CALLER, sem, value));

/* ---- named ones: a forked child that runs free shares the names, so the model is always asked ------------------- */

static int leave_or_set(struct task *self, int error)
{
    if (self != NULL)
        return leave_errno(self, error);
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
