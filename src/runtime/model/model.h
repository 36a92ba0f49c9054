/* SPDX-License-Identifier: MIT
 *
 * model.h - the models of the synchronisation objects of POSIX threads, C11 threads and C++.
 *
 * DESIGN
 *   A model is called with the guard held, by the task that has the baton.  `pc` is the caller in the program.
 *   Functions return 0 or an error number, as pthread functions do.  What each call does in which situation is
 *   docs/posix.md.
 *
 *   struct object has the state that counts: which task holds what.  But the object's own memory is updated with it, for three
 *   reasons.  The attributes are there (a static initialiser is not a call).  A new object can be made by assignment, and an
 *   old one can end without a call (a stack frame that returned): when the memory does not have what the model wrote there, the
 *   model forgets the object's state.  And code that is not controlled (other threads, code before main, a forked child)
 *   uses the memory only.
 */
#ifndef RADDLE_MODEL_H
#define RADDLE_MODEL_H

#include <semaphore.h>

#include "runtime/record.h"
#include "runtime/rt.h"
#include "runtime/sched/point.h"

/* ---- common ----------------------------------------------------------------------------------------------------- */

static inline struct op model_op(enum wire_op kind, uintptr_t pc, const volatile void *address, struct object *object)
{
    return (struct op){
        .kind = kind, .pc = pc, .address = (uintptr_t)address, .fd = -1, .object = object, .deadline = RT_NEVER};
}

/* sched_point for an operation on the object at op->address, which must still exist when the operation is done. */
enum wake model_point(struct task *self, struct op *op);
/* The program uses the object there: a heap error if that memory is freed. */
void model_check_memory(struct task *self, uintptr_t pc, const volatile void *address);

/* ready() of an operation that cannot be done now but has a deadline. */
static inline enum ready model_ready_later(const struct op *op)
{
    if (op->deadline == RT_NEVER)
        return READY_NO;
    return op->deadline <= rt.now ? READY_YES : READY_LATE;
}

/* Done, with 0 or an error number as its result. */
static inline int model_done(struct task *self, const struct op *op, int error, uint8_t flags)
{
    if (error != 0)
        flags |= EVENT_FAILED;
    if (error == ETIMEDOUT)
        flags |= EVENT_TIMEOUT;
    if (op->deadline != RT_NEVER)
        flags |= EVENT_TIMED;
    record_event(self, op, (uint64_t)error, flags);
    return error;
}

/* The clocks that libc accepts for waits. */
static inline bool model_clock_supported(clockid_t clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

/* How long a lock call may wait.  libc checks the time only when it has to wait: `late` is then its result. */
struct patience {
    int64_t deadline;
    int late;          /* ETIMEDOUT, or EINVAL for a time that is none */
    bool before_epoch; /* seconds below 0 */
};
#define PATIENCE_ENDLESS ((struct patience){RT_NEVER, ETIMEDOUT, false})
struct patience model_patience(clockid_t clock, const struct timespec *until);

/* True once the process has forked: shared memory may be changed from outside. */
extern bool model_has_children;
/* An object was made process-shared: it is named in the report. */
void model_shared(const char *what);
/* Extra flags of an operation that waits for an object: OP_IO if something outside could change it. */
static inline uint32_t model_outside_flags(bool shared)
{
    return shared && model_has_children ? OP_IO : 0;
}

/* The fork hook calls these: in the parent before its fork, and in the child after it.  The child is not controlled, so
   the real objects must get the state that the model has. */
void model_before_fork(struct task *forker);
void model_materialise(struct task *forker);

/* The task is about to end: its robust mutexes become inconsistent, and other tasks can take them. */
void model_task_ended(struct task *task);

/* ---- mutex ------------------------------------------------------------------------------------------------------ */

int mutex_init(struct task *self, uintptr_t pc, pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);
int mutex_destroy(struct task *self, uintptr_t pc, pthread_mutex_t *mutex);
int mutex_lock(struct task *self, uintptr_t pc, pthread_mutex_t *mutex, struct patience patience);
int mutex_trylock(struct task *self, uintptr_t pc, pthread_mutex_t *mutex);
int mutex_unlock(struct task *self, uintptr_t pc, pthread_mutex_t *mutex);
int mutex_consistent(struct task *self, uintptr_t pc, pthread_mutex_t *mutex);
int mutex_set_ceiling(struct task *self, uintptr_t pc, pthread_mutex_t *mutex, int ceiling, int *old);

/* For condition variables: the parts of lock and unlock that are not points of their own. */
struct object *mutex_object(pthread_mutex_t *mutex);
bool mutex_blocks(struct task *task, const struct object *object);
/* Takes it if it can: 0, EOWNERDEAD and so on; EBUSY if it is held. */
int mutex_take(struct task *self, pthread_mutex_t *mutex);
/* Unlocks one level; `verb` says in a finding what the program did. */
int mutex_give(struct task *self, uintptr_t pc, pthread_mutex_t *mutex, const char *verb);
/* A task waits for a condition variable with it (+1), or does so no longer (-1). */
void mutex_add_waiter(pthread_mutex_t *mutex, int change);
bool mutex_is_shared(const pthread_mutex_t *mutex);
/* Around a real, uncontrolled pthread_cond_wait: the model releases it, the memory stays locked.  False: that is not possible. */
bool mutex_lend(struct task *self, pthread_mutex_t *mutex);
void mutex_take_back(struct task *self, pthread_mutex_t *mutex);

void mutex_task_ended(struct task *task);
void mutex_materialise(struct task *forker);

/* ---- condition variable ----------------------------------------------------------------------------------------- */

int cond_init(struct task *self, uintptr_t pc, pthread_cond_t *cond, const pthread_condattr_t *attributes);
int cond_destroy(struct task *self, uintptr_t pc, pthread_cond_t *cond);
/* A cancellation point.  `clock` is -1 for the condition's own; `until` is NULL for ever. */
int cond_wait(struct task *self, uintptr_t pc, pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
              const struct timespec *until);
int cond_signal(struct task *self, uintptr_t pc, pthread_cond_t *cond);
int cond_broadcast(struct task *self, uintptr_t pc, pthread_cond_t *cond);
/* From now on another process may signal waiters of process-shared ones. */
void cond_before_fork(void);
void cond_materialise(void);

/* ---- rwlock ----------------------------------------------------------------------------------------------------- */

struct holder { /* of a rwlock for reading */
    struct holder *next;
    struct task *task;
    uint32_t count;
};

int rwlock_init(struct task *self, uintptr_t pc, pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes);
int rwlock_destroy(struct task *self, uintptr_t pc, pthread_rwlock_t *lock);
int rwlock_lock(struct task *self, uintptr_t pc, pthread_rwlock_t *lock, bool writing, struct patience patience);
int rwlock_trylock(struct task *self, uintptr_t pc, pthread_rwlock_t *lock, bool writing);
int rwlock_unlock(struct task *self, uintptr_t pc, pthread_rwlock_t *lock);
void rwlock_materialise(struct task *forker);

/* ---- spin lock -------------------------------------------------------------------------------------------------- */

int spinlock_init(struct task *self, uintptr_t pc, pthread_spinlock_t *lock, int shared);
int spinlock_destroy(struct task *self, uintptr_t pc, pthread_spinlock_t *lock);
int spinlock_lock(struct task *self, uintptr_t pc, pthread_spinlock_t *lock);
int spinlock_trylock(struct task *self, uintptr_t pc, pthread_spinlock_t *lock);
int spinlock_unlock(struct task *self, uintptr_t pc, pthread_spinlock_t *lock);

/* ---- semaphore: 0 or an error number (the hooks make errno of it) ----------------------------------------------- */

int semaphore_init(struct task *self, uintptr_t pc, sem_t *sem, int shared, unsigned value);
int semaphore_destroy(struct task *self, uintptr_t pc, sem_t *sem);
int semaphore_wait(struct task *self, uintptr_t pc, sem_t *sem, int64_t deadline);
int semaphore_trywait(struct task *self, uintptr_t pc, sem_t *sem);
int semaphore_post(struct task *self, uintptr_t pc, sem_t *sem);
int semaphore_getvalue(struct task *self, uintptr_t pc, sem_t *sem, int *value);

/* Named ones (model/sem_named.c).  Also answered in a forked child, where nothing else is modelled. */
int semaphore_open(struct task *self, uintptr_t pc, const char *name, int flags, mode_t mode, unsigned value,
                   sem_t **sem);
int semaphore_close(struct task *self, uintptr_t pc, sem_t *sem);
int semaphore_unlink(struct task *self, uintptr_t pc, const char *name);
bool semaphore_is_named(const sem_t *sem);

/* ---- barrier ---------------------------------------------------------------------------------------------------- */

int barrier_init(struct task *self, uintptr_t pc, pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes,
                 unsigned count);
int barrier_destroy(struct task *self, uintptr_t pc, pthread_barrier_t *barrier);
int barrier_wait(struct task *self, uintptr_t pc, pthread_barrier_t *barrier); /* 0 or PTHREAD_BARRIER_SERIAL_THREAD */

/* ---- once and C++ guards ---------------------------------------------------------------------------------------- */

/* A word of the program has the state of a one-time initialisation, in the bits of libc or of the C++ ABI. */
struct once_format {
    uint32_t done, running; /* bits of the word */
    const char *name;
};
extern const struct once_format once_pthread, once_guard;

/* True: the caller has to run it and call once_end.  False: it is done. */
bool once_begin(struct task *self, uintptr_t pc, uint32_t *word, const struct once_format *format);
/* It has been run, or was left by an exception or the end of the thread: then it counts as never begun. */
void once_end(struct task *self, uintptr_t pc, uint32_t *word, const struct once_format *format, bool done);
void once_materialise(struct task *forker);

#endif
