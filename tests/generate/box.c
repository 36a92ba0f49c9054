/* SPDX-License-Identifier: MIT */
/* box.c - a move changes each coordinate in a critical section of its own. */
#include "box.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 16 };

struct box {
    pthread_mutex_t lock;
    point at;
    char bytes[ROOM];
    size_t used;
    double scale;
};

box_t box_open(enum mode mode, point start)
{
    (void)mode;
    box_t box = calloc(1, sizeof *box);
    if (box == NULL)
        return NULL;
    pthread_mutex_init(&box->lock, NULL);
    box->at = start;
    box->scale = 1;
    return box;
}

void box_close(box_t box)
{
    free(box);
}

void box_move(box_t box, point by)
{
    pthread_mutex_lock(&box->lock);
    box->at.x += by.x;
#ifndef CORRECT
    pthread_mutex_unlock(&box->lock);
    pthread_mutex_lock(&box->lock);
#endif
    box->at.y += by.y;
    pthread_mutex_unlock(&box->lock);
}

point box_where(box_t box)
{
    pthread_mutex_lock(&box->lock);
    point where = box->at;
    pthread_mutex_unlock(&box->lock);
    return where;
}

size_t box_read(box_t box, char *buffer, size_t size)
{
    pthread_mutex_lock(&box->lock);
    size_t length = size < box->used ? size : box->used;
    memcpy(buffer, box->bytes, length);
    pthread_mutex_unlock(&box->lock);
    return length;
}

int box_write(box_t box, const void *data, size_t length)
{
    if (length > ROOM)
        return -1;
    pthread_mutex_lock(&box->lock);
    memcpy(box->bytes, data, length);
    box->used = length;
    pthread_mutex_unlock(&box->lock);
    return 0;
}

double box_scale(box_t box, double factor)
{
    pthread_mutex_lock(&box->lock);
    double scale = box->scale *= factor;
    pthread_mutex_unlock(&box->lock);
    return scale;
}

int box_apply(box_t box, int (*function)(void *data, point where), void *data)
{
    if (function == NULL)
        return -1;
    return function(data, box_where(box));
}
