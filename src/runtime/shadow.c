/* SPDX-License-Identifier: MIT
 *
 * shadow.c - shadow memory: its leaves, clearing and marking ranges, and the two tables of sites.
 */
#include "runtime/shadow.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/arch/arch.h"
#include "runtime/forkserver.h"
#include "runtime/init.h"
#include "runtime/oracle/race.h"
#include "runtime/restart.h"

uintptr_t *shadow_bases;

/* ---- leaves -------------------------------------------------------------------------------------------------------- */

/* Small pages: a huge page would be zeroed for the first cell that is used in it, in every run. */
static void *map_sparse(size_t size)
{
    void *memory = rt_map(size, "shadow memory");
    syscall_raw(SYS_madvise, (long)memory, (long)size, MADV_NOHUGEPAGE, 0, 0, 0);
    return memory;
}

void shadow_init(void)
{
    if (shadow_bases == NULL)
        shadow_bases = map_sparse(SHADOW_LEAVES * sizeof *shadow_bases);
}

/* A thread that is not controlled may be here at the same time, in malloc.  The leaf of the first one is used. */
void shadow_make_leaf(uintptr_t address)
{
    uintptr_t number = shadow_number(address), expected = 0;
    struct leaf *made = map_sparse(sizeof *made);
    uintptr_t base = (uintptr_t)made - (number << SHADOW_LEAF_SHIFT) * CELL_SCALE;
    if (__atomic_compare_exchange_n(&shadow_bases[number], &expected, base, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST)) {
        forkserver_note_leaf(address);
        return;
    }
    restart_note_unmap((uintptr_t)made, sizeof *made);
    syscall_raw(SYS_munmap, (long)made, sizeof *made, 0, 0, 0, 0);
}

/* ---- pages: most of the time that a first touch takes goes into the page fault, so pages are asked for several at a time ----- */

enum {
    PAGE = 4096,
    AHEAD = 32,
    ADVICE_POPULATE_WRITE = 23
}; /* since Linux 5.14; older kernels refuse it, which does no harm */

/* The end of the part of [at, hi) that lies in one leaf. */
static uintptr_t end_in_leaf(uintptr_t at, uintptr_t hi)
{
    uintptr_t last = at | (((uintptr_t)1 << SHADOW_LEAF_SHIFT) - 1);
    return last < hi - 1 ? last + 1 : hi;
}

/* All in one leaf. */
static void populate(uintptr_t lo, uintptr_t hi)
{
    uintptr_t first = (uintptr_t)shadow_cell(lo) & ~(uintptr_t)(PAGE - 1);
    syscall_raw(SYS_madvise, (long)first, (long)((uintptr_t)shadow_cell(hi - 1) + 1 - first), ADVICE_POPULATE_WRITE, 0,
                0, 0);
}

void shadow_populate(uintptr_t lo, uintptr_t hi)
{
    for (uintptr_t end; lo < hi; lo = end) {
        end = end_in_leaf(lo, hi);
        if (end - lo >= AHEAD / 4 * SHADOW_PAGE_BYTES)
            populate(lo, end);
    }
}

/* Pages that begin one after the other show that memory is filled in order: twice as many are prepared each time. */
void shadow_begin_page(uintptr_t address)
{
    static uintptr_t expected;
    static uintptr_t ahead;
    ahead = address != expected ? 1 : ahead < AHEAD ? 2 * ahead : AHEAD;
    expected = end_in_leaf(address, address + ahead * SHADOW_PAGE_BYTES);
    if (ahead > 1)
        populate(address, expected);
}

/* ---- ranges -------------------------------------------------------------------------------------------------------- */

static void set_cell(uintptr_t at, struct cell *cell, uint64_t state, uint64_t detail)
{
    if (cell_kind(cell->state) == CELL_RECORD) {
        shadow_count_record(at, -1);
        race_drop_record((struct record *)cell->detail);
    }
    cell->state = state;
    cell->detail = detail;
}

static uintptr_t lesser(uintptr_t a, uintptr_t b)
{
    return a < b ? a : b;
}

static bool has_records(const struct leaf *leaf, uintptr_t at)
{
    return leaf->records[((at / WORD) & (SHADOW_CELLS - 1)) / SHADOW_PAGE_CELLS] != 0;
}

/* [lo, hi) lies in the leaf. */
static void set_in_leaf(const struct leaf *leaf, uintptr_t lo, uintptr_t hi, uint64_t state, uint64_t detail)
{
    while (lo < hi) {
        uintptr_t end = lesser((lo | (SHADOW_PAGE_BYTES - 1)) + 1, hi);
        struct cell *cell = shadow_at(shadow_base(lo), lo); /* not NULL: the leaf exists */
        if (has_records(leaf, lo))
            for (; lo < end; lo += WORD)
                set_cell(lo, cell++, state, detail);
        for (; lo < end; lo += WORD)
            *cell++ = (struct cell){state, detail};
    }
}

/* Many whole pages of shadow: give them back to the system instead of writing zeros. */
static void clear_pages(const struct leaf *leaf, uintptr_t lo, uintptr_t hi)
{
    for (uintptr_t at = lo; at < hi; at += SHADOW_PAGE_BYTES)
        if (has_records(leaf, at))
            set_in_leaf(leaf, at, at + SHADOW_PAGE_BYTES, 0, 0);
    syscall_raw(SYS_madvise, (long)shadow_peek(lo), (long)((hi - lo) * CELL_SCALE), MADV_DONTNEED, 0, 0, 0);
}

static void clear_in_leaf(const struct leaf *leaf, uintptr_t lo, uintptr_t hi, uintptr_t many)
{
    const uintptr_t page = SHADOW_PAGE_BYTES;
    uintptr_t first = (lo + page - 1) & ~(page - 1), last = hi & ~(page - 1);
    if (hi - lo < many * page || last <= first) {
        set_in_leaf(leaf, lo, hi, 0, 0);
        return;
    }
    set_in_leaf(leaf, lo, first, 0, 0);
    clear_pages(leaf, first, last);
    set_in_leaf(leaf, last, hi, 0, 0);
}

static void clear(uintptr_t lo, uintptr_t hi, uintptr_t many)
{
    if (shadow_bases == NULL)
        return;
    lo = (lo + WORD - 1) & ~(uintptr_t)(WORD - 1);
    hi &= ~(uintptr_t)(WORD - 1);
    for (uintptr_t end; lo < hi; lo = end) {
        const struct leaf *leaf = shadow_leaf(lo);
        end = end_in_leaf(lo, hi);
        if (leaf != NULL)
            clear_in_leaf(leaf, lo, end, many);
    }
}

void shadow_clear(uintptr_t lo, uintptr_t hi)
{
    enum { MANY = 16 };
    clear(lo, hi, MANY);
}

void shadow_unmark(uintptr_t lo, uintptr_t hi)
{
    enum { MANY = 2048 };
    clear(lo, hi, MANY);
}

void shadow_mark(uintptr_t lo, uintptr_t hi, unsigned kind, const void *header)
{
    for (uintptr_t end; lo < hi; lo = end) {
        end = end_in_leaf(lo, hi);
        const struct cell *last = shadow_cell(end - WORD);
        if (end - lo >= AHEAD * SHADOW_PAGE_BYTES && last->state == 0)
            populate(lo, end);
        set_in_leaf(shadow_leaf(lo), lo, end, kind, (uintptr_t)header);
    }
}

void shadow_mark_edge(uintptr_t address, unsigned valid)
{
    set_cell(address, shadow_cell(address), CELL_EDGE | (uint64_t)valid << CELL_VALID, 0);
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

/* Neighbouring sites of the program are neighbours in the table: so few of its pages are used. */
static uint32_t number_far_site(uintptr_t pc)
{
    if (far_sites.pcs == NULL) {
        far_sites.pcs = map_sparse(FAR_SITES * sizeof *far_sites.pcs);
        far_sites.slots = map_sparse(FAR_SLOTS * sizeof *far_sites.slots);
    }
    uint32_t slot = (pc / SITE_ALIGN) & (FAR_SLOTS - 1);
    for (; far_sites.slots[slot] != 0; slot = (slot + 1) & (FAR_SLOTS - 1))
        if (far_sites.pcs[far_sites.slots[slot]] == pc)
            return SITE_REACH | far_sites.slots[slot];
    if (far_sites.count == FAR_SITES - 1)
        return 0;
    far_sites.pcs[++far_sites.count] = pc;
    far_sites.slots[slot] = far_sites.count;
    return SITE_REACH | far_sites.count;
}

static uintptr_t nearest_site(void)
{
    return (uintptr_t)&access_slow - SITE_REACH / 2;
}

uint32_t site_of(uintptr_t pc)
{
    uintptr_t distance = pc - nearest_site();
    return likely(distance < SITE_REACH) ? (uint32_t)distance : number_far_site(pc);
}

uintptr_t site_pc(uint32_t site)
{
    if (site == 0)
        return 0;
    if (site & SITE_REACH)
        return far_sites.pcs[site & (SITE_REACH - 1)];
    return nearest_site() + site;
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
    /* A program that wrote over the table may leave no free slot: the search must end. */
    uint32_t slot = wire_site_slot(pc), looked = 0;
    while (rt.wire->sites[slot] != 0 && looked++ < WIRE_SITES)
        slot = (slot + 1) & (WIRE_SITES - 1);
    rt.wire->sites[slot] = pc;
    rt.wire->result.shared_sites = ++rt.wire->site_count;
    visible.count++;
    struct site_entry *entry = site_entry(pc);
    if (entry->pc == pc || entry->pc == ~pc)
        entry->pc = 0;
}

/* ---- sites that are not visible -------------------------------------------------------------------------------------- */

RT_TABLE struct site_entry site_cache[SITE_CACHE];

bool site_noting;

void site_begin_run(void)
{
    site_noting = (rt.flags & PLAN_ORIGINS) && (rt.flags & PLAN_RECORD) && !(rt.flags & PLAN_WINDOW);
    if (site_noting)
        memset(site_cache, 0, sizeof site_cache);
}

bool site_admit(uintptr_t pc)
{
    if ((rt.flags & PLAN_ALL_VISIBLE) || (site_maybe_visible(pc) && site_is_visible(pc)))
        return false;
    *site_entry(pc) = (struct site_entry){site_noting ? ~pc : pc, (uint64_t)site_of(pc) << NOTE_SITE};
    return true;
}
