/* SPDX-License-Identifier: MIT */
/* builder.c - room for the text is made in one critical section, and the text is added in another one. */
#include "builder.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

int builder_init(builder *b)
{
    memset(b, 0, sizeof *b);
    b->lock = malloc(sizeof(pthread_mutex_t));
    if (b->lock == NULL)
        return -1;
    return pthread_mutex_init(b->lock, NULL);
}

void builder_destroy(builder *b)
{
    free(b->lock);
    free(b->text);
}

static int make_room(builder *b, size_t more)
{
    if (b->length + more < b->capacity)
        return 0;
    b->capacity = b->length + more + 1;
    char *text = realloc(b->text, b->capacity);
    if (text == NULL)
        return -1;
    b->text = text;
    return 0;
}

int builder_append(builder *b, const char *text)
{
    size_t more = strlen(text);
    pthread_mutex_lock(b->lock);
    int result = make_room(b, more);
#ifndef CORRECT
    pthread_mutex_unlock(b->lock);
    pthread_mutex_lock(b->lock);
#endif
    for (size_t i = 0; i < more && result == 0; i++)
        b->text[b->length++] = text[i];
    pthread_mutex_unlock(b->lock);
    return result;
}

size_t builder_copy(builder *b, char *buffer, size_t size)
{
    pthread_mutex_lock(b->lock);
    size_t length = b->length < size ? b->length : size;
    for (size_t i = 0; i < length; i++)
        buffer[i] = b->text[i];
    pthread_mutex_unlock(b->lock);
    return length;
}

size_t builder_length(builder *b)
{
    pthread_mutex_lock(b->lock);
    size_t length = b->length;
    pthread_mutex_unlock(b->lock);
    return length;
}

void builder_clear(builder *b)
{
    pthread_mutex_lock(b->lock);
    b->length = 0;
    pthread_mutex_unlock(b->lock);
}
