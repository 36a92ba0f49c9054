/* SPDX-License-Identifier: MIT */
/* ring.h - a bounded queue of numbers. */
#ifndef RING_H
#define RING_H
#include <stdbool.h>
#include <stddef.h>
struct ring;
struct ring *ring_new(size_t capacity);
void ring_free(struct ring *ring);
bool ring_put(struct ring *ring, int value);
bool ring_take(struct ring *ring, int *value);
size_t ring_count(const struct ring *ring);
bool ring_is_full(const struct ring *ring);
#endif
