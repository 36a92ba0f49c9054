/* SPDX-License-Identifier: MIT
 *
 * leftover.c - what calls of the runtime have left on a task's stack, below its frames, is cleared when they end.
 *
 * DESIGN
 *   A program that reads a local variable which it never wrote, or a frame that has returned, reads what was last there.  Natively that is
 *   the program's own or libc's.  Under control it would be the runtime's, and a replay goes another way through the runtime than the run
 *   that was recorded: the failure would not replay.  So every call that is not settled by the fast path clears what it has used.  The fast path
 *   writes nothing but its return address.
 *
 *   How much was used is found by looking: frames end where a CHUNK of nothing begins.  So what is larger and mostly zero must not be a local
 *   variable on the way of every operation (struct task_set), and whatever uses much without writing to it calls leftover_clear_deep.
 */
#include "runtime/rt.h"

enum { CHUNK = 256, BLOCKS = CHUNK / 16, MOST = 32 * CHUNK, DEEP = 1 << 14 };

typedef uint64_t block __attribute__((vector_size(16), may_alias));

static inline __attribute__((always_inline)) block *clear_chunk(block *at)
{
    at -= BLOCKS;
#pragma GCC unroll 16
    for (unsigned i = 0; i < BLOCKS; i++)
        at[i] = (block){0};
    return at;
}

static inline __attribute__((always_inline)) bool is_clear(const block *at)
{
    block any = at[-1];
#pragma GCC unroll 16
    for (int i = 2; i <= BLOCKS; i++)
        any |= at[-i];
    return (any[0] | any[1]) == 0;
}

/* The end of what is to be cleared, NULL: it is on a stack of the program's own, or there is little left of it.  No local variable of the
   callers may be in memory. */
static inline __attribute__((always_inline)) block *begin(const struct task *self, uintptr_t end)
{
    if (unlikely(end <= self->stack_lo + MOST || end > self->stack_hi))
        return NULL;
    if (end & 8)
        *(uint64_t *)(end - 8) = 0;
    return (block *)(end & ~(uintptr_t)15);
}

__attribute__((noinline)) void leftover_clear_shallow(const struct task *self)
{
    block *at = begin(self, (uintptr_t)__builtin_dwarf_cfa() - sizeof(void *));
    if (likely(at != NULL))
        clear_chunk(at);
}

__attribute__((noinline)) void leftover_clear(const struct task *self)
{
    block *at = begin(self, (uintptr_t)__builtin_dwarf_cfa() - sizeof(void *));
    if (unlikely(at == NULL))
        return;
    at = clear_chunk(clear_chunk(at));
    for (unsigned done = 2 * CHUNK; done < MOST && !is_clear(at); done += CHUNK)
        at = clear_chunk(at);
}

__attribute__((noinline)) void leftover_clear_deep(const struct task *self)
{
    uintptr_t end = (uintptr_t)__builtin_dwarf_cfa() - sizeof(void *);
    if (end - self->stack_lo > 2 * DEEP && end <= self->stack_hi)
        for (uint64_t *at = (uint64_t *)end, *last = at - DEEP / sizeof *at; at > last;)
            *--at = 0;
}
