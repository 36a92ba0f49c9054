/* SPDX-License-Identifier: MIT
 *
 * signal_wait.c - calls that wait for a signal: sigwait and its family, sigsuspend, pause.
 */
#include <unistd.h>

#include "runtime/model/signal.h"
#include "runtime/model/time.h"
#include "runtime/record.h"
#include "runtime/sched/point.h"

REAL_FUNCTION(sigwait);
REAL_FUNCTION(sigwaitinfo);
REAL_FUNCTION(sigtimedwait);
REAL_FUNCTION(sigsuspend);
REAL_FUNCTION(pause);

/* ---- taking a signal without a handler --------------------------------------------------------------------------- */

static enum ready ready_when_pending(struct task *task, const struct op *op)
{
    if (signal_pending(task) & op->argument)
        return READY_YES;
    return op->deadline != RT_NEVER ? READY_LATE : READY_NO;
}

static struct op wait_operation(struct task *self, uintptr_t pc, int64_t deadline,
                                enum ready (*ready)(struct task *, const struct op *))
{
    return (struct op){
        .kind = OP_SIGWAIT,
        .flags = OP_INTERRUPTIBLE | OP_CANCELLABLE,
        .pc = pc,
        .address = (uintptr_t)&self->signals_pending,
        .fd = -1,
        .deadline = deadline,
        .ready = ready,
    };
}

/* Waits for one of the set: its number, or -EINTR, or -EAGAIN when time is up. */
static int wait_for_signal(struct task *self, uintptr_t pc, const sigset_t *set, siginfo_t *info, int64_t deadline)
{
    struct op op = wait_operation(self, pc, deadline, ready_when_pending);
    op.argument = signal_bits(set) & ~SIGNAL_UNBLOCKABLE;
    signal_install_blocked(op.argument); /* the kernel must not do the default action meanwhile */
    signal_set_waiting(self, op.argument);
    enum wake wake = sched_point(self, &op);
    signal_set_waiting(self, 0);
    int signo = signal_take(self, op.argument, info);
    if (signo != 0) {
        record_event(self, &op, (uint64_t)signo, EVENT_VALUE);
        return signo;
    }
    record_event(self, &op, 0, wake == WAKE_SIGNAL ? EVENT_SIGNALLED | EVENT_FAILED : EVENT_TIMEOUT | EVENT_FAILED);
    return wake == WAKE_SIGNAL ? -EINTR : -EAGAIN;
}

/* sigwait never returns EINTR: after a handler it waits again. */
RT_HOOK int sigwait(const sigset_t *set, int *signo)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(sigwait)(set, signo);
    siginfo_t info;
    int result;
    do
        result = wait_for_signal(self, CALLER, set, &info, RT_NEVER);
    while (result < 0);
    *signo = result;
    rt_leave(self);
    return 0;
}

static int leave_with_info(struct task *self, int result, const siginfo_t *info, siginfo_t *wanted)
{
    if (result > 0 && wanted != NULL) {
        *wanted = *info;
        if (wanted->si_code == SI_TKILL)
            wanted->si_code = SI_USER; /* glibc: raise was once no more than kill */
    }
    return (int)rt_leave_errno(self, result, result < 0 ? -result : 0);
}

RT_HOOK int sigwaitinfo(const sigset_t *set, siginfo_t *wanted)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(sigwaitinfo)(set, wanted);
    siginfo_t info;
    return leave_with_info(self, wait_for_signal(self, CALLER, set, &info, RT_NEVER), &info, wanted);
}

RT_HOOK int sigtimedwait(const sigset_t *set, siginfo_t *wanted, const struct timespec *limit)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(sigtimedwait)(set, wanted, limit);
    siginfo_t info;
    int64_t deadline = RT_NEVER;
    if (limit != NULL) {
        if (!time_valid(limit) || limit->tv_sec < 0)
            return (int)rt_leave_errno(self, -1, EINVAL);
        bool far = limit->tv_sec >= INT64_MAX / 1000000000 - 1;
        deadline = far ? RT_NEVER - 1 : time_after(limit->tv_sec * 1000000000 + limit->tv_nsec);
    }
    return leave_with_info(self, wait_for_signal(self, CALLER, set, &info, deadline), &info, wanted);
}

/* ---- waiting for a handler to run -------------------------------------------------------------------------------- */

static enum ready ready_never(struct task *task, const struct op *op)
{
    (void)task;
    (void)op;
    return READY_NO;
}

/* Returns when a handler has run.  The caller may have made a point before, at which one could run too early. */
static void wait_for_handler(struct task *self, uintptr_t pc)
{
    struct op op = wait_operation(self, pc, RT_NEVER, ready_never);
    sched_point(self, &op);
    record_event(self, &op, EINTR, EVENT_SIGNALLED);
}

static int suspend(struct task *self, uintptr_t pc, uint64_t mask)
{
    uint64_t before = signal_bits(&self->signal_mask);
    signal_set_mask(self, mask);
    wait_for_handler(self, pc);
    signal_set_mask(self, before);
    if (signal_due(self)) /* not blocked by the old mask, but by the other */
        signal_deliver(self);
    return (int)rt_leave_errno(self, -1, EINTR);
}

RT_HOOK int sigsuspend(const sigset_t *mask)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(sigsuspend)(mask);
    return suspend(self, CALLER, signal_bits(mask));
}

RT_HOOK int pause(void)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pause)();
    /* A signal may arrive after the program has checked for it and before it waits: then it waits for ever. */
    struct op before = {.kind = OP_SIGWAIT, .flags = OP_CANCELLABLE, .pc = CALLER, .fd = -1, .deadline = RT_NEVER};
    before.address = (uintptr_t)&self->signals_pending;
    sched_point(self, &before);
    wait_for_handler(self, CALLER);
    return (int)rt_leave_errno(self, -1, EINTR);
}

/* sigpause has two variants with one name: a mask (BSD) or one signal to unblock (System V). */
int __sigpause(int signo_or_mask, int is_signo);
REAL_FUNCTION(__sigpause);
static int pause_dialect(int signo_or_mask, int is_signo, uintptr_t pc)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(__sigpause)(signo_or_mask, is_signo);
    if (is_signo && !signal_valid(signo_or_mask))
        return (int)rt_leave_errno(self, -1, EINVAL);
    uint64_t mask = is_signo ? signal_bits(&self->signal_mask) & ~signal_bit(signo_or_mask) : (unsigned)signo_or_mask;
    return suspend(self, pc, mask);
}

RT_HOOK int __sigpause(int signo_or_mask, int is_signo)
{
    return pause_dialect(signo_or_mask, is_signo, CALLER);
}

int __xpg_sigpause(int signo);
RT_HOOK int __xpg_sigpause(int signo)
{
    return pause_dialect(signo, 1, CALLER);
}

int raddle_sigpause(int mask) __asm__("sigpause");
RT_HOOK int raddle_sigpause(int mask)
{
    return pause_dialect(mask, 0, CALLER);
}
