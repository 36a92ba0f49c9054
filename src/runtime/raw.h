/* SPDX-License-Identifier: MIT
 *
 * raw.h - copying and filling memory without libc, whose functions of that kind are hooked or not there yet.
 */
#ifndef RADDLE_RAW_H
#define RADDLE_RAW_H

#include <stddef.h>

#include "runtime/arch/arch.h"

static inline void raw_copy(void *to, const void *from, size_t size)
{
    arch_copy(to, from, size);
}

static inline void raw_copy_backward(void *to, const void *from, size_t size)
{
    while (size-- > 0)
        ((volatile unsigned char *)to)[size] = ((const unsigned char *)from)[size];
}

static inline void raw_fill(void *to, int byte, size_t size)
{
    arch_fill(to, byte, size);
}

#endif
