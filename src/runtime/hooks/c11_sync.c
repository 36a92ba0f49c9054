/* SPDX-License-Identifier: MIT
 *
 * c11_sync.c - mtx_* and cnd_* of <threads.h>: the same objects as those of POSIX under other names.  call_once:
 * once.c.
 */
#include <threads.h>

#include "runtime/model/model.h"

REAL_FUNCTION(mtx_init);
REAL_FUNCTION(mtx_destroy);
REAL_FUNCTION(mtx_lock);
REAL_FUNCTION(mtx_trylock);
REAL_FUNCTION(mtx_timedlock);
REAL_FUNCTION(mtx_unlock);
REAL_FUNCTION(cnd_init);
REAL_FUNCTION(cnd_destroy);
REAL_FUNCTION(cnd_wait);
REAL_FUNCTION(cnd_timedwait);
REAL_FUNCTION(cnd_signal);
REAL_FUNCTION(cnd_broadcast);

static pthread_mutex_t *mutex_of(mtx_t *mutex)
{
    return (pthread_mutex_t *)mutex;
}

static pthread_cond_t *cond_of(cnd_t *cond)
{
    return (pthread_cond_t *)cond;
}

static int leave(struct task *self, int error)
{
    rt_leave(self);
    switch (error) {
    case 0:
        return thrd_success;
    case EBUSY:
        return thrd_busy;
    case ETIMEDOUT:
        return thrd_timedout;
    case ENOMEM:
        return thrd_nomem;
    default:
        return thrd_error;
    }
}

RT_HOOK int mtx_init(mtx_t *mutex, int type)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(mtx_init)(mutex, type);
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type & mtx_recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_TIMED_NP);
    return leave(self, mutex_init(self, CALLER, mutex_of(mutex), &attributes));
}

RT_HOOK void mtx_destroy(mtx_t *mutex)
{
    struct task *self = rt_enter();
    if (self == NULL)
        REAL(mtx_destroy)(mutex);
    else
        leave(self, mutex_destroy(self, CALLER, mutex_of(mutex)));
}

RT_HOOK int mtx_lock(mtx_t *mutex)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(mtx_lock)(mutex);
    return leave(self, mutex_lock(self, CALLER, mutex_of(mutex), PATIENCE_ENDLESS));
}

RT_HOOK int mtx_trylock(mtx_t *mutex)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(mtx_trylock)(mutex);
    return leave(self, mutex_trylock(self, CALLER, mutex_of(mutex)));
}

RT_HOOK int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict until)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(mtx_timedlock)(mutex, until);
    return leave(self, mutex_lock(self, CALLER, mutex_of(mutex), model_patience(CLOCK_REALTIME, until)));
}

RT_HOOK int mtx_unlock(mtx_t *mutex)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(mtx_unlock)(mutex);
    return leave(self, mutex_unlock(self, CALLER, mutex_of(mutex)));
}

RT_HOOK int cnd_init(cnd_t *cond)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(cnd_init)(cond);
    return leave(self, cond_init(self, CALLER, cond_of(cond), NULL));
}

RT_HOOK void cnd_destroy(cnd_t *cond)
{
    struct task *self = rt_enter();
    if (self == NULL)
        REAL(cnd_destroy)(cond);
    else
        leave(self, cond_destroy(self, CALLER, cond_of(cond)));
}

RT_HOOK int cnd_wait(cnd_t *cond, mtx_t *mutex)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(cnd_wait)(cond, mutex);
    return leave(self, cond_wait(self, CALLER, cond_of(cond), mutex_of(mutex), -1, NULL));
}

RT_HOOK int cnd_timedwait(cnd_t *restrict cond, mtx_t *restrict mutex, const struct timespec *restrict until)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(cnd_timedwait)(cond, mutex, until);
    return leave(self, cond_wait(self, CALLER, cond_of(cond), mutex_of(mutex), -1, until));
}

RT_HOOK int cnd_signal(cnd_t *cond)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(cnd_signal)(cond);
    return leave(self, cond_signal(self, CALLER, cond_of(cond)));
}

RT_HOOK int cnd_broadcast(cnd_t *cond)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(cnd_broadcast)(cond);
    return leave(self, cond_broadcast(self, CALLER, cond_of(cond)));
}
