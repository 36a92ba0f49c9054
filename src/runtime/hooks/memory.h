/* SPDX-License-Identifier: MIT
 *
 * memory.h - memory functions of libc as accesses, for the compilers' own names of them.
 */
#ifndef RADDLE_HOOKS_MEMORY_H
#define RADDLE_HOOKS_MEMORY_H

#include <stddef.h>
#include <stdint.h>

void *memory_copy(uintptr_t pc, void *to, const void *from, size_t size); /* may overlap */
void *memory_fill(uintptr_t pc, void *to, int byte, size_t size);
/* Look up libc's functions: libc is ready now.  Until then own loops do the work. */
void memory_resolve(void);

#endif
