/* SPDX-License-Identifier: MIT
 *
 * cond.c - pthread_cond_*; the model is model/cond.c.
 */
#include "runtime/hooks/model_hook.h"

MODEL_HOOK(leave_error, pthread_cond_init,
           (pthread_cond_t *restrict cond, const pthread_condattr_t *restrict attributes), (cond, attributes),
           cond_init(self, CALLER, cond, attributes));

MODEL_HOOK(leave_error, pthread_cond_destroy, (pthread_cond_t * cond), (cond), cond_destroy(self, CALLER, cond));

MODEL_HOOK(leave_error, pthread_cond_wait, (pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex),
           (cond, mutex), cond_wait(self, CALLER, cond, mutex, -1, NULL));

MODEL_HOOK(leave_error, pthread_cond_timedwait,
           (pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex, const struct timespec *restrict until),
           (cond, mutex, until), cond_wait(self, CALLER, cond, mutex, -1, until));

/* The model takes -1 as the clock of the condition variable.  So an unsupported clock is passed as another one that is not supported. */
MODEL_HOOK(leave_error, pthread_cond_clockwait,
           (pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex, clockid_t clock,
            const struct timespec *restrict until),
           (cond, mutex, clock, until),
           cond_wait(self, CALLER, cond, mutex, model_clock_supported(clock) ? clock : CLOCK_PROCESS_CPUTIME_ID,
                     until));

MODEL_HOOK(leave_error, pthread_cond_signal, (pthread_cond_t * cond), (cond), cond_signal(self, CALLER, cond));

MODEL_HOOK(leave_error, pthread_cond_broadcast, (pthread_cond_t * cond), (cond), cond_broadcast(self, CALLER, cond));
