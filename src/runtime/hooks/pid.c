/* SPDX-License-Identifier: MIT
 *
 * pid.c - calls that take the number of a process or thread: the program's number becomes the kernel's.
 *
 * These are not scheduling points: they change how the kernel treats a thread, not what the program computes.
 */
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include "runtime/model/process.h"
#include "runtime/raw.h"
#include "runtime/restart.h"
#include "runtime/rt.h"

/* X(result, name, parameters, arguments for the real one) */
#define ASKING_CALLS(X)                                                                                                \
    X(int, sched_getscheduler, (pid_t pid), (process_real_pid(pid)))                                                   \
    X(int, sched_getparam, (pid_t pid, struct sched_param * parameter), (process_real_pid(pid), parameter))            \
    X(int, sched_rr_get_interval, (pid_t pid, struct timespec * interval), (process_real_pid(pid), interval))          \
    X(int, getpriority, (__priority_which_t which, id_t who), (which, real_who(which, who)))

#define CHANGING_CALLS(X)                                                                                              \
    X(int, setpgid, (pid_t pid, pid_t group), (process_real_pid(pid), process_real_pid(group)))                        \
    X(int, sched_setaffinity, (pid_t pid, size_t size, const cpu_set_t *set), (process_real_pid(pid), size, set))      \
    X(int, sched_setscheduler, (pid_t pid, int policy, const struct sched_param *parameter),                           \
      (process_real_pid(pid), policy, parameter))                                                                      \
    X(int, sched_setparam, (pid_t pid, const struct sched_param *parameter), (process_real_pid(pid), parameter))       \
    X(int, setpriority, (__priority_which_t which, id_t who, int value), (which, real_who(which, who), value))         \
    X(int, prlimit, (pid_t pid, enum __rlimit_resource resource, const struct rlimit *new, struct rlimit *old),        \
      (process_real_pid(pid), resource, new, old))                                                                     \
    X(int, prlimit64, (pid_t pid, enum __rlimit_resource resource, const struct rlimit64 *new, struct rlimit64 *old),  \
      (process_real_pid(pid), resource, new, old))

static id_t real_who(__priority_which_t which, id_t who)
{
    return which == PRIO_USER ? who : (id_t)process_real_pid((pid_t)who);
}

#define X(result, name, parameters, arguments)                                                                         \
    REAL_FUNCTION(name);                                                                                               \
    RT_HOOK result name parameters                                                                                     \
    {                                                                                                                  \
        return REAL(name) arguments;                                                                                   \
    }
ASKING_CALLS(X)
#undef X

#define X(result, name, parameters, arguments)                                                                         \
    REAL_FUNCTION(name);                                                                                               \
    RT_HOOK result name parameters                                                                                     \
    {                                                                                                                  \
        restart_forbid(#name);                                                                                         \
        return REAL(name) arguments;                                                                                   \
    }
CHANGING_CALLS(X)
#undef X

/* Those that answer with a number of the same kind. */
static pid_t shown_pid(pid_t pid)
{
    return rt.attached && pid == raw_getpid() ? (pid_t)PROCESS_SELF : pid;
}

REAL_FUNCTION(getpgid);
REAL_FUNCTION(getpgrp);
REAL_FUNCTION(getsid);

RT_HOOK pid_t getpgid(pid_t pid)
{
    return shown_pid(REAL(getpgid)(process_real_pid(pid)));
}

RT_HOOK pid_t getpgrp(void)
{
    return shown_pid(REAL(getpgrp)());
}

RT_HOOK pid_t getsid(pid_t pid)
{
    return shown_pid(REAL(getsid)(process_real_pid(pid)));
}
