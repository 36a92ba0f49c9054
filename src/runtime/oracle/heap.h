/* SPDX-License-Identifier: MIT
 *
 * heap.h - the program's heap blocks while a driver is attached, and the errors made with them.
 */
#ifndef RADDLE_HEAP_H
#define RADDLE_HEAP_H

#include "runtime/access.h"

/* In front of every block.  The shadow cells of the header are REDZONE, so that it is found without reading the program's
   memory, and an invalid pointer is never taken for a block. */
struct block {
    uint64_t magic;
    size_t size;
    struct block *next; /* quarantine */
    uint64_t pc : 48;
    uint64_t alignment : 8; /* 0, or the logarithm if higher than usual */
    uint64_t distance : 8;  /* to the end of the red zone, in units of 16 bytes */
    uintptr_t free_pc;
    uintptr_t caller, free_caller; /* of the functions that allocated and freed it: return addresses; 0: not known */
    uint64_t operation, free_operation; /* of the tasks */
    uint32_t offset;                    /* of the block's memory from the beginning of its piece of the pool */
    uint16_t task, free_task;           /* HEAP_NO_TASK: not under control */
};
enum { HEAP_NO_TASK = UINT16_MAX };

static inline uintptr_t block_memory(const struct block *block)
{
    return (uintptr_t)(block + 1);
}

/* alignment: 16 or a higher power of two.  NULL if there is no memory; errno is the caller's. */
void *heap_allocate(size_t size, size_t alignment, bool zero, uintptr_t pc);
/* The live block whose memory begins at the pointer; NULL if there is none. */
struct block *heap_find(const void *pointer);
/* The block is freed: into quarantine if under control, else at once. */
void heap_free(struct block *block, uintptr_t pc);
/* Resizes a block that is too large to copy, and keeps its content.  Returns its memory, which may have moved.  NULL: not possible. */
void *heap_resize(struct block *block, size_t size, uintptr_t pc);

/* Visits all live blocks of the pool, by address; not those that are mappings of their own. */
void heap_each(void (*visit)(const struct block *block));

/* The program frees a pointer to no live block: reports it if that is certain, and does not return then. */
void heap_report_free(struct task *self, const void *pointer, uintptr_t pc);
/* The program accesses the cell at `at`, which does not allow it. */
__attribute__((noreturn)) void heap_report_access(struct task *self, uintptr_t pc, const struct span *span,
                                                  uintptr_t at, const struct cell *cell);

/* hooks/heap.c: malloc as the program sees it, with the caller's pc. */
void *heap_malloc(size_t size, uintptr_t pc);

#endif
