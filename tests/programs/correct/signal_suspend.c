// SPDX-License-Identifier: MIT
// signal_suspend.c - sigsuspend opens the mask and waits in one step: the signal cannot come in between.
//
// expect: none
#include "correct.h"

static volatile sig_atomic_t came;

static void handle(int number)
{
    came = number;
}

static void *sender(void *target)
{
    CHECK(pthread_kill(*(pthread_t *)target, SIGUSR1) == 0);
    return NULL;
}

int main(void)
{
    sigset_t blocked, old;
    struct sigaction action = {.sa_handler = handle};
    sigaction(SIGUSR1, &action, NULL);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    CHECK(pthread_sigmask(SIG_BLOCK, &blocked, &old) == 0);
    pthread_t me = pthread_self(), thread = start(sender, &me);
    while (!came)
        CHECK(sigsuspend(&old) == -1 && errno == EINTR);
    CHECK(came == SIGUSR1);
    join(thread);
    return 0;
}
