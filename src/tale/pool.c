/* SPDX-License-Identifier: MIT
 *
 * pool.c - see pool.h.
 */
#include "tale/pool.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/buffer.h"
#include "util/hash.h"
#include "util/table.h"
#include "util/vector.h"

struct tale_pool {
    VECTOR(char *) texts;
    struct table by_hash;    /* hash of the text, or the next free key → number + 1 */
    struct table by_pointer; /* → number */
};

struct tale_pool *tale_pool_open(void)
{
    return memory_allocate(1, sizeof(struct tale_pool));
}

void tale_pool_close(struct tale_pool *pool)
{
    if (pool == NULL)
        return;
    for (size_t i = 0; i < pool->texts.count; i++)
        free(pool->texts.data[i]);
    vector_free(&pool->texts);
    table_free(&pool->by_hash);
    table_free(&pool->by_pointer);
    free(pool);
}

/* Bytes of the well-formed UTF-8 character at `text`; 0 if it is invalid, or would control a terminal. */
static int character_size(const unsigned char *text)
{
    assert(text[0] != '\0');
    if (text[0] < 0x80)
        return text[0] >= ' ' && text[0] != 0x7f;
    int more = text[0] >= 0xf0 ? 3 : text[0] >= 0xe0 ? 2 : 1;
    if (text[0] < 0xc2 || text[0] > 0xf4)
        return 0;
    for (int i = 1; i <= more; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    bool surrogate = text[0] == 0xed && text[1] >= 0xa0;
    bool too_long = (text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xf0 && text[1] < 0x90);
    bool too_large = text[0] == 0xf4 && text[1] >= 0x90;
    bool control = text[0] == 0xc2 && text[1] < 0xa0;
    /* marks for writing from right to left */
    bool turns = text[0] == 0xe2 && ((text[1] == 0x80 && text[2] >= 0xaa && text[2] <= 0xae) ||
                                     (text[1] == 0x81 && text[2] >= 0xa6 && text[2] <= 0xa9));
    return surrogate || too_long || too_large || control || turns ? 0 : more + 1;
}

static void add_clean(struct buffer *clean, const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0';) {
        int size = character_size(c);
        if (size > 0)
            buffer_add(clean, c, (size_t)size);
        else if (*c == '\t')
            buffer_add_char(clean, ' ');
        else
            buffer_printf(clean, "\\x%02x", *c);
        c += size > 0 ? size : 1;
    }
}

static char *keep(struct tale_pool *pool, struct buffer *clean)
{
    uint64_t key = hash_string(buffer_text(clean));
    uint64_t *number = table_put(&pool->by_hash, key);
    while (*number != 0 && strcmp(pool->texts.data[*number - 1], buffer_text(clean)) != 0)
        number = table_put(&pool->by_hash, ++key);
    if (*number != 0) {
        buffer_free(clean);
        return pool->texts.data[*number - 1];
    }
    char *text = buffer_take(clean);
    *table_put(&pool->by_pointer, (uint64_t)(uintptr_t)text) = pool->texts.count;
    vector_push(&pool->texts, text);
    assert(pool->texts.data[pool->texts.count - 1] == text);
    *number = pool->texts.count;
    return text;
}

char *tale_pool_text(struct tale_pool *pool, const char *text)
{
    assert(pool != NULL);
    struct buffer clean = {0};
    if (text == NULL)
        return NULL;
    add_clean(&clean, text);
    return keep(pool, &clean);
}

char *tale_pool_format(struct tale_pool *pool, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    char *kept = tale_pool_text(pool, length >= 0 ? text : "");
    if (length >= 0)
        free(text);
    return kept;
}

size_t tale_pool_count(const struct tale_pool *pool)
{
    return pool->texts.count;
}

char *tale_pool_at(const struct tale_pool *pool, size_t number)
{
    assert(number < pool->texts.count);
    return pool->texts.data[number];
}

size_t tale_pool_number(const struct tale_pool *pool, const char *text)
{
    const uint64_t *number = table_get(&pool->by_pointer, (uint64_t)(uintptr_t)text);
    return number != NULL ? *number : 0;
}
