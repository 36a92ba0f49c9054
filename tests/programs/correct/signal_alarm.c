// SPDX-License-Identifier: MIT
// signal_alarm.c - setitimer sends SIGALRM, which a thread waits for by sigwait.
//
// expect: none
// repeats: no (the timer takes its own time)
#include "correct.h"

#include <sys/time.h>

static sigset_t set;
static int taken;

static void *take(void *unused)
{
    (void)unused;
    int number;
    CHECK(sigwait(&set, &number) == 0 && number == SIGALRM);
    __atomic_fetch_add(&taken, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

int main(void)
{
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    pthread_t thread = start(take, NULL);
    struct itimerval soon = {.it_value = {0, 1000}};
    CHECK(setitimer(ITIMER_REAL, &soon, NULL) == 0);
    join(thread);
    CHECK(alarm(0) == 0 && taken == 1);
    return 0;
}
