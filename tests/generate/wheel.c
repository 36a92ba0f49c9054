/* SPDX-License-Identifier: MIT */
/* wheel.c - a tick takes the list of its slot, and counts and frees the timers in another critical section: one that is cancelled in between
   counts twice. */
#include "wheel.h"

#include <pthread.h>
#include <stdlib.h>

enum { SLOTS = 4, TIMERS = 8 };

struct timer {
    bool used;
    int id;
    unsigned slot;
};

struct wheel {
    pthread_mutex_t lock;
    unsigned now;
    size_t pending;
    struct timer timers[TIMERS];
};

struct wheel *wheel_new(void)
{
    struct wheel *wheel = calloc(1, sizeof *wheel);
    if (wheel != NULL)
        pthread_mutex_init(&wheel->lock, NULL);
    return wheel;
}

void wheel_free(struct wheel *wheel)
{
    free(wheel);
}

bool wheel_add(struct wheel *wheel, int id, unsigned delay)
{
    bool added = false;
    pthread_mutex_lock(&wheel->lock);
    for (int i = 0; i < TIMERS && !added; i++)
        if (!wheel->timers[i].used) {
            wheel->timers[i] = (struct timer){true, id, (wheel->now + 1 + delay) % SLOTS};
            wheel->pending++;
            added = true;
        }
    pthread_mutex_unlock(&wheel->lock);
    return added;
}

bool wheel_cancel(struct wheel *wheel, int id)
{
    bool found = false;
    pthread_mutex_lock(&wheel->lock);
    for (int i = 0; i < TIMERS && !found; i++)
        if (wheel->timers[i].used && wheel->timers[i].id == id) {
            wheel->timers[i].used = false;
            wheel->pending--;
            found = true;
        }
    pthread_mutex_unlock(&wheel->lock);
    return found;
}

size_t wheel_tick(struct wheel *wheel)
{
    size_t due[TIMERS], count = 0;
    pthread_mutex_lock(&wheel->lock);
    wheel->now = (wheel->now + 1) % SLOTS;
    for (size_t i = 0; i < TIMERS; i++)
        if (wheel->timers[i].used && wheel->timers[i].slot == wheel->now)
            due[count++] = i;
#ifndef CORRECT
    pthread_mutex_unlock(&wheel->lock);
    pthread_mutex_lock(&wheel->lock);
#endif
    for (size_t i = 0; i < count; i++) {
        wheel->timers[due[i]].used = false;
        wheel->pending--;
    }
    pthread_mutex_unlock(&wheel->lock);
    return count;
}

size_t wheel_pending(struct wheel *wheel)
{
    pthread_mutex_lock(&wheel->lock);
    size_t pending = wheel->pending;
    pthread_mutex_unlock(&wheel->lock);
    return pending;
}
