// SPDX-License-Identifier: MIT
// signal_lost_update.c - a signal handler changes a counter in the middle of the main program's own change.
//
// Shape: lost update within one thread: R(x), handler: R(x) W(x), W(x).
// Why:   volatile sig_atomic_t makes one access atomic, not `pending++`.
//
// expect: assert
// find: random within 100
// find: pct within 200
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

static volatile sig_atomic_t pending;
static atomic_int handled;

static void on_signal(int number)
{
    (void)number;
    pending++;
    atomic_store(&handled, 1);
}

static void *worker(void *unused)
{
    (void)unused;
    pending++;
    pending++;
    while (!atomic_load(&handled))
        ;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&thread, NULL, worker, NULL);
    pthread_kill(thread, SIGUSR1);
    int so_far = pending; /* only to look */
    pthread_join(thread, NULL);
    int got = pending;
    assert(so_far <= 3);
    assert(got == 3);
    return 0;
}
