/* SPDX-License-Identifier: MIT
 *
 * stop.c - Ctrl-C, SIGTERM and time limits.
 */
#include "util/stop.h"

#include <assert.h>
#include <sys/time.h>

#include "util/clock.h"

enum { INTERRUPTED = 1, TIME_IS_OVER = 2 };

volatile sig_atomic_t stop_reasons;
static volatile sig_atomic_t interrupted;
static volatile int64_t interrupt_time; /* time of the first signal */
static volatile int64_t end;            /* of the time limit; 0: none */

/* A second signal ends the process at once; the children end with it.  A signal right after the first one is ignored:
   timeout(1), for example, signals the process and then its group. */
static void on_signal(int number)
{
    int64_t now = clock_now();
    if (interrupted && now - interrupt_time > CLOCK_SECOND) {
        signal(number, SIG_DFL);
        raise(number);
    }
    if (!interrupted)
        interrupt_time = now;
    interrupted = 1;
    __atomic_fetch_or(&stop_reasons, INTERRUPTED, __ATOMIC_RELAXED);
}

static bool is_over(void)
{
    return end != 0 && clock_now() >= end;
}

/* The signal may belong to an earlier limit that was replaced, so the time is checked. */
static void on_timer(int number)
{
    (void)number;
    if (is_over())
        __atomic_fetch_or(&stop_reasons, TIME_IS_OVER, __ATOMIC_RELAXED);
}

bool stop_interrupted(void)
{
    return interrupted != 0;
}

void stop_install(void)
{
    /* No SA_RESTART: poll must return. */
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (signal(SIGHUP, SIG_IGN) != SIG_IGN) /* ignored under nohup */
        sigaction(SIGHUP, &action, NULL);
    signal(SIGXFSZ, SIG_IGN); /* at the file size limit the write fails; the process goes on */
    signal(SIGPIPE, SIG_IGN); /* the write to a dead server fails */
}

/* SA_RESTART, because it may interrupt a write to a file. */
static void start_timer(int64_t after)
{
    struct sigaction action = {.sa_handler = on_timer, .sa_flags = SA_RESTART};
    struct itimerval timer = {0};
    sigset_t own;
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    sigemptyset(&own);
    sigaddset(&own, SIGALRM);
    sigprocmask(SIG_UNBLOCK, &own, NULL);
    after += CLOCK_MILLISECOND; /* rounded up, so that the limit has passed */
    timer.it_value = (struct timeval){.tv_sec = after / CLOCK_SECOND, .tv_usec = after % CLOCK_SECOND / 1000};
    setitimer(ITIMER_REAL, &timer, NULL);
}

static void end_timer(void)
{
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
}

int64_t stop_at(int64_t when)
{
    assert(when >= 0);
    int64_t before = end;
    end_timer();
    end = when;
    __atomic_fetch_and(&stop_reasons, ~TIME_IS_OVER, __ATOMIC_RELAXED);
    if (interrupted)
        __atomic_fetch_or(&stop_reasons, INTERRUPTED, __ATOMIC_RELAXED);
    if (is_over())
        __atomic_fetch_or(&stop_reasons, TIME_IS_OVER, __ATOMIC_RELAXED);
    else if (when != 0)
        start_timer(when - clock_now());
    return before;
}

int64_t stop_within(int64_t time)
{
    int64_t when = clock_now() + time;
    return stop_at(time != 0 && (end == 0 || when < end) ? when : end);
}

int64_t stop_not_within(int64_t time)
{
    int64_t when = clock_now() + time;
    return stop_at(end != 0 && when > end ? when : end);
}

int64_t stop_finish(int64_t time)
{
    if (!stop_requested())
        return end;
    int64_t before = stop_at(clock_now() + time);
    __atomic_fetch_and(&stop_reasons, ~INTERRUPTED, __ATOMIC_RELAXED);
    return before;
}
