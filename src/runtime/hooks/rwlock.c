/* SPDX-License-Identifier: MIT
 *
 * rwlock.c - pthread_rwlock_*; the model is model/rwlock.c.
 */
#include "runtime/hooks/model_hook.h"

MODEL_HOOK(leave_error, pthread_rwlock_init,
           (pthread_rwlock_t *restrict lock, const pthread_rwlockattr_t *restrict attributes), (lock, attributes),
           rwlock_init(self, CALLER, lock, attributes));

MODEL_HOOK(leave_error, pthread_rwlock_destroy, (pthread_rwlock_t * lock), (lock), rwlock_destroy(self, CALLER, lock));

/* The four ways to lock, for readers (rd) and for writers (wr). */
#define RWLOCK_HOOKS(kind, writes)                                                                                     \
    MODEL_HOOK(leave_error, pthread_rwlock_##kind##lock, (pthread_rwlock_t * lock), (lock),                            \
               rwlock_lock(self, CALLER, lock, writes, PATIENCE_ENDLESS));                                             \
    MODEL_HOOK(leave_error, pthread_rwlock_try##kind##lock, (pthread_rwlock_t * lock), (lock),                         \
               rwlock_trylock(self, CALLER, lock, writes));                                                            \
    MODEL_HOOK(leave_error, pthread_rwlock_timed##kind##lock,                                                          \
               (pthread_rwlock_t *restrict lock, const struct timespec *restrict until), (lock, until),                \
               rwlock_lock(self, CALLER, lock, writes, model_patience(CLOCK_REALTIME, until)));                        \
    MODEL_HOOK(leave_error, pthread_rwlock_clock##kind##lock,                                                          \
               (pthread_rwlock_t *restrict lock, clockid_t clock, const struct timespec *restrict until),              \
               (lock, clock, until),                                                                                   \
               model_clock_supported(clock) ? rwlock_lock(self, CALLER, lock, writes, model_patience(clock, until))    \
                                            : EINVAL)

RWLOCK_HOOKS(rd, false);
RWLOCK_HOOKS(wr, true);

MODEL_HOOK(leave_error, pthread_rwlock_unlock, (pthread_rwlock_t * lock), (lock), rwlock_unlock(self, CALLER, lock));
