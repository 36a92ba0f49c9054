/* SPDX-License-Identifier: MIT
 *
 * memory.h - memory functions of libc as accesses, for the compilers' own names of them.
 */
#ifndef RADDLE_HOOKS_MEMORY_H
#define RADDLE_HOOKS_MEMORY_H

#include <stddef.h>
#include <stdint.h>

struct task;

void *memory_copy(uintptr_t pc, void *to, const void *from, size_t size); /* may overlap */
void *memory_fill(uintptr_t pc, void *to, int byte, size_t size);
/* Begin and end of a call from the program's code that accesses its memory.  NULL: it is from elsewhere, or not under control. */
struct task *memory_enter(uintptr_t pc);
void memory_leave(struct task *self);
/* Look up libc's functions: libc is ready now.  Until then own loops do the work. */
void memory_resolve(void);

#endif
