/* SPDX-License-Identifier: MIT
 *
 * mutex.c - mutexes: normal, recursive, errorcheck, adaptive; robust or not; docs/posix.md M1 and on.
 *
 * DESIGN
 *   Of the real mutex's fields, `kind` is libc's own and read by us; `lock`, `owner`, `count` and `nusers` are kept as
 *   libc would keep them, so that a word of 0 for a mutex that is held in the model means new content (see model.h), and a word that is
 *   not 0 for one that is free in the model means that a thread that is not controlled holds it.  libc marks a destroyed mutex
 *   with kind -1: so do we.
 *
 *   A mutex of the priority-protect protocol keeps its ceiling in the upper bits of the lock word.
 */
#include "runtime/model/model.h"
#include "runtime/raw.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#include "runtime/arch/arch.h"
#include "runtime/init.h"
#include "runtime/model/object.h"
#include "runtime/model/process.h"
#include "runtime/oracle/clock.h"
#include "runtime/transitions.h"

REAL_FUNCTION(pthread_mutex_init);
REAL_FUNCTION(pthread_mutex_lock);
REAL_FUNCTION(pthread_mutex_setprioceiling);

/* Bits of libc's kind. */
enum {
    KIND_TYPE = 3,
    KIND_ROBUST = 16,
    KIND_INHERIT = 32,
    KIND_PROTECT = 64,
    KIND_SHARED = 128, /* also set for every robust one */
    KIND_ELISION = 256 | 512,
    KIND_DESTROYED = -1,
};
#define WORD_CEILING 0xfff80000u
#define WORD_WAITERS 2u

/* Values of libc's owner field for robust mutexes, and of ours for `inconsistent`. */
enum { OWNER_INCONSISTENT = INT_MAX, OWNER_NOT_RECOVERABLE = INT_MAX - 1 };
enum { CONSISTENT, INCONSISTENT, NOT_RECOVERABLE };

static bool any_robust; /* in this run: the end of a task has to search for them */

/* ---- the mutex's memory ----------------------------------------------------------------------------------------- */

static int kind_of(const pthread_mutex_t *mutex)
{
    return __atomic_load_n(&mutex->__data.__kind, __ATOMIC_RELAXED);
}

static bool kind_valid(int kind)
{
    int known = KIND_TYPE | KIND_ROBUST | KIND_INHERIT | KIND_PROTECT | KIND_SHARED | KIND_ELISION;
    return (kind & ~known) == 0 && (kind & (KIND_INHERIT | KIND_PROTECT)) != (KIND_INHERIT | KIND_PROTECT);
}

bool mutex_is_shared(const pthread_mutex_t *mutex)
{
    int kind = kind_of(mutex);
    return kind_valid(kind) && (kind & (KIND_SHARED | KIND_ROBUST)) == KIND_SHARED;
}

static uint32_t *word_of(pthread_mutex_t *mutex)
{
    return (uint32_t *)&mutex->__data.__lock;
}

static uint32_t ceiling_of(const pthread_mutex_t *mutex)
{
    return (kind_of(mutex) & KIND_PROTECT) ? (uint32_t)mutex->__data.__lock & WORD_CEILING : 0;
}

static bool word_locked(const pthread_mutex_t *mutex)
{
    return ((uint32_t)__atomic_load_n(&mutex->__data.__lock, __ATOMIC_ACQUIRE) & ~ceiling_of(mutex)) != 0;
}

static bool word_lock(pthread_mutex_t *mutex)
{
    uint32_t free = ceiling_of(mutex);
    return __atomic_compare_exchange_n(word_of(mutex), &free, free | 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static void word_unlock(pthread_mutex_t *mutex)
{
    uint32_t ceiling = ceiling_of(mutex);
    uint32_t old = __atomic_exchange_n(word_of(mutex), ceiling, __ATOMIC_RELEASE);
    if ((old & ~ceiling) == WORD_WAITERS) /* a thread outside sleeps on it */
        syscall_raw(SYS_futex, (long)word_of(mutex), mutex_is_shared(mutex) ? FUTEX_WAKE : FUTEX_WAKE_PRIVATE, 1, 0, 0,
                    0);
}

/* The fields beside the lock word. */
static void mirror(const struct object *object, pthread_mutex_t *mutex)
{
    bool held = object->mutex.owner != NULL;
    bool counted = object->mutex.type == PTHREAD_MUTEX_RECURSIVE || object->mutex.robust;
    mutex->__data.__owner = held ? PROCESS_SELF + (int)object->mutex.owner->id : 0;
    mutex->__data.__count = held && counted ? object->mutex.count : 0;
    mutex->__data.__nusers = (unsigned)held + object->mutex.waiters;
}

static bool mirror_intact(const struct object *object, const pthread_mutex_t *mutex)
{
    return word_locked(mutex) && mutex->__data.__owner == PROCESS_SELF + (int)object->mutex.owner->id;
}

/* ---- the model's view ------------------------------------------------------------------------------------------- */

static void forget(struct object *object)
{
    object->mutex.owner = NULL;
    object->mutex.count = 0;
    object->mutex.waiters = 0;
    object->mutex.dead = 0;
    object->mutex.inconsistent = CONSISTENT;
    object->mutex.destroyed = 0;
    object->mutex.initialised = 1;
}

static void read_type(struct object *object, const pthread_mutex_t *mutex)
{
    int kind = kind_of(mutex);
    object->mutex.type = kind & KIND_TYPE;
    object->mutex.robust = kind_valid(kind) && (kind & KIND_ROBUST) != 0;
    any_robust |= object->mutex.robust;
    if (object->mutex.robust)
        transition_beyond(BEYOND_ROBUST);
}

/* The first use of it: it may have been locked before the run began, when there was only main. */
static void import(struct object *object, pthread_mutex_t *mutex)
{
    forget(object);
    read_type(object, mutex);
    if (mutex_is_shared(mutex))
        model_shared("process-shared mutex");
    if (!kind_valid(kind_of(mutex)) || !word_locked(mutex))
        return;
    long owner = mutex->__data.__owner;
    if (owner != syscall_raw(SYS_getppid, 0, 0, 0, 0, 0, 0) && owner != syscall_raw(SYS_getpid, 0, 0, 0, 0, 0, 0))
        return; /* held by a thread that is not controlled */
    object->mutex.owner = rt.tasks[0];
    object->mutex.count = mutex->__data.__count > 1 ? mutex->__data.__count : 1;
    mirror(object, mutex);
}

struct object *mutex_object(pthread_mutex_t *mutex)
{
    struct object *object = object_get((uintptr_t)mutex, OBJECT_MUTEX);
    if (!object->mutex.initialised)
        import(object, mutex);
    else if ((object->mutex.owner != NULL && !word_locked(mutex)) ||
             (object->mutex.destroyed && kind_of(mutex) != KIND_DESTROYED))
        forget(object); /* new content */
    if (object->mutex.owner == NULL)
        read_type(object, mutex);
    return object;
}

static bool held_outside(const struct object *object, const pthread_mutex_t *mutex)
{
    return object->mutex.owner == NULL && kind_valid(kind_of(mutex)) && word_locked(mutex);
}

bool mutex_blocks(struct task *task, const struct object *object)
{
    const pthread_mutex_t *mutex = (const pthread_mutex_t *)object->address;
    if (object->mutex.owner == NULL)
        return object->mutex.inconsistent != NOT_RECOVERABLE && held_outside(object, mutex);
    if (object->mutex.owner != task)
        return true;
    return object->mutex.type != PTHREAD_MUTEX_RECURSIVE && object->mutex.type != PTHREAD_MUTEX_ERRORCHECK;
}

static enum ready mutex_ready(struct task *task, const struct op *op)
{
    return mutex_blocks(task, op->object) ? model_ready_later(op) : READY_YES;
}

static bool reported_destroyed(struct task *self, uintptr_t pc, const struct object *object, const char *verb)
{
    if (object->mutex.destroyed)
        finding_misuse(self, pc, object->address, "%s a mutex that was destroyed", verb);
    return object->mutex.destroyed;
}

/* ---- take and give ---------------------------------------------------------------------------------------------- */

static int take_again(struct object *object, pthread_mutex_t *mutex)
{
    switch (object->mutex.type) {
    case PTHREAD_MUTEX_RECURSIVE:
        if (object->mutex.count == UINT_MAX)
            return EAGAIN;
        object->mutex.count++;
        mirror(object, mutex);
        return 0;
    case PTHREAD_MUTEX_ERRORCHECK:
        return EDEADLK;
    default:
        return EBUSY;
    }
}

int mutex_take(struct task *self, pthread_mutex_t *mutex)
{
    struct object *object = mutex_object(mutex);
    if (!kind_valid(kind_of(mutex)))
        return EINVAL;
    if (object->mutex.owner == self)
        return take_again(object, mutex);
    if (object->mutex.owner != NULL)
        return EBUSY;
    if (object->mutex.inconsistent == NOT_RECOVERABLE)
        return ENOTRECOVERABLE;
    if (!word_lock(mutex))
        return EBUSY;
    object->mutex.owner = self;
    object->mutex.count = 1;
    mirror(object, mutex);
    hb_acquire(self, object);
    object_changed(object);
    if (!object->mutex.dead)
        return 0;
    object->mutex.dead = 0;
    object->mutex.inconsistent = INCONSISTENT;
    return EOWNERDEAD;
}

static void release(struct task *self, struct object *object, pthread_mutex_t *mutex)
{
    hb_release(self, object);
    object->mutex.owner = NULL;
    object->mutex.count = 0;
    mirror(object, mutex);
    word_unlock(mutex);
    object_changed(object);
}

int mutex_give(struct task *self, uintptr_t pc, pthread_mutex_t *mutex, const char *verb)
{
    struct object *object = mutex_object(mutex);
    if (reported_destroyed(self, pc, object, verb) || !kind_valid(kind_of(mutex)))
        return EINVAL;
    struct task *owner = object->mutex.owner;
    if (owner == self && object->mutex.count > 1) {
        object->mutex.count--;
        mirror(object, mutex);
        return object->mutex.inconsistent == INCONSISTENT ? ENOTRECOVERABLE : 0;
    }
    if (owner != self) {
        if (object->mutex.robust || object->mutex.type == PTHREAD_MUTEX_RECURSIVE ||
            object->mutex.type == PTHREAD_MUTEX_ERRORCHECK)
            return EPERM;
        if (owner != NULL)
            finding_misuse(self, pc, object->address, "%s a mutex that T%u holds", verb, owner->id);
        else if (!held_outside(object, mutex))
            finding_misuse(self, pc, object->address, "%s a mutex that no thread holds", verb);
    }
    if (object->mutex.inconsistent == INCONSISTENT)
        object->mutex.inconsistent = NOT_RECOVERABLE;
    release(self, object, mutex);
    return 0;
}

void mutex_add_waiter(pthread_mutex_t *mutex, int change)
{
    struct object *object = mutex_object(mutex);
    if (object->mutex.destroyed || (change < 0 && object->mutex.waiters == 0))
        return; /* it has become another mutex since */
    object->mutex.waiters += (uint32_t)change;
    mutex->__data.__nusers += (uint32_t)change;
}

bool mutex_lend(struct task *self, pthread_mutex_t *mutex)
{
    struct object *object = mutex_object(mutex);
    if (object->mutex.owner != self || object->mutex.count != 1 || object->mutex.robust)
        return false;
    hb_release(self, object);
    object->mutex.owner = NULL;
    mutex->__data.__owner = raw_gettid();
    object_changed(object);
    return true;
}

void mutex_take_back(struct task *self, pthread_mutex_t *mutex)
{
    struct object *object = mutex_object(mutex);
    object->mutex.owner = self;
    object->mutex.count = 1;
    mirror(object, mutex);
    hb_acquire(self, object);
    object_changed(object);
}

/* ---- calls ------------------------------------------------------------------------------------------------------ */

int mutex_lock(struct task *self, uintptr_t pc, pthread_mutex_t *mutex, struct patience patience)
{
    for (;;) {
        struct object *object = mutex_object(mutex);
        bool timed = patience.deadline != RT_NEVER;
        struct op op = model_op(timed ? OP_MUTEX_TIMEDLOCK : OP_MUTEX_LOCK, pc, mutex, object);
        op.deadline = patience.deadline;
        op.ready = mutex_ready;
        op.flags = model_outside_flags(mutex_is_shared(mutex));
        if (held_outside(object, mutex)) {
            sched_uncontrolled("mutex held outside of control");
            op.flags |= OP_IO;
        }
        model_point(self, &op);
        if (reported_destroyed(self, pc, mutex_object(mutex), "lock of"))
            return model_done(self, &op, EINVAL, 0);
        int error = mutex_take(self, mutex);
        if (error != EBUSY)
            return model_done(self, &op, error, 0);
        if (patience.deadline <= rt.now) {
            /* With priority inheritance the kernel does the wait, and refuses such times. */
            bool refused = patience.before_epoch && (kind_of(mutex) & KIND_INHERIT);
            return model_done(self, &op, refused ? EINVAL : patience.late, 0);
        }
        /* A thread that is not controlled took it first. */
    }
}

int mutex_trylock(struct task *self, uintptr_t pc, pthread_mutex_t *mutex)
{
    struct object *object = mutex_object(mutex);
    struct op op = model_op(OP_MUTEX_TRYLOCK, pc, mutex, object);
    model_point(self, &op);
    object = mutex_object(mutex);
    if (reported_destroyed(self, pc, object, "trylock of"))
        return model_done(self, &op, EINVAL, 0);
    int error = mutex_take(self, mutex);
    if (error == EDEADLK && !object->mutex.robust && !(kind_of(mutex) & KIND_INHERIT))
        error = EBUSY;
    return model_done(self, &op, error, 0);
}

int mutex_unlock(struct task *self, uintptr_t pc, pthread_mutex_t *mutex)
{
    struct op op = model_op(OP_MUTEX_UNLOCK, pc, mutex, mutex_object(mutex));
    model_point(self, &op);
    return model_done(self, &op, mutex_give(self, pc, mutex, "unlock of"), 0);
}

int mutex_consistent(struct task *self, uintptr_t pc, pthread_mutex_t *mutex)
{
    struct op op = model_op(OP_MUTEX_CONSISTENT, pc, mutex, mutex_object(mutex));
    model_point(self, &op);
    struct object *object = mutex_object(mutex);
    if (reported_destroyed(self, pc, object, "pthread_mutex_consistent of") || !object->mutex.robust ||
        object->mutex.inconsistent != INCONSISTENT)
        return model_done(self, &op, EINVAL, 0);
    object->mutex.inconsistent = CONSISTENT;
    return model_done(self, &op, 0, 0);
}

/* Another task is blocked in a lock call: the mutex is in use, independent of its memory. */
static struct task *find_blocked_task(const struct object *object)
{
    for (struct task *task = object->pending[0]; task != NULL; task = task->next_pending[0])
        if ((task->pending->kind == OP_MUTEX_LOCK || task->pending->kind == OP_MUTEX_TIMEDLOCK) &&
            mutex_blocks(task, object))
            return task;
    return NULL;
}

int mutex_init(struct task *self, uintptr_t pc, pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    /* The memory is not initialised yet: not mutex_object. */
    struct object *object = object_get((uintptr_t)mutex, OBJECT_MUTEX);
    struct op op = model_op(OP_MUTEX_INIT, pc, mutex, object);
    model_point(self, &op);
    object = object_get((uintptr_t)mutex, OBJECT_MUTEX);
    struct task *owner = object->mutex.owner;
    if (owner != NULL && owner != self && word_locked(mutex) && find_blocked_task(object) != NULL)
        finding_misuse(self, pc, object->address, "initialisation of a mutex that T%u holds and T%u waits for",
                       owner->id, find_blocked_task(object)->id);
    int error = REAL(pthread_mutex_init)(mutex, attributes);
    if (error == 0) {
        forget(object);
        read_type(object, mutex);
        if (mutex_is_shared(mutex))
            model_shared("process-shared mutex");
        object_changed(object);
    }
    return model_done(self, &op, error, 0);
}

int mutex_destroy(struct task *self, uintptr_t pc, pthread_mutex_t *mutex)
{
    struct op op = model_op(OP_MUTEX_DESTROY, pc, mutex, mutex_object(mutex));
    model_point(self, &op);
    struct object *object = mutex_object(mutex);
    reported_destroyed(self, pc, object, "destruction of");
    struct task *owner = object->mutex.owner;
    if (owner != NULL)
        finding_misuse(self, pc, object->address, "destruction of a mutex that T%u holds", owner->id);
    else if (object->mutex.waiters > 0)
        finding_misuse(self, pc, object->address,
                       "destruction of a mutex that is used by a wait for a condition variable");
    if (!object->mutex.robust && (owner != NULL || object->mutex.waiters > 0 || held_outside(object, mutex)))
        return model_done(self, &op, EBUSY, 0);
    forget(object);
    object->mutex.destroyed = 1;
    mutex->__data.__lock = 0;
    __atomic_store_n(&mutex->__data.__kind, KIND_DESTROYED, __ATOMIC_RELAXED);
    object_changed(object);
    return model_done(self, &op, 0, 0);
}

/* libc locks the mutex for it. */
int mutex_set_ceiling(struct task *self, uintptr_t pc, pthread_mutex_t *mutex, int ceiling, int *old)
{
    bool held = mutex_object(mutex)->mutex.owner == self;
    int error = held ? 0 : mutex_lock(self, pc, mutex, PATIENCE_ENDLESS);
    if (error != 0)
        return error;
    uint32_t *word = word_of(mutex);
    *word &= WORD_CEILING;
    error = REAL(pthread_mutex_setprioceiling)(mutex, ceiling, old);
    *word |= 1;
    mirror(mutex_object(mutex), mutex);
    if (!held)
        mutex_unlock(self, pc, mutex);
    return error;
}

/* ---- the end of a task, and of control -------------------------------------------------------------------------- */

static void bequeath(struct object *object, void *context)
{
    struct task *task = context;
    if (object->mutex.owner != task || !object->mutex.robust)
        return;
    object->mutex.dead = 1;
    release(task, object, (pthread_mutex_t *)object->address);
}

void mutex_task_ended(struct task *task)
{
    if (any_robust)
        object_each(OBJECT_MUTEX, bequeath, task);
}

static void materialise(struct object *object, void *context)
{
    pthread_mutex_t *mutex = (pthread_mutex_t *)object->address;
    struct task *owner = object->mutex.owner;
    if (object->mutex.destroyed || (owner != NULL && !mirror_intact(object, mutex)))
        return; /* that memory is something else now */
    if (owner == context) {
        *word_of(mutex) = ceiling_of(mutex);
        mutex->__data.__owner = 0;
        mutex->__data.__count = 0;
        mutex->__data.__nusers = 0;
        bool counted = object->mutex.type == PTHREAD_MUTEX_RECURSIVE;
        for (uint32_t i = 0; i < (counted ? object->mutex.count : 1); i++)
            REAL(pthread_mutex_lock)(mutex);
        if (object->mutex.inconsistent == INCONSISTENT)
            mutex->__data.__owner = OWNER_INCONSISTENT;
    } else if (owner == NULL) {
        if (object->mutex.dead)
            *word_of(mutex) = FUTEX_OWNER_DIED;
        if (object->mutex.inconsistent == NOT_RECOVERABLE)
            mutex->__data.__owner = OWNER_NOT_RECOVERABLE;
    } /* else another thread holds it, for ever, as the word says */
}

void mutex_materialise(struct task *forker)
{
    object_each(OBJECT_MUTEX, materialise, forker);
}
