/* SPDX-License-Identifier: MIT
 *
 * pool.c - size classes over big regions: a piece is cut off the current region, or taken from its class's list of
 * released ones, last in first out.  Classes are 16 bytes apart up to 1 KiB, then an eighth of a power of two.
 */
#include "runtime/pool.h"

#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/arch/arch.h"
#include "runtime/init.h"
#include "runtime/restart.h"
#include "runtime/shadow.h"

enum {
    STEP = 16,
    FINE_LIMIT = 1024,
    FINE_CLASSES = FINE_LIMIT / STEP,
    COARSE_PER_DOUBLING = 8,
    CLASSES = FINE_CLASSES + 10 * COARSE_PER_DOUBLING + 1, /* up to POOL_LARGEST */
    REGION = 64 << 20,
    REGIONS = 4096,
};

static RT_TABLE struct {
    char *next, *end; /* of the current region */
    void *released[CLASSES];
    unsigned region_count;
    char *regions[REGIONS];
} pool;

static size_t page_round(size_t size)
{
    return (size + 4095) & ~(size_t)4095;
}

/* At `wanted`, if it is not 0 and there is nothing yet; else anywhere. */
static void *map_memory(uintptr_t wanted, size_t size)
{
    long address =
        syscall_raw(SYS_mmap, (long)wanted, (long)size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (wanted != 0 ? MAP_FIXED_NOREPLACE : 0), -1, 0);
    if (address < 0 && address > -4096)
        return wanted != 0 ? map_memory(0, size) : NULL;
    restart_note_map((uintptr_t)address, size);
    shadow_clear((uintptr_t)address, (uintptr_t)address + size); /* the loader or libc may have had memory there */
    return (void *)address;
}

/* The class of a size, and the size of all its pieces. */
static unsigned class_of(size_t size, size_t *rounded)
{
    if (size <= FINE_LIMIT) {
        unsigned class = size == 0 ? 0 : (unsigned)((size - 1) / STEP);
        *rounded = (class + 1) * (size_t)STEP;
        return class;
    }
    unsigned doubling = 63 - (unsigned)__builtin_clzll(size - 1); /* size is in (2^doubling, 2^(doubling+1)] */
    size_t step = ((size_t)1 << doubling) / COARSE_PER_DOUBLING;
    size_t above = (size - 1 - ((size_t)1 << doubling)) / step;
    *rounded = ((size_t)1 << doubling) + (above + 1) * step;
    return FINE_CLASSES + (doubling - 10) * COARSE_PER_DOUBLING + (unsigned)above;
}

/* The address of the next region; 0: any.  A program that is not position-independent has its native heap right after its data, and may
   keep addresses in 32 bits.  So the region is there too.  It keeps some distance, since the program may move the end of its data (sbrk). */
static uintptr_t place_of_region(void)
{
    const uintptr_t limit = (uintptr_t)1 << 31, distance = 256 << 20;
    if (pool.region_count > 0) {
        uintptr_t next = (uintptr_t)pool.regions[pool.region_count - 1] + REGION;
        return next <= limit - REGION ? next : 0;
    }
    uintptr_t data_end = page_round((uintptr_t)syscall_raw(SYS_brk, 0, 0, 0, 0, 0, 0));
    return data_end <= limit - distance - REGION ? data_end + distance : 0;
}

static bool new_region(void)
{
    if (pool.region_count == REGIONS)
        return false;
    char *region = map_memory(place_of_region(), REGION);
    if (region == NULL)
        return false;
    /* Small pages: a run that uses little memory must not pay for zeroing huge ones. */
    syscall_raw(SYS_madvise, (long)region, REGION, MADV_NOHUGEPAGE, 0, 0, 0);
    pool.regions[pool.region_count++] = region;
    pool.next = region;
    pool.end = region + REGION;
    return true;
}

void pool_prepare(void)
{
    if (pool.region_count == 0)
        new_region();
}

static void release_to_class(void *piece, unsigned class)
{
    *(void **)piece = pool.released[class];
    pool.released[class] = piece;
}

void *pool_allocate(size_t size, unsigned pass, bool *zeroed)
{
    *zeroed = true;
    if (size > POOL_LARGEST)
        return map_memory(0, page_round(size));
    size_t rounded;
    unsigned class = class_of(size, &rounded);
    void **piece = pool.released[class];
    if (piece != NULL) {
        pool.released[class] = *piece;
        *zeroed = false;
        return piece;
    }
    if ((size_t)(pool.end - pool.next) < rounded && !new_region())
        return NULL;
    for (; pass > 0 && rounded <= FINE_LIMIT && (size_t)(pool.end - pool.next) >= 2 * rounded; pass--) {
        release_to_class(pool.next, class);
        pool.next += rounded;
    }
    void *cut = pool.next;
    pool.next += rounded;
    return cut;
}

void pool_release(void *piece, size_t size)
{
    if (size > POOL_LARGEST) {
        restart_note_unmap((uintptr_t)piece, page_round(size));
        syscall_raw(SYS_munmap, (long)piece, (long)page_round(size), 0, 0, 0, 0);
        return;
    }
    size_t rounded;
    unsigned class = class_of(size, &rounded);
    release_to_class(piece, class);
}

void *pool_resize(void *piece, size_t size, size_t new_size)
{
    if (page_round(size) == page_round(new_size))
        return piece;
    long address =
        syscall_raw(SYS_mremap, (long)piece, (long)page_round(size), (long)page_round(new_size), MREMAP_MAYMOVE, 0, 0);
    if (address < 0 && address > -4096)
        return NULL;
    restart_note_unmap((uintptr_t)piece, page_round(size));
    restart_note_map((uintptr_t)address, page_round(new_size));
    shadow_clear((uintptr_t)address, (uintptr_t)address + page_round(new_size));
    return (void *)address;
}

bool pool_region(unsigned number, uintptr_t *lo, uintptr_t *hi)
{
    if (number >= pool.region_count)
        return false;
    *lo = (uintptr_t)pool.regions[number];
    *hi = number + 1 == pool.region_count ? (uintptr_t)pool.next : *lo + REGION;
    return true;
}

bool pool_owns(const void *address)
{
    for (unsigned i = 0; i < pool.region_count; i++)
        if ((uintptr_t)address - (uintptr_t)pool.regions[i] < REGION)
            return true;
    return false;
}
