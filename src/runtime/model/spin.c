/* SPDX-License-Identifier: MIT
 *
 * spin.c - spin locks; docs/posix.md S1 and on.
 *
 * The real lock is one word and its calls never block but for spin_lock: so taking is the real trylock and the model
 * only adds which task holds it.  A task that would spin is not ready.
 */
#include "runtime/arch/arch.h"
#include "runtime/model/model.h"
#include "runtime/model/object.h"
#include "runtime/oracle/clock.h"

REAL_FUNCTION(pthread_spin_init);
REAL_FUNCTION(pthread_spin_trylock);
REAL_FUNCTION(pthread_spin_unlock);

#define WORD_DESTROYED (-0x6c6f6f6d) /* libc's destroy writes nothing */

static bool word_free(const pthread_spinlock_t *lock)
{
    return arch_spinlock_is_free(*lock);
}

static struct object *spin_object(pthread_spinlock_t *lock)
{
    struct object *object = object_get((uintptr_t)lock, OBJECT_SPIN);
    if (object->spin.owner != NULL && word_free(lock))
        object->spin.owner = NULL; /* new content */
    if (object->spin.destroyed && *lock != WORD_DESTROYED)
        object->spin.destroyed = 0;
    return object;
}

/* libc uses a destroyed lock as if it were not destroyed. */
static void check_destroyed(struct task *self, uintptr_t pc, struct object *object, const char *verb)
{
    if (!object->spin.destroyed)
        return;
    finding_misuse(self, pc, object->address, "%s a spin lock that was destroyed", verb);
    object->spin.destroyed = 0;
    REAL(pthread_spin_init)((pthread_spinlock_t *)object->address, 0);
}

static enum ready spin_ready(struct task *task, const struct op *op)
{
    (void)task;
    bool held = !op->object->spin.destroyed && !word_free((const pthread_spinlock_t *)op->address);
    return held && op->object->spin.owner != task ? READY_NO : READY_YES;
}

static int take(struct task *self, struct object *object, pthread_spinlock_t *lock)
{
    int error = REAL(pthread_spin_trylock)(lock);
    if (error != 0)
        return error;
    object->spin.owner = self;
    hb_acquire(self, object);
    object_changed(object);
    return 0;
}

int spinlock_lock(struct task *self, uintptr_t pc, pthread_spinlock_t *lock)
{
    for (;;) {
        struct op op = model_op(OP_SPIN_LOCK, pc, lock, spin_object(lock));
        op.ready = spin_ready;
        op.flags = model_outside_flags(true);
        model_point(self, &op);
        struct object *object = spin_object(lock);
        check_destroyed(self, pc, object, "lock of");
        if (object->spin.owner == self)
            finding_misuse(self, pc, object->address, "lock of a spin lock by the thread that holds it");
        if (take(self, object, lock) == 0)
            return model_done(self, &op, 0, 0);
        model_done(
            self, &op, EBUSY,
            0); /* the task holds it itself and spins for ever, or a thread that is not controlled took it first */
    }
}

int spinlock_trylock(struct task *self, uintptr_t pc, pthread_spinlock_t *lock)
{
    struct op op = model_op(OP_SPIN_TRYLOCK, pc, lock, spin_object(lock));
    model_point(self, &op);
    struct object *object = spin_object(lock);
    check_destroyed(self, pc, object, "trylock of");
    return model_done(self, &op, take(self, object, lock), 0);
}

int spinlock_unlock(struct task *self, uintptr_t pc, pthread_spinlock_t *lock)
{
    struct op op = model_op(OP_SPIN_UNLOCK, pc, lock, spin_object(lock));
    model_point(self, &op);
    struct object *object = spin_object(lock);
    check_destroyed(self, pc, object, "unlock of");
    if (object->spin.owner != NULL && object->spin.owner != self)
        finding_misuse(self, pc, object->address, "unlock of a spin lock that T%u holds", object->spin.owner->id);
    if (word_free(lock))
        finding_misuse(self, pc, object->address, "unlock of a spin lock that no thread holds");
    hb_release(self, object);
    object->spin.owner = NULL;
    REAL(pthread_spin_unlock)(lock);
    object_changed(object);
    return model_done(self, &op, 0, 0);
}

int spinlock_init(struct task *self, uintptr_t pc, pthread_spinlock_t *lock, int shared)
{
    struct op op = model_op(OP_SPIN_INIT, pc, lock, object_get((uintptr_t)lock, OBJECT_SPIN));
    model_point(self, &op);
    struct object *object = object_get((uintptr_t)lock, OBJECT_SPIN);
    int error = REAL(pthread_spin_init)(lock, shared);
    object->spin.owner = NULL;
    object->spin.destroyed = 0;
    if (shared == PTHREAD_PROCESS_SHARED)
        model_shared("process-shared spin lock");
    object_changed(object);
    return model_done(self, &op, error, 0);
}

int spinlock_destroy(struct task *self, uintptr_t pc, pthread_spinlock_t *lock)
{
    struct op op = model_op(OP_SPIN_DESTROY, pc, lock, spin_object(lock));
    model_point(self, &op);
    struct object *object = spin_object(lock);
    check_destroyed(self, pc, object, "destruction of");
    if (object->spin.owner != NULL)
        finding_misuse(self, pc, object->address, "destruction of a spin lock that T%u holds", object->spin.owner->id);
    object->spin.owner = NULL;
    object->spin.destroyed = 1;
    *lock = WORD_DESTROYED;
    object_changed(object);
    return model_done(self, &op, 0, 0);
}
