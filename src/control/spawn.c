/* SPDX-License-Identifier: MIT
 *
 * spawn.c - starts the program with its connection to the driver, and reaps it.
 *
 * The descriptors of the connection get fixed high numbers.  So the program's own descriptors begin at 3 as without
 * raddle, and the environment is the same each time (it is on the stack, and its length changes addresses).
 */
#include "control/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "control/processor.h"
#include "util/clock.h"
#include "util/file.h"
#include "util/memory.h"
#include "util/vector.h"
#include "wire/wire.h"

extern char **environ;

enum stage { STAGE_RANDOMISED = 1, STAGE_SETUP, STAGE_DIRECTORY, STAGE_EXEC };
struct spawn_report {
    int stage, error;
};

/* Programs that have not been waited for. */
static VECTOR(pid_t) started;

/* started.count if it is not in the list. */
static size_t started_index(pid_t pid)
{
    size_t index = 0;
    while (index < started.count && started.data[index] != pid)
        index++;
    return index;
}

static int first_wire_descriptor(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur <= 1003)
        return (int)limit.rlim_cur > 20 ? (int)limit.rlim_cur - 3 : 10;
    return 1000;
}

static char *preload_variable(const char *library)
{
    const char *present = getenv("LD_PRELOAD");
    bool more = present != NULL && *present != '\0';
    return memory_format("LD_PRELOAD=%s%s%s", library, more ? ":" : "", more ? present : "");
}

static bool is_variable(const char *entry, const char *name)
{
    size_t length = strlen(name);
    return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

/* Our environment plus the connection.  The array and its last two texts are allocated. */
struct environment {
    VECTOR(char *) entries;
    char *wire, *preload;
};

static void environment_build(struct environment *environment, const struct spawn *spawn, int first)
{
    for (char **entry = environ; *entry != NULL; entry++)
        if (!is_variable(*entry, WIRE_ENVIRONMENT) && !(spawn->preload && is_variable(*entry, "LD_PRELOAD")))
            vector_push(&environment->entries, *entry);
    environment->wire = memory_format(WIRE_ENVIRONMENT "=%d,%d,%d", first, first + 1, first + 2);
    vector_push(&environment->entries, environment->wire);
    if (spawn->preload != NULL) {
        environment->preload = preload_variable(spawn->preload);
        vector_push(&environment->entries, environment->preload);
    }
    vector_push(&environment->entries, NULL);
}

static void environment_free(struct environment *environment)
{
    vector_free(&environment->entries);
    free(environment->wire);
    free(environment->preload);
}

/* ---- in the child: only what is safe between fork and exec ------------------------------------------------------------ */

static void report(int fd, enum stage stage)
{
    struct spawn_report message = {stage, errno};
    ssize_t written = write(fd, &message, sizeof message);
    (void)written;
}

static _Noreturn void give_up(int fd, enum stage stage)
{
    report(fd, stage);
    _exit(127);
}

static void reset_signals(void)
{
    static const int touched[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ, SIGALRM};
    sigset_t none;
    sigemptyset(&none);
    for (size_t i = 0; i < sizeof touched / sizeof touched[0]; i++)
        signal(touched[i], SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static bool place_descriptors(const struct spawn *spawn, int first)
{
    /* The sources are above 2 and close-on-exec; dup2 clears that flag on the copies. */
    return dup2(spawn->memory, first) >= 0 && dup2(spawn->request, first + 1) >= 0 &&
           dup2(spawn->reply, first + 2) >= 0 && dup2(spawn->input, 0) >= 0 && dup2(spawn->output, 1) >= 0 &&
           dup2(spawn->errors, 2) >= 0;
}

static _Noreturn void become_program(const struct spawn *spawn, char **environment, int first, int report_fd,
                                     pid_t parent)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127); /* raddle died in the meantime */
    reset_signals();
    int persona = personality(0xffffffff);
    if (persona == -1 || personality((unsigned long)persona | ADDR_NO_RANDOMIZE) == -1)
        report(report_fd, STAGE_RANDOMISED);
    if (spawn->directory != NULL && chdir(spawn->directory) != 0)
        give_up(report_fd, STAGE_DIRECTORY);
    if (!place_descriptors(spawn, first))
        give_up(report_fd, STAGE_SETUP);
    execve(spawn->path, spawn->command, environment);
    give_up(report_fd, STAGE_EXEC);
}

/* ---- in the parent ---------------------------------------------------------------------------------------------------- */

static bool explain(const struct spawn *spawn, const struct spawn_report *message, struct error *error)
{
    const char *why = strerror(message->error);
    switch (message->stage) {
    case STAGE_DIRECTORY:
        return error_set(error, EXIT_USAGE, "cannot change to directory %s: %s", spawn->directory, why);
    case STAGE_EXEC:
        if (message->error == ENOEXEC)
            return error_set(error, EXIT_USAGE,
                             "%s is not a program: %s (a script needs a first line such as #!/bin/sh)", spawn->path,
                             why);
        return error_set(error, EXIT_USAGE, "cannot run %s: %s", spawn->path, why);
    default:
        return error_set(error, EXIT_UNSUPPORTED, "cannot give %s its descriptors: %s", spawn->path, why);
    }
}

/* Reads the reports of the child until exec closes the pipe. */
static bool read_reports(const struct spawn *spawn, int fd, bool *randomised, struct error *error)
{
    struct spawn_report message;
    bool good = true;
    while (file_read_all(fd, &message, sizeof message) == 1) {
        if (message.stage == STAGE_RANDOMISED)
            *randomised = true;
        else
            good = explain(spawn, &message, error);
    }
    return good;
}

pid_t spawn_program(const struct spawn *spawn, bool *randomised, struct error *error)
{
    int pipe_fds[2];
    *randomised = false;
    if (pipe2(pipe_fds, O_CLOEXEC) != 0) {
        error_set(error, EXIT_UNSUPPORTED, "cannot make a pipe: %s", strerror(errno));
        return -1;
    }
    int first = first_wire_descriptor();
    struct environment environment = {0};
    environment_build(&environment, spawn, first);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0) {
        processor_release();
        become_program(spawn, environment.entries.data, first, pipe_fds[1], parent);
    }
    int saved = errno;
    environment_free(&environment);
    close(pipe_fds[1]);
    if (pid < 0) {
        error_set(error, EXIT_UNSUPPORTED, "cannot start a process: %s", strerror(saved));
    } else if (!read_reports(spawn, pipe_fds[0], randomised, error)) {
        waitpid(pid, NULL, 0);
        pid = -1;
    } else {
        vector_push(&started, pid);
    }
    close(pipe_fds[0]);
    return pid;
}

/* ---- the end ---------------------------------------------------------------------------------------------------------- */

void spawn_adopt(pid_t pid)
{
    vector_push(&started, pid);
}

pid_t spawn_wait(pid_t pid, int *status, int flags)
{
    pid_t got;
    do
        got = waitpid(pid, status, flags);
    while (got < 0 && errno == EINTR);
    size_t index = started_index(pid);
    if (got != 0 && index < started.count)
        started.data[index] = started.data[--started.count];
    return got;
}

/* State and parent of a process; false if there is none. */
static bool look_up(pid_t pid, char *state, long *parent)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0)
        close(fd);
    text[got > 0 ? got : 0] = '\0';
    const char *rest = strrchr(text, ')'); /* after the name, which may contain any characters */
    return rest != NULL && sscanf(rest, ") %c %ld", state, parent) == 2;
}

bool spawn_is_child(pid_t pid, pid_t parent)
{
    char state;
    long found;
    return look_up(pid, &state, &found) && found == parent;
}

bool spawn_is_alive(pid_t pid)
{
    char state;
    long parent;
    return look_up(pid, &state, &parent) && state != 'Z' && state != 'X';
}

/* Reaps one child that has ended.  A started program whose owner has not waited for it yet is left.  False if there is
   none; *more: other children still run. */
static bool reap_one(bool *more)
{
    siginfo_t info = {.si_pid = 0};
    *more = waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
    if (!*more || info.si_pid == 0 || started_index(info.si_pid) < started.count)
        return false;
    waitpid(info.si_pid, NULL, 0);
    return true;
}

static void pause_shortly(long microseconds)
{
    struct timespec moment = {0, microseconds * 1000};
    nanosleep(&moment, NULL);
}

void spawn_reap(void)
{
    bool more;
    while (reap_one(&more))
        continue;
}

void spawn_reap_group(pid_t group)
{
    int64_t deadline = clock_now() + CLOCK_SECOND;
    while (group > 1) {
        pid_t got = waitpid(-group, NULL, WNOHANG);
        if ((got < 0 && errno != EINTR) || (got == 0 && clock_now() > deadline))
            return;
        if (got == 0)
            pause_shortly(100);
    }
}

void spawn_reap_rest(void)
{
    bool more = true;
    for (int patience = 20; started.count == 0 && more && patience > 0; patience--) {
        while (reap_one(&more))
            continue;
        if (more)
            pause_shortly(1000); /* it may not be ours: a process that became raddle by exec may have had children */
    }
}
