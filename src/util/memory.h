/* SPDX-License-Identifier: MIT
 *
 * memory.h - allocation for the driver.  If memory runs out, the driver cannot do anything useful: it prints one
 * sentence and exits with code 3, and the kernel ends the children (PR_SET_PDEATHSIG).
 */
#ifndef RADDLE_UTIL_MEMORY_H
#define RADDLE_UTIL_MEMORY_H

#include <stddef.h>

/* Zeroed memory, never NULL. Freed with free(). */
void *memory_allocate(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
/* As realloc for count elements of size bytes; never NULL for a non-zero size. */
void *memory_resize(void *memory, size_t count, size_t size);
char *memory_copy_string(const char *text) __attribute__((malloc, returns_nonnull));
/* printf into an allocated string; freed by the caller. */
char *memory_format(const char *format, ...) __attribute__((malloc, returns_nonnull, format(printf, 1, 2)));

#endif
