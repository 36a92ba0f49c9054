/* SPDX-License-Identifier: MIT
 *
 * poll.c - poll, select, epoll.
 *
 * Timeouts are virtual. While the task waits, ready() asks the kernel about copies of the program's arrays; only the
 * call that ends the wait writes into the program's own. A call with timeout zero that finds nothing asks to be
 * passed over and counts as a failed attempt, so that a loop of them is known to be waiting.
 */
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>

#include "runtime/access.h"
#include "runtime/hooks/inside.h"
#include "runtime/hooks/io.h"
#include "runtime/hooks/time.h"
#include "runtime/model/signal.h"
#include "runtime/record.h"

/* ---- waiting for any of these ------------------------------------------------------------------------------------ */

/* How to ask the kernel.  None of these functions waits. */
struct wait_kind {
    long (*ask)(const void *subject);    /* the kernel's answer now; changes only copies */
    long (*answer)(const void *subject); /* the same for the program: descriptors, 0, or -errno */
    bool (*inside)(const void *subject); /* all of its descriptors are */
};

/* One wait: what to ask, and how long. */
struct poll_wait {
    const struct wait_kind *kind;
    const void *subject;
    int64_t deadline; /* RT_NEVER, or rt.now at the beginning: do not wait at all */
    bool at_once;
    const sigset_t *mask; /* of ppoll and its like; NULL */
};

static enum ready wait_ready(struct task *task, const struct op *op)
{
    (void)task;
    const struct poll_wait *wait = (const struct poll_wait *)(uintptr_t)op->argument;
    if (wait->kind->ask(wait->subject) != 0)
        return READY_YES;
    return op->deadline != RT_NEVER ? READY_LATE : READY_NO;
}

static bool wait_outside(const struct op *op)
{
    const struct poll_wait *wait = (const struct poll_wait *)(uintptr_t)op->argument;
    return !wait->kind->inside(wait->subject);
}

/* The point, or the wait. 0: ask the kernel now; EINTR; ETIMEDOUT: nothing came. */
static int wait_until(struct task *self, struct op *op, const struct poll_wait *wait)
{
    op->argument = (uint64_t)(uintptr_t)wait;
    op->deadline = wait->deadline;
    if (wait->at_once) {
        if (wait->kind->ask(wait->subject) == 0)
            op->flags |= OP_YIELDS;
        op->deadline = RT_NEVER;
        io_point(self, op);
        return 0;
    }
    op->ready = wait_ready;
    op->outside = wait_outside;
    int error = io_await_ready(self, op, false);
    return error == EAGAIN ? ETIMEDOUT : error;
}

/* The same with the signal mask that the program wants meanwhile. */
static int wait_masked(struct task *self, struct op *op, const struct poll_wait *wait)
{
    if (wait->mask == NULL)
        return wait_until(self, op, wait);
    uint64_t before = signal_bits(&self->signal_mask);
    signal_set_mask(self, signal_bits(wait->mask));
    int error = wait_until(self, op, wait);
    signal_set_mask(self, before);
    return error;
}

/* As wait_masked, until the kernel has an answer: *count. */
static int wait_answered(struct task *self, struct op *op, const struct poll_wait *wait, long *count)
{
    int error;
    *count = 0;
    do {
        error = wait_masked(self, op, wait);
        if (error != EINTR)
            *count = wait->kind->answer(wait->subject);
    } while (error == 0 && *count == 0 && !wait->at_once);
    return error;
}

/* Records the end of a wait and leaves the hook. `count`: descriptors, 0, or -errno. */
static int wait_finish(struct task *self, struct op *op, long count, int error)
{
    if (error == EINTR) {
        record_event(self, op, EINTR, EVENT_FAILED | EVENT_SIGNALLED);
        return (int)rt_leave_errno(self, -1, EINTR);
    }
    if (count == 0 && error == ETIMEDOUT) {
        record_event(self, op, 0, EVENT_TIMEOUT | EVENT_VALUE);
        rt_leave(self);
        return 0;
    }
    if (count == 0) {
        record_event(self, op, 0, EVENT_FAILED | EVENT_VALUE);
        rt_leave(self);
        return 0;
    }
    return (int)io_finish(self, op, count, IO_RECEIVES | IO_QUIET);
}

/* Deadline of a relative timeout; NULL waits for ever. */
static struct poll_wait wait_for(const struct wait_kind *kind, const void *subject, const struct timespec *timeout,
                                 const sigset_t *mask)
{
    struct poll_wait wait = {.kind = kind, .subject = subject, .deadline = RT_NEVER, .mask = mask};
    if (timeout != NULL) {
        wait.deadline = time_after(time_nanoseconds(timeout));
        wait.at_once = timeout->tv_sec == 0 && timeout->tv_nsec == 0;
    }
    return wait;
}

static bool timeout_valid(const struct timespec *timeout)
{
    return timeout == NULL || (time_valid(timeout) && timeout->tv_sec >= 0);
}

static struct timespec milliseconds(int timeout)
{
    return time_timespec((int64_t)timeout * 1000000);
}

/* ---- poll -------------------------------------------------------------------------------------------------------- */

struct poll_subject {
    struct pollfd *fds, *copy;
    nfds_t count;
};

static long poll_at_once(struct pollfd *fds, nfds_t count)
{
    struct timespec zero = {0, 0};
    return RAW(SYS_ppoll, fds, count, &zero, 0, 0);
}

static long ask_poll(const void *about)
{
    const struct poll_subject *subject = about;
    return poll_at_once(subject->copy, subject->count);
}

static long answer_poll(const void *about)
{
    const struct poll_subject *subject = about;
    return poll_at_once(subject->fds, subject->count);
}

static bool inside_poll(const void *about)
{
    const struct poll_subject *subject = about;
    for (nfds_t i = 0; i < subject->count; i++)
        if (subject->copy[i].fd >= 0 && !inside_has(subject->copy[i].fd))
            return false;
    return true;
}

static const struct wait_kind kind_poll = {ask_poll, answer_poll, inside_poll};

static int poll_task(struct task *self, uintptr_t pc, struct pollfd *fds, nfds_t count, const struct timespec *timeout,
                     const sigset_t *mask)
{
    size_t bytes = count * sizeof *fds;
    struct op op = io_operation(OP_IO_POLL, count == 1 && fds->events == POLLIN ? fds->fd : -1, pc);
    if (!timeout_valid(timeout))
        return (int)rt_leave_errno(self, -1, EINVAL);
    if (count > 1 << 20) /* more than a process may have: the kernel returns the error */
        return (int)io_finish(self, &op, poll_at_once(fds, count), IO_QUIET);
    if (bytes > 0)
        access_range(self, pc, fds, bytes, false);
    struct poll_subject subject = {fds, io_scratch(bytes), count};
    for (nfds_t i = 0; i < count; i++)
        subject.copy[i] = fds[i];
    struct poll_wait wait = wait_for(&kind_poll, &subject, timeout, mask);
    long result;
    int error = wait_answered(self, &op, &wait, &result);
    io_scratch_free(subject.copy, bytes);
    if (error != EINTR && bytes > 0)
        access_range(self, pc, fds, bytes, true);
    return wait_finish(self, &op, result, error);
}

REAL_FUNCTION(poll);
REAL_FUNCTION(ppoll);

RT_HOOK int poll(struct pollfd *fds, nfds_t count, int timeout)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(poll)(fds, count, timeout);
    struct timespec limit = milliseconds(timeout);
    return poll_task(self, CALLER, fds, count, timeout < 0 ? NULL : &limit, NULL);
}

RT_HOOK int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(ppoll)(fds, count, timeout, mask);
    return poll_task(self, CALLER, fds, count, timeout, mask);
}

int __poll_chk(struct pollfd *fds, nfds_t count, int timeout, size_t room);
int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask, size_t room);
REAL_FUNCTION(__poll_chk);
REAL_FUNCTION(__ppoll_chk);

RT_HOOK int __poll_chk(struct pollfd *fds, nfds_t count, int timeout, size_t room)
{
    struct task *self = room / sizeof *fds < count ? NULL : rt_enter();
    if (self == NULL)
        return REAL(__poll_chk)(fds, count, timeout, room);
    struct timespec limit = milliseconds(timeout);
    return poll_task(self, CALLER, fds, count, timeout < 0 ? NULL : &limit, NULL);
}

RT_HOOK int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask,
                        size_t room)
{
    struct task *self = room / sizeof *fds < count ? NULL : rt_enter();
    if (self == NULL)
        return REAL(__ppoll_chk)(fds, count, timeout, mask, room);
    return poll_task(self, CALLER, fds, count, timeout, mask);
}

/* ---- select ------------------------------------------------------------------------------------------------------ */

enum { SELECT_SETS = 3, SELECT_LIMIT = 1 << 20 };

struct select_subject {
    int count;
    size_t words;                      /* longs in a set */
    unsigned long *sets[SELECT_SETS];  /* the program's: read, write, except; NULL */
    unsigned long *asked[SELECT_SETS]; /* copies of what it asked */
    unsigned long *answer[SELECT_SETS];
};

static long ask_select(const void *about)
{
    const struct select_subject *subject = about;
    struct timespec zero = {0, 0};
    for (int set = 0; set < SELECT_SETS; set++)
        for (size_t i = 0; subject->asked[set] != NULL && i < subject->words; i++)
            subject->answer[set][i] = subject->asked[set][i];
    return RAW(SYS_pselect6, subject->count, subject->answer[0], subject->answer[1], subject->answer[2], &zero, 0);
}

static bool inside_select(const void *about)
{
    const struct select_subject *subject = about;
    for (int fd = 0; fd < subject->count; fd++)
        for (int set = 0; set < SELECT_SETS; set++)
            if (subject->asked[set] != NULL && (subject->asked[set][fd / 64] >> (fd % 64) & 1) && !inside_has(fd))
                return false;
    return true;
}

static size_t select_bytes(const struct select_subject *subject)
{
    return 2 * SELECT_SETS * subject->words * sizeof(unsigned long);
}

static void copy_sets(struct task *self, uintptr_t pc, struct select_subject *subject, unsigned long *memory)
{
    for (int set = 0; set < SELECT_SETS; set++) {
        if (subject->sets[set] == NULL)
            continue;
        access_range(self, pc, subject->sets[set], subject->words * sizeof *memory, false);
        subject->asked[set] = memory + (size_t)set * subject->words;
        subject->answer[set] = memory + (size_t)(SELECT_SETS + set) * subject->words;
        for (size_t i = 0; i < subject->words; i++)
            subject->asked[set][i] = subject->sets[set][i];
    }
}

static void answer_sets(struct task *self, uintptr_t pc, struct select_subject *subject)
{
    for (int set = 0; set < SELECT_SETS; set++) {
        if (subject->sets[set] == NULL)
            continue;
        for (size_t i = 0; i < subject->words; i++)
            subject->sets[set][i] = subject->answer[set][i];
        access_range(self, pc, subject->sets[set], subject->words * sizeof(unsigned long), true);
    }
}

static const struct wait_kind kind_select = {ask_select, ask_select, inside_select};

static int select_task(struct task *self, uintptr_t pc, int count, fd_set *const sets[SELECT_SETS],
                       const struct timespec *timeout, const sigset_t *mask)
{
    struct op op = io_operation(OP_IO_POLL, -1, pc);
    struct select_subject subject = {.count = count};
    if (count < 0 || count > SELECT_LIMIT || !timeout_valid(timeout))
        return (int)rt_leave_errno(self, -1, EINVAL);
    subject.words = ((size_t)count + 8 * sizeof(long) - 1) / (8 * sizeof(long));
    unsigned long *memory = io_scratch(select_bytes(&subject));
    for (int set = 0; set < SELECT_SETS; set++)
        subject.sets[set] = (unsigned long *)sets[set];
    copy_sets(self, pc, &subject, memory);
    struct poll_wait wait = wait_for(&kind_select, &subject, timeout, mask);
    long result;
    int error = wait_answered(self, &op, &wait, &result);
    if (error != EINTR && result >= 0)
        answer_sets(self, pc, &subject);
    io_scratch_free(memory, select_bytes(&subject));
    return wait_finish(self, &op, result, error);
}

REAL_FUNCTION(select);
REAL_FUNCTION(pselect);

RT_HOOK int select(int count, fd_set *restrict reads, fd_set *restrict writes, fd_set *restrict excepts,
                   struct timeval *restrict timeout)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(select)(count, reads, writes, excepts, timeout);
    if (timeout == NULL)
        return select_task(self, CALLER, count, (fd_set *[]){reads, writes, excepts}, NULL, NULL);
    if (timeout->tv_sec < 0 || timeout->tv_usec < 0)
        return (int)rt_leave_errno(self, -1, EINVAL);
    struct timespec limit = time_timespec(timeout->tv_sec > INT32_MAX ? INT32_MAX * TIME_SECOND
                                                                      : timeout->tv_sec * TIME_SECOND +
                                                                            timeout->tv_usec % 1000000000000 * 1000);
    int64_t deadline = time_after(time_nanoseconds(&limit));
    int result = select_task(self, CALLER, count, (fd_set *[]){reads, writes, excepts}, &limit, NULL);
    /* Linux says how much of the time is left. */
    struct timespec left = time_timespec(deadline > rt.now ? deadline - rt.now : 0);
    *timeout = (struct timeval){.tv_sec = left.tv_sec, .tv_usec = left.tv_nsec / 1000};
    return result;
}

RT_HOOK int pselect(int count, fd_set *restrict reads, fd_set *restrict writes, fd_set *restrict excepts,
                    const struct timespec *restrict timeout, const sigset_t *restrict mask)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pselect)(count, reads, writes, excepts, timeout, mask);
    return select_task(self, CALLER, count, (fd_set *[]){reads, writes, excepts}, timeout, mask);
}

/* ---- epoll ------------------------------------------------------------------------------------------------------- */

struct epoll_subject {
    int fd, room;
    struct epoll_event *events;
};

static long ask_epoll(const void *about)
{
    return io_poll(((const struct epoll_subject *)about)->fd, POLLIN);
}

static long answer_epoll(const void *about)
{
    const struct epoll_subject *subject = about;
    return RAW(SYS_epoll_pwait, subject->fd, subject->events, subject->room, 0, 0, 8);
}

static bool inside_epoll(const void *about)
{
    return inside_has(((const struct epoll_subject *)about)->fd);
}

static const struct wait_kind kind_epoll = {ask_epoll, answer_epoll, inside_epoll};

static int epoll_task(struct task *self, uintptr_t pc, int fd, struct epoll_event *events, int room,
                      const struct timespec *timeout, const sigset_t *mask)
{
    struct op op = io_operation(OP_IO_POLL, fd, pc);
    struct epoll_subject subject = {fd, room, events};
    struct poll_wait wait = wait_for(&kind_epoll, &subject, timeout, mask);
    if (!timeout_valid(timeout))
        return (int)rt_leave_errno(self, -1, EINVAL);
    wait.at_once |= room <= 0; /* the kernel returns the error */
    long result;
    int error = wait_answered(self, &op, &wait, &result);
    if (result > 0)
        access_range(self, pc, events, (size_t)result * sizeof *events, true);
    return wait_finish(self, &op, result, error);
}

REAL_FUNCTION(epoll_wait);
REAL_FUNCTION(epoll_pwait);
REAL_FUNCTION(epoll_pwait2);
REAL_FUNCTION(epoll_ctl);

RT_HOOK int epoll_wait(int fd, struct epoll_event *events, int room, int timeout)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(epoll_wait)(fd, events, room, timeout);
    struct timespec limit = milliseconds(timeout);
    return epoll_task(self, CALLER, fd, events, room, timeout < 0 ? NULL : &limit, NULL);
}

RT_HOOK int epoll_pwait(int fd, struct epoll_event *events, int room, int timeout, const sigset_t *mask)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(epoll_pwait)(fd, events, room, timeout, mask);
    struct timespec limit = milliseconds(timeout);
    return epoll_task(self, CALLER, fd, events, room, timeout < 0 ? NULL : &limit, mask);
}

RT_HOOK int epoll_pwait2(int fd, struct epoll_event *events, int room, const struct timespec *timeout,
                         const sigset_t *mask)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(epoll_pwait2)(fd, events, room, timeout, mask);
    return epoll_task(self, CALLER, fd, events, room, timeout, mask);
}

/* What is added may be ready already. */
RT_HOOK int epoll_ctl(int fd, int operation, int target, struct epoll_event *event)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(epoll_ctl)(fd, operation, target, event);
    struct op op = io_operation(OP_IO_POLL, fd, CALLER);
    op.flags = 0;
    io_point(self, &op);
    if (operation == EPOLL_CTL_ADD && !inside_has(target))
        inside_remove(fd);
    return (int)io_finish(self, &op, RAW(SYS_epoll_ctl, fd, operation, target, event), IO_SENDS);
}
