/* SPDX-License-Identifier: MIT
 *
 * signal.c - signals in the model: what the program wants done with them, which are pending, delivery.
 *
 * Standard signals are pending once, real-time ones as often as they were sent, as in Linux.  A task takes its own
 * before those of the process, low numbers first.  A process signal goes to the first task that reaches a scheduling point
 * and does not block it: POSIX allows any task.
 */
#include <ucontext.h>

#include "runtime/arch/context.h"
#include "runtime/init.h"
#include "runtime/model/object.h"
#include "runtime/model/signal.h"
#include "runtime/oracle/clock.h"
#include "runtime/record.h"
#include "runtime/sched/point.h"

struct signal_entry {
    struct signal_entry *next;
    uintptr_t pc; /* where it was sent */
    siginfo_t info;
};

static RT_RARE struct sigaction actions[SIGNAL_COUNT];
static uint64_t not_ignored;  /* signals that do something when delivered */
static uint64_t caught;       /* by handlers that may run anywhere, so not by those of faults */
static uint64_t process_bits; /* pending on the process */
static struct signal_entry *process_first;
static struct object process_edge; /* happens-before: from senders to the task that takes it */

/* ---- about signals ----------------------------------------------------------------------------------------------- */

enum signal_default signal_default_of(int signo)
{
    switch (signo) {
    case SIGCHLD:
    case SIGURG:
    case SIGWINCH:
    case SIGCONT:
        return DEFAULT_IGNORE;
    case SIGSTOP:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
        return DEFAULT_STOP;
    default:
        return DEFAULT_TERMINATE;
    }
}

bool signal_is_fault(int signo)
{
    return signo == SIGSEGV || signo == SIGBUS || signo == SIGFPE || signo == SIGILL || signo == SIGTRAP ||
           signo == SIGABRT || signo == SIGSYS;
}

bool signal_valid(int signo)
{
    return signo > 0 && signo < SIGNAL_COUNT && signo != 32 && signo != 33;
}

const char *signal_name(int signo)
{
    static const char *const names[SIGNAL_REALTIME] = {
        "signal 0",  "SIGHUP",  "SIGINT",    "SIGQUIT", "SIGILL",   "SIGTRAP", "SIGABRT", "SIGBUS",
        "SIGFPE",    "SIGKILL", "SIGUSR1",   "SIGSEGV", "SIGUSR2",  "SIGPIPE", "SIGALRM", "SIGTERM",
        "SIGSTKFLT", "SIGCHLD", "SIGCONT",   "SIGSTOP", "SIGTSTP",  "SIGTTIN", "SIGTTOU", "SIGURG",
        "SIGXCPU",   "SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO",   "SIGPWR",  "SIGSYS",
    };
    return signo >= 0 && signo < SIGNAL_REALTIME ? names[signo] : "a real-time signal";
}

/* ---- dispositions ------------------------------------------------------------------------------------------------ */

static bool is_ignored(int signo)
{
    void (*handler)(int) = actions[signo].sa_handler;
    return handler == SIG_IGN || (handler == SIG_DFL && signal_default_of(signo) == DEFAULT_IGNORE);
}

const struct sigaction *signal_action(int signo)
{
    return &actions[signo];
}

bool signal_caught(int signo)
{
    return actions[signo].sa_handler != SIG_DFL && actions[signo].sa_handler != SIG_IGN;
}

static struct signal_entry *unlink_entry(struct signal_entry **link)
{
    struct signal_entry *entry = *link;
    *link = entry->next;
    return entry;
}

static void drop_pending(struct signal_entry **first, uint64_t *bits, int signo)
{
    *bits &= ~signal_bit(signo);
    while (*first != NULL) {
        if ((*first)->info.si_signo == signo)
            rt_free(unlink_entry(first), sizeof **first);
        else
            first = &(*first)->next;
    }
}

static struct signal_frame *frame_of(struct task *task)
{
    if (task->signals == NULL) {
        task->signals = rt_alloc(sizeof *task->signals);
        task->signals->alternate.ss_flags = SS_DISABLE;
    }
    return task->signals;
}

static void refresh_all(void)
{
    for (uint32_t id = 0; id < rt.task_count; id++)
        if (rt.tasks[id] != NULL)
            sched_refresh(rt.tasks[id]);
}

/* When a signal is set to be ignored, its pending instances are dropped, blocked or not. */
void signal_set_action(int signo, const struct sigaction *action)
{
    actions[signo] = *action;
    caught = signal_caught(signo) && !signal_is_fault(signo) ? caught | signal_bit(signo) : caught & ~signal_bit(signo);
    if (!is_ignored(signo)) {
        not_ignored |= signal_bit(signo);
        return;
    }
    not_ignored &= ~signal_bit(signo);
    drop_pending(&process_first, &process_bits, signo);
    for (uint32_t id = 0; id < rt.task_count; id++) {
        struct task *task = rt.tasks[id];
        if (task != NULL && task->signals != NULL)
            drop_pending(&task->signals->first, &task->signals_pending, signo);
    }
    refresh_all();
}

void signal_set_mask(struct task *self, uint64_t bits)
{
    signal_set_bits(&self->signal_mask, bits & ~SIGNAL_UNBLOCKABLE);
    signal_install_blocked(bits);
    if (signal_due(self))
        sched_refresh(self); /* it stops at its next operation */
}

void signal_set_waiting(struct task *self, uint64_t set)
{
    if (set != 0 || self->signals != NULL)
        frame_of(self)->waiting = set;
}

/* ---- pending ----------------------------------------------------------------------------------------------------- */

static void post(struct signal_entry **first, uint64_t *bits, const siginfo_t *info, uintptr_t pc)
{
    uint64_t bit = signal_bit(info->si_signo);
    if ((*bits & bit) && info->si_signo < SIGNAL_REALTIME)
        return;
    struct signal_entry *entry = rt_alloc(sizeof *entry);
    entry->info = *info;
    entry->pc = pc;
    while (*first != NULL)
        first = &(*first)->next;
    *first = entry;
    *bits |= bit;
}

/* An ignored signal is not even pending, unless it is blocked: the program may unblock, or wait for it. */
static bool is_wasted(const struct task *task, int signo)
{
    uint64_t kept = signal_bits(&task->signal_mask) | (task->signals != NULL ? task->signals->waiting : 0);
    return is_ignored(signo) && !(kept & signal_bit(signo));
}

void signal_post_task(struct task *target, const siginfo_t *info, uintptr_t pc)
{
    if (is_wasted(target, info->si_signo))
        return;
    post(&frame_of(target)->first, &target->signals_pending, info, pc);
    if (rt_self != NULL)
        hb_release_merge(rt_self, &process_edge);
    sched_refresh(target);
}

void signal_post_process(const siginfo_t *info, uintptr_t pc)
{
    bool wanted = false;
    for (uint32_t id = 0; id < rt.task_count && !wanted; id++) {
        const struct task *task = rt.tasks[id];
        wanted = task != NULL && !task->ended && !is_wasted(task, info->si_signo);
    }
    if (!wanted)
        return;
    post(&process_first, &process_bits, info, pc);
    if (rt_self != NULL)
        hb_release_merge(rt_self, &process_edge);
    refresh_all();
}

uint64_t signal_pending(const struct task *task)
{
    return task->signals_pending | process_bits;
}

/* Takes the first entry of the lowest signal in `set`; NULL if there is none. */
static struct signal_entry *take_entry(struct signal_entry **first, uint64_t *bits, uint64_t set)
{
    if ((*bits & set) == 0)
        return NULL;
    int signo = __builtin_ctzll(*bits & set) + 1;
    struct signal_entry **link = first;
    while ((*link)->info.si_signo != signo)
        link = &(*link)->next;
    struct signal_entry *taken = unlink_entry(link);
    struct signal_entry *more = *link;
    while (more != NULL && more->info.si_signo != signo)
        more = more->next;
    if (more == NULL)
        *bits &= ~signal_bit(signo);
    return taken;
}

static int take(struct task *self, uint64_t set, siginfo_t *info, uintptr_t *pc)
{
    struct signal_entry *entry = take_entry(&frame_of(self)->first, &self->signals_pending, set);
    if (entry == NULL) {
        entry = take_entry(&process_first, &process_bits, set);
        if (entry == NULL)
            return 0;
        refresh_all(); /* no other task has to take it now */
    }
    *info = entry->info;
    *pc = entry->pc;
    rt_free(entry, sizeof *entry);
    hb_acquire(self, &process_edge);
    return info->si_signo;
}

int signal_take(struct task *self, uint64_t set, siginfo_t *info)
{
    uintptr_t pc;
    return take(self, set, info, &pc);
}

void signal_thread_gone(struct task *task)
{
    struct signal_frame *frame = task->signals;
    if (frame == NULL)
        return;
    while (frame->first != NULL)
        rt_free(unlink_entry(&frame->first), sizeof *frame->first);
    task->signals_pending = 0;
    signal_free_stack(frame->stack);
    task->signals = NULL;
    rt_free(frame, sizeof *frame);
}

/* ---- delivery ---------------------------------------------------------------------------------------------------- */

static uint64_t deliverable(const struct task *task)
{
    uint64_t pending = signal_pending(task);
    if (likely(pending == 0))
        return 0;
    uint64_t waiting = task->signals != NULL ? task->signals->waiting : 0;
    return pending & ~signal_bits(&task->signal_mask) & ~waiting & not_ignored;
}

bool signal_due(const struct task *task)
{
    return deliverable(task) != 0;
}

bool signal_may_come(const struct task *task)
{
    return (caught & ~signal_bits(&task->signal_mask)) != 0;
}

bool signal_restarts(const struct task *self)
{
    return self->signals != NULL && self->signals->restarts;
}

void signal_kill_self(struct task *self, int signo, uintptr_t pc)
{
    enum wire_kind kind = signo == SIGABRT ? KIND_ABORT : KIND_SIGNAL;
    struct wire_finding *finding =
        finding_add(self, kind, pc, 0, "%s: the program sent it to itself and does not handle it", signal_name(signo));
    finding->signal = (uint32_t)signo;
    finding_decide(finding);
    signal_die(signo);
}

static void default_action(struct task *self, const siginfo_t *info, uintptr_t pc)
{
    int signo = info->si_signo;
    if (signal_default_of(signo) == DEFAULT_STOP)
        signal_stop(signo);
    else if (pc != 0)
        signal_kill_self(self, signo, pc);
    else
        signal_die(signo); /* from outside: not caused by the program */
}

/* Begins a handler: mask and disposition as sigaction says, and the event. Returns the mask to go back to. */
static uint64_t enter_handler(struct task *self, int signo, const struct sigaction *action, uintptr_t pc)
{
    uint64_t old = signal_bits(&self->signal_mask);
    if (action->sa_flags & SA_RESETHAND) {
        struct sigaction none = {.sa_handler = SIG_DFL};
        signal_set_action(signo, &none);
        signal_install(signo);
    }
    uint64_t own = action->sa_flags & SA_NODEFER ? 0 : signal_bit(signo);
    signal_set_mask(self, old | signal_bits(&action->sa_mask) | own);
    struct op op = {
        .kind = OP_HANDLER, .pc = pc, .address = (uintptr_t)action->sa_sigaction, .fd = -1, .deadline = RT_NEVER};
    record_event(self, &op, (uint64_t)signo, EVENT_VALUE);
    return old;
}

struct handler_call {
    const struct sigaction *action;
    siginfo_t *info;
    void *context;
};

static void call_handler(void *argument)
{
    const struct handler_call *call = argument;
    if (call->action->sa_flags & SA_SIGINFO)
        call->action->sa_sigaction(call->info->si_signo, call->info, call->context);
    else
        call->action->sa_handler(call->info->si_signo);
}

/* The shadow call stack compares addresses.  A frame above all others prevents that the frames of interrupted functions seem to be left. */
static void call_on_alternate(struct task *self, uintptr_t top, struct handler_call *call)
{
    struct signal_frame *frame = self->signals;
    uint32_t depth = self->depth, outer = frame->frames_below;
    stack_t alternate = frame->alternate;
    if (depth < TASK_FRAMES)
        self->frames[depth] = (struct frame){(uintptr_t)call_on_alternate, UINTPTR_MAX, ++self->calls};
    self->depth = depth + 1;
    frame->frames_below = depth + 1;
    arch_call_on(top, call_handler, call);
    frame->frames_below = outer;
    frame->alternate = alternate;
    self->depth = depth;
}

void signal_leave_alternate(struct task *self)
{
    if (self->signals == NULL || self->signals->frames_below == 0)
        return;
    self->depth = self->signals->frames_below - 1;
    self->signals->frames_below = 0;
}

/* The handler is code of the program and may never return (siglongjmp): the runtime holds nothing while it runs. */
void signal_run_handler(struct task *self, siginfo_t *info, void *context, uintptr_t pc)
{
    int signo = info->si_signo;
    struct sigaction action = actions[signo];
    uint64_t waiting = frame_of(self)->waiting;
    bool inside = task_is_inside(self); /* not at a fault */
    task_go_inside(self);
    uint64_t old = enter_handler(self, signo, &action, pc);
    int saved_errno = self->saved_errno;
    struct handler_call call = {&action, info, context};
    uintptr_t top = signal_alternate_top(self, &action);

    signal_set_waiting(self, 0);
    task_go_outside(self);
    errno = saved_errno;
    if (top != 0)
        call_on_alternate(self, top, &call);
    else
        call_handler(&call);
    task_go_inside(self);
    self->saved_errno = saved_errno;
    signal_set_waiting(self, waiting);
    signal_set_mask(self, old);
    if (!inside)
        task_go_outside(self);
}

static bool deliver_one(struct task *self, siginfo_t *info, uintptr_t pc)
{
    int signo = info->si_signo;
    if (!signal_caught(signo)) {
        default_action(self, info, pc);
        return true;
    }
    bool restarts = actions[signo].sa_flags & SA_RESTART;
    ucontext_t context; /* mostly not filled in: the interrupted place is a scheduling point */
    for (size_t i = 0; i < sizeof context / sizeof(long); i++)
        ((long *)&context)[i] = 0;
    context.uc_sigmask = self->signal_mask;
    signal_run_handler(self, info, &context, pc);
    signal_set_mask(self, signal_bits(&context.uc_sigmask)); /* a handler may change what it returns to */
    return restarts;
}

void signal_deliver(struct task *self)
{
    bool restarts = true;
    siginfo_t info;
    uintptr_t pc;
    while (take(self, deliverable(self), &info, &pc) != 0)
        restarts = deliver_one(self, &info, pc) && restarts;
    leftover_clear_deep(self);
    frame_of(self)->restarts = restarts;
}
