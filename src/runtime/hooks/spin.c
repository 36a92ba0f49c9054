/* SPDX-License-Identifier: MIT
 *
 * spin.c - pthread_spin_*; the model is model/spin.c.
 */
#include "runtime/hooks/model_hook.h"

MODEL_HOOK(leave_error, pthread_spin_init, (pthread_spinlock_t * lock, int shared), (lock, shared),
           spinlock_init(self, CALLER, lock, shared));

MODEL_HOOK(leave_error, pthread_spin_destroy, (pthread_spinlock_t * lock), (lock),
           spinlock_destroy(self, CALLER, lock));

MODEL_HOOK(leave_error, pthread_spin_lock, (pthread_spinlock_t * lock), (lock), spinlock_lock(self, CALLER, lock));

MODEL_HOOK(leave_error, pthread_spin_trylock, (pthread_spinlock_t * lock), (lock),
           spinlock_trylock(self, CALLER, lock));

MODEL_HOOK(leave_error, pthread_spin_unlock, (pthread_spinlock_t * lock), (lock), spinlock_unlock(self, CALLER, lock));
