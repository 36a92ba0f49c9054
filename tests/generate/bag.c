/* SPDX-License-Identifier: MIT */
/* bag.c - the removal of all equal values is one critical section for each of them: others may be added while it goes on, and are lost. */
#include "bag.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 8 };

struct bag {
    pthread_mutex_t lock;
    size_t size;
    int values[ROOM];
};

struct bag *bag_new(void)
{
    struct bag *bag = calloc(1, sizeof *bag);
    if (bag != NULL)
        pthread_mutex_init(&bag->lock, NULL);
    return bag;
}

void bag_free(struct bag *bag)
{
    free(bag);
}

bool bag_add(struct bag *bag, int value)
{
    pthread_mutex_lock(&bag->lock);
    bool room = bag->size < ROOM;
    if (room)
        bag->values[bag->size++] = value;
    pthread_mutex_unlock(&bag->lock);
    return room;
}

size_t bag_size(struct bag *bag)
{
    pthread_mutex_lock(&bag->lock);
    size_t size = bag->size;
    pthread_mutex_unlock(&bag->lock);
    return size;
}

bool bag_contains(struct bag *bag, int value)
{
    bool found = false;
    pthread_mutex_lock(&bag->lock);
    for (size_t i = 0; i < bag->size && !found; i++)
        found = bag->values[i] == value;
    pthread_mutex_unlock(&bag->lock);
    return found;
}

static size_t keep_others(const int *from, size_t size, int value, int *kept)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        if (from[i] != value)
            kept[count++] = from[i];
    return count;
}

size_t bag_remove_all(struct bag *bag, int value)
{
    int kept[ROOM];
    pthread_mutex_lock(&bag->lock);
    size_t size = bag->size, count = keep_others(bag->values, size, value, kept);
#ifndef CORRECT
    pthread_mutex_unlock(&bag->lock);
    pthread_mutex_lock(&bag->lock);
#endif
    memcpy(bag->values, kept, count * sizeof kept[0]);
    bag->size = count;
    pthread_mutex_unlock(&bag->lock);
    return size - count;
}
