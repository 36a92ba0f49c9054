// SPDX-License-Identifier: MIT
// signal_timer_torn.c - the handler of a timer's signal looks at two variables between the two writes.
//
// Shape: signals from outside, at times that no schedule decides; where they came and were handled is in the schedule, so it replays.
// Why:   a handler may run between any two operations of any thread that does not block its signal.
//
// expect: assert
// find: random within 400
// find: pct within 400
// repeats: no (when the signals come depends on real time; what was found replays)
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t ticks;
static int begun, ended; /* of the main thread and its handlers */
static int torn;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void on_tick(int number)
{
    (void)number;
    ticks++;
    if (begun != ended)
        torn = 1;
}

static void *worker(void *unused)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    for (int i = 0; i < 10; i++) {
        pthread_mutex_lock(&lock);
        shared++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    pthread_t thread;
    sigaction(SIGALRM, &action, NULL);
    pthread_create(&thread, NULL, worker, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    while (ticks < 4) {
        begun++;
        ended++;
        usleep(100);
    }
    setitimer(ITIMER_REAL, &never, NULL);
    pthread_join(thread, NULL);
    assert(!torn);
    return 0;
}
