/* SPDX-License-Identifier: MIT
 *
 * filelock.c - flock, lockf and the record locks of fcntl.
 *
 * Record locks can be asked about (F_GETLK), so a wait for one is ready when the kernel reports no conflicting
 * lock. flock cannot. A task that waits for one tries again whenever another task has locked, unlocked or closed
 * something; a lock of another process is checked through a second open file of the same path.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <sys/file.h>
#include <unistd.h>

#include "runtime/hooks/filelock.h"
#include "runtime/hooks/io.h"

/* ---- flock ------------------------------------------------------------------------------------------------------- */

static uint64_t generation; /* counts operations of tasks that may have released a lock */

void filelock_changed(void)
{
    generation++;
}

struct attempt {
    int fd, operation;
    uint64_t generation; /* when it was tried last */
};

static enum ready flock_ready(struct task *task, const struct op *op)
{
    (void)task;
    const struct attempt *attempt = (const struct attempt *)(uintptr_t)op->argument;
    if (attempt->generation != generation)
        return READY_YES;
    char path[32];
    rt_format(path, sizeof path, "/proc/self/fd/%d", attempt->fd);
    long again = RAW(SYS_openat, AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (again < 0)
        return READY_NO;
    long result = RAW(SYS_flock, again, attempt->operation | LOCK_NB);
    RAW(SYS_close, again);
    return result == 0 ? READY_YES : READY_NO;
}

/* The wait after a failed attempt. */
static long flock_wait(struct task *self, uintptr_t pc, int fd, int operation)
{
    struct attempt attempt = {fd, operation, generation};
    struct op op = io_operation(OP_IO_FLOCK, fd, pc);
    op.flags = 0;
    op.ready = flock_ready;
    op.argument = (uint64_t)(uintptr_t)&attempt;
    op.fd = -1; /* poll knows nothing about locks */
    for (;;) {
        int error = io_await_ready(self, &op, true);
        if (error != 0)
            return -error;
        attempt.generation = generation;
        long result = RAW(SYS_flock, fd, operation | LOCK_NB);
        if (result != -EAGAIN)
            return result;
    }
}

REAL_FUNCTION(flock);

RT_HOOK int flock(int fd, int operation)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(flock)(fd, operation);
    struct op op = io_operation(OP_IO_FLOCK, fd, CALLER);
    op.flags = operation & LOCK_NB ? OP_YIELDS : 0;
    io_point(self, &op);
    op.flags = 0;
    long result = RAW(SYS_flock, fd, operation | LOCK_NB);
    if (result == -EAGAIN && !(operation & LOCK_NB))
        result = flock_wait(self, op.pc, fd, operation);
    generation++; /* also after a failure: changing a lock releases the old one first */
    bool unlock = (operation & ~LOCK_NB) == LOCK_UN;
    return (int)io_finish(self, &op, result, unlock ? IO_SENDS : IO_SENDS | IO_RECEIVES);
}

/* ---- record locks ------------------------------------------------------------------------------------------------ */

struct file_lock {
    int fd, query;
    const struct flock *lock;
};

static enum ready record_ready(struct task *task, const struct op *op)
{
    (void)task;
    const struct file_lock *record = (const struct file_lock *)(uintptr_t)op->argument;
    struct flock lock = *record->lock;
    long result = RAW(SYS_fcntl, record->fd, record->query, &lock);
    return result < 0 || lock.l_type == F_UNLCK ? READY_YES : READY_NO;
}

/* F_SETLK, F_SETLKW and their F_OFD_ kin. */
int filelock_fcntl(struct task *self, uintptr_t pc, int fd, int command, const struct flock *lock)
{
    bool waiting = command == F_SETLKW || command == F_OFD_SETLKW;
    bool described = command == F_OFD_SETLK || command == F_OFD_SETLKW;
    struct file_lock record = {fd, described ? F_OFD_GETLK : F_GETLK, lock};
    int effects = lock->l_type == F_UNLCK ? IO_SENDS : IO_RECEIVES;
    struct op op = io_operation(OP_IO_FLOCK, fd, pc);
    op.fd = -1;
    op.ready = record_ready;
    op.argument = (uint64_t)(uintptr_t)&record;
    if (!waiting || lock->l_type == F_UNLCK) {
        op.flags = 0;
        op.ready = NULL;
    }
    for (;;) {
        int error = 0;
        if (op.ready != NULL)
            error = io_await_ready(self, &op, true);
        else
            io_point(self, &op);
        long result = error != 0 ? -error : RAW(SYS_fcntl, fd, described ? F_OFD_SETLK : F_SETLK, lock);
        if (op.ready == NULL || (result != -EAGAIN && result != -EACCES))
            return (int)io_finish(self, &op, result, effects);
        op.flags |= OP_YIELDS;
    }
}

REAL_FUNCTION(lockf);

static int lockf_task(struct task *self, uintptr_t pc, int fd, int command, off_t size)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_CUR, .l_len = size};
    switch (command) {
    case F_ULOCK:
        lock.l_type = F_UNLCK;
        return filelock_fcntl(self, pc, fd, F_SETLK, &lock);
    case F_LOCK:
        return filelock_fcntl(self, pc, fd, F_SETLKW, &lock);
    case F_TLOCK:
        return filelock_fcntl(self, pc, fd, F_SETLK, &lock);
    default: {
        int result = REAL(lockf)(fd, command, size);
        return (int)rt_leave_errno(self, result, result < 0 ? errno : 0);
    }
    }
}

RT_HOOK int lockf(int fd, int command, off_t size)
{
    struct task *self = rt_enter();
    return self == NULL ? REAL(lockf)(fd, command, size) : lockf_task(self, CALLER, fd, command, size);
}

RT_HOOK int lockf64(int fd, int command, off64_t size)
{
    struct task *self = rt_enter();
    return self == NULL ? REAL(lockf)(fd, command, size) : lockf_task(self, CALLER, fd, command, size);
}
