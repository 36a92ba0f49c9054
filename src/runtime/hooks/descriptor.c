/* SPDX-License-Identifier: MIT
 *
 * descriptor.c - open, close, dup, fcntl, and the positioned reads and writes.
 *
 * Opening and closing are visible to other tasks: lock files, the end of a pipe.  Opening a named pipe may wait for the
 * other side, and the kernel has no way to ask before: that is an uncontrolled call.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/hooks/filelock.h"
#include "runtime/hooks/inside.h"
#include "runtime/hooks/io.h"
#include "runtime/hooks/timerfd.h"
#include "runtime/restart.h"
#include "runtime/shadow.h"

/* ---- open -------------------------------------------------------------------------------------------------------- */

static bool opening_waits(int directory, const char *path, int flags)
{
    struct stat status;
    if ((flags & (O_NONBLOCK | O_PATH)) != 0 || (flags & O_ACCMODE) == O_RDWR)
        return false;
    return RAW(SYS_newfstatat, directory, path, &status, 0) == 0 && S_ISFIFO(status.st_mode);
}

/* For open and open64: on 64-bit machines large files need no flag. */
static long open_real(int directory, const char *path, int flags, mode_t mode)
{
    return RAW(SYS_openat, directory, path, flags, mode);
}

static int open_task(struct task *self, uintptr_t pc, int directory, const char *path, int flags, mode_t mode)
{
    struct op op = io_operation(flags & (O_CREAT | O_TRUNC) ? OP_IO_WRITE : OP_IO_READ, -1, pc);
    long result;
    if (random_is_device(path)) {
        result = random_descriptor(flags & O_CLOEXEC);
        return (int)rt_leave_errno(self, result, result < 0 ? (int)-result : 0);
    }
    if (opening_waits(directory, path, flags)) {
        sched_external_begin(self, "open of a named pipe");
        result = open_real(directory, path, flags, mode);
        sched_external_end(self);
    } else {
        io_point(self, &op);
        result = open_real(directory, path, flags, mode);
    }
    io_note_opened((int)result);
    return (int)io_finish(self, &op, result, flags & O_CREAT ? IO_SENDS | IO_RECEIVES : IO_RECEIVES);
}

static bool has_mode(int flags)
{
    return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
}

#define MODE_ARGUMENT(flags, mode)                                                                                     \
    mode_t mode = 0;                                                                                                   \
    if (has_mode(flags)) {                                                                                             \
        va_list arguments;                                                                                             \
        va_start(arguments, flags);                                                                                    \
        mode = va_arg(arguments, mode_t);                                                                              \
        va_end(arguments);                                                                                             \
    }

REAL_FUNCTION(open);
REAL_FUNCTION(openat);
REAL_FUNCTION(creat);

/* Before the fork point only the devices are special. */
static int open_free(int directory, const char *path, int flags, mode_t mode)
{
    if (rt.attached && !rt.controlled && random_is_device(path))
        return (int)random_descriptor(flags & O_CLOEXEC);
    return directory == AT_FDCWD ? REAL(open)(path, flags, mode) : REAL(openat)(directory, path, flags, mode);
}

static int open_any(uintptr_t pc, int directory, const char *path, int flags, mode_t mode)
{
    struct task *self = rt_enter();
    return self == NULL ? open_free(directory, path, flags, mode) : open_task(self, pc, directory, path, flags, mode);
}

RT_HOOK int open(const char *path, int flags, ...)
{
    MODE_ARGUMENT(flags, mode)
    return open_any(CALLER, AT_FDCWD, path, flags, mode);
}

RT_HOOK int open64(const char *path, int flags, ...)
{
    MODE_ARGUMENT(flags, mode)
    return open_any(CALLER, AT_FDCWD, path, flags, mode);
}

RT_HOOK int openat(int directory, const char *path, int flags, ...)
{
    MODE_ARGUMENT(flags, mode)
    return open_any(CALLER, directory, path, flags, mode);
}

RT_HOOK int openat64(int directory, const char *path, int flags, ...)
{
    MODE_ARGUMENT(flags, mode)
    return open_any(CALLER, directory, path, flags, mode);
}

RT_HOOK int creat(const char *path, mode_t mode)
{
    return open_any(CALLER, AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

RT_HOOK int creat64(const char *path, mode_t mode)
{
    return open_any(CALLER, AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int directory, const char *path, int flags);
int __openat64_2(int directory, const char *path, int flags);
REAL_FUNCTION(__open_2);
REAL_FUNCTION(__openat_2);

/* What _FORTIFY_SOURCE makes of a call without a mode; libc ends the program if one was needed. */
RT_HOOK int __open_2(const char *path, int flags)
{
    return has_mode(flags) ? REAL(__open_2)(path, flags) : open_any(CALLER, AT_FDCWD, path, flags, 0);
}

RT_HOOK int __open64_2(const char *path, int flags)
{
    return has_mode(flags) ? REAL(__open_2)(path, flags) : open_any(CALLER, AT_FDCWD, path, flags, 0);
}

RT_HOOK int __openat_2(int directory, const char *path, int flags)
{
    return has_mode(flags) ? REAL(__openat_2)(directory, path, flags) : open_any(CALLER, directory, path, flags, 0);
}

RT_HOOK int __openat64_2(int directory, const char *path, int flags)
{
    return has_mode(flags) ? REAL(__openat_2)(directory, path, flags) : open_any(CALLER, directory, path, flags, 0);
}

/* ---- close and dup ----------------------------------------------------------------------------------------------- */

REAL_FUNCTION(close);
REAL_FUNCTION(dup2);
REAL_FUNCTION(dup3);
REAL_FUNCTION(close_range);

RT_HOOK int close(int fd)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(close)(fd);
    struct op op = io_operation(OP_IO_CLOSE, fd, CALLER);
    io_point(self, &op);
    if (restart_had_descriptor(fd))
        restart_forbid("close");
    long result = RAW(SYS_close, fd);
    filelock_changed();
    timerfd_was_closed(fd);
    inside_remove(fd);
    return (int)io_finish(self, &op, result, IO_SENDS);
}

/* new_fd now refers to the same file as fd. */
static void forget_descriptor(int fd, int new_fd)
{
    timerfd_was_closed(new_fd);
    if (inside_has(fd))
        inside_add(new_fd);
    else
        inside_remove(new_fd);
}

/* The new number is closed first if it was open. */
static int dup_task(struct task *self, uintptr_t pc, int fd, int new_fd, int flags, bool plain)
{
    struct op op = io_operation(OP_IO_CLOSE, new_fd, pc);
    op.flags = 0;
    io_point(self, &op);
    long result;
    if (plain && fd == new_fd) {
        result = RAW(SYS_fcntl, fd, F_GETFL);
        result = result < 0 ? result : fd;
    } else {
        if (restart_had_descriptor(new_fd))
            restart_forbid("dup2");
        result = RAW(SYS_dup3, fd, new_fd, flags);
        if (result >= 0)
            forget_descriptor(fd, new_fd);
    }
    filelock_changed();
    return (int)io_finish(self, &op, result, IO_SENDS);
}

RT_HOOK int dup2(int fd, int new_fd)
{
    struct task *self = rt_enter();
    return self == NULL ? REAL(dup2)(fd, new_fd) : dup_task(self, CALLER, fd, new_fd, 0, true);
}

RT_HOOK int dup3(int fd, int new_fd, int flags)
{
    struct task *self = rt_enter();
    return self == NULL ? REAL(dup3)(fd, new_fd, flags) : dup_task(self, CALLER, fd, new_fd, flags, false);
}

RT_HOOK int close_range(unsigned first, unsigned last, int flags)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(close_range)(first, last, flags);
    struct op op = io_operation(OP_IO_CLOSE, (int)first, CALLER);
    op.flags = 0;
    io_point(self, &op);
    restart_forbid("close_range");
    long result = RAW(SYS_close_range, first, last, flags);
    filelock_changed();
    return (int)io_finish(self, &op, result, IO_SENDS);
}

/* ---- fcntl ------------------------------------------------------------------------------------------------------- */

REAL_FUNCTION(fcntl);

static int fcntl_any(uintptr_t pc, int fd, int command, void *argument)
{
    bool asks = command == F_GETFD || command == F_GETFL || command == F_GETLK || command == F_OFD_GETLK;
    bool copies = command == F_DUPFD || command == F_DUPFD_CLOEXEC;
    bool signals = command == F_SETOWN || command == F_SETSIG || command == F_SETOWN_EX || command == F_NOTIFY;
    if (!asks && !copies && (signals || restart_had_descriptor(fd)))
        restart_forbid("fcntl"); /* signals may arrive when the run is over */
    bool locks = command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW;
    struct task *self = locks && argument != NULL ? rt_enter() : NULL;
    return self == NULL ? REAL(fcntl)(fd, command, argument) : filelock_fcntl(self, pc, fd, command, argument);
}

/* Every command takes nothing or one word: passing one that was not given does no harm, as in libc itself. */
RT_HOOK int fcntl(int fd, int command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    return fcntl_any(CALLER, fd, command, argument);
}

RT_HOOK int fcntl64(int fd, int command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    return fcntl_any(CALLER, fd, command, argument);
}

/* ---- at a position: regular files, never waits ------------------------------------------------------------------- */

REAL_FUNCTION(pread);
REAL_FUNCTION(pwrite);
REAL_FUNCTION(preadv);
REAL_FUNCTION(pwritev);

static ssize_t pread_task(struct task *self, uintptr_t pc, int fd, const struct iovec *vector, int count, off_t offset)
{
    struct op op = io_operation(OP_IO_READ, fd, pc);
    io_point(self, &op);
    long result = RAW(SYS_preadv, fd, vector, count, offset, 0);
    if (result > 0)
        io_access_vector(self, pc, vector, (size_t)count, (size_t)result, true);
    return io_finish(self, &op, result, IO_RECEIVES | IO_QUIET);
}

static ssize_t pwrite_task(struct task *self, uintptr_t pc, int fd, const struct iovec *vector, int count, off_t offset)
{
    struct op op = io_operation(OP_IO_WRITE, fd, pc);
    if (count > 0 && count <= 1024)
        io_access_vector(self, pc, vector, (size_t)count, SIZE_MAX, false);
    io_point(self, &op);
    return io_finish(self, &op, RAW(SYS_pwritev, fd, vector, count, offset, 0), IO_SENDS);
}

RT_HOOK ssize_t pread(int fd, void *buffer, size_t size, off_t offset)
{
    struct task *self = rt_enter();
    struct iovec vector = {buffer, size};
    return self == NULL ? REAL(pread)(fd, buffer, size, offset) : pread_task(self, CALLER, fd, &vector, 1, offset);
}

RT_HOOK ssize_t pread64(int fd, void *buffer, size_t size, off64_t offset)
{
    struct task *self = rt_enter();
    struct iovec vector = {buffer, size};
    return self == NULL ? REAL(pread)(fd, buffer, size, offset) : pread_task(self, CALLER, fd, &vector, 1, offset);
}

RT_HOOK ssize_t pwrite(int fd, const void *buffer, size_t size, off_t offset)
{
    struct task *self = rt_enter();
    struct iovec vector = {(void *)buffer, size};
    return self == NULL ? REAL(pwrite)(fd, buffer, size, offset) : pwrite_task(self, CALLER, fd, &vector, 1, offset);
}

RT_HOOK ssize_t pwrite64(int fd, const void *buffer, size_t size, off64_t offset)
{
    struct task *self = rt_enter();
    struct iovec vector = {(void *)buffer, size};
    return self == NULL ? REAL(pwrite)(fd, buffer, size, offset) : pwrite_task(self, CALLER, fd, &vector, 1, offset);
}

RT_HOOK ssize_t preadv(int fd, const struct iovec *vector, int count, off_t offset)
{
    struct task *self = rt_enter();
    return self == NULL ? REAL(preadv)(fd, vector, count, offset) : pread_task(self, CALLER, fd, vector, count, offset);
}

RT_HOOK ssize_t pwritev(int fd, const struct iovec *vector, int count, off_t offset)
{
    struct task *self = rt_enter();
    return self == NULL ? REAL(pwritev)(fd, vector, count, offset)
                        : pwrite_task(self, CALLER, fd, vector, count, offset);
}
