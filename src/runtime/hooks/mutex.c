/* SPDX-License-Identifier: MIT
 *
 * mutex.c - pthread_mutex_*; the model is model/mutex.c.
 */
#include "runtime/hooks/model_hook.h"

MODEL_HOOK(leave_error, pthread_mutex_init, (pthread_mutex_t * mutex, const pthread_mutexattr_t *attributes),
           (mutex, attributes), mutex_init(self, CALLER, mutex, attributes));

MODEL_HOOK(leave_error, pthread_mutex_destroy, (pthread_mutex_t * mutex), (mutex), mutex_destroy(self, CALLER, mutex));

MODEL_HOOK(leave_error, pthread_mutex_lock, (pthread_mutex_t * mutex), (mutex),
           mutex_lock(self, CALLER, mutex, PATIENCE_ENDLESS));

MODEL_HOOK(leave_error, pthread_mutex_trylock, (pthread_mutex_t * mutex), (mutex), mutex_trylock(self, CALLER, mutex));

MODEL_HOOK(leave_error, pthread_mutex_timedlock,
           (pthread_mutex_t *restrict mutex, const struct timespec *restrict until), (mutex, until),
           mutex_lock(self, CALLER, mutex, model_patience(CLOCK_REALTIME, until)));

MODEL_HOOK(leave_error, pthread_mutex_clocklock,
           (pthread_mutex_t *restrict mutex, clockid_t clock, const struct timespec *restrict until),
           (mutex, clock, until),
           model_clock_supported(clock) ? mutex_lock(self, CALLER, mutex, model_patience(clock, until)) : EINVAL);

MODEL_HOOK(leave_error, pthread_mutex_unlock, (pthread_mutex_t * mutex), (mutex), mutex_unlock(self, CALLER, mutex));

MODEL_HOOK(leave_error, pthread_mutex_consistent, (pthread_mutex_t * mutex), (mutex),
           mutex_consistent(self, CALLER, mutex));

MODEL_HOOK(leave_error, pthread_mutex_setprioceiling, (pthread_mutex_t *restrict mutex, int ceiling, int *restrict old),
           (mutex, ceiling, old), mutex_set_ceiling(self, CALLER, mutex, ceiling, old));
