/* SPDX-License-Identifier: MIT */
/* registry.c - the lock is released for each callback, and the walk goes on from an entry that may have been removed meanwhile. */
#include "registry.h"

#include <pthread.h>
#include <stdlib.h>

struct registry {
    pthread_mutex_t lock;
    struct registry_entry *first;
    size_t count;
};

struct registry *registry_new(void)
{
    struct registry *registry = calloc(1, sizeof *registry);
    if (registry != NULL)
        pthread_mutex_init(&registry->lock, NULL);
    return registry;
}

void registry_free(struct registry *registry)
{
    free(registry);
}

bool registry_add(struct registry *registry, struct registry_entry *entry)
{
    pthread_mutex_lock(&registry->lock);
    bool added = entry->owner == NULL;
    if (added) {
        entry->owner = registry;
        entry->next = registry->first;
        registry->first = entry;
        registry->count++;
    }
    pthread_mutex_unlock(&registry->lock);
    return added;
}

bool registry_remove(struct registry *registry, struct registry_entry *entry)
{
    pthread_mutex_lock(&registry->lock);
    bool found = entry->owner == registry;
    if (found) {
        struct registry_entry **at = &registry->first;
        while (*at != entry)
            at = &(*at)->next;
        *at = entry->next;
        entry->next = NULL;
        entry->owner = NULL;
        registry->count--;
    }
    pthread_mutex_unlock(&registry->lock);
    return found;
}

size_t registry_each(struct registry *registry, void (*visit)(int number, void *data), void *data)
{
    size_t visited = 0;
    pthread_mutex_lock(&registry->lock);
    for (struct registry_entry *entry = registry->first; entry != NULL; entry = entry->next) {
        int number = entry->number;
#ifndef CORRECT
        pthread_mutex_unlock(&registry->lock);
#endif
        if (visit != NULL)
            visit(number, data);
#ifndef CORRECT
        pthread_mutex_lock(&registry->lock);
#endif
        visited++;
    }
    pthread_mutex_unlock(&registry->lock);
    return visited;
}

size_t registry_count(struct registry *registry)
{
    pthread_mutex_lock(&registry->lock);
    size_t count = registry->count;
    pthread_mutex_unlock(&registry->lock);
    return count;
}
