/* SPDX-License-Identifier: MIT
 *
 * io.h - what all hooks of calls on descriptors share.
 *
 * DESIGN
 *   A call that may block is never made as such. It becomes an operation with OP_IO whose ready() asks the kernel by
 *   a poll of zero length; when the scheduler lets it go, the call is made in a form that cannot block (RWF_NOWAIT,
 *   MSG_DONTWAIT, WNOHANG, …). If it would have blocked after all, because another process took the data, the operation
 *   is published again. The O_NONBLOCK flag of a descriptor is never touched for reads and writes: it is shared with
 *   other processes.
 *
 *   Results travel inside as the kernel gives them: a value >= 0, or -errno. io_finish() turns them into what libc's
 *   callers expect.
 */
#ifndef RADDLE_HOOKS_IO_H
#define RADDLE_HOOKS_IO_H

#include <poll.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "runtime/arch/arch.h"
#include "runtime/init.h"
#include "runtime/rt.h"
#include "runtime/sched/point.h"

/* A system call past libc and past the hooks, with as many arguments as are given. */
#define RAW(number, ...) RAW_FILL(number, ##__VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define RAW_FILL(number, a, b, c, d, e, f, ...)                                                                        \
    syscall_raw(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

/* What a read or write on a descriptor may do to its caller. */
enum io_mode {
    IO_DIRECT,      /* never waits: a regular file, or an error that the call itself returns */
    IO_NONBLOCKING, /* O_NONBLOCK is set */
    IO_BLOCKING,    /* a pipe, socket, terminal, eventfd, …: ask first */
};
enum io_mode io_mode(int fd, bool writing);
bool io_is_socket(int fd);
bool io_is_pipe(int fd);
bool io_path_is_pipe(const char *path); /* a named pipe: opening one end waits for the other */
/* When a call on this socket that begins now ends by SO_RCVTIMEO or SO_SNDTIMEO; RT_NEVER. */
int64_t io_socket_deadline(int fd, int option);

/* What a call that has been done means for other tasks. */
enum {
    IO_SENDS = 1 << 0,    /* something left this task for the outside: a happens-before edge begins */
    IO_RECEIVES = 1 << 1, /* something came in: an edge ends */
    IO_QUIET = 1 << 2,    /* no task became ready by it */
};
/* The operation is done on the descriptor (-1: on a path), and one was opened: checkpoints depend on that. */
void io_note(int fd, enum wire_op kind);
void io_note_opened(int fd);

/* An operation on fd; always ready unless a wait sets ready(). */
struct op io_operation(enum wire_op kind, int fd, uintptr_t pc);

/* A scheduling point before a call that does not wait (OP_CANCELLABLE unless `flags` says otherwise). */
void io_point(struct task *self, struct op *op);

/* Waits until fd has one of `events` (or an error, or is no descriptor), until op->deadline, or until a signal handler
   ran.  0: go on; else EINTR, or EAGAIN when the time is up.  Handlers with SA_RESTART do not end the wait if
   `restarts`. */
int io_await(struct task *self, struct op *op, short events, bool restarts);

/* The same for any ready() already set in op. */
int io_await_ready(struct task *self, struct op *op, bool restarts);

/* After a try to send that ended with *result: true if there was no room and it has waited for some, so that it is to be tried
   again; else *result is final. */
bool io_try_again(struct task *self, struct op *op, long *result, bool restarts);

/* ready() of io_await: op->fd, op->argument = events. */
enum ready io_ready(struct task *task, const struct op *op);

/* What poll says about one descriptor now. */
short io_poll(int fd, short events);

/* The call is done: tells the scheduler and the oracles, records the event. Does not leave the hook. */
void io_done(struct task *self, struct op *op, long result, int effects);
/* The same, then leaves the hook with result and errno. */
long io_finish(struct task *self, struct op *op, long result, int effects);

/* Accesses of the program's memory that a vector stands for. */
void io_access_vector(struct task *self, uintptr_t pc, const struct iovec *vector, size_t count, size_t size,
                      bool write);

/* Bytes in a vector, saturating. */
size_t io_vector_size(const struct iovec *vector, size_t count);
/* Moves the start of a vector by `bytes`; the vector must be a copy of the program's. Returns the entries left. */
size_t io_vector_advance(struct iovec **vector, size_t count, size_t bytes);

/* Memory for the time of one call. */
void *io_scratch(size_t size);
void io_scratch_free(void *memory, size_t size);

/* Reads into / writes from the vector in the manner of readv and writev on this descriptor. */
long io_read_vector(struct task *self, uintptr_t pc, int fd, const struct iovec *vector, int count);
long io_write_vector(struct task *self, uintptr_t pc, int fd, const struct iovec *vector, int count);

/* Runs a call that may block and is not modelled: the others go on meanwhile.  -errno or the result. */
#define IO_EXTERNAL(self, name, result, call)                                                                          \
    do {                                                                                                               \
        sched_external_begin(self, name);                                                                              \
        errno = 0;                                                                                                     \
        (result) = (call);                                                                                             \
        int io_external_error = errno;                                                                                 \
        sched_external_end(self);                                                                                      \
        (self)->saved_errno = io_external_error != 0 ? io_external_error : (self)->saved_errno;                        \
    } while (0)

/* random.c: a descriptor with the deterministic bytes that stand for /dev/random and /dev/urandom; -errno. */
long random_descriptor(bool close_on_exec);
bool random_is_device(const char *path);

#endif
