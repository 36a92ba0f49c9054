/* SPDX-License-Identifier: MIT */
/* cache.h - a cache that forgets what was not used for longest. */
#ifndef CACHE_H
#define CACHE_H
#include <stdbool.h>
#include <stddef.h>
struct cache;
struct cache *cache_new(void);
void cache_free(struct cache *cache);
void cache_put(struct cache *cache, int key, int value);
bool cache_get(struct cache *cache, int key, int *value);
size_t cache_size(struct cache *cache);
#endif
