/* SPDX-License-Identifier: MIT */
/* vector.c - the last index is searched from a size that was read in a critical section of its own: the vector may be smaller by then. */
#include "vector.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct vector {
    pthread_mutex_t lock;
    size_t size, capacity;
    int *values;
};

struct vector *vector_new(void)
{
    struct vector *vector = calloc(1, sizeof *vector);
    if (vector != NULL)
        pthread_mutex_init(&vector->lock, NULL);
    return vector;
}

void vector_free(struct vector *vector)
{
    free(vector->values);
    free(vector);
}

void vector_add(struct vector *vector, int value)
{
    pthread_mutex_lock(&vector->lock);
    if (vector->size == vector->capacity) {
        vector->capacity = 2 * vector->capacity + 2;
        vector->values = realloc(vector->values, vector->capacity * sizeof *vector->values);
    }
    vector->values[vector->size++] = value;
    pthread_mutex_unlock(&vector->lock);
}

bool vector_remove_last(struct vector *vector)
{
    pthread_mutex_lock(&vector->lock);
    bool any = vector->size > 0;
    if (any)
        vector->size--;
    pthread_mutex_unlock(&vector->lock);
    return any;
}

void vector_clear(struct vector *vector)
{
    pthread_mutex_lock(&vector->lock);
    vector->size = 0;
    pthread_mutex_unlock(&vector->lock);
}

size_t vector_size(struct vector *vector)
{
    pthread_mutex_lock(&vector->lock);
    size_t size = vector->size;
    pthread_mutex_unlock(&vector->lock);
    return size;
}

static long last_index_below(const struct vector *vector, int value, size_t end)
{
    assert(end <= vector->size);
    while (end > 0)
        if (vector->values[--end] == value)
            return (long)end;
    return -1;
}

long vector_last_index_of(struct vector *vector, int value)
{
#ifdef CORRECT
    pthread_mutex_lock(&vector->lock);
    long index = last_index_below(vector, value, vector->size);
#else
    size_t end = vector_size(vector);
    pthread_mutex_lock(&vector->lock);
    long index = last_index_below(vector, value, end);
#endif
    pthread_mutex_unlock(&vector->lock);
    return index;
}
