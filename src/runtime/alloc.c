/* SPDX-License-Identifier: MIT
 *
 * alloc.c - the runtime's own memory: bump allocation from large mappings, freed pieces are kept by size.
 *
 * libc is not called: the program may be inside malloc when the runtime needs memory.
 */
#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/arch/arch.h"
#include "runtime/restart.h"
#include "runtime/rt.h"

enum { CHUNK = 1 << 20, CLASSES = 64, CLASS_STEP = 16, LARGE = 4096, MIDDLE_SIZES = 16 };

static struct {
    char *next, *end;
    void *free_list[CLASSES + 1]; /* [i]: pieces of i * CLASS_STEP bytes */
    struct {
        size_t size; /* 0: not in use */
        void *free;
    } middle[MIDDLE_SIZES]; /* larger sizes that are used often: clocks of many tasks, frames */
} memory;

/* What a piece of this size takes.  One of no bytes takes a step, too: when it is freed, the link of its list is written into it. */
static size_t whole_steps(size_t size)
{
    return size == 0 ? CLASS_STEP : (size + CLASS_STEP - 1) & ~(size_t)(CLASS_STEP - 1);
}

/* The list of freed pieces of this size; NULL: they are not kept. */
static void **free_list_of(size_t size)
{
    if (size / CLASS_STEP <= CLASSES)
        return &memory.free_list[size / CLASS_STEP];
    if (size > CHUNK / 4)
        return NULL;
    for (unsigned i = 0; i < MIDDLE_SIZES; i++) {
        if (memory.middle[i].size == 0)
            memory.middle[i].size = size;
        if (memory.middle[i].size == size)
            return &memory.middle[i].free;
    }
    return NULL;
}

void *rt_map(size_t size, const char *purpose)
{
    long address = syscall_raw(SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (address < 0 && address > -4096)
        rt_die("out of memory: mmap of %lu bytes for %s failed with error %d", (unsigned long)size, purpose,
               (int)-address);
    restart_note_map((uintptr_t)address, size);
    return (void *)address;
}

void *rt_alloc(size_t size)
{
    size = whole_steps(size);
    void **list = free_list_of(size);
    if (list != NULL && *list != NULL) {
        void **piece = *list;
        *list = *piece;
        for (size_t i = 0; i < size / sizeof(void *); i++)
            piece[i] = NULL;
        return piece;
    }
    if (size > CHUNK / 4)
        return rt_map((size + 4095) & ~(size_t)4095, "the runtime");
    if ((size_t)(memory.end - memory.next) < size) {
        memory.next = rt_map(CHUNK, "the runtime");
        memory.end = memory.next + CHUNK;
    }
    if (size >= LARGE) /* from the other end: small pieces stay close together */
        return memory.end -= size;
    void *result = memory.next;
    memory.next += size;
    return result;
}

void rt_free(void *piece, size_t size)
{
    if (piece == NULL)
        return;
    size = whole_steps(size);
    void **list = free_list_of(size);
    if (list != NULL) {
        *(void **)piece = *list;
        *list = piece;
    } else if (size > CHUNK / 4) {
        size = (size + 4095) & ~(size_t)4095;
        restart_note_unmap((uintptr_t)piece, size);
        syscall_raw(SYS_munmap, (long)piece, (long)size, 0, 0, 0, 0);
    } /* else: the size is rare, and the piece is not used again */
}
