/* SPDX-License-Identifier: MIT
 *
 * syscall.c - system calls that the program makes by number.
 *
 * Those that have a hook under their libc name go there. Futexes are modelled (futex.c). Of the rest, those that may
 * block are made as uncontrolled calls and named in the report; all others go straight to the kernel.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/arch/arch.h"
#include "runtime/hooks/futex.h"
#include "runtime/hooks/inside.h"
#include "runtime/hooks/io.h"
#include "runtime/hooks/syscall_names.h"
#include "runtime/hooks/time.h"
#include "runtime/model/process.h"
#include "runtime/restart.h"

REAL_FUNCTION(syscall);

#define WORD(i, type) ((type)a[i])

/* What the model answers by itself, guard held. False: not one of these. */
static bool answer_modelled(struct task *self, uintptr_t pc, long number, const long a[6], long *result)
{
    switch (number) {
    case SYS_futex: {
        struct futex_call call = {WORD(0, uint32_t *), WORD(1, int),        WORD(2, uint32_t),
                                  WORD(3, uintptr_t),  WORD(4, uint32_t *), WORD(5, uint32_t)};
        *result = futex_task(self, pc, &call);
        return *result != -ENOSYS;
    }
    case SYS_gettid:
        *result = PROCESS_SELF + (long)self->id;
        return true;
    case SYS_getpid:
        *result = PROCESS_SELF;
        return true;
    case SYS_getppid:
        *result = PROCESS_PARENT;
        return true;
    case SYS_clock_gettime:
        *result = -time_read(self, pc, WORD(0, clockid_t), WORD(1, struct timespec *));
        return true;
    case SYS_nanosleep:
        *result =
            -time_nanosleep(self, pc, CLOCK_REALTIME, 0, WORD(0, const struct timespec *), WORD(1, struct timespec *));
        return true;
    case SYS_clock_nanosleep:
        *result = -time_nanosleep(self, pc, WORD(0, clockid_t), WORD(1, int), WORD(2, const struct timespec *),
                                  WORD(3, struct timespec *));
        return true;
    default:
        return false;
    }
}

/* Reading and writing leave the hook themselves. */
static bool answer_io(struct task *self, uintptr_t pc, long number, const long a[6], long *result)
{
    struct iovec vector = {WORD(1, void *), WORD(2, size_t)};
    switch (number) {
    case SYS_read:
        *result = io_read_vector(self, pc, WORD(0, int), &vector, 1);
        return true;
    case SYS_write:
        *result = io_write_vector(self, pc, WORD(0, int), &vector, 1);
        return true;
    case SYS_readv:
        *result = io_read_vector(self, pc, WORD(0, int), WORD(1, const struct iovec *), WORD(2, int));
        return true;
    case SYS_writev:
        *result = io_write_vector(self, pc, WORD(0, int), WORD(1, const struct iovec *), WORD(2, int));
        return true;
    default:
        return false;
    }
}

/* Calls that have a hook of their own: guard released, errno set by it. */
static bool answer_hooked(long number, const long a[6], long *result)
{
#define ADDRESS(i) WORD(i, struct sockaddr *)
    switch (number) {
    case SYS_close:
        *result = close(WORD(0, int));
        return true;
    case SYS_openat:
        *result = openat(WORD(0, int), WORD(1, const char *), WORD(2, int), WORD(3, mode_t));
        return true;
    case SYS_getrandom:
        *result = getrandom(WORD(0, void *), WORD(1, size_t), WORD(2, unsigned));
        return true;
    case SYS_gettimeofday:
        *result = WORD(0, void *) != NULL ? gettimeofday(WORD(0, struct timeval *), WORD(1, void *)) : 0;
        return true;
    case SYS_sched_yield:
        *result = sched_yield();
        return true;
    case SYS_ppoll:
        *result = ppoll(WORD(0, struct pollfd *), WORD(1, nfds_t), WORD(2, struct timespec *), WORD(3, sigset_t *));
        return true;
    case SYS_epoll_pwait:
        *result =
            epoll_pwait(WORD(0, int), WORD(1, struct epoll_event *), WORD(2, int), WORD(3, int), WORD(4, sigset_t *));
        return true;
    case SYS_epoll_ctl:
        *result = epoll_ctl(WORD(0, int), WORD(1, int), WORD(2, int), WORD(3, struct epoll_event *));
        return true;
    case SYS_accept4:
        *result = accept4(WORD(0, int), ADDRESS(1), WORD(2, socklen_t *), WORD(3, int));
        return true;
    case SYS_accept:
        *result = accept(WORD(0, int), ADDRESS(1), WORD(2, socklen_t *));
        return true;
    case SYS_connect:
        *result = connect(WORD(0, int), ADDRESS(1), WORD(2, socklen_t));
        return true;
    case SYS_recvfrom:
        *result =
            recvfrom(WORD(0, int), WORD(1, void *), WORD(2, size_t), WORD(3, int), ADDRESS(4), WORD(5, socklen_t *));
        return true;
    case SYS_sendto:
        *result = sendto(WORD(0, int), WORD(1, void *), WORD(2, size_t), WORD(3, int), ADDRESS(4), WORD(5, socklen_t));
        return true;
    case SYS_recvmsg:
        *result = recvmsg(WORD(0, int), WORD(1, struct msghdr *), WORD(2, int));
        return true;
    case SYS_sendmsg:
        *result = sendmsg(WORD(0, int), WORD(1, struct msghdr *), WORD(2, int));
        return true;
    case SYS_wait4:
        *result = wait4(WORD(0, pid_t), WORD(1, int *), WORD(2, int), WORD(3, struct rusage *));
        return true;
    case SYS_flock:
        *result = flock(WORD(0, int), WORD(1, int));
        return true;
    case SYS_tgkill:
        *result = tgkill(WORD(0, pid_t), WORD(1, pid_t), WORD(2, int));
        return true;
    case SYS_tkill:
        *result = tgkill(getpid(), WORD(0, pid_t), WORD(1, int));
        return true;
    case SYS_kill:
        *result = kill(WORD(0, pid_t), WORD(1, int));
        return true;
    case SYS_exit_group:
        _exit(WORD(0, int));
    case SYS_exit:
        pthread_exit(NULL);
#ifdef SYS_poll /* older names, not on every machine */
    case SYS_open:
        *result = open(WORD(0, const char *), WORD(1, int), WORD(2, mode_t));
        return true;
    case SYS_poll:
        *result = poll(WORD(0, struct pollfd *), WORD(1, nfds_t), WORD(2, int));
        return true;
    case SYS_select:
        *result =
            select(WORD(0, int), WORD(1, fd_set *), WORD(2, fd_set *), WORD(3, fd_set *), WORD(4, struct timeval *));
        return true;
    case SYS_epoll_wait:
        *result = epoll_wait(WORD(0, int), WORD(1, struct epoll_event *), WORD(2, int), WORD(3, int));
        return true;
    case SYS_time:
        *result = time(WORD(0, time_t *));
        return true;
    case SYS_dup2:
        *result = dup2(WORD(0, int), WORD(1, int));
        return true;
#endif
    case SYS_dup3:
        *result = dup3(WORD(0, int), WORD(1, int), WORD(2, int));
        return true;
    default:
        return false;
    }
#undef ADDRESS
}

/* Calls without a model that may wait for something. */
static bool may_block(long number)
{
    static const long numbers[] = {
        SYS_futex,           SYS_waitid,       SYS_msgrcv,       SYS_msgsnd,          SYS_semop,    SYS_semtimedop,
        SYS_mq_timedreceive, SYS_mq_timedsend, SYS_io_getevents, SYS_io_uring_enter,  SYS_splice,   SYS_tee,
        SYS_vmsplice,        SYS_sendfile,     SYS_recvmmsg,     SYS_sendmmsg,        SYS_pselect6, SYS_rt_sigsuspend,
        SYS_preadv2,         SYS_pwritev2,     SYS_ptrace,       SYS_rt_sigtimedwait,
#ifdef SYS_futex_waitv
        SYS_futex_waitv,
#endif
#ifdef SYS_epoll_pwait2
        SYS_epoll_pwait2,
#endif
#ifdef SYS_pause
        SYS_pause,
#endif
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (numbers[i] == number)
            return true;
    return false;
}

/* Calls that change nothing in the kernel. */
static bool only_asks(long number)
{
    static const long numbers[] = {SYS_getuid,  SYS_geteuid, SYS_getgid,    SYS_getegid,           SYS_uname,
                                   SYS_sysinfo, SYS_getcpu,  SYS_getcwd,    SYS_sched_getaffinity, SYS_getrusage,
                                   SYS_fstat,   SYS_lseek,   SYS_membarrier};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (numbers[i] == number)
            return true;
    return false;
}

static long make_external(struct task *self, long number, const long a[6])
{
    char name[48];
    const char *known = system_call_name(number);
    if (known != NULL)
        rt_format(name, sizeof name, "system call %s", known);
    else
        rt_format(name, sizeof name, "system call %ld", number);
    sched_external_begin(self, name);
    long result = syscall_raw(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    sched_external_end(self);
    return result;
}

RT_HOOK long syscall(long number, ...)
{
    long a[6];
    va_list arguments;
    va_start(arguments, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(arguments, long);
    va_end(arguments);
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    long result;
    if (answer_io(self, CALLER, number, a, &result))
        return result;
    if (!answer_modelled(self, CALLER, number, a, &result)) {
        rt_leave(self);
        if (answer_hooked(number, a, &result))
            return result;
        task_go_inside(self);
        if (number == SYS_io_uring_setup || number == SYS_io_setup || number == SYS_clone)
            inside_give_up(); /* the kernel or another process will do I/O for the program */
        if (!only_asks(number))
            restart_forbid(system_call_name(number) != NULL ? system_call_name(number) : "syscall");
        result = may_block(number) ? make_external(self, number, a)
                                   : syscall_raw(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    }
    return rt_leave_errno(self, result, result < 0 && result > -4096 ? (int)-result : 0);
}
