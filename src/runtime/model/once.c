/* SPDX-License-Identifier: MIT
 *
 * once.c - one-time initialisation: pthread_once, call_once and the guards of C++ function-local statics; docs/posix.md
 * O1 and on.
 *
 * The program's word always has the state, as libc and the C++ ABI define it: compiled code and a forked child
 * read it themselves.  The model adds which task is running it.
 */
#include "runtime/model/model.h"

#include "runtime/access.h"
#include "runtime/model/object.h"
#include "runtime/oracle/clock.h"

const struct once_format once_pthread = {.done = 2, .running = 1, .name = "pthread_once"};
const struct once_format once_guard = {.done = 1, .running = 0x100, .name = "initialisation of a static object"};

static uint32_t word_of(const uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static bool in_progress(const uint32_t *word, const struct once_format *format)
{
    return (word_of(word) & (format->done | format->running)) == format->running;
}

static enum ready once_ready(struct task *task, const struct op *op)
{
    const struct once_format *format = (const struct once_format *)(uintptr_t)op->argument;
    if (!in_progress((const uint32_t *)op->address, format))
        return READY_YES;
    return format == &once_guard && op->object->once.running == task ? READY_YES : READY_NO;
}

bool once_begin(struct task *self, uintptr_t pc, uint32_t *word, const struct once_format *format)
{
    for (;;) {
        struct object *object = object_get((uintptr_t)word, OBJECT_ONCE);
        struct op op = model_op(OP_ONCE_BEGIN, pc, word, object);
        op.ready = once_ready;
        op.argument = (uintptr_t)format;
        if (in_progress(word, format) && object->once.running == NULL)
            op.flags = OP_IO; /* begun before the run, or by a thread that is not under control */
        model_point(self, &op);
        object = object_get((uintptr_t)word, OBJECT_ONCE);
        if (word_of(word) & format->done) {
            hb_acquire(self, object);
            record_event(self, &op, 0, EVENT_VALUE);
            return false;
        }
        if (!in_progress(word, format)) {
            __atomic_store_n(word, format->running, __ATOMIC_RELAXED);
            object->once.running = self;
            hb_acquire(self, object);
            record_event(self, &op, 1, EVENT_VALUE);
            return true;
        }
        if (object->once.running == self)
            finding_misuse(self, pc, object->address, "%s is entered again by the thread that runs it", format->name);
        record_event(self, &op, 0, EVENT_FAILED);
    }
}

void once_end(struct task *self, uintptr_t pc, uint32_t *word, const struct once_format *format, bool done)
{
    struct op op = model_op(OP_ONCE_END, pc, word, object_get((uintptr_t)word, OBJECT_ONCE));
    model_point(self, &op);
    struct object *object = object_get((uintptr_t)word, OBJECT_ONCE);
    hb_release(self, object);
    if (format == &once_guard) /* compiled code reads the guard with an atomic load before it calls the hook */
        access_atomic(self, pc, (uintptr_t)word, 1, false, true, __ATOMIC_RELEASE);
    object->once.running = NULL;
    object->once.done = done;
    __atomic_store_n(word, done ? format->done : 0, __ATOMIC_RELEASE);
    object_changed(object);
    record_event(self, &op, done, (uint8_t)(EVENT_VALUE | (done ? 0 : EVENT_FAILED)));
}

/* What another thread was running when the process forked begins again in the child, as in libc. */
static void materialise(struct object *object, void *context)
{
    uint32_t *word = (uint32_t *)object->address;
    struct task *running = object->once.running;
    if (running != NULL && running != context && (in_progress(word, &once_pthread) || in_progress(word, &once_guard)))
        __atomic_store_n(word, 0, __ATOMIC_RELEASE);
}

void once_materialise(struct task *forker)
{
    object_each(OBJECT_ONCE, materialise, forker);
}
