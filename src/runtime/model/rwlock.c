/* SPDX-License-Identifier: MIT
 *
 * rwlock.c - read-write locks; docs/posix.md R1 and on.
 *
 * DESIGN
 *   Readers are counted per task, so that an unlock by a task that holds nothing is seen.  In the memory, `cur_writer`
 *   is kept as libc keeps it, and `readers` holds their number from bit 3 up: no holder there while the model has
 *   one means new content (model.h).  libc's destroy writes nothing, so ours writes an impossible number of readers.
 *
 *   A lock that prefers writers lets no further reader in while a writer waits, not even one that reads already.
 *
 *   Happens-before: readers must follow the last writer, but not each other.  So what readers release is kept with a
 *   second object, which only writers acquire.
 */
#include "runtime/model/model.h"

#include "runtime/model/object.h"
#include "runtime/model/process.h"
#include "runtime/oracle/clock.h"

REAL_FUNCTION(pthread_rwlock_init);
REAL_FUNCTION(pthread_rwlock_rdlock);
REAL_FUNCTION(pthread_rwlock_wrlock);
REAL_FUNCTION(pthread_rwlock_clockrdlock);
REAL_FUNCTION(pthread_rwlock_clockwrlock);
REAL_FUNCTION(pthread_rwlock_unlock);

enum { READERS_SHIFT = 3, READERS_WRITING = 3 }; /* libc: lowest bits say "write phase" and "write-locked" */
#define READERS_DESTROYED 0xfffffff8u

/* ---- the object ------------------------------------------------------------------------------------------------- */

static void mirror(const struct object *object, pthread_rwlock_t *lock)
{
    struct task *writer = object->rwlock.writer;
    lock->__data.__cur_writer = writer != NULL ? PROCESS_SELF + (int)writer->id : 0;
    lock->__data.__readers = writer != NULL ? READERS_WRITING : object->rwlock.readers << READERS_SHIFT;
}

static bool mirror_intact(const struct object *object, const pthread_rwlock_t *lock)
{
    if (object->rwlock.writer != NULL)
        return lock->__data.__cur_writer == PROCESS_SELF + (int)object->rwlock.writer->id;
    return lock->__data.__readers >> READERS_SHIFT == object->rwlock.readers;
}

static void forget(struct object *object)
{
    for (struct holder *holder = object->rwlock.held, *next; holder != NULL; holder = next) {
        next = holder->next;
        rt_free(holder, sizeof *holder);
    }
    object->rwlock.held = NULL;
    object->rwlock.writer = NULL;
    object->rwlock.readers = 0;
    object->rwlock.destroyed = 0;
    object->rwlock.initialised = 1;
}

static struct holder *holder_find(const struct object *object, const struct task *task)
{
    struct holder *holder = object->rwlock.held;
    while (holder != NULL && holder->task != task)
        holder = holder->next;
    return holder;
}

static void holder_add(struct object *object, struct task *task, uint32_t count)
{
    struct holder *holder = holder_find(object, task);
    if (holder == NULL) {
        holder = rt_alloc(sizeof *holder);
        holder->task = task;
        holder->next = object->rwlock.held;
        object->rwlock.held = holder;
    }
    holder->count += count;
    object->rwlock.readers += count;
}

static void holder_remove(struct object *object, struct holder *holder)
{
    object->rwlock.readers--;
    if (--holder->count > 0)
        return;
    struct holder **link = &object->rwlock.held;
    while (*link != holder)
        link = &(*link)->next;
    *link = holder->next;
    rt_free(holder, sizeof *holder);
}

static bool is_shared(const pthread_rwlock_t *lock)
{
    return lock->__data.__shared != 0;
}

/* The first use of it: if it was locked before the run began, main has locked it. */
static void import(struct object *object, pthread_rwlock_t *lock)
{
    forget(object);
    if (is_shared(lock)) {
        model_shared("process-shared rwlock");
        return;
    }
    uint32_t readers = lock->__data.__readers >> READERS_SHIFT;
    if (lock->__data.__cur_writer != 0)
        object->rwlock.writer = rt.tasks[0];
    else if (readers > 0 && readers < READERS_DESTROYED >> READERS_SHIFT)
        holder_add(object, rt.tasks[0], readers);
    mirror(object, lock);
}

static struct object *rwlock_object(pthread_rwlock_t *lock)
{
    struct object *object = object_get((uintptr_t)lock, OBJECT_RWLOCK);
    if (!object->rwlock.initialised)
        import(object, lock);
    else if (object->rwlock.destroyed ? lock->__data.__readers != READERS_DESTROYED
                                      : (object->rwlock.writer != NULL || object->rwlock.readers > 0) &&
                                            lock->__data.__readers == 0 && lock->__data.__cur_writer == 0)
        forget(object); /* new content */
    object->rwlock.prefer_writer = lock->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
    return object;
}

/* What readers release and only writers acquire. */
static struct object *readers_clock(const struct object *object)
{
    return object_get(object->address + 4, OBJECT_ATOMIC);
}

/* Reports the use of a destroyed lock.  libc then uses it as if it were not destroyed. */
static void check_destroyed(struct task *self, uintptr_t pc, struct object *object, const char *verb)
{
    if (!object->rwlock.destroyed)
        return;
    finding_misuse(self, pc, object->address, "%s a rwlock that was destroyed", verb);
    forget(object);
    mirror(object, (pthread_rwlock_t *)object->address);
}

/* ---- locking ---------------------------------------------------------------------------------------------------- */

static bool is_write_op(enum wire_op kind)
{
    return kind == OP_RWLOCK_WRLOCK || kind == OP_RWLOCK_TRYWRLOCK;
}

static bool writer_waits(const struct object *object)
{
    for (struct task *task = object->pending[0]; task != NULL; task = task->next_pending[0])
        if (task->pending->kind == OP_RWLOCK_WRLOCK && task->pending->deadline > rt.now)
            return true;
    return false;
}

static bool blocks(const struct object *object, bool writing)
{
    if (object->rwlock.writer != NULL)
        return true;
    if (object->rwlock.readers == 0)
        return false;
    return writing || (object->rwlock.prefer_writer && writer_waits(object));
}

static enum ready rwlock_ready(struct task *task, const struct op *op)
{
    if (op->object->rwlock.writer == task) /* answers EDEADLK */
        return READY_YES;
    return blocks(op->object, is_write_op(op->kind)) ? model_ready_later(op) : READY_YES;
}

static void take(struct task *self, struct object *object, pthread_rwlock_t *lock, bool writing)
{
    hb_acquire(self, object);
    if (writing) {
        hb_acquire(self, readers_clock(object));
        object->rwlock.writer = self;
    } else {
        holder_add(object, self, 1);
    }
    mirror(object, lock);
    object_changed(object);
}

/* Other processes may hold a shared lock: then libc locks it, without the baton. */
static int lock_outside(struct task *self, pthread_rwlock_t *lock, bool writing, bool timed)
{
    static const struct timespec soon = {0, 0}; /* another process does not know virtual time */
    sched_external_begin(self, "process-shared rwlock");
    int error;
    if (timed)
        error = writing ? REAL(pthread_rwlock_clockwrlock)(lock, CLOCK_MONOTONIC, &soon)
                        : REAL(pthread_rwlock_clockrdlock)(lock, CLOCK_MONOTONIC, &soon);
    else
        error = writing ? REAL(pthread_rwlock_wrlock)(lock) : REAL(pthread_rwlock_rdlock)(lock);
    sched_external_end(self);
    return error;
}

static bool is_outside(const struct object *object, const pthread_rwlock_t *lock)
{
    return model_has_children && is_shared(lock) && object->rwlock.writer == NULL && object->rwlock.readers == 0;
}

int rwlock_lock(struct task *self, uintptr_t pc, pthread_rwlock_t *lock, bool writing, struct patience patience)
{
    uint8_t flags = writing ? 0 : EVENT_READING;
    if (patience.late == EINVAL) /* unlike mutexes: the time is checked first */
        return EINVAL;
    for (;;) {
        struct object *object = rwlock_object(lock);
        if (is_outside(object, lock))
            return lock_outside(self, lock, writing, patience.deadline != RT_NEVER);
        struct op op = model_op(writing ? OP_RWLOCK_WRLOCK : OP_RWLOCK_RDLOCK, pc, lock, object);
        op.deadline = patience.deadline;
        op.ready = rwlock_ready;
        op.flags = model_outside_flags(is_shared(lock));
        model_point(self, &op);
        object = rwlock_object(lock);
        check_destroyed(self, pc, object, "lock of");
        if (object->rwlock.writer == self)
            return model_done(self, &op, EDEADLK, flags);
        if (!blocks(object, writing)) {
            take(self, object, lock, writing);
            return model_done(self, &op, 0, flags);
        }
        if (patience.deadline <= rt.now) {
            object_changed(object); /* for readers that had to wait for a waiting writer */
            return model_done(self, &op, ETIMEDOUT, flags);
        }
        /* A writer waits since this reader became ready. */
    }
}

int rwlock_trylock(struct task *self, uintptr_t pc, pthread_rwlock_t *lock, bool writing)
{
    struct op op = model_op(writing ? OP_RWLOCK_TRYWRLOCK : OP_RWLOCK_TRYRDLOCK, pc, lock, rwlock_object(lock));
    uint8_t flags = writing ? 0 : EVENT_READING;
    model_point(self, &op);
    struct object *object = rwlock_object(lock);
    check_destroyed(self, pc, object, "trylock of");
    if (blocks(object, writing))
        return model_done(self, &op, EBUSY, flags);
    take(self, object, lock, writing);
    return model_done(self, &op, 0, flags);
}

static void report_foreign_unlock(struct task *self, uintptr_t pc, const struct object *object)
{
    if (object->rwlock.writer != NULL)
        finding_misuse(self, pc, object->address, "unlock of a rwlock that T%u holds for writing",
                       object->rwlock.writer->id);
    else if (object->rwlock.held != NULL)
        finding_misuse(self, pc, object->address, "unlock of a rwlock that T%u holds for reading, but not the caller",
                       object->rwlock.held->task->id);
    else
        finding_misuse(self, pc, object->address, "unlock of a rwlock that no thread holds");
}

int rwlock_unlock(struct task *self, uintptr_t pc, pthread_rwlock_t *lock)
{
    struct op op = model_op(OP_RWLOCK_UNLOCK, pc, lock, rwlock_object(lock));
    model_point(self, &op);
    struct object *object = rwlock_object(lock);
    check_destroyed(self, pc, object, "unlock of");
    if (is_outside(object, lock))
        return model_done(self, &op, REAL(pthread_rwlock_unlock)(lock), 0);
    struct holder *holder = holder_find(object, self);
    if (object->rwlock.writer != self && holder == NULL) {
        report_foreign_unlock(self, pc, object);
        holder = object->rwlock.held; /* as in libc: one lock less, of any task */
    }
    uint8_t flags = 0;
    if (object->rwlock.writer != NULL) {
        hb_release(self, object);
        object->rwlock.writer = NULL;
    } else if (holder != NULL) {
        hb_release_merge(self, readers_clock(object));
        holder_remove(object, holder);
        flags = EVENT_READING;
    }
    mirror(object, lock);
    object_changed(object);
    return model_done(self, &op, 0, flags);
}

/* ---- begin and end ---------------------------------------------------------------------------------------------- */

int rwlock_init(struct task *self, uintptr_t pc, pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes)
{
    struct op op = model_op(OP_RWLOCK_INIT, pc, lock, object_get((uintptr_t)lock, OBJECT_RWLOCK));
    model_point(self, &op);
    struct object *object = object_get((uintptr_t)lock, OBJECT_RWLOCK);
    int error = REAL(pthread_rwlock_init)(lock, attributes);
    if (error == 0) {
        forget(object);
        if (is_shared(lock))
            model_shared("process-shared rwlock");
        object_changed(object);
    }
    return model_done(self, &op, error, 0);
}

int rwlock_destroy(struct task *self, uintptr_t pc, pthread_rwlock_t *lock)
{
    struct op op = model_op(OP_RWLOCK_DESTROY, pc, lock, rwlock_object(lock));
    model_point(self, &op);
    struct object *object = rwlock_object(lock);
    check_destroyed(self, pc, object, "destruction of");
    struct task *holder = object->rwlock.writer;
    if (holder == NULL && object->rwlock.held != NULL)
        holder = object->rwlock.held->task;
    if (holder != NULL)
        finding_misuse(self, pc, object->address, "destruction of a rwlock that T%u holds", holder->id);
    forget(object);
    object->rwlock.destroyed = 1;
    lock->__data.__readers = READERS_DESTROYED;
    lock->__data.__cur_writer = 0;
    object_changed(object);
    return model_done(self, &op, 0, 0);
}

/* ---- fork ------------------------------------------------------------------------------------------------------- */

static void materialise(struct object *object, void *context)
{
    pthread_rwlock_t *lock = (pthread_rwlock_t *)object->address;
    struct task *writer = object->rwlock.writer;
    uint32_t readers = object->rwlock.readers;
    if (object->rwlock.destroyed || (writer == NULL && readers == 0) || !mirror_intact(object, lock))
        return;
    lock->__data.__readers = 0;
    lock->__data.__cur_writer = 0;
    if (writer != NULL) {
        REAL(pthread_rwlock_wrlock)(lock);
        if (writer != context)
            lock->__data.__cur_writer = 1; /* no thread of this process */
    }
    while (readers-- > 0)
        REAL(pthread_rwlock_rdlock)(lock);
}

void rwlock_materialise(struct task *forker)
{
    object_each(OBJECT_RWLOCK, materialise, forker);
}
