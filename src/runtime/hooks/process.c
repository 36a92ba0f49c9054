/* SPDX-License-Identifier: MIT
 *
 * process.c - identity, fork, and the ways a process ends.
 *
 * Children are not controlled: they are separate processes, and the run that is under control goes on in the parent.
 */
#include "runtime/model/process.h"
#include "runtime/raw.h"

#include <pty.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/arch/arch.h"
#include "runtime/init.h"
#include "runtime/model/keys.h"
#include "runtime/model/model.h"
#include "runtime/model/signal.h"
#include "runtime/restart.h"
#include "runtime/sched/sched.h"

REAL_FUNCTION(getpid);
REAL_FUNCTION(getppid);
REAL_FUNCTION(gettid);
REAL_FUNCTION(fork);
REAL_FUNCTION(_Fork);
REAL_FUNCTION(daemon);
REAL_FUNCTION(forkpty);
REAL_FUNCTION(exit);
REAL_FUNCTION(_exit);
REAL_FUNCTION(quick_exit);

/* ---- identity ---------------------------------------------------------------------------------------------------- */

RT_HOOK pid_t getpid(void)
{
    return rt.attached ? PROCESS_SELF : REAL(getpid)();
}

RT_HOOK pid_t getppid(void)
{
    return rt.attached ? PROCESS_PARENT : REAL(getppid)();
}

RT_HOOK pid_t gettid(void)
{
    if (rt_self != NULL)
        return PROCESS_SELF + (pid_t)rt_self->id;
    return rt.attached && !rt.controlled ? PROCESS_SELF : REAL(gettid)();
}

/* ---- fork -------------------------------------------------------------------------------------------------------- */

static bool forking; /* by the program, not by the fork server */

/* In the child, before any handler of the program's: from here on it is an ordinary process. */
static void leave_control(void)
{
    struct task *self = rt_self;
    if (self == NULL && !forking)
        return;
    forking = false;
    rt_self = NULL;
    rt.controlled = false;
    rt.attached = false;
    rt.wire = NULL;
    rt.current = NULL;
    if (self == NULL)
        return;
    model_materialise(self);
    keys_materialise(self);
    signal_materialise(self);
}

int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *dso);
REAL_FUNCTION(__register_atfork);

/* Handlers for the child run in the order of registration: ours must be the first. */
static void register_leave_control(void)
{
    static bool done;
    if (done)
        return;
    done = true;
    REAL(__register_atfork)(NULL, NULL, leave_control, NULL);
}

/* What pthread_atfork calls. */
RT_HOOK int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *dso)
{
    register_leave_control();
    return REAL(__register_atfork)(prepare, parent, child, dso);
}

/* A scheduling point for the parent; afterwards the guard is released, because handlers are the program's code. */
static void before_fork(uintptr_t pc)
{
    register_leave_control();
    struct task *self = rt_enter();
    if (self != NULL) {
        struct op op = {.kind = OP_FORK, .pc = pc, .fd = -1, .deadline = RT_NEVER};
        sched_point(self, &op);
        sched_uncontrolled("fork");
        restart_forbid("fork"); /* and a copy of this process could not wait for the child */
        record_event(self, &op, 0, 0);
        model_before_fork(self);
        rt_leave(self);
    }
    forking = true;
}

static pid_t after_fork(pid_t pid)
{
    forking = false;
    if (rt_self != NULL)
        signal_expect_child(pid);
    return pid;
}

static pid_t fork_under_control(uintptr_t pc)
{
    before_fork(pc);
    return after_fork(REAL(fork)());
}

RT_HOOK pid_t fork(void)
{
    return fork_under_control(CALLER);
}

/* A child that shares its parent's stack cannot be made from C.  A copy is what POSIX allows; the parent does not
   wait. */
RT_HOOK pid_t vfork(void)
{
    return fork_under_control(CALLER);
}

RT_HOOK pid_t _Fork(void)
{
    if (rt_self == NULL)
        return REAL(_Fork)(); /* the fork server, too, comes here */
    before_fork(CALLER);
    pid_t pid = REAL(_Fork)(); /* runs no handlers */
    if (pid == 0)
        leave_control();
    return after_fork(pid);
}

RT_HOOK int forkpty(int *master, char *name, const struct termios *settings, const struct winsize *size)
{
    before_fork(CALLER);
    return after_fork(REAL(forkpty)(master, name, settings, size));
}

/* The parent ends inside: the run under control is over when the daemon begins. */
RT_HOOK int daemon(int keep_directory, int keep_output)
{
    before_fork(CALLER);
    if (rt.controlled)
        sched_run_ended(END_EXIT);
    int result = REAL(daemon)(keep_directory, keep_output);
    forking = false;
    return result;
}

/* ---- end --------------------------------------------------------------------------------------------------------- */

static void exit_point(struct task *self, uintptr_t pc, int status)
{
    struct op op = {.kind = OP_EXIT, .pc = pc, .fd = -1, .deadline = RT_NEVER};
    sched_point(self, &op);
    record_event(self, &op, (uint64_t)(status & 0xff), EVENT_VALUE);
    struct wire_result *result = &rt.wire->result;
    result->exit_status = (uint32_t)status & 0xff;
    result->exit_here =
        (struct wire_access){.task = (uint16_t)self->id, .op = OP_EXIT, .pc = pc, .operation = self->operations};
    result->exit_depth = record_stack(self, pc, result->exit_stack);
}

/* Handlers run under control; the last of them, which is ours, marks the end (init.c). */
RT_HOOK void exit(int status)
{
    struct task *self = rt_enter();
    if (self != NULL) {
        exit_point(self, CALLER, status);
        rt_leave(self);
        keys_run_thread_local(self);
    }
    REAL(exit)(status);
    __builtin_unreachable();
}

/* No handlers: the point is the last thing that happens. */
static void end_at_once(uintptr_t pc, int status)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return;
    exit_point(self, pc, status);
    sched_run_ended(END_EXIT);
}

RT_HOOK void _exit(int status)
{
    end_at_once(CALLER, status);
    REAL(_exit)(status);
    __builtin_unreachable();
}

RT_HOOK void _Exit(int status)
{
    end_at_once(CALLER, status);
    REAL(_exit)(status);
    __builtin_unreachable();
}

/* libc runs the first registered handler last. */
static void last_quick_handler(void)
{
    if (rt.controlled)
        sched_run_ended(END_EXIT);
}

int __cxa_at_quick_exit(void (*handler)(void *), void *dso);
REAL_FUNCTION(__cxa_at_quick_exit);

static void register_quick_handler(void)
{
    static bool done;
    if (done)
        return;
    done = true;
    REAL(__cxa_at_quick_exit)((void (*)(void *))(uintptr_t)last_quick_handler, NULL);
}

/* What at_quick_exit calls. */
RT_HOOK int __cxa_at_quick_exit(void (*handler)(void *), void *dso)
{
    register_quick_handler();
    return REAL(__cxa_at_quick_exit)(handler, dso);
}

RT_HOOK void quick_exit(int status)
{
    register_quick_handler();
    struct task *self = rt_enter();
    if (self != NULL) {
        exit_point(self, CALLER, status);
        rt_leave(self);
    }
    REAL(quick_exit)(status);
    __builtin_unreachable();
}
