// SPDX-License-Identifier: MIT
// signal_child.c - SIGCHLD is blocked and waited for; then the child is collected.
//
// expect: none
// repeats: no (child processes take their own time)
#include "correct.h"

#include <sys/wait.h>

static int finished;

static void *work(void *unused)
{
    (void)unused;
    __atomic_fetch_add(&finished, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

int main(void)
{
    sigset_t set;
    int number, status;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    pthread_t thread = start(work, NULL);
    pid_t pid = fork();
    if (pid == 0)
        _exit(6);
    CHECK(sigwait(&set, &number) == 0 && number == SIGCHLD);
    CHECK(waitpid(pid, &status, WNOHANG) == pid && WEXITSTATUS(status) == 6);
    join(thread);
    CHECK(finished == 1);
    return 0;
}
