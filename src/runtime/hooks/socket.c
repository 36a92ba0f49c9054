/* SPDX-License-Identifier: MIT
 *
 * socket.c - accept, connect, receive, send.
 *
 * Everything is done with MSG_DONTWAIT once the scheduler lets it go. Receiving waits for POLLIN first; sending tries
 * first (see io.c). MSG_WAITALL and long sends on streams go on piece by piece, with scheduling points in between.
 */
#include <fcntl.h>
#include <limits.h>
#include <sys/socket.h>

#include "runtime/access.h"
#include "runtime/hooks/inside.h"
#include "runtime/hooks/io.h"
#include "runtime/hooks/time.h"
#include "runtime/oracle/clock.h"

static int socket_option(int fd, int option)
{
    int value = 0;
    socklen_t size = sizeof value;
    return RAW(SYS_getsockopt, fd, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
}

/* A copy of a message's vector that can be moved on. */
static struct iovec *copy_vector(const struct msghdr *message)
{
    struct iovec *copy = io_scratch(message->msg_iovlen * sizeof *copy);
    for (size_t i = 0; i < message->msg_iovlen; i++)
        copy[i] = message->msg_iov[i];
    return copy;
}

/* ---- receiving --------------------------------------------------------------------------------------------------- */

/* One message, or what there is of a stream. */
static long receive_some(struct task *self, struct op *op, struct msghdr *message, int flags)
{
    for (;;) {
        int error = io_await(self, op, POLLIN, true);
        if (error != 0)
            return -error;
        long result = RAW(SYS_recvmsg, op->fd, message, flags | MSG_DONTWAIT);
        if (result != -EAGAIN)
            return result;
        op->flags |= OP_YIELDS;
    }
}

/* MSG_WAITALL on a stream: until all is there, the other side ends, or an error comes. */
static long receive_all(struct task *self, struct op *op, struct msghdr *message, int flags)
{
    struct iovec *copy = copy_vector(message);
    struct msghdr rest = *message;
    rest.msg_iov = copy;
    long done = 0;
    for (;;) {
        long result = receive_some(self, op, &rest, flags & ~MSG_WAITALL);
        if (done == 0) { /* addresses and ancillary data come with the first piece */
            message->msg_namelen = rest.msg_namelen;
            message->msg_controllen = rest.msg_controllen;
            message->msg_flags = rest.msg_flags;
        }
        if (result <= 0) {
            done = done > 0 ? done : result;
            break;
        }
        done += result;
        rest.msg_iovlen = io_vector_advance(&rest.msg_iov, rest.msg_iovlen, (size_t)result);
        if (rest.msg_iovlen == 0 || rest.msg_controllen != 0)
            break;
        rest.msg_name = rest.msg_control = NULL;
        rest.msg_namelen = 0;
        sched_io_changed();
    }
    io_scratch_free(copy, message->msg_iovlen * sizeof *copy);
    return done;
}

/* Whether a call on this socket would wait. */
static bool waits(int fd, int flags, bool sending)
{
    if (flags & (MSG_DONTWAIT | (sending ? 0 : MSG_ERRQUEUE | MSG_OOB)))
        return false;
    return io_mode(fd, sending) == IO_BLOCKING && io_is_socket(fd);
}

static long receive(struct task *self, struct op *op, struct msghdr *message, int flags)
{
    int fd = op->fd;
    long result;
    if (message->msg_iovlen > IOV_MAX)
        return -EMSGSIZE;
    if (waits(fd, flags, false)) {
        op->deadline = io_socket_deadline(fd, SO_RCVTIMEO);
        bool all = (flags & MSG_WAITALL) && !(flags & MSG_PEEK) && socket_option(fd, SO_TYPE) == SOCK_STREAM;
        size_t count = message->msg_iovlen;
        result = all && count > 0 ? receive_all(self, op, message, flags) : receive_some(self, op, message, flags);
    } else {
        if (io_poll(fd, POLLIN) == 0)
            op->flags |= OP_YIELDS;
        io_point(self, op);
        result = RAW(SYS_recvmsg, fd, message, flags);
    }
    if (result > 0)
        io_access_vector(self, op->pc, message->msg_iov, message->msg_iovlen, (size_t)result, true);
    return result;
}

/* ---- sending ----------------------------------------------------------------------------------------------------- */

static long send_all(struct task *self, struct op *op, struct msghdr *rest, int flags, bool stream)
{
    long done = 0;
    io_point(self, op);
    for (;;) {
        long result;
        do
            result = RAW(SYS_sendmsg, op->fd, rest, flags | MSG_DONTWAIT);
        while (io_try_again(self, op, &result, done == 0));
        if (result < 0)
            return done > 0 ? done : result;
        done += result;
        rest->msg_iovlen = io_vector_advance(&rest->msg_iov, rest->msg_iovlen, (size_t)result);
        if (rest->msg_iovlen == 0 || !stream)
            return done;
        rest->msg_control = NULL;
        rest->msg_controllen = 0;
        hb_io_release(self);
        sched_io_changed();
    }
}

static long transmit(struct task *self, struct op *op, const struct msghdr *message, int flags)
{
    int fd = op->fd;
    if (message->msg_iovlen > IOV_MAX)
        return -EMSGSIZE;
    if (message->msg_controllen > 0 && !inside_has(fd))
        inside_give_up(); /* descriptors may go along */
    io_access_vector(self, op->pc, message->msg_iov, message->msg_iovlen, SIZE_MAX, false);
    if (!waits(fd, flags, true)) {
        io_point(self, op);
        return RAW(SYS_sendmsg, fd, message, flags);
    }
    op->deadline = io_socket_deadline(fd, SO_SNDTIMEO);
    struct msghdr rest = *message;
    struct iovec *copy = copy_vector(message);
    rest.msg_iov = copy;
    long result = send_all(self, op, &rest, flags, socket_option(fd, SO_TYPE) == SOCK_STREAM);
    io_scratch_free(copy, message->msg_iovlen * sizeof *copy);
    return result;
}

/* ---- hooks: receive and send ------------------------------------------------------------------------------------- */

REAL_FUNCTION(recv);
REAL_FUNCTION(recvfrom);
REAL_FUNCTION(recvmsg);
REAL_FUNCTION(recvmmsg);
REAL_FUNCTION(send);
REAL_FUNCTION(sendto);
REAL_FUNCTION(sendmsg);
REAL_FUNCTION(sendmmsg);

static ssize_t receive_bytes(struct task *self, uintptr_t pc, int fd, void *buffer, size_t size, int flags,
                             struct sockaddr *address, socklen_t *address_size)
{
    struct op op = io_operation(OP_IO_READ, fd, pc);
    struct iovec vector = {buffer, size};
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1, .msg_name = address};
    if (address != NULL && address_size != NULL)
        message.msg_namelen = *address_size;
    long result = receive(self, &op, &message, flags);
    if (result >= 0 && address != NULL && address_size != NULL)
        *address_size = message.msg_namelen;
    return io_finish(self, &op, result, IO_RECEIVES);
}

RT_HOOK ssize_t recv(int fd, void *buffer, size_t size, int flags)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(recv)(fd, buffer, size, flags);
    return receive_bytes(self, CALLER, fd, buffer, size, flags, NULL, NULL);
}

RT_HOOK ssize_t recvfrom(int fd, void *restrict buffer, size_t size, int flags, struct sockaddr *restrict address,
                         socklen_t *restrict address_size)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(recvfrom)(fd, buffer, size, flags, address, address_size);
    return receive_bytes(self, CALLER, fd, buffer, size, flags, address, address_size);
}

ssize_t __recv_chk(int fd, void *buffer, size_t size, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *restrict buffer, size_t size, size_t room, int flags,
                       struct sockaddr *restrict address, socklen_t *restrict address_size);
REAL_FUNCTION(__recv_chk);
REAL_FUNCTION(__recvfrom_chk);

RT_HOOK ssize_t __recv_chk(int fd, void *buffer, size_t size, size_t room, int flags)
{
    struct task *self = size > room ? NULL : rt_enter();
    if (self == NULL)
        return REAL(__recv_chk)(fd, buffer, size, room, flags);
    return receive_bytes(self, CALLER, fd, buffer, size, flags, NULL, NULL);
}

RT_HOOK ssize_t __recvfrom_chk(int fd, void *restrict buffer, size_t size, size_t room, int flags,
                               struct sockaddr *restrict address, socklen_t *restrict address_size)
{
    struct task *self = size > room ? NULL : rt_enter();
    if (self == NULL)
        return REAL(__recvfrom_chk)(fd, buffer, size, room, flags, address, address_size);
    return receive_bytes(self, CALLER, fd, buffer, size, flags, address, address_size);
}

RT_HOOK ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(recvmsg)(fd, message, flags);
    struct op op = io_operation(OP_IO_READ, fd, CALLER);
    long result = receive(self, &op, message, flags);
    return io_finish(self, &op, result, IO_RECEIVES);
}

RT_HOOK int recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags, struct timespec *timeout)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(recvmmsg)(fd, messages, count, flags, timeout);
    struct op op = io_operation(OP_IO_READ, fd, CALLER);
    int64_t end = timeout != NULL ? time_after(time_nanoseconds(timeout)) : RT_NEVER;
    long result = 0;
    unsigned done = 0;
    while (done < count) {
        result = receive(self, &op, &messages[done].msg_hdr, flags & ~MSG_WAITFORONE);
        if (result < 0)
            break;
        messages[done++].msg_len = (unsigned)result;
        if (flags & MSG_WAITFORONE)
            flags |= MSG_DONTWAIT;
        if (rt.now >= end)
            break;
    }
    return (int)io_finish(self, &op, done > 0 || result >= 0 ? (long)done : result, IO_RECEIVES);
}

static ssize_t transmit_bytes(struct task *self, uintptr_t pc, int fd, const void *buffer, size_t size, int flags,
                              const struct sockaddr *address, socklen_t address_size)
{
    struct op op = io_operation(OP_IO_WRITE, fd, pc);
    struct iovec vector = {(void *)buffer, size};
    struct msghdr message = {
        .msg_iov = &vector,
        .msg_iovlen = 1,
        .msg_name = (void *)address,
        .msg_namelen = address != NULL ? address_size : 0,
    };
    return io_finish(self, &op, transmit(self, &op, &message, flags), IO_SENDS);
}

RT_HOOK ssize_t send(int fd, const void *buffer, size_t size, int flags)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(send)(fd, buffer, size, flags);
    return transmit_bytes(self, CALLER, fd, buffer, size, flags, NULL, 0);
}

RT_HOOK ssize_t sendto(int fd, const void *buffer, size_t size, int flags, const struct sockaddr *address,
                       socklen_t address_size)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(sendto)(fd, buffer, size, flags, address, address_size);
    return transmit_bytes(self, CALLER, fd, buffer, size, flags, address, address_size);
}

RT_HOOK ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(sendmsg)(fd, message, flags);
    struct op op = io_operation(OP_IO_WRITE, fd, CALLER);
    return io_finish(self, &op, transmit(self, &op, message, flags), IO_SENDS);
}

RT_HOOK int sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(sendmmsg)(fd, messages, count, flags);
    struct op op = io_operation(OP_IO_WRITE, fd, CALLER);
    long result = 0;
    unsigned done = 0;
    while (done < count && (result = transmit(self, &op, &messages[done].msg_hdr, flags)) >= 0) {
        messages[done++].msg_len = (unsigned)result;
        hb_io_release(self);
        sched_io_changed();
    }
    return (int)io_finish(self, &op, done > 0 || result >= 0 ? (long)done : result, IO_SENDS);
}

/* ---- connections ------------------------------------------------------------------------------------------------- */

REAL_FUNCTION(accept);
REAL_FUNCTION(accept4);
REAL_FUNCTION(connect);
REAL_FUNCTION(shutdown);

static int accept_connection(struct task *self, uintptr_t pc, int fd, struct sockaddr *address, socklen_t *size,
                             int flags)
{
    struct op op = io_operation(OP_IO_ACCEPT, fd, pc);
    int error = 0;
    if (waits(fd, 0, false) && socket_option(fd, SO_ACCEPTCONN) == 1) {
        op.deadline = io_socket_deadline(fd, SO_RCVTIMEO);
        error = io_await(self, &op, POLLIN, true);
    } else {
        if (io_poll(fd, POLLIN) == 0)
            op.flags |= OP_YIELDS;
        io_point(self, &op);
    }
    long result = error != 0 ? -error : RAW(SYS_accept4, fd, address, size, flags);
    return (int)io_finish(self, &op, result, IO_RECEIVES | IO_SENDS);
}

RT_HOOK int accept(int fd, struct sockaddr *restrict address, socklen_t *restrict size)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(accept)(fd, address, size);
    return accept_connection(self, CALLER, fd, address, size, 0);
}

RT_HOOK int accept4(int fd, struct sockaddr *restrict address, socklen_t *restrict size, int flags)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(accept4)(fd, address, size, flags);
    return accept_connection(self, CALLER, fd, address, size, flags);
}

/* The flag is set only while this task has the baton and does not wait. */
static long connect_nonblocking(int fd, const struct sockaddr *address, socklen_t size)
{
    long flags = RAW(SYS_fcntl, fd, F_GETFL);
    RAW(SYS_fcntl, fd, F_SETFL, flags | O_NONBLOCK);
    long result = RAW(SYS_connect, fd, address, size);
    RAW(SYS_fcntl, fd, F_SETFL, flags);
    return result;
}

static long connect_blocking(struct task *self, struct op *op, const struct sockaddr *address, socklen_t size)
{
    io_point(self, op);
    op->deadline = io_socket_deadline(op->fd, SO_SNDTIMEO);
    long result;
    while ((result = connect_nonblocking(op->fd, address, size)) == -EAGAIN) {
        /* A local socket whose queue is full: there is no event to wait for. */
        io_done(self, op, result, 0);
        op->flags |= OP_YIELDS;
        if (sched_point(self, op) == WAKE_LATE)
            return -EAGAIN;
    }
    if (result != -EINPROGRESS)
        return result;
    sched_io_changed(); /* the other side can accept */
    int error = io_await(self, op, POLLOUT, true);
    if (error != 0)
        return error == EAGAIN ? -EINPROGRESS : -error;
    return -socket_option(op->fd, SO_ERROR);
}

RT_HOOK int connect(int fd, const struct sockaddr *address, socklen_t size)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(connect)(fd, address, size);
    struct op op = io_operation(OP_IO_CONNECT, fd, CALLER);
    long result;
    access_range(self, op.pc, address, size, false);
    if (waits(fd, 0, true)) {
        result = connect_blocking(self, &op, address, size);
    } else {
        io_point(self, &op);
        result = RAW(SYS_connect, fd, address, size);
        if (result == -EINPROGRESS)
            sched_io_changed();
    }
    return (int)io_finish(self, &op, result, IO_RECEIVES | IO_SENDS);
}

RT_HOOK int shutdown(int fd, int how)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(shutdown)(fd, how);
    struct op op = io_operation(OP_IO_CLOSE, fd, CALLER);
    op.flags = 0;
    io_point(self, &op);
    return (int)io_finish(self, &op, RAW(SYS_shutdown, fd, how), IO_SENDS);
}
