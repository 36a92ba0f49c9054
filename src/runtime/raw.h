/* SPDX-License-Identifier: MIT
 *
 * raw.h - copying and filling memory without libc, whose functions of that kind are hooked or not there yet.
 */
#ifndef RADDLE_RAW_H
#define RADDLE_RAW_H

#include <stddef.h>

static inline void raw_copy(void *to, const void *from, size_t size)
{
#if defined(__x86_64__)
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
#else
    for (size_t i = 0; i < size; i++)
        ((volatile unsigned char *)to)[i] = ((const unsigned char *)from)[i];
#endif
}

static inline void raw_copy_backward(void *to, const void *from, size_t size)
{
    while (size-- > 0)
        ((volatile unsigned char *)to)[size] = ((const unsigned char *)from)[size];
}

static inline void raw_fill(void *to, int byte, size_t size)
{
#if defined(__x86_64__)
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(byte) : "memory");
#else
    for (size_t i = 0; i < size; i++)
        ((volatile unsigned char *)to)[i] = (unsigned char)byte;
#endif
}

#endif
