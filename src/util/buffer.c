/* SPDX-License-Identifier: MIT
 *
 * buffer.c - a growing string.
 */
#include "util/buffer.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

void buffer_reserve(struct buffer *buffer, size_t more)
{
    assert(buffer->size <= buffer->capacity);
    assert(more < SIZE_MAX - buffer->size);
    size_t needed = buffer->size + more + 1;
    if (needed <= buffer->capacity)
        return;
    size_t capacity = buffer->capacity ? buffer->capacity * 2 : 64;
    if (capacity < needed)
        capacity = needed;
    buffer->data = memory_resize(buffer->data, capacity, 1);
    buffer->capacity = capacity;
}

void buffer_add(struct buffer *buffer, const void *bytes, size_t size)
{
    assert(bytes != NULL || size == 0);
    buffer_reserve(buffer, size);
    if (size > 0)
        memcpy(buffer->data + buffer->size, bytes, size);
    buffer->size += size;
    buffer->data[buffer->size] = '\0';
}

void buffer_add_string(struct buffer *buffer, const char *text)
{
    assert(text != NULL);
    buffer_add(buffer, text, strlen(text));
}

void buffer_add_char(struct buffer *buffer, char c)
{
    buffer_add(buffer, &c, 1);
}

void buffer_add_number(struct buffer *buffer, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    buffer_add(buffer, digits + at, sizeof digits - at);
}

void buffer_printf(struct buffer *buffer, const char *format, ...)
{
    assert(format != NULL);
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    buffer_reserve(buffer, 1);
    size_t room = buffer->capacity - buffer->size; /* usually enough */
    int size = vsnprintf(buffer->data + buffer->size, room, format, arguments);
    if (size > 0 && (size_t)size >= room) {
        buffer_reserve(buffer, (size_t)size);
        vsnprintf(buffer->data + buffer->size, (size_t)size + 1, format, again);
    }
    if (size > 0)
        buffer->size += (size_t)size;
    else
        buffer->data[buffer->size] = '\0';
    assert(buffer->size < buffer->capacity && buffer->data[buffer->size] == '\0');
    va_end(again);
    va_end(arguments);
}

void buffer_add_quoted(struct buffer *buffer, const char *text)
{
    assert(text != NULL);
    static const char harmless[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
    if (*text != '\0' && text[strspn(text, harmless)] == '\0') {
        buffer_add_string(buffer, text);
        return;
    }
    buffer_add_char(buffer, '\'');
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            buffer_add_string(buffer, "'\\''");
        else
            buffer_add_char(buffer, *text);
    }
    buffer_add_char(buffer, '\'');
}

char *text_quoted(const char *text)
{
    struct buffer buffer = {0};
    buffer_add_quoted(&buffer, text);
    return buffer_take(&buffer);
}

void buffer_clear(struct buffer *buffer)
{
    assert(buffer->size <= buffer->capacity);
    buffer->size = 0;
    if (buffer->data != NULL)
        buffer->data[0] = '\0';
}

void buffer_free(struct buffer *buffer)
{
    free(buffer->data);
    *buffer = (struct buffer){0};
}

const char *buffer_text(const struct buffer *buffer)
{
    assert(buffer->data == NULL || buffer->data[buffer->size] == '\0');
    return buffer->data != NULL ? buffer->data : "";
}

char *buffer_take(struct buffer *buffer)
{
    assert(buffer->data == NULL || buffer->data[buffer->size] == '\0');
    char *text = buffer->data != NULL ? buffer->data : memory_copy_string("");
    *buffer = (struct buffer){0};
    return text;
}
