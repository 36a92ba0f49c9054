// SPDX-License-Identifier: MIT
// process_spawn.c - posix_spawn with file actions from two threads.
//
// expect: none
// repeats: no (child processes take their own time)
#include "correct.h"

#include <spawn.h>
#include <sys/wait.h>

extern char **environ;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int codes;

static void *run(void *code)
{
    char *arguments[] = {"sh", "-c", code, NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status = -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    CHECK(posix_spawn(&pid, "/bin/sh", &actions, NULL, arguments, environ) == 0);
    posix_spawn_file_actions_destroy(&actions);
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    pthread_mutex_lock(&lock);
    codes += WEXITSTATUS(status);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t a = start(run, "echo unseen; exit 3"), b = start(run, "exit 4");
    join(a);
    join(b);
    CHECK(codes == 7);
    return 0;
}
