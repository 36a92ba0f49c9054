/* SPDX-License-Identifier: MIT
 *
 * alone_locks.c - locks, waits, time and threads of a module that runs alone.
 *
 * A lock is a row of a table, and its memory stays as it was initialised.  What would wait for another thread ends the process: the caller
 * learns that the call blocks here.  Sleeping takes no time, and timed waits end at once.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "harness/alone.h"

#define PC ((uintptr_t)__builtin_return_address(0))

static struct alone_lock *lock_row(const void *address)
{
    struct alone *alone = alone_get();
    struct alone_lock *empty = NULL;
    for (int i = 0; i < ALONE_LOCKS; i++) {
        if (alone->lock[i].address == address)
            return &alone->lock[i];
        if (empty == NULL && alone->lock[i].address == NULL)
            empty = &alone->lock[i];
    }
    if (empty == NULL)
        alone_fail(GEN_LOCKED); /* so many locks are held at once */
    empty->address = address;
    return empty;
}

static void leave_row(struct alone_lock *row)
{
    if (row->writer == 0 && row->readers == 0)
        row->address = NULL;
}

/* ---- mutexes ---------------------------------------------------------------------------------------------------------- */

static int mutex_take(pthread_mutex_t *mutex, bool try, uintptr_t pc)
{
    int kind = mutex->__data.__kind & 3;
    struct alone_lock *row = lock_row(mutex);
    if (try)
        alone_tries();
    if (row->writer > 0 && kind != PTHREAD_MUTEX_RECURSIVE) {
        if (try)
            return EBUSY;
        if (kind == PTHREAD_MUTEX_ERRORCHECK)
            return EDEADLK;
        alone_fail(GEN_LOCKED);
    }
    row->writer++;
    alone_note(GEN_LOCK, mutex, 1, false, false, pc);
    return 0;
}

static int mutex_release(pthread_mutex_t *mutex, uintptr_t pc)
{
    struct alone_lock *row = lock_row(mutex);
    if (row->writer == 0) {
        leave_row(row);
        if ((mutex->__data.__kind & 3) == PTHREAD_MUTEX_NORMAL)
            alone_fail(GEN_MISUSE);
        return EPERM;
    }
    row->writer--;
    leave_row(row);
    alone_note(GEN_UNLOCK, mutex, 1, false, false, pc);
    return 0;
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    return mutex_take(mutex, false, PC);
}
int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    return mutex_take(mutex, true, PC);
}
int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
    (void)until;
    return mutex_take(mutex, true, PC) == 0 ? 0 : ETIMEDOUT;
}
int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
    (void)clock;
    (void)until;
    return mutex_take(mutex, true, PC) == 0 ? 0 : ETIMEDOUT;
}
int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    return mutex_release(mutex, PC);
}

int mtx_lock(mtx_t *mutex)
{
    return mutex_take((pthread_mutex_t *)mutex, false, PC) == 0 ? thrd_success : thrd_error;
}
int mtx_trylock(mtx_t *mutex)
{
    return mutex_take((pthread_mutex_t *)mutex, true, PC) == 0 ? thrd_success : thrd_busy;
}
int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict until)
{
    (void)until;
    return mutex_take((pthread_mutex_t *)mutex, true, PC) == 0 ? thrd_success : thrd_timedout;
}
int mtx_unlock(mtx_t *mutex)
{
    return mutex_release((pthread_mutex_t *)mutex, PC) == 0 ? thrd_success : thrd_error;
}

int pthread_spin_lock(pthread_spinlock_t *lock)
{
    struct alone_lock *row = lock_row((const void *)lock);
    if (row->writer++ > 0)
        alone_fail(GEN_LOCKED);
    alone_note(GEN_LOCK, (const void *)lock, 1, false, false, PC);
    return 0;
}
int pthread_spin_trylock(pthread_spinlock_t *lock)
{
    struct alone_lock *row = lock_row((const void *)lock);
    alone_tries();
    if (row->writer > 0)
        return EBUSY;
    row->writer++;
    alone_note(GEN_LOCK, (const void *)lock, 1, false, false, PC);
    return 0;
}
int pthread_spin_unlock(pthread_spinlock_t *lock)
{
    struct alone_lock *row = lock_row((const void *)lock);
    if (row->writer == 0)
        alone_fail(GEN_MISUSE);
    row->writer--;
    leave_row(row);
    alone_note(GEN_UNLOCK, (const void *)lock, 1, false, false, PC);
    return 0;
}

/* ---- locks for reading and writing ---------------------------------------------------------------------------------- */

static int rwlock_read(pthread_rwlock_t *lock, uintptr_t pc)
{
    struct alone_lock *row = lock_row(lock);
    if (row->writer > 0)
        return EDEADLK;
    row->readers++;
    alone_note(GEN_LOCK, lock, 1, false, true, pc);
    return 0;
}

static int rwlock_write(pthread_rwlock_t *lock, uintptr_t pc)
{
    struct alone_lock *row = lock_row(lock);
    if (row->writer > 0 || row->readers > 0)
        return EDEADLK;
    row->writer++;
    alone_note(GEN_LOCK, lock, 1, false, false, pc);
    return 0;
}

int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    if (rwlock_read(lock, PC) != 0)
        alone_fail(GEN_LOCKED);
    return 0;
}
int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    if (rwlock_write(lock, PC) != 0)
        alone_fail(GEN_LOCKED);
    return 0;
}
int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
    alone_tries();
    return rwlock_read(lock, PC) == 0 ? 0 : EBUSY;
}
int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
    alone_tries();
    return rwlock_write(lock, PC) == 0 ? 0 : EBUSY;
}
int pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict lock, const struct timespec *restrict until)
{
    (void)until;
    alone_tries();
    return rwlock_read(lock, PC) == 0 ? 0 : ETIMEDOUT;
}
int pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict lock, const struct timespec *restrict until)
{
    (void)until;
    alone_tries();
    return rwlock_write(lock, PC) == 0 ? 0 : ETIMEDOUT;
}
int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    struct alone_lock *row = lock_row(lock);
    bool reader = row->readers > 0;
    if (row->writer == 0 && !reader)
        alone_fail(GEN_MISUSE);
    if (reader)
        row->readers--;
    else
        row->writer--;
    leave_row(row);
    alone_note(GEN_UNLOCK, lock, 1, false, reader, PC);
    return 0;
}

/* ---- waits -------------------------------------------------------------------------------------------------------------- */

int pthread_cond_wait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex)
{
    (void)cond;
    (void)mutex;
    alone_block_for_ever();
}
int pthread_cond_timedwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict until)
{
    (void)cond;
    (void)until;
    alone_note(GEN_UNLOCK, mutex, 1, false, false, PC);
    alone_note(GEN_LOCK, mutex, 1, false, false, PC);
    return ETIMEDOUT;
}
int pthread_cond_clockwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex, clockid_t clock,
                           const struct timespec *restrict until)
{
    (void)cond;
    (void)clock;
    (void)until;
    alone_note(GEN_UNLOCK, mutex, 1, false, false, PC);
    alone_note(GEN_LOCK, mutex, 1, false, false, PC);
    return ETIMEDOUT;
}
int pthread_cond_signal(pthread_cond_t *cond)
{
    (void)cond;
    return 0;
}
int pthread_cond_broadcast(pthread_cond_t *cond)
{
    (void)cond;
    return 0;
}
int cnd_wait(cnd_t *cond, mtx_t *mutex)
{
    (void)cond;
    (void)mutex;
    alone_block_for_ever();
}
int cnd_timedwait(cnd_t *restrict cond, mtx_t *restrict mutex, const struct timespec *restrict until)
{
    (void)cond;
    (void)until;
    alone_note(GEN_UNLOCK, mutex, 1, false, false, PC);
    alone_note(GEN_LOCK, mutex, 1, false, false, PC);
    return thrd_timedout;
}
int sem_wait(sem_t *semaphore)
{
    if (sem_trywait(semaphore) != 0)
        alone_block_for_ever();
    return 0;
}
int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until)
{
    (void)until;
    if (sem_trywait(semaphore) == 0)
        return 0;
    errno = ETIMEDOUT;
    return -1;
}
int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    (void)barrier;
    alone_block_for_ever();
}

/* ---- threads and time --------------------------------------------------------------------------------------------------- */

int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes, void *(*function)(void *),
                   void *restrict argument)
{
    (void)thread;
    (void)attributes;
    (void)function;
    (void)argument;
    alone_fail(GEN_THREADED);
}
int thrd_create(thrd_t *thread, thrd_start_t function, void *argument)
{
    (void)thread;
    (void)function;
    (void)argument;
    alone_fail(GEN_THREADED);
}

enum { NOW = 1600000000, LATER = 86413 };

static time_t now(void)
{
    return NOW + (time_t)alone_get()->variant * LATER;
}
int clock_gettime(clockid_t clock, struct timespec *time)
{
    (void)clock;
    *time = (struct timespec){.tv_sec = now()};
    return 0;
}
time_t time(time_t *time)
{
    if (time != NULL)
        *time = now();
    return now();
}
int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
    (void)zone;
    *time = (struct timeval){.tv_sec = now()};
    return 0;
}
int nanosleep(const struct timespec *time, struct timespec *left)
{
    (void)time;
    (void)left;
    return 0;
}
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left)
{
    (void)clock;
    (void)flags;
    (void)time;
    (void)left;
    return 0;
}
int usleep(useconds_t time)
{
    (void)time;
    return 0;
}
unsigned sleep(unsigned seconds)
{
    (void)seconds;
    return 0;
}
