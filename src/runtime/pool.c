/* SPDX-License-Identifier: MIT
 *
 * pool.c - size classes over big regions: a piece is cut off the current region, or taken from its class's list of
 * released ones, last in first out.  Classes are 16 bytes apart up to 1 KiB, then an eighth of a power of two.
 *
 * A task's own pieces (pool_allocate_own) come from a window of addresses that belongs to its number, one after the other, and no address is
 * used twice.
 */
#include "runtime/pool.h"

#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/arch/arch.h"
#include "runtime/init.h"
#include "runtime/restart.h"
#include "runtime/shadow.h"
#include "wire/wire.h"

enum {
    STEP = 16,
    FINE_LIMIT = 1024,
    FINE_CLASSES = FINE_LIMIT / STEP,
    COARSE_PER_DOUBLING = 8,
    CLASSES = FINE_CLASSES + 10 * COARSE_PER_DOUBLING + 1, /* up to POOL_LARGEST */
    REGION = 64 << 20,
    REGIONS = 2 * WIRE_TASKS,
    OWN_REGION = 4 << 20,
    OWN_MOST = 256 << 20, /* of small pieces, since they are not used again */
};

/* The windows of the tasks: where the kernel puts nothing by itself. */
#define WINDOWS     0x200000000000ull
#define WINDOW_SIZE (1ull << 33)

struct region {
    char *start, *next, *end; /* up to `next` it is in use */
};

static RT_TABLE struct {
    struct region *current; /* what all tasks share */
    void *released[CLASSES];
    unsigned region_count;
    struct region regions[REGIONS];
} pool;

static RT_TABLE struct window {
    struct region *current;
    uint64_t used; /* bytes of the window */
    size_t small;  /* ... in regions */
} windows[WIRE_TASKS];

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
    if (pool.current != NULL) {
        uintptr_t next = (uintptr_t)pool.current->end;
        return next <= limit - REGION ? next : 0;
    }
    uintptr_t data_end = page_round((uintptr_t)syscall_raw(SYS_brk, 0, 0, 0, 0, 0, 0));
    return data_end <= limit - distance - REGION ? data_end + distance : 0;
}

static struct region *add_region(char *start, size_t size)
{
    /* Small pages: a run that uses little memory must not pay for zeroing huge ones. */
    syscall_raw(SYS_madvise, (long)start, (long)size, MADV_NOHUGEPAGE, 0, 0, 0);
    struct region *region = &pool.regions[pool.region_count++];
    *region = (struct region){start, start, start + size};
    return region;
}

static bool new_region(void)
{
    if (pool.region_count == REGIONS)
        return false;
    char *start = map_memory(place_of_region(), REGION);
    if (start != NULL)
        pool.current = add_region(start, REGION);
    return start != NULL;
}

void pool_prepare(void)
{
    if (pool.current == NULL)
        new_region();
}

static size_t room_in(const struct region *region)
{
    return region != NULL ? (size_t)(region->end - region->next) : 0;
}

static char *cut_off(struct region *region, size_t size)
{
    char *piece = region->next;
    region->next += size;
    return piece;
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
    if (room_in(pool.current) < rounded && !new_region())
        return NULL;
    for (; pass > 0 && rounded <= FINE_LIMIT && room_in(pool.current) >= 2 * rounded; pass--)
        release_to_class(cut_off(pool.current, rounded), class);
    return cut_off(pool.current, rounded);
}

/* The next part of the window, mapped.  NULL: it is not free. */
static void *map_in_window(struct window *window, unsigned task, size_t size)
{
    if (size > WINDOW_SIZE - window->used)
        return NULL;
    uintptr_t wanted = WINDOWS + task * WINDOW_SIZE + window->used;
    char *address = map_memory(wanted, size);
    window->used += size;
    if (address == (char *)wanted || address == NULL)
        return address;
    restart_note_unmap((uintptr_t)address, size);
    syscall_raw(SYS_munmap, (long)address, (long)size, 0, 0, 0, 0);
    return NULL;
}

static bool new_own_region(struct window *window, unsigned task)
{
    if (pool.region_count == REGIONS || window->small >= OWN_MOST)
        return false;
    char *start = map_in_window(window, task, OWN_REGION);
    if (start == NULL)
        return false;
    window->small += OWN_REGION;
    window->current = add_region(start, OWN_REGION);
    return true;
}

void *pool_allocate_own(unsigned task, size_t size)
{
    struct window *window = &windows[task];
    if (size > POOL_LARGEST)
        return map_in_window(window, task, page_round(size));
    size_t rounded;
    class_of(size, &rounded);
    if (room_in(window->current) < rounded && !new_own_region(window, task))
        return NULL;
    return cut_off(window->current, rounded);
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
    *lo = (uintptr_t)pool.regions[number].start;
    *hi = (uintptr_t)pool.regions[number].next;
    return true;
}

bool pool_owns(const void *address)
{
    for (unsigned i = 0; i < pool.region_count; i++)
        if ((const char *)address >= pool.regions[i].start && (const char *)address < pool.regions[i].end)
            return true;
    return false;
}
