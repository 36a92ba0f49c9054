// SPDX-License-Identifier: MIT
// signal_posix_timer.c - timer_create with SIGEV_SIGNAL: the value arrives with the signal.
//
// expect: none
// repeats: no (the timer takes its own time)
#include "correct.h"

static sigset_t set;
static int value;

static void *take(void *unused)
{
    (void)unused;
    siginfo_t info;
    CHECK(sigwaitinfo(&set, &info) == SIGRTMIN);
    value = info.si_value.sival_int;
    return NULL;
}

int main(void)
{
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN, .sigev_value.sival_int = 42};
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    pthread_t thread = start(take, NULL);
    struct itimerspec once = {.it_value = {0, 1000000}};
    CHECK(timer_settime(timer, 0, &once, NULL) == 0);
    join(thread);
    CHECK(value == 42 && timer_delete(timer) == 0);
    return 0;
}
