/* SPDX-License-Identifier: MIT */
/* ring.c - whether there is room is asked in one critical section, and the value is put in the next one. */
#include "ring.h"

#include <pthread.h>
#include <stdlib.h>

struct ring {
    pthread_mutex_t *lock;
    size_t capacity, first, count;
    int *values;
};

struct ring *ring_new(size_t capacity)
{
    if (capacity == 0 || capacity > 1000)
        return NULL;
    struct ring *ring = calloc(1, sizeof *ring);
    ring->lock = calloc(1, sizeof *ring->lock);
    pthread_mutex_init(ring->lock, NULL);
    ring->capacity = capacity;
    ring->values = calloc(capacity, sizeof *ring->values);
    return ring;
}

void ring_free(struct ring *ring)
{
    free(ring->lock);
    free(ring->values);
    free(ring);
}

size_t ring_count(const struct ring *ring)
{
    pthread_mutex_lock(ring->lock);
    size_t count = ring->count;
    pthread_mutex_unlock(ring->lock);
    return count;
}

bool ring_is_full(const struct ring *ring)
{
    return ring_count(ring) >= ring->capacity;
}

bool ring_put(struct ring *ring, int value)
{
#ifdef CORRECT
    pthread_mutex_lock(ring->lock);
    bool full = ring->count >= ring->capacity;
#else
    bool full = ring_is_full(ring);
    pthread_mutex_lock(ring->lock);
#endif
    if (!full)
        ring->values[(ring->first + ring->count++) % ring->capacity] = value;
    pthread_mutex_unlock(ring->lock);
    return !full;
}

bool ring_take(struct ring *ring, int *value)
{
    pthread_mutex_lock(ring->lock);
    bool any = ring->count > 0;
    if (any) {
        *value = ring->values[ring->first];
        ring->first = (ring->first + 1) % ring->capacity;
        ring->count--;
    }
    pthread_mutex_unlock(ring->lock);
    return any;
}
