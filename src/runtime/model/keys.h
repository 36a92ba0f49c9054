/* SPDX-License-Identifier: MIT
 *
 * keys.h - thread-specific data and the destructors of C++ thread_local objects.
 */
#ifndef RADDLE_MODEL_KEYS_H
#define RADDLE_MODEL_KEYS_H

#include "runtime/rt.h"

/* For every thread, controlled or not.  Errors as pthread_key_create and pthread_key_delete. */
int keys_create(pthread_key_t *key, void (*destructor)(void *));
int keys_delete(pthread_key_t key);

/* Values of a controlled task. */
void *keys_get(struct task *self, pthread_key_t key);
int keys_set(struct task *self, pthread_key_t key, uintptr_t value);

/* __cxa_thread_atexit_impl. */
void keys_at_thread_exit(struct task *self, void (*destructor)(void *), void *object);

/* User code runs in these, under control: call with the guard released. */
void keys_run_thread_local(struct task *self); /* thread_local destructors, last one first */
void keys_run_destructors(struct task *self);  /* key destructors, PTHREAD_DESTRUCTOR_ITERATIONS rounds at most */

/* In a child made by fork: the task's values become those of the real, now uncontrolled, thread. */
void keys_materialise(struct task *self);

#endif
