/* SPDX-License-Identifier: MIT
 *
 * rwlock.c - pthread_rwlock_*; the model is model/rwlock.c.
 */
#include "runtime/model/model.h"

REAL_FUNCTION(pthread_rwlock_init);
REAL_FUNCTION(pthread_rwlock_destroy);
REAL_FUNCTION(pthread_rwlock_rdlock);
REAL_FUNCTION(pthread_rwlock_tryrdlock);
REAL_FUNCTION(pthread_rwlock_timedrdlock);
REAL_FUNCTION(pthread_rwlock_clockrdlock);
REAL_FUNCTION(pthread_rwlock_wrlock);
REAL_FUNCTION(pthread_rwlock_trywrlock);
REAL_FUNCTION(pthread_rwlock_timedwrlock);
REAL_FUNCTION(pthread_rwlock_clockwrlock);
REAL_FUNCTION(pthread_rwlock_unlock);

RT_HOOK int pthread_rwlock_init(pthread_rwlock_t *restrict lock, const pthread_rwlockattr_t *restrict attributes)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_rwlock_init)(lock, attributes);
    int error = rwlock_init(self, CALLER, lock, attributes);
    rt_leave(self);
    return error;
}

RT_HOOK int pthread_rwlock_destroy(pthread_rwlock_t *lock)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_rwlock_destroy)(lock);
    int error = rwlock_destroy(self, CALLER, lock);
    rt_leave(self);
    return error;
}

RT_HOOK int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_rwlock_rdlock)(lock);
    int error = rwlock_lock(self, CALLER, lock, false, PATIENCE_ENDLESS);
    rt_leave(self);
    return error;
}

RT_HOOK int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_rwlock_tryrdlock)(lock);
    int error = rwlock_trylock(self, CALLER, lock, false);
    rt_leave(self);
    return error;
}

RT_HOOK int pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict lock, const struct timespec *restrict until)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_rwlock_timedrdlock)(lock, until);
    int error = rwlock_lock(self, CALLER, lock, false, model_patience(CLOCK_REALTIME, until));
    rt_leave(self);
    return error;
}

RT_HOOK int pthread_rwlock_clockrdlock(pthread_rwlock_t *restrict lock, clockid_t clock,
                                       const struct timespec *restrict until)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_rwlock_clockrdlock)(lock, clock, until);
    if (!model_clock_supported(clock)) {
        rt_leave(self);
        return EINVAL;
    }
    int error = rwlock_lock(self, CALLER, lock, false, model_patience(clock, until));
    rt_leave(self);
    return error;
}

RT_HOOK int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_rwlock_wrlock)(lock);
    int error = rwlock_lock(self, CALLER, lock, true, PATIENCE_ENDLESS);
    rt_leave(self);
    return error;
}

RT_HOOK int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_rwlock_trywrlock)(lock);
    int error = rwlock_trylock(self, CALLER, lock, true);
    rt_leave(self);
    return error;
}

RT_HOOK int pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict lock, const struct timespec *restrict until)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_rwlock_timedwrlock)(lock, until);
    int error = rwlock_lock(self, CALLER, lock, true, model_patience(CLOCK_REALTIME, until));
    rt_leave(self);
    return error;
}

RT_HOOK int pthread_rwlock_clockwrlock(pthread_rwlock_t *restrict lock, clockid_t clock,
                                       const struct timespec *restrict until)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_rwlock_clockwrlock)(lock, clock, until);
    if (!model_clock_supported(clock)) {
        rt_leave(self);
        return EINVAL;
    }
    int error = rwlock_lock(self, CALLER, lock, true, model_patience(clock, until));
    rt_leave(self);
    return error;
}

RT_HOOK int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_rwlock_unlock)(lock);
    int error = rwlock_unlock(self, CALLER, lock);
    rt_leave(self);
    return error;
}
