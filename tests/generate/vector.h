/* SPDX-License-Identifier: MIT */
/* vector.h - a growing array of numbers. */
#ifndef VECTOR_H
#define VECTOR_H
#include <stdbool.h>
#include <stddef.h>
struct vector;
struct vector *vector_new(void);
void vector_free(struct vector *vector);
void vector_add(struct vector *vector, int value);
bool vector_remove_last(struct vector *vector);
void vector_clear(struct vector *vector);
size_t vector_size(struct vector *vector);
long vector_last_index_of(struct vector *vector, int value);
#endif
