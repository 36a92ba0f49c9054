/* SPDX-License-Identifier: MIT
 *
 * signal_send.c - calls that send a signal, and those that have the kernel send one later.
 *
 * What goes to this process stays in the model.  What goes to others is sent, with the number of the process
 * translated.
 */
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "runtime/arch/arch.h"
#include "runtime/init.h"
#include "runtime/model/process.h"
#include "runtime/model/signal.h"
#include "runtime/raw.h"
#include "runtime/record.h"
#include "runtime/sched/point.h"
#include "runtime/sched/spin.h"
#include "runtime/sched/task.h"

REAL_FUNCTION(pthread_kill);
REAL_FUNCTION(pthread_sigqueue);
REAL_FUNCTION(raise);
REAL_FUNCTION(kill);
REAL_FUNCTION(tgkill);
REAL_FUNCTION(sigqueue);

static siginfo_t make_info(int signo, int code)
{
    siginfo_t info;
    for (size_t i = 0; i < sizeof info / sizeof(int); i++)
        ((int *)&info)[i] = 0;
    info.si_signo = signo;
    info.si_code = code;
    info.si_pid = PROCESS_SELF;
    info.si_uid = (uid_t)syscall_raw(SYS_getuid, 0, 0, 0, 0, 0, 0);
    return info;
}

static void point(struct task *self, struct op *op, uintptr_t pc, uintptr_t address)
{
    *op = (struct op){.kind = OP_KILL, .pc = pc, .address = address, .fd = -1, .deadline = RT_NEVER};
    sched_point(self, op);
}

/* SIGKILL and SIGSTOP have neither handler nor mask. */
static bool sent_at_once(struct task *self, int signo, uintptr_t pc)
{
    if (signo == SIGKILL)
        signal_kill_self(self, signo, pc);
    if (signo == SIGSTOP)
        signal_stop(signo);
    return signo == SIGSTOP;
}

/* ---- to one thread ----------------------------------------------------------------------------------------------- */

/* The point is done. A signal to oneself is delivered before the call returns. */
static void send_to_task(struct task *self, const struct op *op, struct task *target, const siginfo_t *info)
{
    record_event(self, op, target->id, EVENT_VALUE);
    if (target->ended || info->si_signo == 0 || sent_at_once(self, info->si_signo, op->pc))
        return;
    spin_written((uintptr_t)&target->signals_pending, sizeof target->signals_pending);
    signal_post_task(target, info, op->pc);
    if (target == self && signal_due(self))
        signal_deliver(self);
}

static int send_by_handle(struct task *self, uintptr_t pc, pthread_t handle, const siginfo_t *info)
{
    struct op op;
    struct task *target = task_by_handle(handle);
    point(self, &op, pc, target != NULL ? (uintptr_t)&target->signals_pending : 0);
    target = task_by_handle(handle);
    int error = info->si_signo != 0 && !signal_valid(info->si_signo) ? EINVAL : target == NULL ? ESRCH : 0;
    if (error == 0)
        send_to_task(self, &op, target, info);
    else
        record_event(self, &op, (uint64_t)error, EVENT_VALUE | EVENT_FAILED);
    return error;
}

RT_HOOK int pthread_kill(pthread_t handle, int signo)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_kill)(handle, signo);
    siginfo_t info = make_info(signo, SI_TKILL);
    int error = send_by_handle(self, CALLER, handle, &info);
    rt_leave(self);
    return error;
}

RT_HOOK int pthread_sigqueue(pthread_t handle, int signo, const union sigval value)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_sigqueue)(handle, signo, value);
    siginfo_t info = make_info(signo, SI_QUEUE);
    info.si_value = value;
    int error = send_by_handle(self, CALLER, handle, &info);
    rt_leave(self);
    return error;
}

static int raise_here(struct task *self, uintptr_t pc, int signo)
{
    struct op op;
    if (!signal_valid(signo) && signo != 0)
        return (int)rt_leave_errno(self, -1, EINVAL);
    point(self, &op, pc, (uintptr_t)&self->signals_pending);
    siginfo_t info = make_info(signo, SI_TKILL);
    send_to_task(self, &op, self, &info);
    rt_leave(self);
    return 0;
}

RT_HOOK int raise(int signo)
{
    struct task *self = rt_enter();
    return self == NULL ? REAL(raise)(signo) : raise_here(self, CALLER, signo);
}

int gsignal(int signo);
RT_HOOK int gsignal(int signo)
{
    struct task *self = rt_enter();
    return self == NULL ? REAL(raise)(signo) : raise_here(self, CALLER, signo);
}

static bool is_this_process(pid_t pid)
{
    return pid == PROCESS_SELF || pid == raw_getpid();
}

/* The live task whose gettid() is tid. */
static struct task *task_by_tid(pid_t tid)
{
    uint32_t id = (uint32_t)(tid - PROCESS_SELF);
    struct task *task = tid >= PROCESS_SELF && id < rt.task_count ? rt.tasks[id] : NULL;
    return task != NULL && !task->ended ? task : NULL;
}

RT_HOOK int tgkill(pid_t group, pid_t tid, int signo)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(tgkill)(process_real_pid(group), process_real_pid(tid), signo);
    if (!is_this_process(group))
        return (int)rt_leave_errno(self, 0, REAL(tgkill)(process_real_pid(group), tid, signo) == 0 ? 0 : errno);
    struct task *target = task_by_tid(tid);
    struct op op;
    point(self, &op, CALLER, target != NULL ? (uintptr_t)&target->signals_pending : 0);
    target = task_by_tid(tid);
    int error = signo != 0 && !signal_valid(signo) ? EINVAL : target == NULL ? ESRCH : 0;
    siginfo_t info = make_info(signo, SI_TKILL);
    if (error == 0)
        send_to_task(self, &op, target, &info);
    else
        record_event(self, &op, (uint64_t)error, EVENT_VALUE | EVENT_FAILED);
    return (int)rt_leave_errno(self, 0, error);
}

/* ---- to the process ---------------------------------------------------------------------------------------------- */

static bool another_could_take(const struct task *self, int signo)
{
    for (uint32_t id = 0; id < rt.task_count; id++) {
        const struct task *task = rt.tasks[id];
        if (task == NULL || task == self || task->ended)
            continue;
        bool waits = task->signals != NULL && (task->signals->waiting & signal_bit(signo));
        if (waits || !(signal_bits(&task->signal_mask) & signal_bit(signo)))
            return true;
    }
    return false;
}

static int send_to_process(struct task *self, uintptr_t pc, const siginfo_t *info)
{
    struct op op;
    int signo = info->si_signo;
    if (signo != 0 && !signal_valid(signo))
        return EINVAL;
    point(self, &op, pc, (uintptr_t)&rt);
    record_event(self, &op, (uint64_t)signo, EVENT_VALUE);
    if (signo == 0 || sent_at_once(self, signo, pc))
        return 0;
    for (uint32_t id = 0; id < rt.task_count; id++)
        if (rt.tasks[id] != NULL)
            spin_written((uintptr_t)&rt.tasks[id]->signals_pending, sizeof rt.tasks[id]->signals_pending);
    signal_post_process(info, pc);
    if (!another_could_take(self, signo) && signal_due(self))
        signal_deliver(self);
    return 0;
}

/* The parent is raddle itself, which is not killed. */
static int send_outside(pid_t pid, int signo, const union sigval *value)
{
    if (pid == PROCESS_PARENT) {
        sched_uncontrolled("signal to the parent process");
        return 0;
    }
    int result = value != NULL ? REAL(sigqueue)(pid, signo, *value) : REAL(kill)(pid, signo);
    return result == 0 ? 0 : errno;
}

RT_HOOK int kill(pid_t pid, int signo)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(kill)(process_real_pid(pid), signo);
    siginfo_t info = make_info(signo, SI_USER);
    int error = is_this_process(pid) ? send_to_process(self, CALLER, &info) : send_outside(pid, signo, NULL);
    return (int)rt_leave_errno(self, 0, error);
}

RT_HOOK int sigqueue(pid_t pid, int signo, const union sigval value)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(sigqueue)(process_real_pid(pid), signo, value);
    siginfo_t info = make_info(signo, SI_QUEUE);
    info.si_value = value;
    int error = is_this_process(pid) ? send_to_process(self, CALLER, &info) : send_outside(pid, signo, &value);
    return (int)rt_leave_errno(self, 0, error);
}

/* ---- alarms: real time, so not under control --------------------------------------------------------------------- */

REAL_FUNCTION(alarm);
REAL_FUNCTION(ualarm);
REAL_FUNCTION(setitimer);

static void count_alarm(bool armed, bool periodic)
{
    if (rt_self == NULL || task_is_inside(rt_self))
        return;
    if (armed)
        sched_uncontrolled("alarm");
    signal_expect_alarm(!armed ? ALARM_OFF : periodic ? ALARM_PERIODIC : ALARM_ONCE);
}

static bool is_set(const struct timeval *value)
{
    return value->tv_sec != 0 || value->tv_usec != 0;
}

RT_HOOK unsigned alarm(unsigned seconds)
{
    count_alarm(seconds != 0, false);
    return REAL(alarm)(seconds);
}

RT_HOOK useconds_t ualarm(useconds_t value, useconds_t interval)
{
    count_alarm(value != 0, interval != 0);
    return REAL(ualarm)(value, interval);
}

RT_HOOK int setitimer(__itimer_which_t which, const struct itimerval *new, struct itimerval *old)
{
    if (new != NULL)
        count_alarm(is_set(&new->it_value), is_set(&new->it_interval));
    return REAL(setitimer)(which, new, old);
}
