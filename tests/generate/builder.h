/* SPDX-License-Identifier: MIT */
/* builder.h - a text that grows. */
#ifndef BUILDER_H
#define BUILDER_H
#include <stddef.h>
typedef struct {
    void *lock;
    char *text;
    size_t length, capacity;
} builder;
int builder_init(builder *b);
void builder_destroy(builder *b);
int builder_append(builder *b, const char *text);
size_t builder_copy(builder *b, char *buffer, size_t size);
size_t builder_length(builder *b);
void builder_clear(builder *b);
#endif
