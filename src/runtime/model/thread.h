/* SPDX-License-Identifier: MIT
 *
 * thread.h - the life of a thread as POSIX defines it: create, join, detach, exit, cancel.
 *
 * All calls are made with the guard held.  Those that take a `handle` return an error number, as pthread functions
 * do.
 */
#ifndef RADDLE_MODEL_THREAD_H
#define RADDLE_MODEL_THREAD_H

#include "runtime/rt.h"

struct thread_request {
    pthread_t *handle;          /* where the caller wants the new handle */
    const pthread_attr_t *attr; /* NULL: default */
    void *(*start)(void *);
    void *argument;
    uintptr_t start_pc; /* the routine as the program knows it (differs from start for thrd_create) */
    uintptr_t pc;
};

int thread_create(struct task *self, const struct thread_request *request);

/* deadline RT_NEVER: waits for ever.  A cancellation point. */
int thread_join(struct task *self, uintptr_t pc, pthread_t handle, void **result, int64_t deadline);
int thread_tryjoin(struct task *self, uintptr_t pc, pthread_t handle, void **result);
int thread_detach(struct task *self, uintptr_t pc, pthread_t handle);
__attribute__((noreturn)) void thread_exit(struct task *self, void *result);

int thread_cancel(struct task *self, uintptr_t pc, pthread_t handle);
void thread_test_cancel(struct task *self, uintptr_t pc);
int thread_set_cancel_state(struct task *self, int state, int *old);
int thread_set_cancel_type(struct task *self, int type, int *old);

/* Would the scheduler have to cancel `task` at `op` (which may be NULL)?  Called when it computes which tasks are ready. */
bool thread_cancel_due(const struct task *task, const struct op *op);
/* The task is cancelled at its current operation, which is unlinked already: unwinds. */
__attribute__((noreturn)) void thread_cancel_here(struct task *self);

/* The start routine has returned or clean-up handlers are done: runs the destructors of thread-local objects and keys. */
void thread_finish(struct task *self);

#endif
