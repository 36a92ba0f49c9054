/* SPDX-License-Identifier: MIT */
/* range.c - the hash is computed and kept without the lock: a change in between leaves the hash of the old range. */
#include "range.h"

#include <pthread.h>
#include <stdlib.h>

struct range {
    pthread_mutex_t lock;
    int low, high;
    unsigned hash; /* 0: not computed */
};

struct range *range_new(int low, int high)
{
    struct range *range = calloc(1, sizeof *range);
    if (range == NULL)
        return NULL;
    pthread_mutex_init(&range->lock, NULL);
    range->low = low;
    range->high = high;
    return range;
}

void range_free(struct range *range)
{
    pthread_mutex_destroy(&range->lock);
    free(range);
}

void range_set(struct range *range, int low, int high)
{
    pthread_mutex_lock(&range->lock);
    range->low = low;
    range->high = high;
    range->hash = 0;
    pthread_mutex_unlock(&range->lock);
}

bool range_contains(struct range *range, int value)
{
    pthread_mutex_lock(&range->lock);
    bool contains = range->low <= value && value <= range->high;
    pthread_mutex_unlock(&range->lock);
    return contains;
}

unsigned range_hash(struct range *range)
{
#ifdef CORRECT
    pthread_mutex_lock(&range->lock);
#endif
    if (range->hash == 0)
        range->hash = ((unsigned)range->low * 31 + (unsigned)range->high) | 1;
    unsigned hash = range->hash;
#ifdef CORRECT
    pthread_mutex_unlock(&range->lock);
#endif
    return hash;
}
