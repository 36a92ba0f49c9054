/* SPDX-License-Identifier: MIT */
/* multimap.h - several values for each of a few keys, and a view of those of one key. */
#ifndef MULTIMAP_H
#define MULTIMAP_H
#include <stdbool.h>
#include <stddef.h>
struct multimap;
struct multimap *multimap_new(void);
void multimap_free(struct multimap *map);
void multimap_put(struct multimap *map, int key, int value);
bool multimap_remove(struct multimap *map, int key, int value);
size_t multimap_view_size(struct multimap *map, int key);
bool multimap_view_contains(struct multimap *map, int key, int value);
#endif
