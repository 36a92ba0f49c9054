/* SPDX-License-Identifier: MIT
 *
 * stdio.c - streams: locks, and readiness of their descriptors.
 */
#include "runtime/hooks/stdio.h"

#include <limits.h>
#include <stdio_ext.h>

#include "runtime/hooks/io.h"
#include "runtime/model/object.h"
#include "runtime/model/thread.h"
#include "runtime/oracle/clock.h"
#include "runtime/record.h"

REAL_FUNCTION(fflush);

static uint32_t locked_count; /* streams that some task has locked: mostly none */

/* ---- the lock ---------------------------------------------------------------------------------------------------- */

static struct object *file_object(const FILE *file)
{
    return object_get((uintptr_t)file, OBJECT_FILE);
}

static enum ready file_ready(struct task *task, const struct op *op)
{
    const struct task *owner = op->object->mutex.owner;
    return owner == NULL || owner == task ? READY_YES : READY_NO;
}

static struct op file_op(enum wire_op kind, uintptr_t pc, FILE *file)
{
    return (struct op){
        .kind = kind,
        .pc = pc,
        .address = (uintptr_t)file,
        .fd = -1,
        .object = file_object(file),
        .deadline = RT_NEVER,
    };
}

static void take(struct task *self, struct object *object)
{
    if (object->mutex.count++ == 0) {
        object->mutex.owner = self;
        locked_count++;
        hb_acquire(self, object);
        object_changed(object);
    }
}

static void give(struct task *self, struct object *object)
{
    if (object->mutex.owner != self || --object->mutex.count > 0)
        return;
    object->mutex.owner = NULL;
    locked_count--;
    hb_release(self, object);
    object_changed(object);
}

/* Waits until no other task has the stream. A point only if one has. */
static void await_free(struct task *self, uintptr_t pc, FILE *file)
{
    if (locked_count == 0)
        return;
    struct object *object = object_find((uintptr_t)file, OBJECT_FILE);
    if (object == NULL || object->mutex.owner == NULL || object->mutex.owner == self)
        return;
    struct op op = file_op(OP_MUTEX_LOCK, pc, file);
    op.ready = file_ready;
    sched_point(self, &op);
    hb_acquire(self, op.object);
    record_event(self, &op, 0, 0);
}

void stdio_lock(struct task *self, uintptr_t pc, FILE *file)
{
    await_free(self, pc, file);
    take(self, file_object(file));
}

void stdio_unlock(struct task *self, FILE *file)
{
    give(self, file_object(file));
}

/* ---- descriptors ------------------------------------------------------------------------------------------------- */

static int descriptor_of(const FILE *file)
{
    return file->_fileno; /* negative: memory, or the program's own functions */
}

bool stdio_refills_slowly(FILE *file)
{
    return descriptor_of(file) >= 0 && io_mode(descriptor_of(file), false) == IO_BLOCKING;
}

/* A cancellation point, as the read inside would be. */
int stdio_await_input(struct task *self, uintptr_t pc, FILE *file)
{
    if (stdio_buffered(file) > 0)
        return 0;
    struct op op = io_operation(OP_IO_READ, descriptor_of(file), pc);
    bool unwinding = self->cancelling;
    op.flags |= OP_CANCEL_RETURNS;
    int error = io_await(self, &op, POLLIN, true);
    if (self->cancelling && !unwinding)
        return ECANCELED;
    io_done(self, &op, -error, IO_RECEIVES);
    if (error != 0) {
        file->_flags |= _IO_ERR_SEEN;
        self->saved_errno = error;
    }
    return error;
}

/* ---- hooks' begin and end ---------------------------------------------------------------------------------------- */

struct task *stdio_begin(FILE *file, uintptr_t pc)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return NULL;
    if (file != NULL)
        await_free(self, pc, file);
    errno = self->saved_errno;
    return self;
}

void stdio_end(struct task *self)
{
    self->saved_errno = errno;
    rt_leave(self);
}

/* Bytes that go into the buffer for certain; none if each line is flushed. */
static size_t output_room(const FILE *file)
{
    return file->_IO_write_ptr < file->_IO_write_end ? (size_t)(file->_IO_write_end - file->_IO_write_ptr) : 0;
}

bool stdio_drains_slowly(FILE *file)
{
    return descriptor_of(file) >= 0 && io_mode(descriptor_of(file), true) == IO_BLOCKING;
}

static void await_room(struct task *self, uintptr_t pc, FILE *file)
{
    struct op op = io_operation(OP_IO_WRITE, descriptor_of(file), pc);
    while (io_await(self, &op, POLLOUT, true) != 0)
        continue;
    io_done(self, &op, 0, IO_SENDS);
}

/* Writes the buffer out.  POLLOUT on a pipe promises room for a page, which is what buffers of pipes have; a bigger one,
   made by the program, is flushed without control. */
static void empty_buffer(struct task *self, uintptr_t pc, FILE *file)
{
    size_t size = __fpending(file);
    if (size == 0)
        return;
    await_room(self, pc, file);
    if (size <= PIPE_BUF) {
        REAL(fflush)(file);
        sched_io_changed();
        return;
    }
    stdio_lock(self, pc, file);
    sched_external_begin(self, "fflush");
    REAL(fflush)(file);
    sched_external_end(self);
    stdio_unlock(self, file);
}

struct task *stdio_begin_output(FILE *file, uintptr_t pc, size_t size)
{
    struct task *self = stdio_begin(file, pc);
    if (self == NULL || file == NULL || size < output_room(file) || !stdio_drains_slowly(file))
        return self;
    empty_buffer(self, pc, file);
    if (size != STDIO_ALL && size >= output_room(file))
        await_room(self, pc, file);
    errno = self->saved_errno;
    return self;
}

static void note_done(const FILE *file, bool input)
{
    if (file != NULL && descriptor_of(file) >= 0)
        io_note(descriptor_of(file), input ? OP_IO_READ : OP_IO_WRITE);
    if (file == NULL || descriptor_of(file) >= 0)
        sched_io_changed();
}

void stdio_end_output(struct task *self, FILE *file)
{
    int error = errno;
    note_done(file, false);
    errno = error;
    stdio_end(self);
}

struct task *stdio_begin_input(FILE *file, uintptr_t pc, bool *failed)
{
    struct task *self = stdio_begin(file, pc);
    *failed = false;
    if (self == NULL || stdio_buffered(file) > 0 || !stdio_refills_slowly(file))
        return self;
    stdio_lock(self, pc, file);
    int error = stdio_await_input(self, pc, file);
    stdio_unlock(self, file);
    if (error == ECANCELED)
        thread_cancel_here(self);
    *failed = error != 0;
    errno = self->saved_errno;
    return self;
}

void stdio_end_input(struct task *self, FILE *file)
{
    int error = errno;
    note_done(file, true); /* a task that writes into the pipe has room now */
    errno = error;
    stdio_end(self);
}

/* ---- the lock as the program uses it ----------------------------------------------------------------------------- */

REAL_FUNCTION(flockfile);
REAL_FUNCTION(ftrylockfile);
REAL_FUNCTION(funlockfile);

RT_HOOK void flockfile(FILE *file)
{
    struct task *self = rt_enter();
    if (self == NULL) {
        REAL(flockfile)(file);
        return;
    }
    struct op op = file_op(OP_MUTEX_LOCK, CALLER, file);
    op.ready = file_ready;
    sched_point(self, &op);
    take(self, op.object);
    record_event(self, &op, 0, 0);
    rt_leave(self);
}

RT_HOOK int ftrylockfile(FILE *file)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(ftrylockfile)(file);
    struct op op = file_op(OP_MUTEX_TRYLOCK, CALLER, file);
    sched_point(self, &op);
    bool free = file_ready(self, &op) == READY_YES;
    if (free)
        take(self, op.object);
    record_event(self, &op, free ? 0 : EBUSY, free ? 0 : EVENT_FAILED);
    rt_leave(self);
    return free ? 0 : EBUSY;
}

RT_HOOK void funlockfile(FILE *file)
{
    struct task *self = rt_enter();
    struct object *object = self != NULL ? object_find((uintptr_t)file, OBJECT_FILE) : NULL;
    if (object == NULL || object->mutex.owner != self) { /* locked before control began, or not at all */
        if (self != NULL)
            rt_leave(self);
        REAL(funlockfile)(file);
        return;
    }
    struct op op = file_op(OP_MUTEX_UNLOCK, CALLER, file);
    sched_point(self, &op);
    give(self, op.object);
    record_event(self, &op, 0, 0);
    rt_leave(self);
}

/* libc's list of all streams, the newest first. */
extern FILE *_IO_list_all;

/* Whether some stream may have something to write.  Those for wide characters keep it elsewhere. */
static bool any_unwritten(void)
{
    for (const FILE *file = _IO_list_all; file != NULL; file = file->_chain)
        if (file->_mode > 0 || file->_IO_write_ptr > file->_IO_write_base)
            return true;
    return false;
}

bool stdio_flush_all(void)
{
    return locked_count == 0 && (!any_unwritten() || REAL(fflush)(NULL) == 0);
}
