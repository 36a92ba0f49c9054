/* SPDX-License-Identifier: MIT
 *
 * external.c - calls that may block and have no model: made for real, while the other tasks go on. They are counted
 * and named in the report. POSIX message queues are descriptors on Linux, so for them there is a better way.
 */
#include <aio.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netdb.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <termios.h>

#include "runtime/hooks/inside.h"
#include "runtime/hooks/io.h"
#include "runtime/hooks/time.h"
#include "runtime/oracle/clock.h"

/* EXTERNAL(result type, name, (parameters), (arguments)): the hook of one such call. */
#define EXTERNAL(type, name, parameters, arguments)                                                                    \
    REAL_FUNCTION(name);                                                                                               \
    RT_HOOK type name parameters                                                                                       \
    {                                                                                                                  \
        struct task *self = rt_enter();                                                                                \
        if (self == NULL)                                                                                              \
            return REAL(name) arguments;                                                                               \
        type result;                                                                                                   \
        IO_EXTERNAL(self, #name, result, REAL(name) arguments);                                                        \
        hb_io_release(self);                                                                                           \
        hb_io_acquire(self);                                                                                           \
        sched_io_changed();                                                                                            \
        rt_leave(self);                                                                                                \
        return result;                                                                                                 \
    }

EXTERNAL(int, msgsnd, (int id, const void *message, size_t size, int flags), (id, message, size, flags))
EXTERNAL(ssize_t, msgrcv, (int id, void *message, size_t size, long type, int flags), (id, message, size, type, flags))
EXTERNAL(int, semop, (int id, struct sembuf *operations, size_t count), (id, operations, count))
EXTERNAL(int, semtimedop, (int id, struct sembuf *operations, size_t count, const struct timespec *timeout),
         (id, operations, count, timeout))
EXTERNAL(int, tcdrain, (int fd), (fd))
EXTERNAL(int, aio_suspend, (const struct aiocb *const list[], int count, const struct timespec *restrict timeout),
         (list, count, timeout))
EXTERNAL(int, getaddrinfo,
         (const char *restrict node, const char *restrict service, const struct addrinfo *restrict hints,
          struct addrinfo **restrict list),
         (node, service, hints, list))
EXTERNAL(int, getnameinfo,
         (const struct sockaddr *restrict address, socklen_t size, char *restrict host, socklen_t host_size,
          char *restrict service, socklen_t service_size, int flags),
         (address, size, host, host_size, service, service_size, flags))
EXTERNAL(int, gethostbyname_r,
         (const char *restrict name, struct hostent *restrict entry, char *restrict buffer, size_t size,
          struct hostent **restrict found, int *restrict error),
         (name, entry, buffer, size, found, error))
EXTERNAL(ssize_t, splice, (int in, off64_t *in_offset, int out, off64_t *out_offset, size_t size, unsigned flags),
         (in, in_offset, out, out_offset, size, flags))
EXTERNAL(ssize_t, tee, (int in, int out, size_t size, unsigned flags), (in, out, size, flags))
EXTERNAL(ssize_t, vmsplice, (int fd, const struct iovec *vector, size_t count, unsigned flags),
         (fd, vector, count, flags))

/* ---- asynchronous I/O: libc does it with threads of its own, which are not under control ------------------------- */

#define ASYNCHRONOUS(name)                                                                                             \
    REAL_FUNCTION(name);                                                                                               \
    RT_HOOK int name(struct aiocb *request)                                                                            \
    {                                                                                                                  \
        struct task *self = rt_enter();                                                                                \
        if (self == NULL)                                                                                              \
            return REAL(name)(request);                                                                                \
        sched_uncontrolled(#name);                                                                                     \
        inside_give_up();                                                                                              \
        hb_io_release(self);                                                                                           \
        int result = REAL(name)(request);                                                                              \
        return (int)rt_leave_errno(self, result, result < 0 ? errno : 0);                                              \
    }

ASYNCHRONOUS(aio_read)
ASYNCHRONOUS(aio_write)

/* ---- sendfile: waits only for room in a pipe or socket ----------------------------------------------------------- */

REAL_FUNCTION(sendfile);

static ssize_t sendfile_any(uintptr_t pc, int out, int in, off_t *offset, size_t size)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(sendfile)(out, in, offset, size);
    struct op op = io_operation(OP_IO_WRITE, out, pc);
    op.flags = 0;
    if (io_mode(out, true) != IO_BLOCKING) {
        io_point(self, &op);
        return io_finish(self, &op, RAW(SYS_sendfile, out, in, offset, size), IO_SENDS);
    }
    ssize_t result;
    IO_EXTERNAL(self, "sendfile", result, REAL(sendfile)(out, in, offset, size));
    return io_finish(self, &op, result < 0 ? -self->saved_errno : result, IO_SENDS);
}

RT_HOOK ssize_t sendfile(int out, int in, off_t *offset, size_t size)
{
    return sendfile_any(CALLER, out, in, offset, size);
}

RT_HOOK ssize_t sendfile64(int out, int in, off64_t *offset, size_t size)
{
    return sendfile_any(CALLER, out, in, offset, size);
}

/* ---- POSIX message queues ---------------------------------------------------------------------------------------- */

/* A time in the past: the call does not wait. */
static const struct timespec long_ago = {0, 0};

/* Receives or sends when the queue allows it. */
static long queue_transfer(struct task *self, uintptr_t pc, mqd_t queue, bool sending, void *message, size_t size,
                           uintptr_t priority, const struct timespec *until)
{
    struct op op = io_operation(sending ? OP_IO_WRITE : OP_IO_READ, queue, pc);
    bool blocking = io_mode(queue, sending) == IO_BLOCKING || (RAW(SYS_fcntl, queue, F_GETFL) & O_NONBLOCK) == 0;
    op.deadline = time_deadline(CLOCK_REALTIME, until);
    long result;
    for (;;) {
        int error = 0;
        if (blocking)
            error = io_await(self, &op, sending ? POLLOUT : POLLIN, true);
        else
            io_point(self, &op);
        if (error != 0) {
            result = error == EAGAIN ? -ETIMEDOUT : -error;
            break;
        }
        result = RAW(sending ? SYS_mq_timedsend : SYS_mq_timedreceive, queue, message, size, priority, &long_ago);
        if (result != -ETIMEDOUT)
            break;
        op.flags |= OP_YIELDS;
    }
    return io_finish(self, &op, result, sending ? IO_SENDS : IO_RECEIVES);
}

REAL_FUNCTION(mq_send);
REAL_FUNCTION(mq_receive);
REAL_FUNCTION(mq_timedsend);
REAL_FUNCTION(mq_timedreceive);

RT_HOOK int mq_send(mqd_t queue, const char *message, size_t size, unsigned priority)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(mq_send)(queue, message, size, priority);
    return (int)queue_transfer(self, CALLER, queue, true, (void *)message, size, priority, NULL);
}

RT_HOOK ssize_t mq_receive(mqd_t queue, char *message, size_t size, unsigned *priority)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(mq_receive)(queue, message, size, priority);
    return queue_transfer(self, CALLER, queue, false, message, size, (uintptr_t)priority, NULL);
}

RT_HOOK int mq_timedsend(mqd_t queue, const char *message, size_t size, unsigned priority, const struct timespec *until)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(mq_timedsend)(queue, message, size, priority, until);
    return (int)queue_transfer(self, CALLER, queue, true, (void *)message, size, priority, until);
}

RT_HOOK ssize_t mq_timedreceive(mqd_t queue, char *restrict message, size_t size, unsigned *restrict priority,
                                const struct timespec *restrict until)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(mq_timedreceive)(queue, message, size, priority, until);
    return queue_transfer(self, CALLER, queue, false, message, size, (uintptr_t)priority, until);
}
