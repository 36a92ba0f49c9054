/* SPDX-License-Identifier: MIT
 *
 * leak.c - see leak.h.
 *
 * DESIGN
 *   Blocks are counted by the place that allocated them.  If all blocks of a place have been freed at the end, nothing more is to be done.  Else
 *   everything that can be reached is marked, conservatively: from all writable private memory of the process outside of the heap (static data of all
 *   modules, stacks, thread-local storage, mappings of the program), each aligned word that points into a block or right after its end refers to it; and so
 *   on from there.  Pages that were never touched are not read.  A block that is neither freed nor reached is lost.
 *   The driver decides whether a lost block is a leak: it compares schedules.
 */
#include "runtime/oracle/leak.h"

#include <fcntl.h>
#include <sys/syscall.h>

#include "runtime/arch/arch.h"
#include "runtime/init.h"
#include "runtime/pool.h"

enum {
    SCANNED_ONE_IN = 16,
    PAGE = 4096,
    BLOCKS_MOST = 1 << 16,
    PAGES_AT_ONCE = 512,
    LINE = 512,
    SLOTS = 4 * WIRE_LEAKS
};

static RT_RARE uint16_t slots[SLOTS]; /* by hash of a place: its number in the table, from 1 */

static struct wire_leak *place_of(uintptr_t pc, bool make)
{
    struct wire_result *result = &rt.wire->result;
    uint32_t slot = rt_mix(pc) % SLOTS;
    for (; slots[slot] != 0 && slots[slot] <= result->leak_count; slot = (slot + 1) % SLOTS)
        if (result->leaks[slots[slot] - 1].pc == pc)
            return &result->leaks[slots[slot] - 1];
    if (!make)
        return NULL;
    if (result->leak_count >= WIRE_LEAKS) {
        result->lost |= LOST_LEAKS;
        return NULL;
    }
    struct wire_leak *place = &result->leaks[result->leak_count++];
    *place = (struct wire_leak){.pc = pc};
    slots[slot] = (uint16_t)result->leak_count;
    return place;
}

void leak_made(const struct block *block)
{
    struct wire_leak *place = place_of(block->pc, true);
    if (place != NULL) {
        place->made++;
        place->kept++;
    }
}

void leak_freed(const struct block *block)
{
    struct wire_leak *place = rt.controlled && block->task != HEAP_NO_TASK ? place_of(block->pc, false) : NULL;
    if (place != NULL && place->kept > 0)
        place->kept--;
}

/* ---- what is reached --------------------------------------------------------------------------------------------------- */

struct live {
    const struct block *block;
    bool reached;
};

static struct {
    struct live *blocks; /* by address */
    uint32_t count;
    uint32_t *pending; /* reached, but not scanned yet */
    uint32_t pending_count;
} heap;

static void add_block(const struct block *block)
{
    if (heap.count > 0 && block < heap.blocks[heap.count - 1].block)
        heap.count = BLOCKS_MOST; /* regions are not in order: not supported */
    if (heap.count < BLOCKS_MOST)
        heap.blocks[heap.count++] = (struct live){block, false};
}

static void refer(uintptr_t address)
{
    uint32_t lo = 0, hi = heap.count;
    while (lo < hi) { /* the last that begins at or before the address */
        uint32_t middle = (lo + hi) / 2;
        if (block_memory(heap.blocks[middle].block) <= address)
            lo = middle + 1;
        else
            hi = middle;
    }
    if (lo == 0)
        return;
    struct live *live = &heap.blocks[lo - 1];
    if (live->reached || address - block_memory(live->block) > live->block->size)
        return;
    live->reached = true;
    heap.pending[heap.pending_count++] = lo - 1;
}

static void look_into(uintptr_t lo, uintptr_t hi)
{
    uintptr_t least = block_memory(heap.blocks[0].block);
    const struct block *last = heap.blocks[heap.count - 1].block;
    uintptr_t most = block_memory(last) + last->size;
    for (uintptr_t at = (lo + 7) & ~(uintptr_t)7; at + 8 <= hi; at += 8) {
        uintptr_t word = *(const volatile uintptr_t *)at;
        if (word >= least && word <= most)
            refer(word);
    }
}

static void look_into_pending(void)
{
    while (heap.pending_count > 0) {
        const struct block *block = heap.blocks[heap.pending[--heap.pending_count]].block;
        look_into(block_memory(block), block_memory(block) + block->size);
    }
}

/* ---- where it is reached from -------------------------------------------------------------------------------------------- */

/* The stack of an ended thread, and memory below the stack pointer, have no references. */
static bool is_dead(uintptr_t page)
{
    for (uint32_t i = 0; i < rt.task_count; i++) {
        const struct task *task = rt.tasks[i];
        if (task == NULL || page < task->stack_lo || page + PAGE > task->stack_hi)
            continue;
        if (task->ended || (task == rt_self && page + PAGE <= (uintptr_t)__builtin_frame_address(0)))
            return true;
    }
    return false;
}

/* Scans the present pages.  The others are 0, or content of the file. */
static void scan_mapping(int pagemap, uintptr_t lo, uintptr_t hi)
{
    static RT_RARE uint64_t entries[PAGES_AT_ONCE];
    for (uintptr_t at = lo; at < hi; at += (uintptr_t)PAGES_AT_ONCE * PAGE) {
        size_t pages = (hi - at) / PAGE < PAGES_AT_ONCE ? (hi - at) / PAGE : PAGES_AT_ONCE;
        long got = syscall_raw(SYS_pread64, pagemap, (long)entries, (long)(pages * 8), (long)(at / PAGE * 8), 0, 0);
        for (size_t i = 0; i < pages; i++)
            if ((got < (long)((i + 1) * 8) || (entries[i] >> 62) != 0) && !is_dead(at + i * PAGE))
                look_into(at + i * PAGE, at + (i + 1) * PAGE);
    }
}

static uintptr_t parse_address(const char **at)
{
    uintptr_t address = 0;
    for (;; ++*at) {
        char c = **at;
        if (c >= '0' && c <= '9')
            address = address << 4 | (uintptr_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            address = address << 4 | (uintptr_t)(c - 'a' + 10);
        else
            return address;
    }
}

/* A line of /proc/self/maps. */
static void scan_line(int pagemap, const char *line)
{
    uintptr_t lo = parse_address(&line);
    uintptr_t hi = parse_address((line++, &line));
    bool readable = line[1] == 'r', writable = line[2] == 'w', private = line[4] == 'p';
    if (lo != 0 && readable && writable && private && !pool_owns((const void *)lo))
        scan_mapping(pagemap, lo, hi);
}

static bool look_into_all(void)
{
    static RT_RARE char text[8192];
    int maps = (int)syscall_raw(SYS_openat, AT_FDCWD, (long)"/proc/self/maps", O_RDONLY | O_CLOEXEC, 0, 0, 0);
    int pagemap = (int)syscall_raw(SYS_openat, AT_FDCWD, (long)"/proc/self/pagemap", O_RDONLY | O_CLOEXEC, 0, 0, 0);
    size_t have = 0;
    long got = 0;
    while (maps >= 0 && pagemap >= 0 &&
           (got = syscall_raw(SYS_read, maps, (long)(text + have), (long)(sizeof text - 1 - have), 0, 0, 0)) > 0) {
        have += (size_t)got;
        size_t begin = 0;
        for (size_t i = 0; i < have; i++)
            if (text[i] == '\n') {
                text[i] = '\0';
                scan_line(pagemap, text + begin);
                begin = i + 1;
            }
        for (size_t i = begin; i < have; i++)
            text[i - begin] = text[i];
        have -= begin;
    }
    bool done = maps >= 0 && pagemap >= 0 && got == 0;
    if (maps >= 0)
        syscall_raw(SYS_close, maps, 0, 0, 0, 0, 0);
    if (pagemap >= 0)
        syscall_raw(SYS_close, pagemap, 0, 0, 0, 0, 0);
    return done;
}

static bool anything_kept(void)
{
    const struct wire_result *result = &rt.wire->result;
    for (uint32_t i = 0; i < result->leak_count; i++)
        if (result->leaks[i].kept > 0)
            return true;
    return false;
}

static void note_lost(struct wire_leak *place, const struct block *block)
{
    if (place->lost++ > 0)
        return;
    place->size = block->size < UINT32_MAX ? (uint32_t)block->size : UINT32_MAX;
    place->block = block_memory(block);
    place->operation = block->operation;
    place->task = block->task;
}

void leak_scan(void)
{
    struct wire_result *result = &rt.wire->result;
    if (!(rt.flags & PLAN_HEAP) || result->leak_count == 0)
        return;
    bool chosen = (rt.flags & PLAN_LEAKS) || rt_mix(rt.wire->plan.seed + result->step_count) % SCANNED_ONE_IN == 0;
    if (anything_kept() && !chosen)
        return;
    result->leaks_known = 1;
    if (!anything_kept())
        return;
    heap.blocks = rt_alloc(BLOCKS_MOST * sizeof *heap.blocks);
    heap.pending = rt_alloc(BLOCKS_MOST * sizeof *heap.pending);
    heap.count = heap.pending_count = 0;
    heap_each(add_block);
    if (heap.count > 0 && heap.count < BLOCKS_MOST && look_into_all())
        look_into_pending();
    else
        result->leaks_known = 0;
    for (uint32_t i = 0; i < heap.count && result->leaks_known; i++) {
        const struct block *block = heap.blocks[i].block;
        struct wire_leak *place = block->task != HEAP_NO_TASK ? place_of(block->pc, false) : NULL;
        if (place != NULL && !heap.blocks[i].reached)
            note_lost(place, block);
    }
    rt_free(heap.blocks, BLOCKS_MOST * sizeof *heap.blocks);
    rt_free(heap.pending, BLOCKS_MOST * sizeof *heap.pending);
}
