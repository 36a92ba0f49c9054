// SPDX-License-Identifier: MIT
// signal_handler.c - a handler that touches a lock-free atomic and its own thread's sig_atomic_t only.
//
// expect: none
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int started, seen;
static volatile sig_atomic_t last; /* used by the worker and by handlers that run in the worker */

static void on_signal(int number)
{
    last = number;
    atomic_fetch_add(&seen, 1);
}

static void *worker(void *unused)
{
    (void)unused;
    atomic_store(&started, 1);
    while (atomic_load(&seen) == 0)
        sched_yield();
    assert(last == SIGUSR1);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    assert(sigaction(SIGUSR1, &action, NULL) == 0);
    pthread_create(&thread, NULL, worker, NULL);
    while (!atomic_load(&started))
        sched_yield();
    assert(pthread_kill(thread, SIGUSR1) == 0);
    pthread_join(thread, NULL);
    assert(atomic_load(&seen) == 1);
    return 0;
}
