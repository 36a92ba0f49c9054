// SPDX-License-Identifier: MIT
// signal_timedwait.c - sigtimedwait gives the signal or EAGAIN.
//
// expect: none
#include "correct.h"

static sigset_t set;

static void *work(void *got)
{
    struct timespec limit = {0, 2000000};
    int number = sigtimedwait(&set, NULL, &limit);
    CHECK(number == SIGUSR2 || (number == -1 && errno == EAGAIN));
    *(int *)got = number;
    return NULL;
}

int main(void)
{
    int got = 0;
    sigset_t pending;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    pthread_t thread = start(work, &got);
    CHECK(kill(getpid(), SIGUSR2) == 0);
    join(thread);
    CHECK(sigpending(&pending) == 0);
    CHECK(sigismember(&pending, SIGUSR2) == (got != SIGUSR2));
    return 0;
}
