// SPDX-License-Identifier: MIT
// signal_handler_lock.c - a signal handler takes a lock that the interrupted code may hold.
//
// Shape: self-deadlock between a thread and its own handler.
// Why:   locks are not async-signal-safe; it works as long as the signal comes at another moment.
//
// expect: deadlock
// find: random within 50
// find: pct within 100
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int started, handled;
static int lines;

static void log_line(void)
{
    pthread_mutex_lock(&lock);
    lines++;
    pthread_mutex_unlock(&lock);
}

static void on_signal(int number)
{
    (void)number;
    log_line();
    atomic_store(&handled, 1);
}

static void *worker(void *unused)
{
    (void)unused;
    atomic_store(&started, 1);
    log_line();
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
    while (!atomic_load(&started))
        ;
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    return lines == 2 ? 0 : 1;
}
