/* SPDX-License-Identifier: MIT
 *
 * mutex.c - pthread_mutex_*; the model is model/mutex.c.
 */
#include "runtime/model/model.h"

REAL_FUNCTION(pthread_mutex_init);
REAL_FUNCTION(pthread_mutex_destroy);
REAL_FUNCTION(pthread_mutex_lock);
REAL_FUNCTION(pthread_mutex_trylock);
REAL_FUNCTION(pthread_mutex_timedlock);
REAL_FUNCTION(pthread_mutex_clocklock);
REAL_FUNCTION(pthread_mutex_unlock);
REAL_FUNCTION(pthread_mutex_consistent);
REAL_FUNCTION(pthread_mutex_setprioceiling);

RT_HOOK int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_mutex_init)(mutex, attributes);
    int error = mutex_init(self, CALLER, mutex, attributes);
    rt_leave(self);
    return error;
}

RT_HOOK int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_mutex_destroy)(mutex);
    int error = mutex_destroy(self, CALLER, mutex);
    rt_leave(self);
    return error;
}

RT_HOOK int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_mutex_lock)(mutex);
    int error = mutex_lock(self, CALLER, mutex, PATIENCE_ENDLESS);
    rt_leave(self);
    return error;
}

RT_HOOK int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_mutex_trylock)(mutex);
    int error = mutex_trylock(self, CALLER, mutex);
    rt_leave(self);
    return error;
}

RT_HOOK int pthread_mutex_timedlock(pthread_mutex_t *restrict mutex, const struct timespec *restrict until)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_mutex_timedlock)(mutex, until);
    int error = mutex_lock(self, CALLER, mutex, model_patience(CLOCK_REALTIME, until));
    rt_leave(self);
    return error;
}

RT_HOOK int pthread_mutex_clocklock(pthread_mutex_t *restrict mutex, clockid_t clock,
                                    const struct timespec *restrict until)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_mutex_clocklock)(mutex, clock, until);
    if (!model_clock_supported(clock)) {
        rt_leave(self);
        return EINVAL;
    }
    int error = mutex_lock(self, CALLER, mutex, model_patience(clock, until));
    rt_leave(self);
    return error;
}

RT_HOOK int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_mutex_unlock)(mutex);
    int error = mutex_unlock(self, CALLER, mutex);
    rt_leave(self);
    return error;
}

RT_HOOK int pthread_mutex_consistent(pthread_mutex_t *mutex)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_mutex_consistent)(mutex);
    int error = mutex_consistent(self, CALLER, mutex);
    rt_leave(self);
    return error;
}

RT_HOOK int pthread_mutex_setprioceiling(pthread_mutex_t *restrict mutex, int ceiling, int *restrict old)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_mutex_setprioceiling)(mutex, ceiling, old);
    int error = mutex_set_ceiling(self, CALLER, mutex, ceiling, old);
    rt_leave(self);
    return error;
}
