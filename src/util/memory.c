/* SPDX-License-Identifier: MIT
 *
 * memory.c - allocation that ends the process with a message if it fails.
 */
#include "util/memory.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Noreturn void memory_exhausted(void)
{
    static const char sentence[] = "raddle: out of memory; try fewer parallel runs (-j) or a smaller --max-output\n";
    ssize_t written = write(STDERR_FILENO, sentence, sizeof sentence - 1);
    (void)written;
    _exit(3);
}

void *memory_allocate(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size ? size : 1);
    if (memory == NULL)
        memory_exhausted();
    return memory;
}

void *memory_resize(void *memory, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        memory_exhausted();
    void *grown = realloc(memory, bytes ? bytes : 1);
    if (grown == NULL)
        memory_exhausted();
    return grown;
}

char *memory_copy_string(const char *text)
{
    assert(text != NULL);
    size_t size = strlen(text) + 1;
    return memcpy(memory_allocate(size, 1), text, size);
}

char *memory_format(const char *format, ...)
{
    assert(format != NULL);
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        memory_exhausted();
    va_end(arguments);
    return text;
}
