/* SPDX-License-Identifier: MIT
 *
 * barrier.c - pthread_barrier_*; the model is model/barrier.c.
 */
#include "runtime/hooks/model_hook.h"

MODEL_HOOK(leave_error, pthread_barrier_init,
           (pthread_barrier_t *restrict barrier, const pthread_barrierattr_t *restrict attributes, unsigned count),
           (barrier, attributes, count), barrier_init(self, CALLER, barrier, attributes, count));

MODEL_HOOK(leave_error, pthread_barrier_destroy, (pthread_barrier_t * barrier), (barrier),
           barrier_destroy(self, CALLER, barrier));

MODEL_HOOK(leave_error, pthread_barrier_wait, (pthread_barrier_t * barrier), (barrier),
           barrier_wait(self, CALLER, barrier));
