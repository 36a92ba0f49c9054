/* SPDX-License-Identifier: MIT
 *
 * barrier.c - pthread_barrier_*; the model is model/barrier.c.
 */
#include "runtime/model/model.h"

REAL_FUNCTION(pthread_barrier_init);
REAL_FUNCTION(pthread_barrier_destroy);
REAL_FUNCTION(pthread_barrier_wait);

RT_HOOK int pthread_barrier_init(pthread_barrier_t *restrict barrier, const pthread_barrierattr_t *restrict attributes,
                                 unsigned count)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_barrier_init)(barrier, attributes, count);
    int error = barrier_init(self, CALLER, barrier, attributes, count);
    rt_leave(self);
    return error;
}

RT_HOOK int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_barrier_destroy)(barrier);
    int error = barrier_destroy(self, CALLER, barrier);
    rt_leave(self);
    return error;
}

RT_HOOK int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_barrier_wait)(barrier);
    int result = barrier_wait(self, CALLER, barrier);
    rt_leave(self);
    return result;
}
