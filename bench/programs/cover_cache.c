// SPDX-License-Identifier: MIT
// cover_cache.c - correct: a cache under a readers-writer lock: look-ups, insertions, an eviction, a resize, counters of its own.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#include "cover.h"

enum { READERS = 2, WRITERS = 2, ROUNDS = 5, KEYS = 6 };

struct entry {
    int key, value;
};

static struct {
    pthread_rwlock_t lock;
    struct entry *entry;
    int used, room, generation;
} cache = {.lock = PTHREAD_RWLOCK_INITIALIZER};

static atomic_int hits, misses;
static pthread_mutex_t trace_lock = PTHREAD_MUTEX_INITIALIZER;
static int trace[8], traced;

static void trace_add(int what)
{
    pthread_mutex_lock(&trace_lock);
    trace[traced % 8] = what;
    traced++;
    pthread_mutex_unlock(&trace_lock);
}

static struct entry *find(int key)
{
    for (int i = 0; i < cache.used; i++)
        if (cache.entry[i].key == key)
            return &cache.entry[i];
    return NULL;
}

static int cache_look_up(int key, int *value)
{
    pthread_rwlock_rdlock(&cache.lock);
    const struct entry *entry = find(key);
    if (entry != NULL)
        *value = entry->value;
    pthread_rwlock_unlock(&cache.lock);
    atomic_fetch_add(entry != NULL ? &hits : &misses, 1);
    return entry != NULL;
}

static void cache_insert(int key, int value)
{
    pthread_rwlock_wrlock(&cache.lock);
    struct entry *entry = find(key);
    if (entry == NULL) {
        if (cache.used == cache.room) {
            cache.room = cache.room == 0 ? 2 : 2 * cache.room;
            cache.entry = realloc(cache.entry, (size_t)cache.room * sizeof *cache.entry);
            if (cache.entry == NULL)
                abort();
        }
        entry = &cache.entry[cache.used++];
        entry->key = key;
    }
    entry->value = value;
    cache.generation++;
    pthread_rwlock_unlock(&cache.lock);
}

static void cache_evict(int key)
{
    pthread_rwlock_wrlock(&cache.lock);
    struct entry *entry = find(key);
    if (entry != NULL) {
        *entry = cache.entry[--cache.used];
        cache.generation++;
    }
    pthread_rwlock_unlock(&cache.lock);
}

static void *reader(void *argument)
{
    int shift = *(int *)argument;
    cover_work(200 * shift);
    for (int i = 0; i < ROUNDS; i++) {
        cover_work(30);
        int key = (i + shift) % KEYS, value = 0;
        if (cache_look_up(key, &value))
            assert(value == key * key);
        else
            trace_add(key);
    }
    return NULL;
}

static void *writer(void *argument)
{
    int shift = *(int *)argument;
    cover_work(200 * shift);
    for (int i = 0; i < ROUNDS; i++) {
        cover_work(30);
        int key = (i * 2 + shift) % KEYS;
        cache_insert(key, key * key);
        if (i % 3 == 2)
            cache_evict((key + 1) % KEYS);
        if (pthread_rwlock_tryrdlock(&cache.lock) == 0) {
            int used = cache.used;
            pthread_rwlock_unlock(&cache.lock);
            trace_add(-used);
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[READERS + WRITERS];
    int shift[READERS + WRITERS];
    for (int i = 0; i < READERS + WRITERS; i++) {
        shift[i] = i;
        pthread_create(&threads[i], NULL, i < READERS ? reader : writer, &shift[i]);
    }
    for (int i = 0; i < READERS + WRITERS; i++)
        pthread_join(threads[i], NULL);
    assert(atomic_load(&hits) + atomic_load(&misses) == READERS * ROUNDS);
    free(cache.entry);
    return 0;
}
