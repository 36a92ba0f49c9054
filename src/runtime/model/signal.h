/* SPDX-License-Identifier: MIT
 *
 * signal.h - signals of a controlled program: modelled, delivered before operations of their tasks.
 *
 * DESIGN
 *   A signal that the program sends to itself never reaches the kernel.  It becomes pending on a task or on the
 *   process; the scheduler treats a task with a deliverable signal as ready (signal_due), and the task runs the handler
 *   inside sched_point (signal_deliver).  When a handler runs is a choice: sched/handler.c.
 *
 *   What the kernel sends (a child ended, an alarm, a kill by another process) is caught by one real handler, which only notes
 *   it; it then becomes pending on the process.  Masks exist in the model only.  A fault (SIGSEGV and the like) is
 *   handled at once: by the program's own handler if it has one, else it is a finding and the process dies of it.
 */
#ifndef RADDLE_MODEL_SIGNAL_H
#define RADDLE_MODEL_SIGNAL_H

#include <poll.h>

#include "runtime/rt.h"

enum { SIGNAL_COUNT = 65, SIGNAL_REALTIME = 32 }; /* signals from SIGNAL_REALTIME on are queued */

struct signal_frame {           /* a task's own part */
    struct signal_entry *first; /* pending for this task, in order of arrival */
    uint64_t waiting;           /* in sigwait for these */
    bool restarts;              /* of the handlers that ran last */
    void *stack;                /* runtime's alternate stack */
    stack_t alternate;          /* the one that the program has set */
    uint32_t frames_below; /* shadow frames of what a handler on the alternate stack has interrupted, plus 1; 0: none */
};

/* ---- for start-up and the scheduler ------------------------------------------------------------------------------ */

/* Reads which handlers the program has now.  Once, before the fork point (signal_begin_run does it otherwise). */
void signal_learn(void);
/* The controlled run begins: takes over the handlers, catches faults. */
void signal_begin_run(void);
/* At the end of a run after which the process is used again: the real handlers as they were when it began. */
void signal_put_back(void);
/* From now on: as they are now. */
void signal_keep(void);
/* Descriptors by which poll sees the end of child processes that live, at most `room`; returns how many.  signal_unwatch_children closes them. */
int signal_watch_children(struct pollfd *fds, int room);
void signal_unwatch_children(const struct pollfd *fds, int count);
/* In the task's own thread, before anything of the program runs there: an alternate stack to catch faults on. */
void signal_thread_started(struct task *self);
/* The real thread has ended. */
void signal_thread_gone(struct task *task);

/* A handler has to run in `task` (or the process has to die by a signal that `task` takes). */
bool signal_due(const struct task *task);
/* A handler could run in `task` now, if a signal arrived. */
bool signal_may_come(const struct task *task);
/* Runs them.  Guard held, the task's operation unlinked.  A handler may leave by siglongjmp. */
void signal_deliver(struct task *self);
/* After WAKE_SIGNAL: all handlers that have just run asked for SA_RESTART, so the call is to be done again. */
bool signal_restarts(const struct task *self);

/* Signals that the kernel sent and that are not pending yet (bit signo-1). */
extern volatile uint64_t signal_arrivals;
/* At a scheduling point: they become pending, and tasks become ready.  The schedule has the place where they arrived, and in a replay they
   arrive there.  False: there were none. */
bool signal_collect(void);
/* No task can run: may a signal still arrive from an alarm, a timer or a child?  Then waits a short time for it and returns
   true. */
bool signal_idle(void);

/* ---- between the files that do signals --------------------------------------------------------------------------- */

static inline uint64_t signal_bit(int signo)
{
    return 1ull << (signo - 1);
}

static inline uint64_t signal_bits(const sigset_t *set)
{
    return set->__val[0];
}

static inline void signal_set_bits(sigset_t *set, uint64_t bits)
{
    for (size_t i = 1; i < sizeof set->__val / sizeof set->__val[0]; i++)
        set->__val[i] = 0;
    set->__val[0] = bits;
}

/* SIGKILL and SIGSTOP cannot be blocked, nor the two that libc keeps for itself. */
#define SIGNAL_UNBLOCKABLE (signal_bit(SIGKILL) | signal_bit(SIGSTOP) | signal_bit(32) | signal_bit(33))

enum signal_default { DEFAULT_TERMINATE, DEFAULT_IGNORE, DEFAULT_STOP };
enum signal_default signal_default_of(int signo);
bool signal_is_fault(int signo); /* SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS */
const char *signal_name(int signo);
bool signal_valid(int signo); /* may a program use it? */

/* ---- model/signal.c: dispositions, pending signals, delivery ----------------------------------------------------- */

const struct sigaction *signal_action(int signo);
void signal_set_action(int signo, const struct sigaction *action);
bool signal_caught(int signo); /* the program has a handler */
/* Replaces the task's mask (signals that cannot be blocked are left out). Delivers nothing. */
void signal_set_mask(struct task *self, uint64_t bits);
/* Makes a signal pending.  pc: the place in the program that sent it. */
void signal_post_task(struct task *target, const siginfo_t *info, uintptr_t pc);
void signal_post_process(const siginfo_t *info, uintptr_t pc);
/* Pending for this task, blocked or not. */
uint64_t signal_pending(const struct task *task);
/* Takes the lowest pending signal of `set` off the task or the process; 0 if there is none. */
int signal_take(struct task *self, uint64_t set, siginfo_t *info);
/* Signals that the task waits for in sigwait: they are not for handlers meanwhile. 0: none. */
void signal_set_waiting(struct task *self, uint64_t set);
/* Runs the program's handler of info->si_signo, guard released meanwhile.  May not return. */
void signal_run_handler(struct task *self, siginfo_t *info, void *context, uintptr_t pc);
/* A jump is about to leave the handler that runs on the alternate stack, if one does. */
void signal_leave_alternate(struct task *self);
/* The signal that killed the process came from the program itself: a finding, then dies of it. */
__attribute__((noreturn)) void signal_kill_self(struct task *self, int signo, uintptr_t pc);

/* ---- model/signal_real.c: what the kernel is told ---------------------------------------------------------------- */

/* The real disposition that goes with the model's. */
void signal_install(int signo);
/* Signals that a task blocks must not do their default action when the kernel sends them. */
void signal_install_blocked(uint64_t bits);
/* Notes a signal of the kernel's for signal_collect. Async-signal-safe. */
void signal_note(int signo, const siginfo_t *info);
/* Stops the process.  Returns when it is continued. */
void signal_stop(int signo);
void signal_free_stack(void *stack);
/* The kernel does its default action from now on. */
void signal_default(int signo);
/* Dies of the signal's default action. */
__attribute__((noreturn)) void signal_die(int signo);
/* In a forked child: real mask and handlers become those of the model. */
void signal_materialise(struct task *self);
/* Around exec and spawn: the real mask is the task's, then the runtime's again. */
void signal_mask_real(struct task *self, sigset_t *saved);
void signal_mask_back(const sigset_t *saved);
/* An alarm or timer was armed, or disarmed. */
enum signal_alarm { ALARM_OFF, ALARM_ONCE, ALARM_PERIODIC };
void signal_expect_alarm(enum signal_alarm alarm);
/* A child process was started: while it lives it may send signals. */
void signal_expect_child(pid_t pid);
/* Where the alternate stack ends on which a handler with this action runs; 0: on the stack as it is. */
uintptr_t signal_alternate_top(const struct task *self, const struct sigaction *action);
int signal_alternate_stack(struct task *self, const stack_t *stack, stack_t *old); /* sigaltstack: 0 or an error */

#endif
