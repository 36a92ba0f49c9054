// SPDX-License-Identifier: MIT
// left_handlers.c - handlers that a run sets, and a signal that it blocks
//
// reused: yes
#include "frame.h"

#include <signal.h>

static void handle(int number)
{
    printf("signal %d\n", number);
}

static void before(void)
{
    struct sigaction action;
    sigset_t mask;
    sigaction(SIGUSR1, NULL, &action);
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    printf("%d %d\n", action.sa_handler == SIG_DFL, sigismember(&mask, SIGTERM));
}

static void after(void)
{
    sigset_t mask;
    signal(SIGUSR1, handle);
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&mask);
    sigaddset(&mask, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &mask, NULL);
    raise(SIGUSR1);
}
