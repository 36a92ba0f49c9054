// SPDX-License-Identifier: MIT
// timer_update.c - a timer's thread and the program add to the same counter.
//
// Shape: atomicity violation between a thread of the program and the notification of a timer (SIGEV_THREAD).
// Why:   the notification seems to come long after the work; nothing says that it does.
//
// expect: assert
// find: pos within 1000
// find: pct within 1000
#include <assert.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

static sem_t done;
static int count;

static void notify(union sigval value)
{
    (void)value;
    count++;
    sem_post(&done);
}

int main(void)
{
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = notify};
    struct itimerspec second = {{0, 0}, {1, 0}};
    sem_init(&done, 0, 0);
    timer_create(CLOCK_REALTIME, &event, &timer);
    timer_settime(timer, 0, &second, NULL);
    for (int i = 0; i < 10; i++)
        count++;
    sem_wait(&done);
    assert(count == 11);
    return 0;
}
