/* SPDX-License-Identifier: MIT
 *
 * io.c - waiting for descriptors, and the calls that read and write them.
 *
 * A blocking read waits for POLLIN and then reads what is there. A blocking write tries first: for pipes and local sockets poll
 * requires a whole free page, or three quarters of the buffer, and a small write that
 * the kernel would take must not wait. What does not fit is written piece by piece, with scheduling points in
 * between.
 */
#include "runtime/hooks/io.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/access.h"
#include "runtime/checkpoint.h"
#include "runtime/held.h"
#include "runtime/hooks/inside.h"
#include "runtime/hooks/timerfd.h"
#include "runtime/model/signal.h"
#include "runtime/model/time.h"
#include "runtime/oracle/clock.h"
#include "runtime/record.h"
#include "runtime/sched/spin.h"

enum { IO_DESCRIPTORS = 1 << 16 }; /* the address of an operation on a descriptor is its number */

/* ---- about descriptors ------------------------------------------------------------------------------------------- */

static mode_t file_type(int fd)
{
    struct stat status;
    return RAW(SYS_fstat, fd, &status) == 0 ? status.st_mode & S_IFMT : S_IFREG;
}

bool io_is_socket(int fd)
{
    return file_type(fd) == S_IFSOCK;
}

bool io_is_pipe(int fd)
{
    return file_type(fd) == S_IFIFO;
}

bool io_path_is_pipe(const char *path)
{
    struct stat status;
    return RAW(SYS_newfstatat, AT_FDCWD, path, &status, 0) == 0 && S_ISFIFO(status.st_mode);
}

enum io_mode io_mode(int fd, bool writing)
{
    long flags = RAW(SYS_fcntl, fd, F_GETFL);
    if (flags < 0 || (flags & O_PATH) || (flags & O_ACCMODE) == (writing ? O_RDONLY : O_WRONLY))
        return IO_DIRECT;
    if (flags & O_NONBLOCK)
        return IO_NONBLOCKING;
    mode_t type = file_type(fd);
    return type == S_IFREG || type == S_IFDIR || type == S_IFBLK ? IO_DIRECT : IO_BLOCKING;
}

short io_poll(int fd, short events)
{
    struct pollfd descriptor = {.fd = fd, .events = events};
    struct timespec zero = {0, 0};
    long count = RAW(SYS_ppoll, &descriptor, 1, &zero, 0, 0);
    return count < 0 ? POLLERR : count == 0 ? 0 : descriptor.revents;
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

void io_note(int fd, enum wire_op kind)
{
    const char *hindrance = checkpoint_wanted ? held_hindrance(fd, kind) : NULL;
    if (hindrance != NULL)
        checkpoint_forbid(hindrance);
}

void io_note_opened(int fd)
{
    const char *hindrance = checkpoint_wanted ? held_hindrance_open(fd) : NULL;
    if (hindrance != NULL)
        checkpoint_forbid(hindrance);
}

struct op io_operation(enum wire_op kind, int fd, uintptr_t pc)
{
    io_note(fd, kind);
    return (struct op){
        .kind = kind,
        .flags = OP_CANCELLABLE,
        .pc = pc,
        .address = fd < 0 ? 0 : (uintptr_t)fd,
        .fd = fd,
        .deadline = RT_NEVER,
    };
}

/* A descriptor that is none (POLLNVAL) or broken counts as ready: the call itself returns the error. */
enum ready io_ready(struct task *task, const struct op *op)
{
    (void)task;
    if (op->fd < 0 || io_poll(op->fd, (short)op->argument) != 0)
        return READY_YES;
    return op->deadline != RT_NEVER ? READY_LATE : READY_NO;
}

static bool io_outside(const struct op *op)
{
    return !inside_has(op->fd);
}

void io_point(struct task *self, struct op *op)
{
    sched_point(self, op);
}

int io_await_ready(struct task *self, struct op *op, bool restarts)
{
    int64_t deadline = op->deadline;
    op->flags |= OP_IO | OP_INTERRUPTIBLE;
    for (;;) {
        timerfd_time_passed();
        op->deadline = deadline < timerfd_soonest ? deadline : timerfd_soonest;
        enum wake wake = sched_point(self, op);
        op->deadline = deadline;
        if (wake == WAKE_GO)
            return 0;
        if (wake == WAKE_LATE && rt.now >= deadline)
            return EAGAIN;
        if (wake == WAKE_SIGNAL && (!restarts || deadline != RT_NEVER || !signal_restarts(self)))
            return EINTR;
        /* Again: restarted, a timer is due, or it was ready when it was chosen but another process took it first. */
    }
}

int io_await(struct task *self, struct op *op, short events, bool restarts)
{
    op->ready = io_ready;
    op->outside = io_outside;
    op->argument = (uint64_t)(unsigned short)events;
    return io_await_ready(self, op, restarts);
}

/* ---- afterwards -------------------------------------------------------------------------------------------------- */

void io_done(struct task *self, struct op *op, long result, int effects)
{
    if (result < 0) {
        record_event(self, op, (uint64_t)-result, EVENT_FAILED | EVENT_VALUE);
        return;
    }
    if (effects & IO_SENDS)
        hb_io_release(self);
    if (effects & IO_RECEIVES)
        hb_io_acquire(self);
    if (!(effects & IO_QUIET)) {
        sched_io_changed();
        spin_written(0,
                     IO_DESCRIPTORS); /* tasks that try a descriptor again and again: the result may be different now */
    }
    record_event(self, op, (uint64_t)result, EVENT_VALUE | (effects & IO_RECEIVES ? EVENT_READING : 0));
}

long io_finish(struct task *self, struct op *op, long result, int effects)
{
    io_done(self, op, result, effects);
    return rt_leave_errno(self, result, result < 0 ? (int)-result : 0);
}

/* ---- vectors ----------------------------------------------------------------------------------------------------- */

size_t io_vector_size(const struct iovec *vector, size_t count)
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        if (__builtin_add_overflow(size, vector[i].iov_len, &size))
            return SIZE_MAX;
    return size;
}

size_t io_vector_advance(struct iovec **vector, size_t count, size_t bytes)
{
    while (count > 0 && bytes >= (*vector)->iov_len) {
        bytes -= (*vector)->iov_len;
        (*vector)++;
        count--;
    }
    if (count > 0) {
        (*vector)->iov_base = (char *)(*vector)->iov_base + bytes;
        (*vector)->iov_len -= bytes;
    }
    return count;
}

void io_access_vector(struct task *self, uintptr_t pc, const struct iovec *vector, size_t count, size_t size,
                      bool write)
{
    for (size_t i = 0; i < count && size > 0; i++) {
        size_t part = vector[i].iov_len < size ? vector[i].iov_len : size;
        if (part > 0)
            access_range(self, pc, vector[i].iov_base, part, write);
        size -= part;
    }
}

/* rt_alloc gives back small pieces and whole mappings; sizes between are made mappings. */
enum { SCRATCH_SMALL = 1024, SCRATCH_MAPPED = (1 << 18) + 4096 };

static size_t scratch_size(size_t size)
{
    return size <= SCRATCH_SMALL || size >= SCRATCH_MAPPED ? size : SCRATCH_MAPPED;
}

void *io_scratch(size_t size)
{
    return rt_alloc(scratch_size(size));
}

void io_scratch_free(void *memory, size_t size)
{
    rt_free(memory, scratch_size(size));
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static bool not_supported(long result)
{
    return result == -EOPNOTSUPP || result == -ENOSYS || result == -EINVAL;
}

/* Reads what is there, without waiting where the kernel can promise that; the caller has seen POLLIN. */
static long read_some(int fd, const struct iovec *vector, int count)
{
    long result = RAW(SYS_preadv2, fd, vector, count, -1, -1, RWF_NOWAIT);
    return not_supported(result) ? RAW(SYS_readv, fd, vector, count) : result;
}

int64_t io_socket_deadline(int fd, int option)
{
    struct timeval limit = {0, 0};
    socklen_t size = sizeof limit;
    if (RAW(SYS_getsockopt, fd, SOL_SOCKET, option, &limit, &size) != 0 || (limit.tv_sec == 0 && limit.tv_usec == 0))
        return RT_NEVER;
    return time_after((int64_t)limit.tv_sec * 1000000000 + (int64_t)limit.tv_usec * 1000);
}

static long read_blocking(struct task *self, struct op *op, int fd, const struct iovec *vector, int count)
{
    op->deadline = io_socket_deadline(fd, SO_RCVTIMEO);
    for (;;) {
        int error = io_await(self, op, POLLIN, true);
        if (error != 0)
            return -error;
        long result = read_some(fd, vector, count);
        if (result != -EAGAIN)
            return result;
        op->flags |= OP_YIELDS; /* poll and read disagree, or another process took it */
    }
}

long io_read_vector(struct task *self, uintptr_t pc, int fd, const struct iovec *vector, int count)
{
    struct op op = io_operation(OP_IO_READ, fd, pc);
    bool sane = count > 0 && count <= IOV_MAX;
    enum io_mode mode = sane && io_vector_size(vector, (size_t)count) > 0 ? io_mode(fd, false) : IO_DIRECT;
    long result;
    if (mode == IO_BLOCKING) {
        result = read_blocking(self, &op, fd, vector, count);
    } else {
        if (mode == IO_NONBLOCKING && io_poll(fd, POLLIN) == 0)
            op.flags |= OP_YIELDS;
        io_point(self, &op);
        result = RAW(SYS_readv, fd, vector, count);
    }
    if (result > 0)
        io_access_vector(self, pc, vector, (size_t)count, (size_t)result, true);
    if (result == sizeof(uint64_t) && vector->iov_len >= sizeof(uint64_t))
        timerfd_was_read(fd, vector->iov_base);
    return io_finish(self, &op, result, IO_RECEIVES | (mode == IO_DIRECT ? IO_QUIET : 0));
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* A second, non-blocking open file of the same pipe: for kernels that know no RWF_NOWAIT on pipes. */
static long write_reopened(int fd, const struct iovec *vector, int count)
{
    char path[32];
    rt_format(path, sizeof path, "/proc/self/fd/%d", fd);
    long again = RAW(SYS_openat, AT_FDCWD, path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (again < 0)
        return -EAGAIN;
    long result = RAW(SYS_writev, again, vector, count);
    RAW(SYS_close, again);
    return result;
}

/* At most PIPE_BUF bytes: what POLLOUT on a pipe promises not to block. */
static long write_piece(int fd, const struct iovec *vector, int count)
{
    struct iovec piece[16];
    size_t room = PIPE_BUF;
    int used = 0;
    for (; used < count && used < 16 && room > 0; used++) {
        piece[used] = vector[used];
        if (piece[used].iov_len > room)
            piece[used].iov_len = room;
        room -= piece[used].iov_len;
    }
    return RAW(SYS_writev, fd, piece, used);
}

/* Writes what fits now; -EAGAIN if nothing does. */
static long write_some(int fd, mode_t type, const struct iovec *vector, int count)
{
    long result = RAW(SYS_pwritev2, fd, vector, count, -1, -1, RWF_NOWAIT);
    if (!not_supported(result))
        return result;
    if (type == S_IFSOCK) {
        struct msghdr message = {.msg_iov = (struct iovec *)vector, .msg_iovlen = (size_t)count};
        return RAW(SYS_sendmsg, fd, &message, MSG_DONTWAIT);
    }
    if (io_poll(fd, POLLOUT) == 0)
        return type == S_IFIFO ? write_reopened(fd, vector, count) : -EAGAIN;
    return type == S_IFIFO ? write_piece(fd, vector, count) : RAW(SYS_writev, fd, vector, count);
}

bool io_try_again(struct task *self, struct op *op, long *result, bool restarts)
{
    if (*result >= 0)
        op->flags &= ~(uint32_t)OP_YIELDS;
    if (*result != -EAGAIN)
        return false;
    int error = io_await(self, op, POLLOUT, restarts);
    if (error == 0)
        op->flags |= OP_YIELDS;
    *result = -error;
    return error == 0;
}

/* Writes all of the vector (a copy of the program's), as a blocking write does.  Bytes, or -errno if none went. */
static long write_all(struct task *self, struct op *op, mode_t type, struct iovec *vector, size_t count)
{
    int fd = op->fd;
    long done = 0;
    io_point(self, op);
    for (;;) {
        long result;
        do
            result = write_some(fd, type, vector, (int)count);
        while (io_try_again(self, op, &result, done == 0));
        if (result < 0)
            return done > 0 ? done : result;
        done += result;
        count = io_vector_advance(&vector, count, (size_t)result);
        if (count == 0 || (type != S_IFIFO && type != S_IFSOCK))
            return done;
        hb_io_release(self);
        sched_io_changed();
    }
}

static long write_blocking(struct task *self, struct op *op, const struct iovec *vector, int count)
{
    size_t bytes = (size_t)count * sizeof *vector;
    mode_t type = file_type(op->fd);
    struct iovec *copy = io_scratch(bytes);
    for (int i = 0; i < count; i++)
        copy[i] = vector[i];
    if (type == S_IFSOCK)
        op->deadline = io_socket_deadline(op->fd, SO_SNDTIMEO);
    long result = write_all(self, op, type, copy, (size_t)count);
    io_scratch_free(copy, bytes);
    return result;
}

long io_write_vector(struct task *self, uintptr_t pc, int fd, const struct iovec *vector, int count)
{
    struct op op = io_operation(OP_IO_WRITE, fd, pc);
    bool sane = count > 0 && count <= IOV_MAX;
    size_t size = sane ? io_vector_size(vector, (size_t)count) : 0;
    enum io_mode mode = size > 0 && size <= SSIZE_MAX ? io_mode(fd, true) : IO_DIRECT;
    long result;
    if (sane)
        io_access_vector(self, pc, vector, (size_t)count, size, false);
    if (mode == IO_BLOCKING) {
        result = write_blocking(self, &op, vector, count);
    } else {
        io_point(self, &op);
        result = RAW(SYS_writev, fd, vector, count);
    }
    /* The run's own output is a file that no thread reads: it orders nothing. */
    bool output = mode == IO_DIRECT && (fd == STDOUT_FILENO || fd == STDERR_FILENO);
    return io_finish(self, &op, result, output ? IO_QUIET : IO_SENDS);
}

/* ---- the hooks --------------------------------------------------------------------------------------------------- */

REAL_FUNCTION(read);
REAL_FUNCTION(write);
REAL_FUNCTION(readv);
REAL_FUNCTION(writev);

RT_HOOK ssize_t read(int fd, void *buffer, size_t size)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(read)(fd, buffer, size);
    struct iovec vector = {buffer, size};
    return io_read_vector(self, CALLER, fd, &vector, 1);
}

RT_HOOK ssize_t write(int fd, const void *buffer, size_t size)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(write)(fd, buffer, size);
    struct iovec vector = {(void *)buffer, size};
    return io_write_vector(self, CALLER, fd, &vector, 1);
}

RT_HOOK ssize_t readv(int fd, const struct iovec *vector, int count)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(readv)(fd, vector, count);
    return io_read_vector(self, CALLER, fd, vector, count);
}

RT_HOOK ssize_t writev(int fd, const struct iovec *vector, int count)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(writev)(fd, vector, count);
    return io_write_vector(self, CALLER, fd, vector, count);
}

ssize_t __read_chk(int fd, void *buffer, size_t size, size_t room);
REAL_FUNCTION(__read_chk);

RT_HOOK ssize_t __read_chk(int fd, void *buffer, size_t size, size_t room)
{
    struct task *self = size > room ? NULL : rt_enter();
    if (self == NULL)
        return REAL(__read_chk)(fd, buffer, size, room);
    struct iovec vector = {buffer, size};
    return io_read_vector(self, CALLER, fd, &vector, 1);
}

RT_HOOK int eventfd_read(int fd, eventfd_t *value)
{
    struct task *self = rt_enter();
    struct iovec vector = {value, sizeof *value};
    ssize_t got = self == NULL ? REAL(read)(fd, value, sizeof *value) : io_read_vector(self, CALLER, fd, &vector, 1);
    return got == (ssize_t)sizeof *value ? 0 : -1;
}

RT_HOOK int eventfd_write(int fd, eventfd_t value)
{
    struct task *self = rt_enter();
    struct iovec vector = {&value, sizeof value};
    ssize_t put = self == NULL ? REAL(write)(fd, &value, sizeof value) : io_write_vector(self, CALLER, fd, &vector, 1);
    return put == (ssize_t)sizeof value ? 0 : -1;
}
