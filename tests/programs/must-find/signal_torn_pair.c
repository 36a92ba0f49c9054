// SPDX-License-Identifier: MIT
// signal_torn_pair.c - a handler looks at two variables of its own thread while that thread is between the two writes.
//
// Shape: no access of another thread; the handler runs between two private operations of the thread it interrupts.
// Why:   the sender and the receiver share nothing, so no scheduling point on shared data lies in the window.
//
// expect: assert
// find: random within 200
// find: pct within 200
// find: pos within 200
// find: dfs within 300
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static int taken, given; /* of the worker's thread alone; equal between two rounds */
static volatile sig_atomic_t balanced = 1;

static void on_signal(int number)
{
    (void)number;
    balanced = taken == given;
}

static void *worker(void *unused)
{
    for (int round = 0; round < 2; round++) {
        taken++;
        given++;
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    signal(SIGUSR1, on_signal);
    pthread_create(&thread, NULL, worker, NULL);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    assert(balanced);
    return 0;
}
