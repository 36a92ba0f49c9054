// SPDX-License-Identifier: MIT
// io_signalfd.c - a signalfd reads signals that are blocked.
//
// expect: none
#include "correct.h"

#include <sys/signalfd.h>

static void *send_it(void *pid)
{
    CHECK(kill(*(pid_t *)pid, SIGUSR1) == 0);
    return NULL;
}

int main(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    int fd = signalfd(-1, &set, SFD_CLOEXEC);
    pid_t pid = getpid();
    pthread_t thread = start(send_it, &pid);
    struct signalfd_siginfo info;
    CHECK(read(fd, &info, sizeof info) == sizeof info && info.ssi_signo == SIGUSR1);
    join(thread);
    close(fd);
    return 0;
}
