/* SPDX-License-Identifier: MIT
 *
 * exec.c - other programs: exec, posix_spawn, system, popen.
 *
 * Another program is not under control, whether it replaces this one or runs at the same time.  It inherits the
 * signal mask, which in this process exists in the model only, so the real mask is set around each of these calls.
 */
#include <alloca.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/checkpoint.h"
#include "runtime/hooks/inside.h"
#include "runtime/model/signal.h"
#include "runtime/record.h"
#include "runtime/sched/preempt.h"
#include "runtime/sched/sched.h"

REAL_FUNCTION(execve);
REAL_FUNCTION(execvpe);
REAL_FUNCTION(execveat);
REAL_FUNCTION(fexecve);
REAL_FUNCTION(posix_spawn);
REAL_FUNCTION(posix_spawnp);
REAL_FUNCTION(system);
REAL_FUNCTION(popen);
REAL_FUNCTION(pclose);

/* ---- exec -------------------------------------------------------------------------------------------------------- */

/* The run is over if it succeeds; if not, exec_failed takes that back.  NULL: not under control. */
static struct task *exec_begin(uintptr_t pc, sigset_t *saved)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return NULL;
    struct op op = {.kind = OP_EXIT, .pc = pc, .fd = -1, .deadline = RT_NEVER};
    sched_point(self, &op);
    sched_uncontrolled("exec");
    sched_run_ended(END_EXIT);
    signal_mask_real(self, saved);
    return self;
}

static int exec_failed(struct task *self, const sigset_t *saved)
{
    int error = errno;
    if (self == NULL)
        return -1;
    signal_mask_back(saved);
    rt.finishing = false;
    rt.wire->result.end = END_RUNNING;
    preempt_begin_run();
    return (int)rt_leave_errno(self, -1, error);
}

static int exec_path(uintptr_t pc, const char *path, char *const *argv, char *const *envp)
{
    sigset_t saved;
    struct task *self = exec_begin(pc, &saved);
    REAL(execve)(path, argv, envp);
    return exec_failed(self, &saved);
}

static int exec_search(uintptr_t pc, const char *file, char *const *argv, char *const *envp)
{
    sigset_t saved;
    struct task *self = exec_begin(pc, &saved);
    REAL(execvpe)(file, argv, envp);
    return exec_failed(self, &saved);
}

RT_HOOK int execve(const char *path, char *const argv[], char *const envp[])
{
    return exec_path(CALLER, path, argv, envp);
}

RT_HOOK int execv(const char *path, char *const argv[])
{
    return exec_path(CALLER, path, argv, environ);
}

RT_HOOK int execvp(const char *file, char *const argv[])
{
    return exec_search(CALLER, file, argv, environ);
}

RT_HOOK int execvpe(const char *file, char *const argv[], char *const envp[])
{
    return exec_search(CALLER, file, argv, envp);
}

RT_HOOK int execveat(int directory, const char *path, char *const argv[], char *const envp[], int flags)
{
    sigset_t saved;
    struct task *self = exec_begin(CALLER, &saved);
    REAL(execveat)(directory, path, argv, envp, flags);
    return exec_failed(self, &saved);
}

RT_HOOK int fexecve(int fd, char *const argv[], char *const envp[])
{
    sigset_t saved;
    struct task *self = exec_begin(CALLER, &saved);
    REAL(fexecve)(fd, argv, envp);
    return exec_failed(self, &saved);
}

/* Gathers the list of arguments, with its NULL, on the caller's stack. */
#define COLLECT_ARGUMENTS(first, list, argv)                                                                           \
    va_list list;                                                                                                      \
    size_t argv##_count = 1;                                                                                           \
    va_start(list, first);                                                                                             \
    while (va_arg(list, char *) != NULL)                                                                               \
        argv##_count++;                                                                                                \
    va_end(list);                                                                                                      \
    char **argv = alloca((argv##_count + 1) * sizeof *argv);                                                           \
    argv[0] = (char *)(first);                                                                                         \
    va_start(list, first);                                                                                             \
    for (size_t i = 1; i <= argv##_count; i++)                                                                         \
    argv[i] = va_arg(list, char *)

RT_HOOK int execl(const char *path, const char *first, ...)
{
    COLLECT_ARGUMENTS(first, list, argv);
    va_end(list);
    return exec_path(CALLER, path, argv, environ);
}

RT_HOOK int execlp(const char *file, const char *first, ...)
{
    COLLECT_ARGUMENTS(first, list, argv);
    va_end(list);
    return exec_search(CALLER, file, argv, environ);
}

RT_HOOK int execle(const char *path, const char *first, ...)
{
    COLLECT_ARGUMENTS(first, list, argv);
    char *const *envp = va_arg(list, char *const *);
    va_end(list);
    return exec_path(CALLER, path, argv, envp);
}

/* ---- child processes --------------------------------------------------------------------------------------------- */

static struct task *child_begin(uintptr_t pc, uint32_t flags)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return NULL;
    struct op op = {.kind = OP_FORK, .flags = flags, .pc = pc, .fd = -1, .deadline = RT_NEVER};
    sched_point(self, &op);
    record_event(self, &op, 0, 0);
    inside_give_up();                     /* the child has the program's descriptors */
    checkpoint_forbid("a child process"); /* a copy of this process cannot wait for the child */
    return self;
}

static void child_end(struct task *self, int error)
{
    if (error != 0)
        self->saved_errno = error;
    rt_leave(self);
}

typedef int spawn_function(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
                           char *const *, char *const *);

struct spawn {
    pid_t *pid;
    const char *path;
    const posix_spawn_file_actions_t *actions;
    const posix_spawnattr_t *attributes;
    char *const *argv, *const *envp;
};

static int spawn(uintptr_t pc, spawn_function *function, const struct spawn *s)
{
    sigset_t saved;
    struct task *self = child_begin(pc, 0);
    if (self == NULL)
        return function(s->pid, s->path, s->actions, s->attributes, s->argv, s->envp);
    sched_uncontrolled("child process");
    signal_mask_real(self, &saved);
    pid_t pid = 0;
    int error = function(&pid, s->path, s->actions, s->attributes, s->argv, s->envp);
    signal_mask_back(&saved);
    if (error == 0) {
        signal_expect_child(pid);
        if (s->pid != NULL)
            *s->pid = pid;
    }
    child_end(self, 0);
    return error;
}

RT_HOOK int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                        const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
    struct spawn s = {pid, path, actions, attributes, argv, envp};
    return spawn(CALLER, REAL(posix_spawn), &s);
}

RT_HOOK int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                         const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
    struct spawn s = {pid, file, actions, attributes, argv, envp};
    return spawn(CALLER, REAL(posix_spawnp), &s);
}

/* Waits for the child, so other tasks go on meanwhile.  The mask is set inside: the kernel thread may be another
   there. */
RT_HOOK int system(const char *command)
{
    sigset_t saved;
    struct task *self = child_begin(CALLER, OP_CANCELLABLE);
    if (self == NULL)
        return REAL(system)(command);
    sched_external_begin(self, "child process");
    signal_mask_real(self, &saved);
    errno = 0;
    int status = REAL(system)(command);
    int error = errno;
    signal_mask_back(&saved);
    sched_external_end(self);
    child_end(self, error);
    return status;
}

RT_HOOK FILE *popen(const char *command, const char *mode)
{
    sigset_t saved;
    struct task *self = child_begin(CALLER, 0);
    if (self == NULL)
        return REAL(popen)(command, mode);
    sched_uncontrolled("child process");
    signal_mask_real(self, &saved);
    errno = 0;
    FILE *stream = REAL(popen)(command, mode);
    int error = errno;
    signal_mask_back(&saved);
    child_end(self, error);
    return stream;
}

RT_HOOK int pclose(FILE *stream)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pclose)(stream);
    sched_external_begin(self, "child process");
    errno = 0;
    int status = REAL(pclose)(stream);
    int error = errno;
    sched_external_end(self);
    child_end(self, error);
    return status;
}
