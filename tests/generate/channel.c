/* SPDX-License-Identifier: MIT */
/* channel.c - between the look whether there is a value and the wait, the lock is released: a value that is put then wakes no thread. */
#include "channel.h"

#include <pthread.h>
#include <stdlib.h>

enum { ROOM = 4 };

struct channel {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    size_t count;
    int values[ROOM];
};

struct channel *channel_new(void)
{
    struct channel *channel = calloc(1, sizeof *channel);
    if (channel == NULL)
        return NULL;
    pthread_mutex_init(&channel->lock, NULL);
    pthread_cond_init(&channel->filled, NULL);
    return channel;
}

void channel_free(struct channel *channel)
{
    pthread_cond_destroy(&channel->filled);
    pthread_mutex_destroy(&channel->lock);
    free(channel);
}

bool channel_put(struct channel *channel, int value)
{
    pthread_mutex_lock(&channel->lock);
    bool room = channel->count < ROOM;
    if (room)
        channel->values[channel->count++] = value;
    pthread_cond_signal(&channel->filled);
    pthread_mutex_unlock(&channel->lock);
    return room;
}

int channel_take(struct channel *channel)
{
    pthread_mutex_lock(&channel->lock);
    while (channel->count == 0) {
#ifndef CORRECT
        pthread_mutex_unlock(&channel->lock);
        pthread_mutex_lock(&channel->lock);
#endif
        pthread_cond_wait(&channel->filled, &channel->lock);
    }
    int value = channel->values[--channel->count];
    pthread_mutex_unlock(&channel->lock);
    return value;
}

/* Gives up if the lock is taken. */
bool channel_try_take(struct channel *channel, int *value)
{
    if (pthread_mutex_trylock(&channel->lock) != 0)
        return false;
    bool any = channel->count > 0;
    if (any)
        *value = channel->values[--channel->count];
    pthread_mutex_unlock(&channel->lock);
    return any;
}

size_t channel_count(struct channel *channel)
{
    pthread_mutex_lock(&channel->lock);
    size_t count = channel->count;
    pthread_mutex_unlock(&channel->lock);
    return count;
}
