/* SPDX-License-Identifier: MIT
 *
 * buffer.h - a growing string.  `data` is always terminated once something was added; it may contain zero bytes (size
 * counts them).
 */
#ifndef RADDLE_UTIL_BUFFER_H
#define RADDLE_UTIL_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer {
    char *data; /* NULL while empty */
    size_t size, capacity;
};

void buffer_reserve(struct buffer *buffer, size_t more); /* room for `more` bytes and the terminator */
void buffer_add(struct buffer *buffer, const void *bytes, size_t size);
void buffer_add_string(struct buffer *buffer, const char *text);
void buffer_add_char(struct buffer *buffer, char c);
void buffer_add_number(struct buffer *buffer, uint64_t number); /* decimal; faster than buffer_printf */
void buffer_printf(struct buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* `text` as one word for a POSIX shell: unchanged if no character needs quoting, else in single quotes. */
void buffer_add_quoted(struct buffer *buffer, const char *text);
/* The same as a string of its own; the caller frees. */
char *text_quoted(const char *text);
void buffer_clear(struct buffer *buffer);
void buffer_free(struct buffer *buffer);
const char *buffer_text(const struct buffer *buffer); /* never NULL */
/* The string itself, to be freed by the caller; the buffer is empty afterwards. Never NULL. */
char *buffer_take(struct buffer *buffer);

#endif
