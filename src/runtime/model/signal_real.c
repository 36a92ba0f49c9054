/* SPDX-License-Identifier: MIT
 *
 * signal_real.c - signals between runtime and kernel: real handlers, real masks, alternate stacks, dying.
 *
 * The real mask of every thread under control is empty.  For each signal that the program handles, or has ever blocked,
 * the real handler is on_arrival, which only notes it.  Faults go to failure_fault.
 */
#include <sys/syscall.h>
#include <sys/wait.h>

#include "runtime/arch/arch.h"
#include "runtime/failure.h"
#include "runtime/init.h"
#include "runtime/model/signal.h"
#include "runtime/raw.h"
#include "runtime/record.h"
#include "runtime/restart.h"
#include "runtime/sched/carrier.h"
#include "runtime/sched/preempt.h"
#include "runtime/sched/replay.h"
#include "runtime/sched/sched.h"

REAL_FUNCTION(sigaction);
REAL_FUNCTION(sigaltstack);
REAL_FUNCTION(pthread_sigmask);

enum { STACK_SIZE = 32 << 10, SMALLEST_STACK = 2048, MOST_CHILDREN = 64 };

static bool learned;
static uint64_t installed;    /* the real disposition is ours */
static uint64_t ever_blocked; /* by any task */
static enum signal_alarm expected_alarm;
static RT_RARE pid_t children[MOST_CHILDREN]; /* the newest ones */
static uint32_t child_count;
static uint32_t heard_of; /* children whose end was reported by SIGCHLD */

volatile uint64_t signal_arrivals;
static RT_RARE siginfo_t arrival_info[SIGNAL_COUNT];
static RT_RARE struct task *arrival_task[SIGNAL_COUNT]; /* SIGPIPE is for the thread that wrote */

/* ---- what comes from the kernel ---------------------------------------------------------------------------------- */

void signal_note(int signo, const siginfo_t *info)
{
    arrival_info[signo] = *info;
    arrival_task[signo] = signo == SIGPIPE && info->si_pid == raw_getpid() ? rt_self : NULL;
    __atomic_fetch_or(&signal_arrivals, signal_bit(signo), __ATOMIC_RELEASE);
}

static void on_arrival(int signo, siginfo_t *info, void *context)
{
    (void)context;
    signal_note(signo, info);
}

static bool is_alarm(const siginfo_t *info)
{
    return info->si_code == SI_TIMER || info->si_signo == SIGALRM || info->si_signo == SIGVTALRM ||
           info->si_signo == SIGPROF;
}

void signal_expect_alarm(enum signal_alarm alarm)
{
    expected_alarm = alarm;
    restart_forbid("a timer");
}

void signal_expect_child(pid_t pid)
{
    if (pid > 0)
        children[child_count++ % MOST_CHILDREN] = pid;
}

static bool child_lives(pid_t pid)
{
    siginfo_t info;
    info.si_pid = 0;
    long result = syscall_raw(SYS_waitid, P_PID, pid, (long)&info, WEXITED | WNOHANG | WNOWAIT, 0, 0);
    return result == 0 && info.si_pid == 0;
}

static uint32_t dead_children(void)
{
    uint32_t dead = 0;
    for (uint32_t i = 0; i < child_count && i < MOST_CHILDREN; i++)
        dead += !child_lives(children[i]);
    return dead;
}

static bool any_child_lives(void)
{
    for (uint32_t i = 0; i < child_count && i < MOST_CHILDREN; i++)
        if (child_lives(children[i]))
            return true;
    return false;
}

int signal_watch_children(struct pollfd *fds, int room)
{
    int count = 0;
    for (uint32_t i = 0; i < child_count && i < MOST_CHILDREN && count < room; i++) {
        long fd = child_lives(children[i]) ? syscall_raw(SYS_pidfd_open, children[i], 0, 0, 0, 0, 0) : -1;
        if (fd >= 0)
            fds[count++] = (struct pollfd){.fd = (int)fd, .events = POLLIN};
    }
    return count;
}

void signal_unwatch_children(const struct pollfd *fds, int count)
{
    for (int i = 0; i < count; i++)
        syscall_raw(SYS_close, fds[i].fd, 0, 0, 0, 0, 0);
}

/* It becomes pending. */
static void accept(int signo)
{
    __atomic_fetch_and(&signal_arrivals, ~signal_bit(signo), __ATOMIC_ACQUIRE);
    struct task *task = arrival_task[signo];
    if (expected_alarm == ALARM_ONCE && is_alarm(&arrival_info[signo]))
        expected_alarm = ALARM_OFF;
    if (signo == SIGCHLD)
        heard_of = dead_children();
    if (task != NULL && !task->ended) {
        signal_post_task(task, &arrival_info[signo], 0);
        return;
    }
    sched_uncontrolled("signal from outside");
    signal_post_process(&arrival_info[signo], 0);
}

static int64_t real_time(void)
{
    struct timespec now;
    syscall_raw(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0, 0, 0, 0);
    return now.tv_sec * 1000000000 + now.tv_nsec;
}

/* A replay is at the place where the signal arrived in the run: waits for it.  If it does not arrive (two became one, say), it is simulated. */
static void await_arrival(int signo)
{
    const int64_t on_its_way = 20000000, longest = 3000000000, begin = real_time();
    while (!(signal_arrivals & signal_bit(signo))) {
        int64_t waited = real_time() - begin;
        bool expected = expected_alarm != ALARM_OFF || any_child_lives();
        if (waited > (expected ? longest : on_its_way)) {
            arrival_info[signo] = (siginfo_t){.si_signo = signo, .si_code = SI_KERNEL};
            arrival_task[signo] = NULL;
            return;
        }
        syscall_raw(SYS_sched_yield, 0, 0, 0, 0, 0, 0); /* uses the processor, as timers of CPU time need it */
    }
}

bool signal_collect(void)
{
    bool any = false;
    for (int signo; (signo = replay_arrival(rt.current)) != 0; any = true) {
        await_arrival(signo);
        accept(signo);
        record_choice(rt.current, ARRIVAL_CHOICE + (uint32_t)signo);
    }
    for (uint64_t arrivals = signal_arrivals; arrivals != 0; arrivals &= arrivals - 1) {
        int signo = __builtin_ctzll(arrivals) + 1;
        bool outside = arrival_task[signo] == NULL;
        if (outside && replay_holds(signo))
            continue;
        accept(signo);
        if (outside)
            record_choice(rt.current, ARRIVAL_CHOICE + (uint32_t)signo);
        any = true;
    }
    return any;
}

/* Whether a SIGCHLD will arrive.  The kernel may send it to any thread, which may have to wait for a processor. */
static bool child_signal_is_due(void)
{
    bool noted = signal_caught(SIGCHLD) ||
                 (signal_action(SIGCHLD)->sa_handler == SIG_DFL && (ever_blocked & signal_bit(SIGCHLD)) != 0);
    return noted && dead_children() > heard_of;
}

bool signal_idle(void)
{
    static bool was_expected; /* the last one may not have arrived yet */
    static int patience = 200;
    if (replay_is_exact() && !any_child_lives())
        return signal_collect(); /* a signal that the plan does not have here does not arrive */
    bool expected = expected_alarm != ALARM_OFF || any_child_lives();
    bool due = child_signal_is_due() && patience-- > 0; /* one signal may report several ends */
    bool wait = expected || was_expected || due;
    was_expected = expected;
    if (signal_arrivals == 0 && wait) {
        struct timespec limit = {0, 10000000};
        struct pollfd fds[MOST_CHILDREN];
        int count = signal_watch_children(fds, MOST_CHILDREN);
        syscall_raw(SYS_ppoll, (long)fds, count, (long)&limit, 0, 0, 0);
        signal_unwatch_children(fds, count);
    }
    return signal_collect() || wait;
}

/* ---- what is put back ----------------------------------------------------------------------------------------------- */

static bool run_begun;
static uint64_t changed; /* dispositions, since the run began */
static RT_RARE struct sigaction before_run[SIGNAL_COUNT];

/* Before the real disposition is changed. */
static void remember(int signo)
{
    if (!run_begun || (changed & signal_bit(signo)))
        return;
    changed |= signal_bit(signo);
    REAL(sigaction)(signo, NULL, &before_run[signo]);
}

void signal_keep(void)
{
    changed = 0;
}

void signal_put_back(void)
{
    for (uint64_t bits = changed; bits != 0; bits &= bits - 1) {
        int signo = __builtin_ctzll(bits) + 1;
        REAL(sigaction)(signo, &before_run[signo], NULL);
    }
}

/* ---- handlers ---------------------------------------------------------------------------------------------------- */

static void install_fault(int signo)
{
    struct sigaction real = {.sa_sigaction = failure_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    if (signal_caught(signo) && !(signal_action(signo)->sa_flags & SA_ONSTACK))
        real.sa_flags &= ~SA_ONSTACK;
    REAL(sigaction)(signo, &real, NULL);
}

void signal_install(int signo)
{
    if (signo == SIGKILL || signo == SIGSTOP || !signal_valid(signo))
        return;
    remember(signo);
    installed |= signal_bit(signo);
    if (signal_is_fault(signo)) {
        install_fault(signo);
        return;
    }
    struct sigaction real = *signal_action(signo);
    if (signal_caught(signo) || (real.sa_handler == SIG_DFL && (ever_blocked & signal_bit(signo)))) {
        real.sa_sigaction = on_arrival;
        real.sa_flags = SA_SIGINFO | SA_RESTART | (real.sa_flags & (SA_NOCLDSTOP | SA_NOCLDWAIT));
        signal_set_bits(&real.sa_mask, ~0ull);
    }
    REAL(sigaction)(signo, &real, NULL);
}

void signal_install_blocked(uint64_t bits)
{
    uint64_t new = bits & ~ever_blocked & ~SIGNAL_UNBLOCKABLE;
    ever_blocked |= new;
    for (; new != 0; new &= new - 1) {
        int signo = __builtin_ctzll(new) + 1;
        if (signal_action(signo)->sa_handler == SIG_DFL && !signal_is_fault(signo)) {
            signal_install(signo);
        }
    }
}

static stack_t learned_stack = {.ss_flags = SS_DISABLE}; /* what the program has set up before its run began */

/* Before the fork, so that no run has to do it.  While the process is not controlled, the handler lets it die as without the runtime. */
static void install_faults(void)
{
    for (int signo = 1; signo < SIGNAL_COUNT; signo++)
        if (signal_is_fault(signo) && signal_action(signo)->sa_handler == SIG_DFL)
            signal_install(signo);
}

void signal_learn(void)
{
    learned = true;
    REAL(sigaltstack)(NULL, &learned_stack);
    for (int signo = 1; signo < SIGNAL_COUNT; signo++) {
        struct sigaction action = {.sa_handler = SIG_DFL};
        if (signal_valid(signo))
            REAL(sigaction)(signo, NULL, &action);
        signal_set_action(signo, &action);
    }
    failure_learn();
    install_faults();
    preempt_install();
}

/* Of the calling thread.  By a system call, because calls of libc cost a new process page faults. */
static uint64_t real_mask(void)
{
    uint64_t mask = 0;
    syscall_raw(SYS_rt_sigprocmask, SIG_BLOCK, 0, (long)&mask, sizeof mask, 0, 0);
    return mask;
}

void signal_begin_run(void)
{
    struct task *self = rt_self;
    if (!learned)
        signal_learn();
    for (int signo = 1; signo < SIGNAL_COUNT; signo++) {
        if ((installed & signal_bit(signo)) || (!signal_is_fault(signo) && !signal_caught(signo)))
            continue;
        if (restart_count() > 0)
            installed |= signal_bit(signo); /* the kernel has kept it */
        else
            signal_install(signo);
    }
    uint64_t before = real_mask(), none = 0;
    signal_set_mask(self, before); /* after the handlers are installed */
    if (before != 0)
        syscall_raw(SYS_rt_sigprocmask, SIG_SETMASK, (long)&none, 0, sizeof none, 0, 0);
    run_begun = true;
}

/* ---- stacks to catch faults on ----------------------------------------------------------------------------------- */

static void *free_stacks; /* the first word links them */

static void *take_stack(void)
{
    if (free_stacks == NULL)
        return rt_alloc(STACK_SIZE);
    void **stack = free_stacks;
    free_stacks = *stack;
    return stack;
}

void signal_free_stack(void *stack)
{
    if (stack == NULL)
        return;
    *(void **)stack = free_stacks;
    free_stacks = stack;
}

/* Alternate stacks belong to kernel threads: on one kernel thread all tasks share the one that main has set. */
static bool has_kernel_thread(const struct task *task)
{
    return carrier == &carrier_kernel || task->id == 0;
}

static void use_own_stack(struct signal_frame *frame)
{
    if (frame->stack == NULL)
        frame->stack = take_stack();
    stack_t own = {.ss_sp = frame->stack, .ss_size = STACK_SIZE};
    syscall_raw(SYS_sigaltstack, (long)&own, 0, 0, 0, 0, 0);
}

void signal_thread_started(struct task *self)
{
    signal_set_waiting(self, 1); /* makes the frame */
    signal_set_waiting(self, 0);
    struct signal_frame *frame = self->signals;
    if (self->id == 0 && !(learned_stack.ss_flags & SS_DISABLE)) {
        frame->alternate = learned_stack;
        return;
    }
    frame->alternate = (stack_t){.ss_flags = SS_DISABLE};
    if (has_kernel_thread(self))
        use_own_stack(frame);
}

static bool stack_in_use(const stack_t *stack)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return !(stack->ss_flags & SS_DISABLE) && here - (uintptr_t)stack->ss_sp < stack->ss_size;
}

uintptr_t signal_alternate_top(const struct task *self, const struct sigaction *action)
{
    const stack_t *stack = &self->signals->alternate;
    if (!(action->sa_flags & SA_ONSTACK) || (stack->ss_flags & SS_DISABLE) || stack_in_use(stack))
        return 0;
    return (uintptr_t)stack->ss_sp + stack->ss_size;
}

/* With a kernel thread of its own a task's stack is really set, for faults; else the kernel has them handled on the runtime's first. */
static int set_stack(struct signal_frame *frame, const stack_t *stack)
{
    bool real = carrier == &carrier_kernel;
    if (stack->ss_flags & SS_DISABLE) {
        frame->alternate = (stack_t){.ss_flags = SS_DISABLE};
        if (real)
            use_own_stack(frame);
        return 0;
    }
    if ((stack->ss_flags & ~(int)(1u << 31)) != 0) /* SS_AUTODISARM, which only the kernel's header has */
        return EINVAL;
    if (stack->ss_size < SMALLEST_STACK)
        return ENOMEM;
    if (real && REAL(sigaltstack)(stack, NULL) != 0)
        return errno;
    frame->alternate = *stack;
    return 0;
}

int signal_alternate_stack(struct task *self, const stack_t *stack, stack_t *old)
{
    struct signal_frame *frame = self->signals;
    stack_t before = frame->alternate;
    if (stack_in_use(&before))
        before.ss_flags |= SS_ONSTACK;
    if (stack != NULL) {
        if (before.ss_flags & SS_ONSTACK)
            return EPERM;
        int error = set_stack(frame, stack);
        if (error != 0)
            return error;
    }
    if (old != NULL)
        *old = before;
    return 0;
}

/* ---- leaving the model ------------------------------------------------------------------------------------------- */

void signal_default(int signo)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    remember(signo);
    REAL(sigaction)(signo, &action, NULL);
}

void signal_die(int signo)
{
    sigset_t only;
    signal_set_bits(&only, signal_bit(signo));
    signal_default(signo);
    REAL(pthread_sigmask)(SIG_UNBLOCK, &only, NULL);
    syscall_raw(SYS_tgkill, raw_getpid(), raw_gettid(), signo, 0, 0, 0);
    rt_end_process(128 + signo); /* not reached: each default action left here ends the process */
}

void signal_stop(int signo)
{
    signal_default(signo);
    syscall_raw(SYS_kill, raw_getpid(), signo, 0, 0, 0, 0);
    signal_install(signo);
}

void signal_materialise(struct task *self)
{
    for (int signo = 1; signo < SIGNAL_COUNT; signo++)
        if (installed & signal_bit(signo))
            REAL(sigaction)(signo, signal_action(signo), NULL);
    stack_t alternate = self->signals->alternate;
    REAL(sigaltstack)(&alternate, NULL);
    REAL(pthread_sigmask)(SIG_SETMASK, &self->signal_mask, NULL);
}

void signal_mask_real(struct task *self, sigset_t *saved)
{
    REAL(pthread_sigmask)(SIG_SETMASK, &self->signal_mask, saved);
}

void signal_mask_back(const sigset_t *saved)
{
    REAL(pthread_sigmask)(SIG_SETMASK, saved, NULL);
}
