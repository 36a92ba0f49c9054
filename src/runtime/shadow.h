/* SPDX-License-Identifier: MIT
 *
 * shadow.h - what the runtime knows about every word (4 bytes) of the program's memory, and the fast path of an access.
 *
 * DESIGN
 *   Two levels: a table by address >> 24, and per 16 MiB of program memory a leaf with one 16-byte cell per word.  Both are
 *   mapped without reservation: only what is touched costs memory.
 *
 *   A cell is in one of these states (the low 4 bits of `state`):
 *     NONE       never accessed under control; the whole cell is 0
 *     EXCLUSIVE  accessed by one task only, and only plainly.  Its last write and its last read are kept:
 *                  state   kind 4 | task 12 | write clock 24 | read clock 24
 *                  detail  write mask 4, part 2 | read mask 4, part 2 | - 4 | write site 24 | read site 24
 *                A mask says which of the bytes were accessed at that clock by that site: masks of different clocks or sites are
 *                never merged, since what would come out never happened.  Part: of which access the word was a part.
 *     EDGE + n   NONE, in the last word of a heap block, of which only n (1..3) bytes belong to the block
 *     RECORD     everything else (accessed by several tasks, atomically or as volatile): `detail` points to a struct record
 *     FREED, REDZONE   not to be accessed; `detail` points to the heap block's header
 *
 *   A scheduling point is needed only where another task may interfere.  An access is visible if another task has accessed one of
 *   its bytes, or its site is known (from this or an earlier run) to access shared memory.  Everything else is counted and
 *   returns: that is the fast path, access_check().
 */
#ifndef RADDLE_SHADOW_H
#define RADDLE_SHADOW_H

#include "runtime/rt.h"

#pragma GCC visibility push(hidden) /* reached without a detour, also before the final link */

enum {
    CELL_NONE = 0,
    CELL_EXCLUSIVE = 1,
    CELL_RECORD = 2,
    CELL_FREED = 3,
    CELL_REDZONE = 4,
    CELL_EDGE = 8,
    CELL_KINDS = 15
};

enum {
    WORD = 4,      /* bytes per cell */
    WORD_ALL = 15, /* mask of all of them */
    SHADOW_LEAF_SHIFT = 24,
    SHADOW_LEAVES = 1 << 23, /* 47 bits of address */
    SHADOW_CELLS = (1 << SHADOW_LEAF_SHIFT) / WORD,
    SHADOW_PAGE_CELLS = 4096 / 16,                /* cells in one page of shadow memory */
    SHADOW_PAGE_BYTES = SHADOW_PAGE_CELLS * WORD, /* what they are about */
};

struct cell {
    uint64_t state, detail;
};

struct leaf {
    struct cell cells[SHADOW_CELLS];
    uint16_t records[SHADOW_CELLS / SHADOW_PAGE_CELLS]; /* RECORD cells per page: what clearing must look for */
};

extern struct leaf **shadow_leaves; /* set by shadow_init; NULL before */

/* How an access is done. */
enum { ACCESS_READ = 0, ACCESS_WRITE = 1, ACCESS_VOLATILE = 2, ACCESS_ATOMIC = 4 };

struct span {
    uintptr_t address;
    size_t size;
    unsigned flags; /* ACCESS_* */
};

/* ---- cells --------------------------------------------------------------------------------------------------------- */

enum { STATE_TASK = 4, STATE_WRITE_CLOCK = 16, STATE_READ_CLOCK = 40 };
enum { DETAIL_WRITE_MASK = 0, DETAIL_WRITE_PART = 4, DETAIL_READ_MASK = 6, DETAIL_READ_PART = 10 };
enum { DETAIL_WRITE_SITE = 16, DETAIL_READ_SITE = 40 };
#define SHADOW_CLOCKS (1u << 24)
#define SHADOW_SITES  (1u << 24)

/* Which part of an access a word was. */
enum cell_part { PART_ALL, PART_LOW, PART_HIGH, PART_RANGE }; /* all of it; half of an 8-byte one; of a longer one */

/* The part of a state that must be this task's, at this clock; the part of a detail that an access replaces. */
#define STATE_OWNER     0x000000000000ffffull /* kind and task */
#define STATE_WRITE_KEY 0x000000ffffffffffull
#define STATE_READ_KEY  0xffffff000000ffffull
#define DETAIL_WRITE    0x000000ffffff003full
#define DETAIL_READ     0xffffff0000000fc0ull

static inline uint64_t detail_of(unsigned mask, enum cell_part part, uint64_t site, bool write)
{
    return write ? mask << DETAIL_WRITE_MASK | (uint64_t)part << DETAIL_WRITE_PART | site << DETAIL_WRITE_SITE
                 : mask << DETAIL_READ_MASK | (uint64_t)part << DETAIL_READ_PART | site << DETAIL_READ_SITE;
}

/* Clocks that do not fit are kept as 0, which happens before everything: no false alarm. */
static inline uint64_t shadow_epoch(uint32_t task, uint32_t clock)
{
    uint64_t kept = clock < SHADOW_CLOCKS ? clock : 0;
    return CELL_EXCLUSIVE | (uint64_t)task << STATE_TASK | kept << STATE_WRITE_CLOCK | kept << STATE_READ_CLOCK;
}

static inline unsigned cell_kind(uint64_t state)
{
    return state & CELL_KINDS;
}
static inline uint32_t cell_task(uint64_t state)
{
    return (state >> STATE_TASK) & 0xfff;
}
/* How many bytes of the cell may be accessed at all: 4, or less at the end of a heap block. */
static inline unsigned cell_valid(uint64_t state)
{
    unsigned valid = state & CELL_EDGE ? state & 3 : cell_kind(state) == CELL_RECORD ? (state >> 4) & 3 : 0;
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
struct leaf *shadow_make_leaf(uintptr_t address);

static inline struct leaf *shadow_leaf(uintptr_t address)
{
    return shadow_leaves[(address >> SHADOW_LEAF_SHIFT) & (SHADOW_LEAVES - 1)];
}
static inline struct cell *shadow_peek(uintptr_t address) /* NULL: nothing known there */
{
    struct leaf *leaf = shadow_leaf(address);
    return leaf == NULL ? NULL : &leaf->cells[(address / WORD) & (SHADOW_CELLS - 1)];
}
static inline struct cell *shadow_cell(uintptr_t address) /* made if need be */
{
    struct leaf *leaf = shadow_leaf(address);
    if (unlikely(leaf == NULL))
        leaf = shadow_make_leaf(address);
    return &leaf->cells[(address / WORD) & (SHADOW_CELLS - 1)];
}
/* Counts the RECORD cells of the page that `address` is in. */
static inline void shadow_count_record(uintptr_t address, int change)
{
    uint16_t *count = &shadow_leaf(address)->records[((address / WORD) & (SHADOW_CELLS - 1)) / SHADOW_PAGE_CELLS];
    *count = (uint16_t)(*count + change);
}

/* Forgets [lo, hi): what is there next has nothing to do with what was.  Whole cells only. */
void shadow_clear(uintptr_t lo, uintptr_t hi);
/* Makes [lo, hi), whole cells, FREED or REDZONE of the block with this header. */
void shadow_mark(uintptr_t lo, uintptr_t hi, unsigned kind, const void *header);
/* The cell at `address` is the last of a heap block and has only `valid` (1..3) bytes. */
void shadow_mark_edge(uintptr_t address, unsigned valid);
/* The task's stack is used no more. */
void shadow_task_ended(struct task *task);

/* ---- sites --------------------------------------------------------------------------------------------------------- */

/* A site is kept in 24 bits: as the distance from the runtime's code, or as a number from a table when that is too far. */
enum { SITE_REACH = 1 << 23 };
void access_slow(struct task *self, uintptr_t pc, uintptr_t address, uint32_t size, unsigned flags);

static inline uintptr_t site_distance(uintptr_t pc)
{
    return pc - ((uintptr_t)&access_slow - SITE_REACH / 2);
}
uint32_t site_number(uintptr_t pc); /* interns */
uintptr_t site_pc(uint32_t site);   /* 0 if none */

static inline uint32_t site_of(uintptr_t pc)
{
    uintptr_t distance = site_distance(pc);
    return likely(distance < SITE_REACH) ? (uint32_t)distance : site_number(pc);
}

/* Sites known to access shared memory: wire->sites. */
static inline bool site_maybe_visible(uintptr_t pc)
{
    return rt.wire->sites[wire_site_slot(pc)] != 0;
}
bool site_is_visible(uintptr_t pc);
void site_make_visible(uintptr_t pc);

/* ---- accesses ------------------------------------------------------------------------------------------------------ */

/* While the runtime touches the program's memory on its behalf: where the program wanted it.  A crash then is there. */
extern uintptr_t access_probe_pc;

/* All accesses of one operation, which the caller does when this returns; guard held.  One scheduling point if any of
   them is visible. */
void access_spans(struct task *self, uintptr_t pc, const struct span *spans, unsigned count);
void access_range(struct task *self, uintptr_t pc, const void *address, size_t size, bool write);
/* Heap errors of an access that is about to be done; a failure does not return. */
void access_check_heap(struct task *self, uintptr_t pc, const struct span *span);
/* An atomic operation has been done (guard held, scheduling point passed): happens-before edges by memory order, races. */
void access_atomic(struct task *self, uintptr_t pc, uintptr_t address, uint32_t size, bool loads, bool stores,
                   int order);
/* The program says that it synchronises through this address: release what it did, or acquire what others released. */
void access_annotate(struct task *self, uintptr_t address, bool release);

/* The new detail of a cell that this task accesses again at the same clock. */
static inline uint64_t detail_again(uint64_t detail, unsigned mask, enum cell_part part, uint64_t site, bool write)
{
    uint64_t field = write ? DETAIL_WRITE : DETAIL_READ, new = detail_of(mask, part, site, write);
    uint64_t site_field = (uint64_t)(SHADOW_SITES - 1) << (write ? DETAIL_WRITE_SITE : DETAIL_READ_SITE);
    if (mask != WORD_ALL && ((detail ^ new) & site_field) == 0)
        return detail | new; /* bytes of one word, one by one */
    return (detail & ~field) | new;
}

/* A whole word of this task's own is accessed: whatever was noted of earlier accesses of that kind gives way. */
static inline __attribute__((always_inline)) void cell_note_word(struct cell *cell, uint64_t epoch, enum cell_part part,
                                                                 uint64_t site, bool write)
{
    uint64_t clock = (uint64_t)(SHADOW_CLOCKS - 1) << (write ? STATE_WRITE_CLOCK : STATE_READ_CLOCK);
    cell->state = (cell->state & ~clock) | (epoch & clock);
    cell->detail = (cell->detail & ~(write ? DETAIL_WRITE : DETAIL_READ)) | detail_of(WORD_ALL, part, site, write);
}

/* An access of at most 8 bytes, before it is done.  Inlined into every __tsan_read/write: the words are this task's own, the site is
   not known to access shared memory, and the plan does not stop here. */
static inline __attribute__((always_inline)) void access_check(uintptr_t pc, uintptr_t address, uint32_t size,
                                                               bool write)
{
    struct task *self = rt_self;
    if (unlikely(self == NULL || self->guard != 0))
        return;
    uint64_t next = self->operations + 1;
    struct leaf *leaf = shadow_leaf(address);
    bool fits = size >= WORD ? address % size == 0 : address % WORD + size <= WORD;
    if (likely(leaf != NULL && next != self->stop_at && fits)) {
        struct cell *cell = &leaf->cells[(address / WORD) & (SHADOW_CELLS - 1)];
        uint64_t epoch = self->epoch, other = cell->state ^ epoch;
        uint64_t key = size >= WORD ? STATE_OWNER : write ? STATE_WRITE_KEY : STATE_READ_KEY;
        if (size == 2 * WORD)
            other |= cell[1].state ^ epoch;
        uintptr_t site = site_distance(pc);
        if (likely((other & key) == 0 && site < SITE_REACH && !site_maybe_visible(pc))) {
            if (size >= WORD)
                cell_note_word(cell, epoch, size == 2 * WORD ? PART_LOW : PART_ALL, site, write);
            else
                cell->detail =
                    detail_again(cell->detail, ((1u << size) - 1) << (address % WORD), PART_ALL, site, write);
            if (size == 2 * WORD)
                cell_note_word(cell + 1, epoch, PART_HIGH, site, write);
            self->operations = next;
            return;
        }
    }
    access_slow(self, pc, address, size, write ? ACCESS_WRITE : ACCESS_READ);
}

#pragma GCC visibility pop

#endif
