// SPDX-License-Identifier: MIT
// signal_after_ready.c - a thread says that it is ready and gets a signal in the middle of what it does next, on its own.
//
// Shape: the signal can only come after a visible operation of the thread, and has to hit the private ones that follow it.
// Why:   the thread's next operation that others see comes after the window, so it must be interrupted within private work.
//
// expect: assert
// find: random within 300
// find: pct within 300
// find: dfs within 300
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>

static sem_t ready;
static int head, tail; /* of the worker's thread alone */
static int torn;

static void on_signal(int number)
{
    (void)number;
    torn = head != tail;
}

static void *worker(void *unused)
{
    sem_post(&ready);
    for (int round = 0; round < 3; round++) {
        head++;
        tail++;
    }
    assert(!torn);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&ready, 0, 0);
    signal(SIGUSR1, on_signal);
    pthread_create(&thread, NULL, worker, NULL);
    sem_wait(&ready);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    return 0;
}
