/* SPDX-License-Identifier: MIT
 *
 * spin.c - pthread_spin_*; the model is model/spin.c.
 */
#include "runtime/model/model.h"

REAL_FUNCTION(pthread_spin_init);
REAL_FUNCTION(pthread_spin_destroy);
REAL_FUNCTION(pthread_spin_lock);
REAL_FUNCTION(pthread_spin_trylock);
REAL_FUNCTION(pthread_spin_unlock);

RT_HOOK int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_spin_init)(lock, shared);
    int error = spinlock_init(self, CALLER, lock, shared);
    rt_leave(self);
    return error;
}

RT_HOOK int pthread_spin_destroy(pthread_spinlock_t *lock)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_spin_destroy)(lock);
    int error = spinlock_destroy(self, CALLER, lock);
    rt_leave(self);
    return error;
}

RT_HOOK int pthread_spin_lock(pthread_spinlock_t *lock)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_spin_lock)(lock);
    int error = spinlock_lock(self, CALLER, lock);
    rt_leave(self);
    return error;
}

RT_HOOK int pthread_spin_trylock(pthread_spinlock_t *lock)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_spin_trylock)(lock);
    int error = spinlock_trylock(self, CALLER, lock);
    rt_leave(self);
    return error;
}

RT_HOOK int pthread_spin_unlock(pthread_spinlock_t *lock)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_spin_unlock)(lock);
    int error = spinlock_unlock(self, CALLER, lock);
    rt_leave(self);
    return error;
}
