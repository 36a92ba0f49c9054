// SPDX-License-Identifier: MIT
// set.h - for the set_*: what they share.
//
// Each is a small library: objects of a struct or class, functions that take one, and a driver with threads.  Every access is under a lock of
// the object (unless the head says otherwise), so that there is no data race; but some calls that should be a whole take the lock twice.  With
// -DCORRECT a call holds the lock from its beginning to its end: the correct twin.
#ifndef BENCH_SET_H
#define BENCH_SET_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// As in a library of its own.
#define LIBRARY __attribute__((noinline))

// Its holder may take it again.
#define OBJECT_LOCK PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP

static inline void object_lock_init(pthread_mutex_t *lock)
{
    static const pthread_mutex_t initial = OBJECT_LOCK;
    memcpy(lock, &initial, sizeof initial);
}

// Around a call that should be a whole.
static inline void whole_begin(pthread_mutex_t *lock)
{
    (void)lock;
#ifdef CORRECT
    pthread_mutex_lock(lock);
#endif
}

static inline void whole_end(pthread_mutex_t *lock)
{
    (void)lock;
#ifdef CORRECT
    pthread_mutex_unlock(lock);
#endif
}

#ifndef WORK
#define WORK 12
#endif

// What else the threads do: so many scheduling points that do not concern the library.
static int work_done;
static inline void work(int steps)
{
    for (int i = 0; i < steps; i++)
        __atomic_fetch_add(&work_done, 1, __ATOMIC_RELAXED);
}

typedef void *(*set_thread)(void *);

static inline void set_run(int count, const set_thread thread[])
{
    pthread_t id[4];
    for (int i = 0; i < count; i++)
        if (pthread_create(&id[i], NULL, thread[i], NULL) != 0)
            abort();
    for (int i = 0; i < count; i++)
        pthread_join(id[i], NULL);
}

#endif
