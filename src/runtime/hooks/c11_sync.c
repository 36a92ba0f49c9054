/* SPDX-License-Identifier: MIT
 *
 * c11_sync.c - mtx_* and cnd_* of <threads.h>: the same objects as those of POSIX under other names.  call_once:
 * once.c.
 */
#include <threads.h>

#include "runtime/hooks/model_hook.h"

static pthread_mutex_t *mutex_of(mtx_t *mutex)
{
    return (pthread_mutex_t *)mutex;
}

static pthread_cond_t *cond_of(cnd_t *cond)
{
    return (pthread_cond_t *)cond;
}

static int leave_c11(struct task *self, int error)
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

static int init_mutex(struct task *self, uintptr_t pc, mtx_t *mutex, int type)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type & mtx_recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_TIMED_NP);
    return mutex_init(self, pc, mutex_of(mutex), &attributes);
}

MODEL_HOOK(leave_c11, mtx_init, (mtx_t * mutex, int type), (mutex, type), init_mutex(self, CALLER, mutex, type));

REAL_FUNCTION(mtx_destroy);
RT_HOOK void mtx_destroy(mtx_t *mutex)
{
    struct task *self = rt_enter();
    if (self == NULL)
        REAL(mtx_destroy)(mutex);
    else
        leave_c11(self, mutex_destroy(self, CALLER, mutex_of(mutex)));
}

MODEL_HOOK(leave_c11, mtx_lock, (mtx_t * mutex), (mutex), mutex_lock(self, CALLER, mutex_of(mutex), PATIENCE_ENDLESS));

MODEL_HOOK(leave_c11, mtx_trylock, (mtx_t * mutex), (mutex), mutex_trylock(self, CALLER, mutex_of(mutex)));

MODEL_HOOK(leave_c11, mtx_timedlock, (mtx_t *restrict mutex, const struct timespec *restrict until), (mutex, until),
           mutex_lock(self, CALLER, mutex_of(mutex), model_patience(CLOCK_REALTIME, until)));

MODEL_HOOK(leave_c11, mtx_unlock, (mtx_t * mutex), (mutex), mutex_unlock(self, CALLER, mutex_of(mutex)));

MODEL_HOOK(leave_c11, cnd_init, (cnd_t * cond), (cond), cond_init(self, CALLER, cond_of(cond), NULL));

REAL_FUNCTION(cnd_destroy);
RT_HOOK void cnd_destroy(cnd_t *cond)
{
    struct task *self = rt_enter();
    if (self == NULL)
        REAL(cnd_destroy)(cond);
    else
        leave_c11(self, cond_destroy(self, CALLER, cond_of(cond)));
}

MODEL_HOOK(leave_c11, cnd_wait, (cnd_t * cond, mtx_t *mutex), (cond, mutex),
           cond_wait(self, CALLER, cond_of(cond), mutex_of(mutex), -1, NULL));

MODEL_HOOK(leave_c11, cnd_timedwait,
           (cnd_t *restrict cond, mtx_t *restrict mutex, const struct timespec *restrict until), (cond, mutex, until),
           cond_wait(self, CALLER, cond_of(cond), mutex_of(mutex), -1, until));

MODEL_HOOK(leave_c11, cnd_signal, (cnd_t * cond), (cond), cond_signal(self, CALLER, cond_of(cond)));

MODEL_HOOK(leave_c11, cnd_broadcast, (cnd_t * cond), (cond), cond_broadcast(self, CALLER, cond_of(cond)));
