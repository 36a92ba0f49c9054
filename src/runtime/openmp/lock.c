/* SPDX-License-Identifier: MIT
 *
 * lock.c - critical sections and the locks of omp.h.
 *
 * The owner of a lock is found by its address.  Its memory, which may have only four bytes, is not changed.
 */
#include "runtime/model/object.h"
#include "runtime/openmp/openmp.h"
#include "runtime/oracle/clock.h"

/* The driver has texts for these names (trace/variable.c). */
char openmp_critical[8], openmp_reduction[8], openmp_atomic[8];

static struct object *lock_object(uintptr_t address)
{
    return object_get(address, OBJECT_LOCK);
}

static enum ready lock_ready(struct task *task, const struct op *op)
{
    const struct task *owner = op->object->lock.owner;
    return owner == NULL || (op->argument && owner == task) ? READY_YES : READY_NO;
}

static void forget(struct object *object)
{
    object->lock.owner = NULL;
    object->lock.count = 0;
    object->lock.destroyed = false;
}

void openmp_lock_init(struct task *self, uintptr_t address)
{
    (void)self;
    forget(lock_object(address));
}

void openmp_lock_destroy(struct task *self, uintptr_t address)
{
    (void)self;
    lock_object(address)->lock.destroyed = true;
}

static struct op lock_op(enum wire_op kind, uintptr_t pc, uintptr_t address, bool nestable)
{
    struct op op = model_op(kind, pc, (void *)address, lock_object(address));
    op.argument = nestable;
    return op;
}

static uint32_t take(struct task *self, struct object *object)
{
    object->lock.owner = self;
    hb_acquire(self, object);
    object_changed(object);
    return ++object->lock.count;
}

static void check_destroyed(struct task *self, uintptr_t pc, const struct object *object, const char *verb)
{
    if (object->lock.destroyed)
        finding_misuse(self, pc, object->address, "%s a lock that was destroyed", verb);
}

uint32_t openmp_lock(struct task *self, uintptr_t pc, uintptr_t address, bool nestable)
{
    struct op op = lock_op(OP_MUTEX_LOCK, pc, address, nestable);
    op.ready = lock_ready;
    model_point(self, &op);
    struct object *object = lock_object(address);
    check_destroyed(self, pc, object, "lock of");
    uint32_t count = take(self, object);
    model_done(self, &op, 0, 0);
    return count;
}

uint32_t openmp_trylock(struct task *self, uintptr_t pc, uintptr_t address, bool nestable)
{
    struct op op = lock_op(OP_MUTEX_TRYLOCK, pc, address, nestable);
    model_point(self, &op);
    op.object = lock_object(address);
    check_destroyed(self, pc, op.object, "lock of");
    bool free = lock_ready(self, &op) == READY_YES;
    uint32_t count = free ? take(self, op.object) : 0;
    model_done(self, &op, free ? 0 : EBUSY, 0);
    return count;
}

/* The standard requires that the owner does it; the libraries do not check that. */
void openmp_unlock(struct task *self, uintptr_t pc, uintptr_t address)
{
    struct op op = lock_op(OP_MUTEX_UNLOCK, pc, address, false);
    model_point(self, &op);
    struct object *object = lock_object(address);
    check_destroyed(self, pc, object, "unlock of");
    if (object->lock.count > 1) {
        object->lock.count--;
        model_done(self, &op, 0, 0);
        return;
    }
    hb_release(self, object);
    forget(object);
    object_changed(object);
    model_done(self, &op, 0, 0);
}
