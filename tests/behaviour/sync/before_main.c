// SPDX-License-Identifier: MIT
// before_main.c - objects that were set up and locked before the run began keep their state.
#include "rows.h"

#include <assert.h>

static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER, recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP,
                       checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP, robust, renewed;
static pthread_rwlock_t written = PTHREAD_RWLOCK_INITIALIZER, read_twice = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_barrier_t barrier;
static pthread_spinlock_t spin;
static pthread_cond_t cond;
static sem_t sem;
static int runs;

static void routine(void)
{
    runs++;
}

__attribute__((constructor)) static void before_main(void)
{
    pthread_mutex_lock(&normal);
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&checked);
    pthread_rwlock_wrlock(&written);
    pthread_rwlock_rdlock(&read_twice);
    pthread_rwlock_rdlock(&read_twice);
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&robust, &attributes);
    pthread_mutex_lock(&robust);
    pthread_mutex_init(&renewed, NULL);
    pthread_mutex_destroy(&renewed);
    pthread_mutex_init(&renewed, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&cond, &monotonic);
    sem_init(&sem, 0, 2);
    sem_wait(&sem);
    pthread_once(&once, routine);
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&spin);
}

static void *other(void *unused)
{
    assert(pthread_mutex_trylock(&normal) == EBUSY);
    assert(pthread_mutex_unlock(&recursive) == EPERM);
    assert(pthread_rwlock_tryrdlock(&written) == EBUSY);
    assert(pthread_rwlock_trywrlock(&read_twice) == EBUSY);
    assert(pthread_rwlock_tryrdlock(&read_twice) == 0);
    assert(pthread_rwlock_unlock(&read_twice) == 0);
    assert(pthread_spin_trylock(&spin) == EBUSY);
    pthread_barrier_wait(&barrier);
    pthread_once(&once, routine);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int value;
    pthread_create(&thread, NULL, other, NULL);
    pthread_barrier_wait(&barrier);
    assert(pthread_mutex_lock(&checked) == EDEADLK);
    assert(pthread_mutex_unlock(&checked) == 0);
    assert(pthread_mutex_unlock(&normal) == 0);
    assert(pthread_mutex_unlock(&recursive) == 0);
    assert(pthread_mutex_unlock(&recursive) == 0);
    assert(pthread_mutex_unlock(&recursive) == EPERM);
    assert(pthread_mutex_unlock(&robust) == 0);
    assert(pthread_rwlock_rdlock(&written) == EDEADLK);
    assert(pthread_rwlock_unlock(&written) == 0);
    assert(pthread_rwlock_unlock(&read_twice) == 0);
    assert(pthread_rwlock_unlock(&read_twice) == 0);
    assert(sem_getvalue(&sem, &value) == 0 && value == 1);
    assert(pthread_spin_unlock(&spin) == 0);
    pthread_mutex_lock(&renewed);
    struct timespec until = soon(CLOCK_MONOTONIC, 10);
    assert(pthread_cond_timedwait(&cond, &renewed, &until) == ETIMEDOUT);
    pthread_mutex_unlock(&renewed);
    pthread_join(thread, NULL);
    assert(runs == 1);
    return 0;
}
