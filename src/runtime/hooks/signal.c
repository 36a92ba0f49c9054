/* SPDX-License-Identifier: MIT
 *
 * signal.c - calls that set handlers, masks and alternate stacks.
 */
#include "runtime/model/signal.h"
#include "runtime/sched/point.h"
#include "runtime/sched/spin.h"

REAL_FUNCTION(sigaction);
REAL_FUNCTION(signal);
REAL_FUNCTION(sigaltstack);
REAL_FUNCTION(pthread_sigmask);
REAL_FUNCTION(sigprocmask);
REAL_FUNCTION(sigpending);

/* ---- handlers ---------------------------------------------------------------------------------------------------- */

static uint64_t interrupting; /* siginterrupt: signal() does not set SA_RESTART for these */

/* Program's handlers and the runtime's real one go together. 0 or an error. */
static int change_action(int signo, const struct sigaction *action, struct sigaction *old)
{
    if (!signal_valid(signo) || (action != NULL && (signo == SIGKILL || signo == SIGSTOP)))
        return EINVAL;
    struct sigaction before = *signal_action(signo);
    if (action != NULL) {
        struct sigaction after = *action;
        signal_set_bits(&after.sa_mask, signal_bits(&after.sa_mask) & ~SIGNAL_UNBLOCKABLE);
        signal_set_action(signo, &after);
        signal_install(signo);
    }
    if (old != NULL)
        *old = before;
    return 0;
}

RT_HOOK int sigaction(int signo, const struct sigaction *action, struct sigaction *old)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(sigaction)(signo, action, old);
    return (int)rt_leave_errno(self, 0, change_action(signo, action, old));
}

/* signal() in its two variants. Leaves the hook. */
static sighandler_t simple_action(struct task *self, int signo, sighandler_t handler, int flags, bool masks_itself)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, old = {.sa_handler = SIG_DFL};
    int error = handler == SIG_ERR || !signal_valid(signo) ? EINVAL : 0;
    signal_set_bits(&action.sa_mask, masks_itself && error == 0 ? signal_bit(signo) : 0);
    if (error == 0)
        error = change_action(signo, &action, &old);
    rt_leave_errno(self, 0, error);
    return error == 0 ? old.sa_handler : SIG_ERR;
}

static int restart_flag(int signo)
{
    return signal_valid(signo) && (interrupting & signal_bit(signo)) ? 0 : SA_RESTART;
}

RT_HOOK sighandler_t signal(int signo, sighandler_t handler)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(signal)(signo, handler);
    return simple_action(self, signo, handler, restart_flag(signo), true);
}

/* The same under its old name, which no header declares any more. */
sighandler_t bsd_signal(int signo, sighandler_t handler);
RT_HOOK sighandler_t bsd_signal(int signo, sighandler_t handler)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(signal)(signo, handler);
    return simple_action(self, signo, handler, restart_flag(signo), true);
}

/* What `signal` is when a program is compiled for System V. */
REAL_FUNCTION(__sysv_signal);
RT_HOOK sighandler_t __sysv_signal(int signo, sighandler_t handler)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(__sysv_signal)(signo, handler);
    return simple_action(self, signo, handler, SA_RESETHAND | SA_NODEFER, false);
}

RT_HOOK int sigaltstack(const stack_t *stack, stack_t *old)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(sigaltstack)(stack, old);
    return (int)rt_leave_errno(self, 0, signal_alternate_stack(self, stack, old));
}

/* ---- masks ------------------------------------------------------------------------------------------------------- */

/* Signals that the new mask lets through are delivered before the call returns. 0 or an error. */
static int change_mask(struct task *self, int how, const sigset_t *set, sigset_t *old)
{
    uint64_t before = signal_bits(&self->signal_mask), after = before;
    if (set != NULL) {
        uint64_t bits = signal_bits(set);
        switch (how) {
        case SIG_BLOCK:
            after |= bits;
            break;
        case SIG_UNBLOCK:
            after &= ~bits;
            break;
        case SIG_SETMASK:
            after = bits;
            break;
        default:
            return EINVAL;
        }
    }
    if (old != NULL)
        signal_set_bits(old, before);
    if (after != before) {
        signal_set_mask(self, after);
        if (signal_due(self))
            signal_deliver(self);
    }
    return 0;
}

RT_HOOK int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_sigmask)(how, set, old);
    int error = change_mask(self, how, set, old);
    rt_leave(self);
    return error;
}

RT_HOOK int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(sigprocmask)(how, set, old);
    return (int)rt_leave_errno(self, 0, change_mask(self, how, set, old));
}

RT_HOOK int sigpending(sigset_t *set)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(sigpending)(set);
    struct op op = {.kind = OP_SIGWAIT, .pc = CALLER, .fd = -1, .deadline = RT_NEVER};
    op.address = (uintptr_t)&self->signals_pending;
    sched_point(self, &op);
    uint64_t pending = signal_pending(self) & signal_bits(&self->signal_mask);
    signal_set_bits(set, pending);
    spin_read(self, op.pc, op.address, pending); /* it may be called in a loop */
    rt_leave(self);
    return 0;
}

/* ---- the calls of System V and old BSD, in terms of the above ---------------------------------------------------- */

int raddle_sigblock(int bits) __asm__("sigblock");
int raddle_sigsetmask(int bits) __asm__("sigsetmask");
int raddle_siggetmask(void) __asm__("siggetmask");
int raddle_sighold(int signo) __asm__("sighold");
int raddle_sigrelse(int signo) __asm__("sigrelse");
int raddle_sigignore(int signo) __asm__("sigignore");
int raddle_siginterrupt(int signo, int interrupts) __asm__("siginterrupt");
sighandler_t raddle_sigset(int signo, sighandler_t handler) __asm__("sigset");

static int mask_word(int how, unsigned bits)
{
    sigset_t set, old;
    signal_set_bits(&set, bits);
    return sigprocmask(how, &set, &old) == 0 ? (int)signal_bits(&old) : -1;
}

RT_HOOK int raddle_sigblock(int bits)
{
    return mask_word(SIG_BLOCK, (unsigned)bits);
}

RT_HOOK int raddle_sigsetmask(int bits)
{
    return mask_word(SIG_SETMASK, (unsigned)bits);
}

RT_HOOK int raddle_siggetmask(void)
{
    return mask_word(SIG_BLOCK, 0);
}

/* Blocks or unblocks one signal; *was tells whether it was blocked. */
static int mask_one(int how, int signo, bool *was)
{
    sigset_t set, old;
    if (!signal_valid(signo)) {
        errno = EINVAL;
        return -1;
    }
    signal_set_bits(&set, signal_bit(signo));
    int result = sigprocmask(how, &set, &old);
    *was = result == 0 && (signal_bits(&old) & signal_bit(signo));
    return result;
}

RT_HOOK int raddle_sighold(int signo)
{
    bool was;
    return mask_one(SIG_BLOCK, signo, &was);
}

RT_HOOK int raddle_sigrelse(int signo)
{
    bool was;
    return mask_one(SIG_UNBLOCK, signo, &was);
}

RT_HOOK int raddle_sigignore(int signo)
{
    struct sigaction action = {.sa_handler = SIG_IGN};
    return sigaction(signo, &action, NULL);
}

RT_HOOK sighandler_t raddle_sigset(int signo, sighandler_t handler)
{
    struct sigaction action = {.sa_handler = handler}, old = {.sa_handler = SIG_DFL};
    bool was;
    bool hold = handler == SIG_HOLD;
    if (mask_one(hold ? SIG_BLOCK : SIG_UNBLOCK, signo, &was) != 0 ||
        sigaction(signo, hold ? NULL : &action, &old) != 0)
        return SIG_ERR;
    return was ? SIG_HOLD : old.sa_handler;
}

RT_HOOK int raddle_siginterrupt(int signo, int interrupts)
{
    struct sigaction action;
    if (sigaction(signo, NULL, &action) != 0)
        return -1;
    if (interrupts) {
        interrupting |= signal_bit(signo);
        action.sa_flags &= ~SA_RESTART;
    } else {
        interrupting &= ~signal_bit(signo);
        action.sa_flags |= SA_RESTART;
    }
    return sigaction(signo, &action, NULL);
}
