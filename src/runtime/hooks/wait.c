/* SPDX-License-Identifier: MIT
 *
 * wait.c - waiting for child processes.
 *
 * Children are not controlled, so when one ends does not depend on the schedule. A wait is ready when waitid(WNOHANG | WNOWAIT), which
 * changes nothing, finds a child; or when it fails: the call itself then returns the error.
 */
#include <sys/resource.h>
#include <sys/wait.h>

#include "runtime/hooks/io.h"
#include "runtime/model/process.h"
#include "runtime/record.h"

/* The children that are waited for, as waitid takes them. */
struct children {
    idtype_t type;
    id_t id;
    int options;
};

static long ask_children(const struct children *children)
{
    siginfo_t info;
    info.si_pid = 0;
    long result = RAW(SYS_waitid, children->type, children->id, &info, children->options | WNOHANG | WNOWAIT, 0);
    return result < 0 ? result : info.si_pid != 0;
}

static enum ready children_ready(struct task *task, const struct op *op)
{
    (void)task;
    return ask_children((const struct children *)(uintptr_t)op->argument) != 0 ? READY_YES : READY_NO;
}

/* Waits until there is something to report, or only makes a point with WNOHANG. 0 or EINTR. */
static int await_children(struct task *self, struct op *op, const struct children *children)
{
    op->argument = (uint64_t)(uintptr_t)children;
    if (children->options & WNOHANG) {
        if (ask_children(children) == 0)
            op->flags |= OP_YIELDS;
        io_point(self, op);
        return 0;
    }
    op->ready = children_ready;
    return io_await_ready(self, op, true);
}

static struct children children_of(pid_t pid, int options)
{
    struct children children = {P_ALL, 0,
                                WEXITED | (options & (WNOHANG | WCONTINUED | __WNOTHREAD | __WALL | __WCLONE))};
    if (options & WUNTRACED)
        children.options |= WSTOPPED;
    if (pid > 0)
        children = (struct children){P_PID, (id_t)pid, children.options};
    else if (pid == 0 || pid < -1)
        children = (struct children){P_PGID, (id_t)-pid, children.options};
    return children;
}

/* wait4 and all that it can express. */
static pid_t wait_task(struct task *self, uintptr_t pc, pid_t pid, int *status, int options, struct rusage *usage)
{
    struct op op = io_operation(OP_WAITPID, -1, pc);
    pid = process_real_pid(pid);
    struct children children = children_of(pid, options);
    long result;
    for (;;) {
        int error = await_children(self, &op, &children);
        result = error != 0 ? -error : RAW(SYS_wait4, pid, status, options | WNOHANG, usage);
        if (result != 0 || (options & WNOHANG))
            break;
        op.flags |= OP_YIELDS; /* another wait got it */
    }
    if (result == 0) {
        record_event(self, &op, 0, EVENT_FAILED | EVENT_VALUE);
        rt_leave(self);
        return 0;
    }
    /* The event does not name the child: its number differs from run to run. */
    io_done(self, &op, result > 0 ? 0 : result, IO_RECEIVES);
    return (pid_t)rt_leave_errno(self, result, result < 0 ? (int)-result : 0);
}

REAL_FUNCTION(wait);
REAL_FUNCTION(waitpid);
REAL_FUNCTION(wait3);
REAL_FUNCTION(wait4);
REAL_FUNCTION(waitid);

RT_HOOK pid_t wait(int *status)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(wait)(status);
    return wait_task(self, CALLER, -1, status, 0, NULL);
}

RT_HOOK pid_t waitpid(pid_t pid, int *status, int options)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(waitpid)(pid, status, options);
    return wait_task(self, CALLER, pid, status, options, NULL);
}

RT_HOOK pid_t wait3(int *status, int options, struct rusage *usage)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(wait3)(status, options, usage);
    return wait_task(self, CALLER, -1, status, options, usage);
}

RT_HOOK pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(wait4)(pid, status, options, usage);
    return wait_task(self, CALLER, pid, status, options, usage);
}

RT_HOOK int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(waitid)(type, id, info, options);
    struct op op = io_operation(OP_WAITPID, -1, CALLER);
    siginfo_t found;
    if (type == P_PID)
        id = (id_t)process_real_pid((pid_t)id);
    struct children children = {type, id, options};
    long result;
    for (;;) {
        int error = await_children(self, &op, &children);
        found.si_pid = 0;
        result = error != 0 ? -error : RAW(SYS_waitid, type, id, &found, options | WNOHANG, 0);
        if (result != 0 || found.si_pid != 0 || (options & WNOHANG))
            break;
        op.flags |= OP_YIELDS;
    }
    if (result == 0 && info != NULL) {
        if (found.si_pid == 0)
            info->si_signo = info->si_pid = 0;
        else
            *info = found;
    }
    return (int)io_finish(self, &op, result, IO_RECEIVES);
}
