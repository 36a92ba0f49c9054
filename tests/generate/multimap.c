/* SPDX-License-Identifier: MIT */
/* multimap.c - the view walks the list of a key without the lock: it meets values that are being removed. */
#include "multimap.h"

#include <pthread.h>
#include <stdlib.h>

enum { KEYS = 4 };

struct entry {
    struct entry *next;
    int value;
};

struct multimap {
    pthread_mutex_t lock;
    struct entry *lists[KEYS];
};

struct multimap *multimap_new(void)
{
    struct multimap *map = calloc(1, sizeof *map);
    if (map != NULL)
        pthread_mutex_init(&map->lock, NULL);
    return map;
}

void multimap_free(struct multimap *map)
{
    for (int i = 0; i < KEYS; i++)
        while (map->lists[i] != NULL) {
            struct entry *entry = map->lists[i];
            map->lists[i] = entry->next;
            free(entry);
        }
    free(map);
}

static struct entry **list_of(struct multimap *map, int key)
{
    return &map->lists[(unsigned)key % KEYS];
}

void multimap_put(struct multimap *map, int key, int value)
{
    struct entry *entry = malloc(sizeof *entry);
    if (entry == NULL)
        return;
    pthread_mutex_lock(&map->lock);
    entry->value = value;
    entry->next = *list_of(map, key);
    *list_of(map, key) = entry;
    pthread_mutex_unlock(&map->lock);
}

bool multimap_remove(struct multimap *map, int key, int value)
{
    pthread_mutex_lock(&map->lock);
    struct entry **at = list_of(map, key);
    while (*at != NULL && (*at)->value != value)
        at = &(*at)->next;
    struct entry *found = *at;
    if (found != NULL) {
        *at = found->next;
        free(found);
    }
    pthread_mutex_unlock(&map->lock);
    return found != NULL;
}

static void begin_view(struct multimap *map)
{
    (void)map;
#ifdef CORRECT
    pthread_mutex_lock(&map->lock);
#endif
}

static void end_view(struct multimap *map)
{
    (void)map;
#ifdef CORRECT
    pthread_mutex_unlock(&map->lock);
#endif
}

size_t multimap_view_size(struct multimap *map, int key)
{
    size_t size = 0;
    begin_view(map);
    for (const struct entry *entry = *list_of(map, key); entry != NULL; entry = entry->next)
        size++;
    end_view(map);
    return size;
}

bool multimap_view_contains(struct multimap *map, int key, int value)
{
    bool found = false;
    begin_view(map);
    for (const struct entry *entry = *list_of(map, key); entry != NULL && !found; entry = entry->next)
        found = entry->value == value;
    end_view(map);
    return found;
}
