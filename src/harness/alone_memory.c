/* SPDX-License-Identifier: MIT
 *
 * alone_memory.c - the heap of a module that runs alone, and the hash of what is reachable from its object.
 *
 * DESIGN
 *   Blocks lie one after another with gaps between them and are never used again, so an address outside of a block, or in a freed one, is
 *   known to be wrong.
 *
 *   The state is what can be reached from the object and from the module's variables.  A word that points into a block counts as the number of
 *   that block in the traversal and the offset in it, other words as they are: equal shapes at other addresses are equal.
 */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/alone.h"
#include "util/hash.h"

enum { GAP = 32 };
extern char __data_start[], _end[];

/* ---- blocks --------------------------------------------------------------------------------------------------------- */

struct alone_block *alone_block_at(uintptr_t address)
{
    struct alone *alone = alone_get();
    if (address < alone->arena || address >= alone->next)
        return NULL;
    uint32_t low = 0, high = alone->blocks;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (alone->block[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < alone->blocks && alone->block[low].begin <= address ? &alone->block[low] : NULL;
}

static void *allocate(size_t alignment, size_t size)
{
    struct alone *alone = alone_get();
    uintptr_t at = (alone->next + alignment - 1) & ~(uintptr_t)(alignment - 1);
    size_t room = size > 0 ? size : 1;
    if (room > alone->arena_end - at || at >= alone->arena_end || alone->blocks == ALONE_BLOCKS) {
        errno = ENOMEM;
        return NULL;
    }
    alone->block[alone->blocks++] = (struct alone_block){at, at + room, 0, 0, 0};
    alone->next = ((at + room + 15) & ~(uintptr_t)15) + GAP;
    if (alone->variant != 0)
        memset((void *)at, 0x5a, room);
    return (void *)at;
}

void *malloc(size_t size)
{
    return allocate(16, size);
}

void *calloc(size_t count, size_t size)
{
    size_t all;
    if (__builtin_mul_overflow(count, size, &all)) {
        errno = ENOMEM;
        return NULL;
    }
    void *memory = allocate(16, all);
    return memory != NULL ? memset(memory, 0, all) : NULL;
}

void free(void *memory)
{
    if (memory == NULL)
        return;
    struct alone_block *block = alone_block_at((uintptr_t)memory);
    if (block == NULL || block->begin != (uintptr_t)memory || block->freed)
        alone_fail(GEN_HEAP);
    block->freed = 1;
    alone_note(GEN_WRITE, memory, 1, false, false, (uintptr_t)__builtin_return_address(0));
}

void *realloc(void *memory, size_t size)
{
    struct alone_block *block = memory != NULL ? alone_block_at((uintptr_t)memory) : NULL;
    void *moved = allocate(16, size);
    if (block == NULL || moved == NULL)
        return moved;
    size_t old = block->end - block->begin;
    memcpy(moved, memory, old < size ? old : size);
    free(memory);
    return moved;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return allocate(alignment, size);
}

void *memalign(size_t alignment, size_t size)
{
    return allocate(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    *memory = allocate(alignment, size);
    return *memory != NULL ? 0 : ENOMEM;
}

size_t malloc_usable_size(void *memory)
{
    const struct alone_block *block = alone_block_at((uintptr_t)memory);
    return block != NULL ? block->end - block->begin : 0;
}

/* ---- state ------------------------------------------------------------------------------------------------------------ */

/* The number of a live block in this traversal. */
static uint32_t number_of(struct alone *alone, struct alone_block *block)
{
    if (block->stamp != alone->stamp) {
        block->stamp = alone->stamp;
        block->number = alone->numbered;
        alone->queue[alone->numbered++] = (uint32_t)(block - alone->block);
    }
    return block->number;
}

static uint64_t hash_word(struct alone *alone, uint64_t word)
{
    struct alone_block *block = alone_block_at(word);
    if (block == NULL || block->freed)
        return word;
    return hash_combine(number_of(alone, block) + 1, word - block->begin);
}

static uint64_t hash_memory(struct alone *alone, uintptr_t begin, uintptr_t end, uint64_t hash)
{
    uintptr_t at = (begin + 7) & ~(uintptr_t)7;
    for (; at + 8 <= end; at += 8) {
        uint64_t word = *(const uint64_t *)at;
        if (word != 0)
            hash = hash_combine(hash ^ (at - begin), hash_word(alone, word));
    }
    for (; at < end; at++)
        hash = hash_combine(hash, *(const unsigned char *)at);
    return hash;
}

uint64_t alone_hash_state(void)
{
    struct alone *alone = alone_get();
    alone->stamp++;
    alone->numbered = 0;
    uint64_t hash = hash_word(alone, (uintptr_t)gen_object);
    hash = hash_memory(alone, (uintptr_t)__data_start, (uintptr_t)_end, hash);
    for (uint32_t i = 0; i < alone->numbered; i++) {
        const struct alone_block *block = &alone->block[alone->queue[i]];
        hash = hash_memory(alone, block->begin, block->end, hash);
    }
    for (int i = 0; i < ALONE_LOCKS; i++)
        if (alone->lock[i].address != NULL)
            hash = hash_combine(hash, alone->lock[i].writer * 64 + alone->lock[i].readers);
    return hash;
}
