/* SPDX-License-Identifier: MIT
 *
 * cond.c - pthread_cond_*; the model is model/cond.c.
 */
#include "runtime/model/model.h"

REAL_FUNCTION(pthread_cond_init);
REAL_FUNCTION(pthread_cond_destroy);
REAL_FUNCTION(pthread_cond_wait);
REAL_FUNCTION(pthread_cond_timedwait);
REAL_FUNCTION(pthread_cond_clockwait);
REAL_FUNCTION(pthread_cond_signal);
REAL_FUNCTION(pthread_cond_broadcast);

RT_HOOK int pthread_cond_init(pthread_cond_t *restrict cond, const pthread_condattr_t *restrict attributes)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_cond_init)(cond, attributes);
    int error = cond_init(self, CALLER, cond, attributes);
    rt_leave(self);
    return error;
}

RT_HOOK int pthread_cond_destroy(pthread_cond_t *cond)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_cond_destroy)(cond);
    int error = cond_destroy(self, CALLER, cond);
    rt_leave(self);
    return error;
}

RT_HOOK int pthread_cond_wait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_cond_wait)(cond, mutex);
    int error = cond_wait(self, CALLER, cond, mutex, -1, NULL);
    rt_leave(self);
    return error;
}

RT_HOOK int pthread_cond_timedwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex,
                                   const struct timespec *restrict until)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_cond_timedwait)(cond, mutex, until);
    int error = cond_wait(self, CALLER, cond, mutex, -1, until);
    rt_leave(self);
    return error;
}

RT_HOOK int pthread_cond_clockwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex, clockid_t clock,
                                   const struct timespec *restrict until)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_cond_clockwait)(cond, mutex, clock, until);
    clock = model_clock_supported(clock) ? clock : CLOCK_PROCESS_CPUTIME_ID; /* -1 is taken */
    int error = cond_wait(self, CALLER, cond, mutex, clock, until);
    rt_leave(self);
    return error;
}

RT_HOOK int pthread_cond_signal(pthread_cond_t *cond)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_cond_signal)(cond);
    int error = cond_signal(self, CALLER, cond);
    rt_leave(self);
    return error;
}

RT_HOOK int pthread_cond_broadcast(pthread_cond_t *cond)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_cond_broadcast)(cond);
    int error = cond_broadcast(self, CALLER, cond);
    rt_leave(self);
    return error;
}
