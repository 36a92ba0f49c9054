/* SPDX-License-Identifier: MIT
 *
 * shadow.c - shadow memory: its leaves, clearing and marking ranges, and the two tables of sites.
 */
#include "runtime/shadow.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/forkserver.h"
#include "runtime/init.h"
#include "runtime/oracle/race.h"
#include "runtime/restart.h"

struct leaf **shadow_leaves;

/* ---- leaves -------------------------------------------------------------------------------------------------------- */

/* Small pages: a huge page would be zeroed whole for the first cell that is touched in it, in every run. */
static void *map_sparse(size_t size)
{
    long address = syscall_raw(SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (address < 0 && address > -4096)
        rt_die("no address space for shadow memory (%lu bytes, error %d)", (unsigned long)size, (int)-address);
    restart_note_map((uintptr_t)address, size);
    syscall_raw(SYS_madvise, address, (long)size, MADV_NOHUGEPAGE, 0, 0, 0);
    return (void *)address;
}

void shadow_init(void)
{
    if (shadow_leaves == NULL)
        shadow_leaves = map_sparse(SHADOW_LEAVES * sizeof *shadow_leaves);
}

/* A thread that is not controlled may be here at the same time, in malloc: the first one wins. */
struct leaf *shadow_make_leaf(uintptr_t address)
{
    struct leaf **slot = &shadow_leaves[(address >> SHADOW_LEAF_SHIFT) & (SHADOW_LEAVES - 1)];
    struct leaf *made = map_sparse(sizeof *made), *expected = NULL;
    if (__atomic_compare_exchange_n(slot, &expected, made, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
        forkserver_note_leaf(address);
        return made;
    }
    restart_note_unmap((uintptr_t)made, sizeof *made);
    syscall_raw(SYS_munmap, (long)made, sizeof *made, 0, 0, 0, 0);
    return expected;
}

/* ---- ranges -------------------------------------------------------------------------------------------------------- */

static inline void set_cell(uintptr_t at, struct cell *cell, uint64_t state, uint64_t detail)
{
    if (cell_kind(cell->state) == CELL_RECORD) {
        shadow_count_record(at, -1);
        race_drop_record((struct record *)cell->detail);
    }
    cell->state = state;
    cell->detail = detail;
}

/* [lo, hi) lies in the leaf. */
static void clear_cells(struct leaf *leaf, uintptr_t lo, uintptr_t hi)
{
    for (uintptr_t at = lo; at < hi; at += WORD)
        set_cell(at, &leaf->cells[(at / WORD) & (SHADOW_CELLS - 1)], 0, 0);
}

/* Many whole pages of shadow: give them back to the system instead of writing zeros. */
static void clear_pages(struct leaf *leaf, uintptr_t lo, uintptr_t hi)
{
    for (uintptr_t at = lo; at < hi; at += SHADOW_PAGE_BYTES)
        if (leaf->records[((at / WORD) & (SHADOW_CELLS - 1)) / SHADOW_PAGE_CELLS] != 0)
            clear_cells(leaf, at, at + SHADOW_PAGE_BYTES);
    struct cell *first = &leaf->cells[(lo / WORD) & (SHADOW_CELLS - 1)];
    syscall_raw(SYS_madvise, (long)first, (long)((hi - lo) / WORD * sizeof *first), MADV_DONTNEED, 0, 0, 0);
}

static void clear_in_leaf(struct leaf *leaf, uintptr_t lo, uintptr_t hi)
{
    const uintptr_t page = SHADOW_PAGE_BYTES, many = 16 * page;
    uintptr_t first = (lo + page - 1) & ~(page - 1), last = hi & ~(page - 1);
    if (hi - lo < many || last <= first) {
        clear_cells(leaf, lo, hi);
        return;
    }
    clear_cells(leaf, lo, first);
    clear_pages(leaf, first, last);
    clear_cells(leaf, last, hi);
}

void shadow_clear(uintptr_t lo, uintptr_t hi)
{
    if (shadow_leaves == NULL)
        return;
    lo = (lo + WORD - 1) & ~(uintptr_t)(WORD - 1);
    hi &= ~(uintptr_t)(WORD - 1);
    while (lo < hi) {
        uintptr_t end = (lo | (((uintptr_t)1 << SHADOW_LEAF_SHIFT) - 1)) + 1;
        if (end > hi || end == 0)
            end = hi;
        struct leaf *leaf = shadow_leaf(lo);
        if (leaf != NULL)
            clear_in_leaf(leaf, lo, end);
        lo = end;
    }
}

void shadow_mark(uintptr_t lo, uintptr_t hi, unsigned kind, const void *header)
{
    for (uintptr_t at = lo; at < hi; at += WORD)
        set_cell(at, shadow_cell(at), kind, (uintptr_t)header);
}

void shadow_mark_edge(uintptr_t address, unsigned valid)
{
    set_cell(address, shadow_cell(address), CELL_EDGE | valid, 0);
}

void shadow_task_ended(struct task *task)
{
    if (task->stack_lo < task->stack_hi)
        shadow_clear(task->stack_lo, task->stack_hi);
}

/* ---- sites far away from the runtime's code: numbered in order of appearance ----------------------------------------- */

enum { FAR_SITES = SITE_REACH, FAR_SLOTS = 2 * FAR_SITES };

static struct {
    uintptr_t *pcs;  /* by number */
    uint32_t *slots; /* open addressing: number, 0 = free */
    uint32_t count;
} far_sites;

uint32_t site_number(uintptr_t pc)
{
    if (far_sites.pcs == NULL) {
        far_sites.pcs = map_sparse(FAR_SITES * sizeof *far_sites.pcs);
        far_sites.slots = map_sparse(FAR_SLOTS * sizeof *far_sites.slots);
    }
    uint32_t slot = (uint32_t)((pc * 0x9e3779b97f4a7c15ull) >> 40) & (FAR_SLOTS - 1);
    for (; far_sites.slots[slot] != 0; slot = (slot + 1) & (FAR_SLOTS - 1))
        if (far_sites.pcs[far_sites.slots[slot]] == pc)
            return SITE_REACH | far_sites.slots[slot];
    if (far_sites.count == FAR_SITES - 1)
        return 0;
    far_sites.pcs[++far_sites.count] = pc;
    far_sites.slots[slot] = far_sites.count;
    return SITE_REACH | far_sites.count;
}

uintptr_t site_pc(uint32_t site)
{
    if (site == 0)
        return 0;
    if (site & SITE_REACH)
        return far_sites.pcs[site & (SITE_REACH - 1)];
    return (uintptr_t)&access_slow - SITE_REACH / 2 + site;
}

/* ---- visible sites --------------------------------------------------------------------------------------------------- */

bool site_is_visible(uintptr_t pc)
{
    const uint64_t *sites = rt.wire->sites;
    for (uint32_t slot = wire_site_slot(pc), looked = 0; sites[slot] != 0 && looked < WIRE_SITES; looked++) {
        if (sites[slot] == pc)
            return true;
        slot = (slot + 1) & (WIRE_SITES - 1);
    }
    return false;
}

static uint32_t count_visible(void)
{
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < WIRE_SITES; slot++)
        count += rt.wire->sites[slot] != 0;
    return count;
}

static struct {
    uint32_t count;
    bool counted; /* at the first new site of a run: most runs find none */
} visible;

void site_make_visible(uintptr_t pc)
{
    if (pc == 0 || site_is_visible(pc))
        return;
    if (!visible.counted) {
        visible.count = count_visible();
        visible.counted = true;
    }
    if (visible.count >= WIRE_SITES / 4 * 3) {
        rt.wire->result.lost |= LOST_SITES;
        return;
    }
    uint32_t slot = wire_site_slot(pc);
    while (rt.wire->sites[slot] != 0)
        slot = (slot + 1) & (WIRE_SITES - 1);
    rt.wire->sites[slot] = pc;
    rt.wire->result.shared_sites = ++rt.wire->site_count;
    visible.count++;
}
