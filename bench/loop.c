/* SPDX-License-Identifier: MIT
 *
 * loop.c - loop N COMMAND ARGUMENTS...: runs the command N times, one after the other, with its output thrown away; prints the
 * seconds that passed and the seconds of CPU time (of the command and all its descendants, also those that outlive it).  The
 * command must end with status 0.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double cpu(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static int run(char **command, posix_spawn_file_actions_t *quiet)
{
    pid_t pid;
    int status, error = posix_spawn(&pid, command[0], quiet, NULL, command, environ);
    if (error != 0) {
        fprintf(stderr, "loop: cannot run %s: %s\n", command[0], strerror(error));
        return EXIT_FAILURE;
    }
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return EXIT_FAILURE;
    while (waitpid(-1, NULL, WNOHANG) > 0) /* orphans */
        continue;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return EXIT_SUCCESS;
    fprintf(stderr, "loop: %s ended with %s %d\n", command[0], WIFEXITED(status) ? "status" : "signal",
            WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    long times = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
    if (times <= 0) {
        fprintf(stderr, "usage: loop N COMMAND ARGUMENTS...\n");
        return EXIT_FAILURE;
    }
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    double began = now();
    for (long i = 0; i < times; i++)
        if (run(argv + 2, &quiet) != EXIT_SUCCESS)
            return EXIT_FAILURE;
    double seconds = now() - began;
    while (waitpid(-1, NULL, 0) > 0)
        continue;
    printf("%.6f %.6f\n", seconds, cpu());
    return EXIT_SUCCESS;
}
