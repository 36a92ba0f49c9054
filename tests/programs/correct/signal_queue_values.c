// SPDX-License-Identifier: MIT
// signal_queue_values.c - sigqueue sends values; realtime signals are queued, in order.
//
// expect: none
#include "correct.h"

static sigset_t set;
static int sum, last;

static void *take(void *unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++) {
        siginfo_t info;
        CHECK(sigwaitinfo(&set, &info) == SIGRTMIN + 1);
        CHECK(info.si_code == SI_QUEUE && info.si_value.sival_int > last);
        last = info.si_value.sival_int;
        sum += last;
    }
    return NULL;
}

int main(void)
{
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN + 1);
    CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    pthread_t thread = start(take, NULL);
    for (int i = 1; i <= 3; i++)
        CHECK(sigqueue(getpid(), SIGRTMIN + 1, (union sigval){.sival_int = i}) == 0);
    join(thread);
    CHECK(sum == 6);
    return 0;
}
