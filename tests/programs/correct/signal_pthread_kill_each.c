// SPDX-License-Identifier: MIT
// signal_pthread_kill_each.c - pthread_kill reaches the thread that it names.
//
// expect: none
// tsan: no (it holds signals back until a call that blocks)
#include "correct.h"

#include <stdatomic.h>

static __thread volatile sig_atomic_t mine;
static atomic_int ready, handled;

static void handle(int number)
{
    (void)number;
    mine++;
    atomic_fetch_add(&handled, 1);
}

static void *work(void *unused)
{
    (void)unused;
    mine = 0;
    atomic_fetch_add(&ready, 1);
    while (mine == 0)
        sched_yield();
    CHECK(mine == 1);
    return NULL;
}

int main(void)
{
    struct sigaction action = {.sa_handler = handle};
    sigaction(SIGUSR1, &action, NULL);
    pthread_t a = start(work, NULL), b = start(work, NULL);
    while (atomic_load(&ready) < 2)
        sched_yield();
    CHECK(pthread_kill(a, 0) == 0);
    CHECK(pthread_kill(a, SIGUSR1) == 0 && pthread_kill(b, SIGUSR1) == 0);
    join(a);
    join(b);
    CHECK(handled == 2 && mine == 0);
    return 0;
}
