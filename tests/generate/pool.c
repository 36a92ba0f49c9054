/* SPDX-License-Identifier: MIT */
/* pool.c - whether the object is lent is looked at before the lock is taken: it can be given back twice. */
#include "pool.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { MOST = 8 };

struct pool {
    pthread_mutex_t lock;
    unsigned size, available;
    atomic_bool lent[MOST];
};

int pool_create(struct pool **pool, unsigned size)
{
    if (size == 0 || size > MOST)
        return EINVAL;
    *pool = calloc(1, sizeof **pool);
    if (*pool == NULL)
        return ENOMEM;
    pthread_mutex_init(&(*pool)->lock, NULL);
    (*pool)->size = (*pool)->available = size;
    return 0;
}

void pool_destroy(struct pool *pool)
{
    free(pool);
}

int pool_acquire(struct pool *pool)
{
    int number = -1;
    pthread_mutex_lock(&pool->lock);
    for (unsigned i = 0; i < pool->size && number < 0; i++)
        if (!pool->lent[i]) {
            pool->lent[i] = true;
            pool->available--;
            number = (int)i;
        }
    pthread_mutex_unlock(&pool->lock);
    return number;
}

bool pool_release(struct pool *pool, unsigned number)
{
    if (number >= pool->size)
        return false;
#ifdef CORRECT
    pthread_mutex_lock(&pool->lock);
    bool lent = pool->lent[number];
#else
    bool lent = pool->lent[number];
    pthread_mutex_lock(&pool->lock);
#endif
    if (lent) {
        pool->lent[number] = false;
        pool->available++;
    }
    pthread_mutex_unlock(&pool->lock);
    return lent;
}

unsigned pool_available(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    unsigned available = pool->available;
    pthread_mutex_unlock(&pool->lock);
    return available;
}
