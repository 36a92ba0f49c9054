/* SPDX-License-Identifier: MIT
 *
 * shadow.h - what the runtime knows about every word (4 bytes) of the program's memory, and about sites.
 *
 * DESIGN
 *   Two levels: a table by address >> 24, and per 16 MiB of program memory a leaf with one 16-byte cell per word.  Both are
 *   mapped without reservation: only what is used costs memory.  The table does not have the address where a leaf begins, but where it would begin
 *   if it described all memory from address 0 on.  So a cell is found by one addition.
 *
 *   A cell is in one of these states:
 *     NONE       never accessed under control; the whole cell is 0
 *     EXCLUSIVE  accessed by one task only, and only plainly: `state` is a note of its last write, `detail` of its last read
 *     EDGE       NONE, in the last word of a heap block, of which only some (1..3) bytes belong to the block
 *     RECORD     everything else (accessed by several tasks, atomically or as volatile): `detail` points to a struct record
 *     FREED, REDZONE   not to be accessed; `detail` points to the heap block's header
 *
 *   A note is 64 bits: 1 (never the lowest bit of anything else) | task 12 | bytes 5 | clock 24 | site 22.
 *   Bytes: which of the word's were accessed at that clock by that site, 0 if none (the other note of a cell that was only read or
 *   only written); sets of different clocks or sites are never merged, since what would come out never happened.
 *   Or: the word was one half of an access of 8 bytes, aligned, or not and which.
 */
#ifndef RADDLE_SHADOW_H
#define RADDLE_SHADOW_H

#include "runtime/rt.h"

#pragma GCC visibility push(hidden) /* accessed without the global offset table, also before the final link */

enum {
    CELL_NONE = 0,
    CELL_EXCLUSIVE = 1, /* and only this has the lowest bit */
    CELL_RECORD = 2,
    CELL_FREED = 4,
    CELL_REDZONE = 6,
    CELL_EDGE = 8,
    CELL_KINDS = 15,
    CELL_VALID = 4 /* EDGE, RECORD: the bytes that may be accessed, 2 bits from here on; 0: all */
};

enum {
    WORD = 4,       /* bytes per cell */
    WORD_ALL = 15,  /* mask of all of them */
    CELL_SCALE = 4, /* bytes of cells per byte */
    SHADOW_LEAF_SHIFT = 24,
    SHADOW_LEAVES = 1 << 23, /* 47 bits of address */
    SHADOW_CELLS = (1 << SHADOW_LEAF_SHIFT) / WORD,
    SHADOW_PAGE_CELLS = 4096 / 16,                /* cells in one page of shadow memory */
    SHADOW_PAGE_BYTES = SHADOW_PAGE_CELLS * WORD, /* what they are about */
};

struct cell {
    uint64_t state, detail;
};

_Static_assert(sizeof(struct cell) == CELL_SCALE * WORD, "cells are found by address");

struct leaf {
    struct cell cells[SHADOW_CELLS];
    uint16_t records[SHADOW_CELLS / SHADOW_PAGE_CELLS]; /* RECORD cells per page: what clearing must look for */
};

/* By address >> SHADOW_LEAF_SHIFT: what to add to an address * 4 for its cell; 0: no leaf.  Set by shadow_init; NULL before. */
extern uintptr_t *shadow_bases;

/* ---- cells --------------------------------------------------------------------------------------------------------- */

enum { NOTE_TASK = 1, NOTE_BYTES = 13, NOTE_CLOCK = 18, NOTE_SITE = 42 };
#define NOTE_OWNER    ((1ull << NOTE_BYTES) - 1) /* EXCLUSIVE and the task */
#define NOTE_ACCESS   (31ull << NOTE_BYTES)
#define SHADOW_CLOCKS (1u << (NOTE_SITE - NOTE_CLOCK))
#define SHADOW_SITES  (1u << (64 - NOTE_SITE))

/* The bytes of a note: a mask, or one of these. */
enum { BYTES_HALF = 16, BYTES_LOW = 17, BYTES_HIGH = 18 };
#define NOTE_HALF (16ull << NOTE_BYTES)

_Static_assert(WIRE_TASKS <= 1 << (NOTE_BYTES - NOTE_TASK), "every task has a number in a note");

/* A note of no bytes.  Clocks that do not fit are kept as 0, which happens before everything: no false alarm. */
static inline uint64_t shadow_epoch(uint32_t task, uint32_t clock)
{
    uint64_t kept = clock < SHADOW_CLOCKS ? clock : 0;
    return CELL_EXCLUSIVE | (uint64_t)task << NOTE_TASK | kept << NOTE_CLOCK;
}
static inline unsigned note_bytes(uint64_t note) /* mask or BYTES_* */
{
    return (note >> NOTE_BYTES) & 31;
}
static inline uint32_t note_task(uint64_t note)
{
    return (note & NOTE_OWNER) >> NOTE_TASK;
}
static inline uint32_t note_clock(uint64_t note)
{
    return (note >> NOTE_CLOCK) & (SHADOW_CLOCKS - 1);
}
static inline uint32_t note_site(uint64_t note)
{
    return (uint32_t)(note >> NOTE_SITE);
}

static inline unsigned cell_kind(uint64_t state)
{
    return state & CELL_EXCLUSIVE ? CELL_EXCLUSIVE : state & CELL_KINDS;
}
/* How many bytes of the cell may be accessed at all: 4, or less at the end of a heap block. */
static inline unsigned cell_valid(uint64_t state)
{
    unsigned valid = state & CELL_EXCLUSIVE ? 0 : (state >> CELL_VALID) & 3;
    return valid == 0 ? WORD : valid;
}
/* The bytes of the cell at `at` that lie in [at, end). */
static inline unsigned cell_mask(uintptr_t at, uintptr_t end)
{
    unsigned first = at % WORD;
    unsigned last = end - at >= WORD - first ? WORD : first + (unsigned)(end - at);
    return (WORD_ALL >> (WORD - last)) & (WORD_ALL << first);
}
static inline uintptr_t cell_next(uintptr_t at)
{
    return (at | (WORD - 1)) + 1;
}

void shadow_init(void);
void shadow_make_leaf(uintptr_t address);

/* Of a wild pointer, which crashes as soon as it is used, only so much counts. */
static inline uintptr_t shadow_number(uintptr_t address)
{
    return (address >> SHADOW_LEAF_SHIFT) & (SHADOW_LEAVES - 1);
}
static inline uintptr_t shadow_base(uintptr_t address) /* 0: nothing known there */
{
    return shadow_bases[shadow_number(address)];
}
static inline struct cell *shadow_at(uintptr_t base, uintptr_t address)
{
    const uintptr_t words = ((uintptr_t)SHADOW_LEAVES << SHADOW_LEAF_SHIFT) - WORD;
    return (struct cell *)(base + (address & words) * CELL_SCALE);
}
static inline struct leaf *shadow_leaf(uintptr_t address)
{
    uintptr_t base = shadow_base(address);
    return base == 0 ? NULL : (struct leaf *)shadow_at(base, shadow_number(address) << SHADOW_LEAF_SHIFT);
}
static inline struct cell *shadow_peek(uintptr_t address) /* NULL: nothing known there */
{
    uintptr_t base = shadow_base(address);
    return base == 0 ? NULL : shadow_at(base, address);
}
static inline struct cell *shadow_cell(uintptr_t address) /* made if need be */
{
    if (unlikely(shadow_base(address) == 0))
        shadow_make_leaf(address);
    return shadow_at(shadow_base(address), address);
}
/* The cell at `address` is about to be written for the first time, and is the first in a page of shadow. */
void shadow_begin_page(uintptr_t address);
static inline bool shadow_begins_page(uintptr_t address)
{
    return address % SHADOW_PAGE_BYTES < WORD;
}
/* So are all cells of [lo, hi). */
void shadow_populate(uintptr_t lo, uintptr_t hi);

/* Counts the RECORD cells of the page that `address` is in. */
static inline void shadow_count_record(uintptr_t address, int change)
{
    uint16_t *count = &shadow_leaf(address)->records[((address / WORD) & (SHADOW_CELLS - 1)) / SHADOW_PAGE_CELLS];
    *count = (uint16_t)(*count + change);
}

/* Forgets [lo, hi): what is there next has nothing to do with what was.  Whole cells only. */
void shadow_clear(uintptr_t lo, uintptr_t hi);
/* The same, for a range all of which has been marked: its shadow is there, and will be used again. */
void shadow_unmark(uintptr_t lo, uintptr_t hi);
/* Makes [lo, hi), whole cells, FREED or REDZONE of the block with this header. */
void shadow_mark(uintptr_t lo, uintptr_t hi, unsigned kind, const void *header);
/* The cell at `address` is the last of a heap block and has only `valid` (1..3) bytes. */
void shadow_mark_edge(uintptr_t address, unsigned valid);
/* The task's stack is used no more. */
void shadow_task_ended(struct task *task);

/* ---- sites --------------------------------------------------------------------------------------------------------- */

/* A site is kept in 22 bits: as the distance from the runtime's code, or as a number from a table when that is too far. */
enum { SITE_REACH = SHADOW_SITES / 2 };
uint32_t site_of(uintptr_t pc);
uintptr_t site_pc(uint32_t site); /* 0 if none */

/* Sites known to access shared memory: wire->sites. */
static inline bool site_maybe_visible(uintptr_t pc)
{
    return rt.wire->sites[wire_site_slot(pc)] != 0;
}
bool site_is_visible(uintptr_t pc);
void site_make_visible(uintptr_t pc);

/* Sites that are not visible, by the lower bits of their addresses: neighbours never displace each other. */
enum { SITE_CACHE = 1 << 14, SITE_ALIGN = 4 };
struct site_entry {
    uintptr_t pc;
    uint64_t note; /* its place in a note */
};
extern struct site_entry site_cache[SITE_CACHE];

static inline struct site_entry *site_entry(uintptr_t pc)
{
    uintptr_t offset = (pc & (SITE_CACHE - 1) * SITE_ALIGN) * (sizeof(struct site_entry) / SITE_ALIGN);
    return (struct site_entry *)((char *)site_cache + offset);
}
/* In this run private reads are noted (access_note): the cache has ~pc in place of pc, so that no access takes the fast path. */
extern bool site_noting;
/* A run begins. */
void site_begin_run(void);
/* Puts the site into the cache.  False: it is visible. */
bool site_admit(uintptr_t pc);
static inline bool site_is_private(uintptr_t pc)
{
    return likely(site_entry(pc)->pc == pc) || site_admit(pc);
}

#pragma GCC visibility pop

#endif
