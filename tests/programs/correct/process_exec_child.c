// SPDX-License-Identifier: MIT
// process_exec_child.c - a child of a threaded program replaces itself by another program.
//
// expect: none
// repeats: no (child processes take their own time)
#include "correct.h"

#include <sys/wait.h>

static int finished;

static void *run(void *unused)
{
    (void)unused;
    pid_t pid = fork();
    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", "exit 9", (char *)NULL);
        _exit(1);
    }
    int status = -1;
    CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 9);
    __atomic_fetch_add(&finished, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

int main(void)
{
    pthread_t a = start(run, NULL), b = start(run, NULL);
    join(a);
    join(b);
    CHECK(finished == 2);
    return 0;
}
