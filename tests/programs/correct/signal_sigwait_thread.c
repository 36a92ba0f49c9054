// SPDX-License-Identifier: MIT
// signal_sigwait_thread.c - all signals are blocked, and one thread takes them by sigwait.
//
// expect: none
#include "correct.h"

static sigset_t all;
static int received[2];

static void *take(void *unused)
{
    (void)unused;
    for (int number = 0; number != SIGTERM;) {
        CHECK(sigwait(&all, &number) == 0);
        CHECK(number == SIGUSR1 || number == SIGTERM);
        received[number == SIGTERM]++;
    }
    return NULL;
}

int main(void)
{
    sigemptyset(&all);
    sigaddset(&all, SIGUSR1);
    sigaddset(&all, SIGTERM);
    CHECK(pthread_sigmask(SIG_BLOCK, &all, NULL) == 0);
    pthread_t taker = start(take, NULL);
    CHECK(kill(getpid(), SIGUSR1) == 0);
    CHECK(kill(getpid(), SIGTERM) == 0);
    join(taker);
    CHECK(received[1] == 1 && received[0] <= 1);
    return 0;
}
