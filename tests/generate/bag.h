/* SPDX-License-Identifier: MIT */
/* bag.h - numbers in an array, and the removal of all that another bag has. */
#ifndef BAG_H
#define BAG_H
#include <stdbool.h>
#include <stddef.h>
struct bag;
struct bag *bag_new(void);
void bag_free(struct bag *bag);
bool bag_add(struct bag *bag, int value);
size_t bag_size(struct bag *bag);
bool bag_contains(struct bag *bag, int value);
size_t bag_remove_all(struct bag *bag, int value);
#endif
