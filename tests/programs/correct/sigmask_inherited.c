// SPDX-License-Identifier: MIT
// sigmask_inherited.c - a new thread inherits the mask of its creator, and changes only its own.
//
// expect: none
#include "correct.h"

static int finished;

static void *work(void *unused)
{
    (void)unused;
    sigset_t set;
    CHECK(pthread_sigmask(SIG_SETMASK, NULL, &set) == 0);
    CHECK(sigismember(&set, SIGUSR1) == 1 && sigismember(&set, SIGUSR2) == 0);
    sigaddset(&set, SIGUSR2);
    CHECK(pthread_sigmask(SIG_SETMASK, &set, NULL) == 0);
    sched_yield();
    CHECK(pthread_sigmask(SIG_BLOCK, NULL, &set) == 0 && sigismember(&set, SIGUSR2) == 1);
    __atomic_fetch_add(&finished, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

int main(void)
{
    sigset_t set, old;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    pthread_t a = start(work, NULL), b = start(work, NULL);
    CHECK(pthread_sigmask(SIG_UNBLOCK, &set, &old) == 0);
    CHECK(sigismember(&old, SIGUSR1) == 1 && sigismember(&old, SIGUSR2) == 0);
    join(a);
    join(b);
    CHECK(finished == 2);
    return 0;
}
