/* SPDX-License-Identifier: MIT
 *
 * raw.h - copying and filling memory, and the numbers of process and thread, without libc: its functions are hooked, or cannot be
 * called yet.
 */
#ifndef RADDLE_RAW_H
#define RADDLE_RAW_H

#include <stddef.h>
#include <sys/syscall.h>
#include <sys/types.h>

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

/* The kernel's numbers of the calling process and thread; the program sees others (model/process.h). */
static inline pid_t raw_getpid(void)
{
    return (pid_t)syscall_raw(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

static inline pid_t raw_gettid(void)
{
    return (pid_t)syscall_raw(SYS_gettid, 0, 0, 0, 0, 0, 0);
}

#endif
