// SPDX-License-Identifier: MIT
// phase_timers.c - correct: an event loop with timers; two others add, cancel and move timers, post events, and end the loop.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#include "cover.h"

enum { TIMERS = 6, EVENTS = 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
static struct {
    bool armed;
    int due, fired;
} timer[TIMERS];
static int event[EVENTS], posted, taken, now, armed, cancelled, moved, fired, posters = 2;
static bool draining;

static void arm(int at, int due)
{
    pthread_mutex_lock(&lock);
    timer[at].armed = true;
    timer[at].due = due;
    armed++;
    pthread_cond_signal(&news);
    pthread_mutex_unlock(&lock);
}

static void cancel(int at)
{
    pthread_mutex_lock(&lock);
    if (timer[at].armed) {
        timer[at].armed = false;
        cancelled++;
    }
    pthread_mutex_unlock(&lock);
}

static void move(int at)
{
    pthread_mutex_lock(&lock);
    if (timer[at].armed) {
        timer[at].due++;
        moved++;
    }
    pthread_mutex_unlock(&lock);
}

static void post(int what)
{
    pthread_mutex_lock(&lock);
    event[posted++] = what;
    pthread_cond_signal(&news);
    pthread_mutex_unlock(&lock);
}

static void leave(void)
{
    pthread_mutex_lock(&lock);
    if (--posters == 0) {
        draining = true;
        pthread_cond_signal(&news);
    }
    pthread_mutex_unlock(&lock);
}

static void *poster(void *argument)
{
    int first = argument == NULL ? 0 : 3;
    arm(first, 1);
    cover_work(10);
    post(1);
    arm(first + 1, 2);
    cover_work(10);
    cancel(first);
    cover_work(10);
    post(2);
    move(first + 1);
    cover_work(10);
    arm(first + 2, 1);
    cancel((first + 4) % TIMERS);
    cover_work(10);
    post(3);
    leave();
    return NULL;
}

static void fire_due(void)
{
    for (int i = 0; i < TIMERS; i++)
        if (timer[i].armed && timer[i].due <= now) {
            timer[i].armed = false;
            timer[i].fired++;
            fired++;
        }
}

static void *loop(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (taken == posted && !draining)
            pthread_cond_wait(&news, &lock);
        if (taken < posted) {
            now += event[taken++];
            fire_due();
        } else {
            break;
        }
        pthread_mutex_unlock(&lock);
        cover_work(6);
        pthread_mutex_lock(&lock);
    }
    now = 1000;
    fire_due();
    assert(fired + cancelled == armed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread[3];
    pthread_create(&thread[0], NULL, loop, NULL);
    pthread_create(&thread[1], NULL, poster, NULL);
    pthread_create(&thread[2], NULL, poster, thread);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    assert(taken == 6);
    return 0;
}
