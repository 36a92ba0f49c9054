// SPDX-License-Identifier: MIT
// signal_mask.c - blocked and pending signals
#include "frame.h"

#include <signal.h>

static void before(void)
{
    sigset_t mask, pending;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    sigpending(&pending);
    printf("%d %d\n", sigismember(&mask, SIGUSR1), sigismember(&pending, SIGUSR1));
}

static void after(void)
{
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &mask, NULL);
    raise(SIGUSR1);
}
