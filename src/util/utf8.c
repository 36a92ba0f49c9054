/* SPDX-License-Identifier: MIT
 *
 * utf8.c - reading and writing UTF-8.
 */
#include "util/utf8.h"

#include <assert.h>

/* The length of the sequence that begins with this byte, and the payload bits of the byte; 0: not a first byte. */
static size_t sequence_length(unsigned char first, uint32_t *bits)
{
    if (first < 0x80) {
        *bits = first;
        return 1;
    }
    if (first >= 0xc2 && first <= 0xdf) {
        *bits = first & 0x1f;
        return 2;
    }
    if (first >= 0xe0 && first <= 0xef) {
        *bits = first & 0x0f;
        return 3;
    }
    if (first >= 0xf0 && first <= 0xf4) {
        *bits = first & 0x07;
        return 4;
    }
    return 0;
}

uint32_t utf8_next(const char *bytes, size_t size, size_t *length)
{
    assert(bytes != NULL && size > 0 && length != NULL);
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t character = 0;
    size_t wanted = sequence_length((unsigned char)bytes[0], &character);
    *length = 1;
    if (wanted == 0 || wanted > size)
        return UTF8_REPLACEMENT;
    assert(wanted < sizeof least / sizeof least[0] && wanted <= size);
    for (size_t i = 1; i < wanted; i++) {
        if (((unsigned char)bytes[i] & 0xc0) != 0x80)
            return UTF8_REPLACEMENT;
        character = character << 6 | ((unsigned char)bytes[i] & 0x3f);
    }
    if (character < least[wanted] || character > 0x10ffff || (character >= 0xd800 && character <= 0xdfff))
        return UTF8_REPLACEMENT;
    *length = wanted;
    return character;
}

void utf8_add(struct buffer *buffer, uint32_t character)
{
    assert(character <= 0x10ffff);
    if (character < 0x80) {
        buffer_add_char(buffer, (char)character);
    } else if (character < 0x800) {
        buffer_add_char(buffer, (char)(0xc0 | character >> 6));
        buffer_add_char(buffer, (char)(0x80 | (character & 0x3f)));
    } else if (character < 0x10000) {
        buffer_add_char(buffer, (char)(0xe0 | character >> 12));
        buffer_add_char(buffer, (char)(0x80 | (character >> 6 & 0x3f)));
        buffer_add_char(buffer, (char)(0x80 | (character & 0x3f)));
    } else {
        buffer_add_char(buffer, (char)(0xf0 | character >> 18));
        buffer_add_char(buffer, (char)(0x80 | (character >> 12 & 0x3f)));
        buffer_add_char(buffer, (char)(0x80 | (character >> 6 & 0x3f)));
        buffer_add_char(buffer, (char)(0x80 | (character & 0x3f)));
    }
}

char *utf8_clean(const char *bytes, size_t size)
{
    assert(bytes != NULL || size == 0);
    struct buffer text = {0};
    for (size_t i = 0, length; i < size; i += length) {
        uint32_t character = utf8_next(bytes + i, size - i, &length);
        utf8_add(&text, character != 0 ? character : UTF8_REPLACEMENT);
    }
    return buffer_take(&text);
}
