// SPDX-License-Identifier: MIT
// maple_cache_increment.c - a cache server increments a number by a locked get and a locked set; one increment is lost.
//
// Shape: lost update without a data race, and only if two workers meet at one key: it depends on values.
// Why:   the two steps have the lock of the item each, and the increment as a whole has none.
//
// expect: assert
// find: surw within 300
// find: pct within 500
// cause: a:R(value)@maple_cache_increment.c:50 << b:W(value)@maple_cache_increment.c:61 << a:W(value)@maple_cache_increment.c:61
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 8, TEXT = 16, WORKERS = 3 };

static struct item {
    pthread_mutex_t lock;
    char key[TEXT], value[TEXT];
} bucket[BUCKETS];

static struct {
    pthread_mutex_t lock;
    unsigned long get_hits, sets;
} statistics = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct item *item_of(const char *key)
{
    unsigned hash = 5381;
    for (const char *c = key; *c != '\0'; c++)
        hash = hash * 33 + (unsigned char)*c;
    return &bucket[hash % BUCKETS];
}

static void count(unsigned long *number)
{
    pthread_mutex_lock(&statistics.lock);
    ++*number;
    pthread_mutex_unlock(&statistics.lock);
}

static int cache_get(const char *key, char *value)
{
    struct item *item = item_of(key);
    pthread_mutex_lock(&item->lock);
    int hit = strcmp(item->key, key) == 0;
    if (hit)
        memcpy(value, item->value, TEXT);
    pthread_mutex_unlock(&item->lock);
    count(&statistics.get_hits);
    return hit;
}

static void cache_set(const char *key, const char *value)
{
    struct item *item = item_of(key);
    pthread_mutex_lock(&item->lock);
    memcpy(item->key, key, TEXT);
    memcpy(item->value, value, TEXT);
    pthread_mutex_unlock(&item->lock);
    count(&statistics.sets);
}

static void cache_increment(const char *key)
{
    char value[TEXT] = "0";
    cache_get(key, value);
    snprintf(value, sizeof value, "%d", atoi(value) + 1);
    cache_set(key, value);
}

/* What each worker is asked for: keys to be incremented. "v" is the number of visitors, the others are its own. */
static const char requests[WORKERS][12][TEXT] = {
    {"v", "a", "a", "a", "a", "a", "a"},
    {"b", "b", "b", "b", "b", "b", "b", "v"},
    {"c", "c", "c"},
};

static void *work(void *argument)
{
    const char(*request)[TEXT] = argument;
    for (; (*request)[0] != '\0'; request++)
        cache_increment(*request);
    return NULL;
}

int main(void)
{
    pthread_t workers[WORKERS];
    for (int i = 0; i < BUCKETS; i++)
        pthread_mutex_init(&bucket[i].lock, NULL);
    cache_set("v", "0");
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, work, (void *)requests[i]);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    char value[TEXT] = "";
    assert(cache_get("v", value) && strcmp(value, "2") == 0);
    return 0;
}
