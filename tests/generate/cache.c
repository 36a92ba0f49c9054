/* SPDX-License-Identifier: MIT */
/* cache.c - a hit moves the entry to the front while the lock is held for reading only. */
#include "cache.h"

#include <pthread.h>
#include <stdlib.h>

enum { CAPACITY = 3 };

struct entry {
    struct entry *next;
    int key, value;
};

struct cache {
    pthread_rwlock_t lock;
    struct entry *first;
    size_t size;
};

struct cache *cache_new(void)
{
    struct cache *cache = calloc(1, sizeof *cache);
    if (cache != NULL)
        pthread_rwlock_init(&cache->lock, NULL);
    return cache;
}

void cache_free(struct cache *cache)
{
    while (cache->first != NULL) {
        struct entry *entry = cache->first;
        cache->first = entry->next;
        free(entry);
    }
    free(cache);
}

/* Takes the entry out of the list. */
static struct entry *take(struct cache *cache, int key)
{
    struct entry **at = &cache->first;
    while (*at != NULL && (*at)->key != key)
        at = &(*at)->next;
    struct entry *entry = *at;
    if (entry != NULL)
        *at = entry->next;
    return entry;
}

static void put_first(struct cache *cache, struct entry *entry)
{
    entry->next = cache->first;
    cache->first = entry;
}

static void forget_last(struct cache *cache)
{
    struct entry **at = &cache->first;
    while ((*at)->next != NULL)
        at = &(*at)->next;
    free(*at);
    *at = NULL;
    cache->size--;
}

void cache_put(struct cache *cache, int key, int value)
{
    pthread_rwlock_wrlock(&cache->lock);
    struct entry *entry = take(cache, key);
    if (entry == NULL) {
        entry = malloc(sizeof *entry);
        cache->size++;
    }
    entry->key = key;
    entry->value = value;
    put_first(cache, entry);
    if (cache->size > CAPACITY)
        forget_last(cache);
    pthread_rwlock_unlock(&cache->lock);
}

bool cache_get(struct cache *cache, int key, int *value)
{
#ifdef CORRECT
    pthread_rwlock_wrlock(&cache->lock);
#else
    pthread_rwlock_rdlock(&cache->lock);
#endif
    struct entry *entry = take(cache, key);
    if (entry != NULL) {
        put_first(cache, entry);
        *value = entry->value;
    }
    pthread_rwlock_unlock(&cache->lock);
    return entry != NULL;
}

size_t cache_size(struct cache *cache)
{
    pthread_rwlock_rdlock(&cache->lock);
    size_t size = cache->size;
    pthread_rwlock_unlock(&cache->lock);
    return size;
}
