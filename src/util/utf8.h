/* SPDX-License-Identifier: MIT
 *
 * utf8.h - makes texts of programs, which may contain any bytes, valid UTF-8.
 */
#ifndef RADDLE_UTIL_UTF8_H
#define RADDLE_UTIL_UTF8_H

#include <stddef.h>
#include <stdint.h>

#include "util/buffer.h"

#define UTF8_REPLACEMENT 0xfffdu

/* The next character of `size` > 0 bytes, and how many bytes it takes.  Invalid bytes (overlong, a surrogate, beyond
   U+10FFFF, cut) give UTF8_REPLACEMENT, one byte at a time. */
uint32_t utf8_next(const char *bytes, size_t size, size_t *length);
void utf8_add(struct buffer *buffer, uint32_t character);
/* A copy that is valid UTF-8 without zero bytes; freed by the caller. */
char *utf8_clean(const char *bytes, size_t size);

#endif
