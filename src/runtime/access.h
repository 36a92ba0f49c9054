/* SPDX-License-Identifier: MIT
 *
 * access.h - accesses of the program to its memory, before they are done.
 *
 * DESIGN
 *   A scheduling point is needed only where another task may interfere.  An access is visible if another task has accessed one of
 *   its bytes and one of both may be a write that is not done yet (oracle/race.c), or its site is known (from this or an earlier run) to access shared memory.  All other accesses are only counted: that is
 *   the fast path, access_check().  All that it needs to know about the site is one lookup in site_cache, which has sites that were
 *   found not to be visible.  A note is one word and contains the owner of the cell.  So the old note is loaded, its owner compared, and the
 *   new note stored over it, even if it is the same: that is faster than to compare them.
 */
#ifndef RADDLE_ACCESS_H
#define RADDLE_ACCESS_H

#include "runtime/shadow.h"

#pragma GCC visibility push(hidden) /* accessed without the global offset table, also before the final link */

/* How an access is done. */
enum { ACCESS_READ = 0, ACCESS_WRITE = 1, ACCESS_VOLATILE = 2, ACCESS_ATOMIC = 4 };

struct span {
    uintptr_t address;
    size_t size;
    unsigned flags; /* ACCESS_* */
};

/* While the runtime accesses memory for the program: the place in the program.  A fault is reported there. */
extern uintptr_t access_probe_pc;

/* All accesses of one operation; guard held. */
enum { ACCESS_SPANS = 8 };
struct access {
    struct task *self;
    uintptr_t pc;
    unsigned count;
    struct span spans[ACCESS_SPANS];
    bool visible[ACCESS_SPANS];
};
/* One scheduling point if any of them is visible, then checks for heap errors and races.  The caller then records them and does them.
   False: they are private, and there is nothing to record.  Then the operation and the `further` ones after it have been counted; the plan
   stops at none of these. */
bool access_begin(struct access *access, unsigned further);
void access_record(struct access *access);
/* A part of span `index` is done: records it.  `again`: other tasks have run since the access began. */
void access_part(struct access *access, unsigned index, const struct span *part, bool again);

/* Both in one: the caller does the accesses when this returns. */
void access_spans(struct task *self, uintptr_t pc, const struct span *spans, unsigned count);
void access_range(struct task *self, uintptr_t pc, const void *address, size_t size, bool write);
/* Heap errors of an access that is about to be done; a failure does not return. */
void access_check_heap(struct task *self, uintptr_t pc, const struct span *span);
/* One access of an operation that the caller fills in, describes (access_atomic) and does: a scheduling point only if it is visible.
   Returns whether it is to be recorded. */
bool access_announce(struct task *self, struct op *op, const struct span *span);
/* An atomic operation has been done (guard held, scheduling point passed): happens-before edges by memory order, races. */
void access_atomic(struct task *self, uintptr_t pc, uintptr_t address, uint32_t size, bool loads, bool stores,
                   int order);
/* The program has an annotation that it synchronises by this address: a release, or an acquire. */
void access_annotate(struct task *self, uintptr_t address, bool release);

/* An access that the fast path cannot handle.  Does nothing inside the runtime.  The arguments are in the registers where the hook has
   them, so that a call needs no moves.  In assembler (arch/arch.h): in a run with site_noting access_note is called first, on a stack of
   its own, because what it leaves there is not to be seen by the program (leftover.c). */
void access_slow(uintptr_t address, uintptr_t pc, size_t size, unsigned flags);

/* The words are the own ones of the task with this key: notes the access and counts it.  Else nothing is done, and the result is false. */
static inline __attribute__((always_inline)) bool access_is_settled(struct task *self, uint64_t key, uint64_t site_note,
                                                                    uintptr_t address, uint32_t size, bool write)
{
    uintptr_t leaf = address >> SHADOW_LEAF_SHIFT, word = size >= WORD ? address : address & ~(uintptr_t)(WORD - 1);
    uint64_t next = self->operations + 1;
    if (unlikely(leaf >= SHADOW_LEAVES || shadow_bases[leaf] == 0 || next == self->stop_at ||
                 (size >= WORD ? address % size != 0 : address % WORD + size > WORD)))
        return false;
    struct cell *cell = (struct cell *)(shadow_bases[leaf] + word * CELL_SCALE);
    uint64_t *note = write ? &cell->state : &cell->detail, *upper = write ? &cell[1].state : &cell[1].detail;
    uint64_t new = key + site_note; /* inside the runtime no cell has this key */
    if (size == 2 * WORD) {
        new += (uint64_t)BYTES_HALF << NOTE_BYTES;
        if (unlikely((((*note ^ new) | (*upper ^ new)) & NOTE_OWNER) != 0))
            return false;
        *note = *upper = new;
    } else if (size == WORD) {
        new += (uint64_t)WORD_ALL << NOTE_BYTES;
        if (unlikely(((*note ^ new) & NOTE_OWNER) != 0))
            return false;
        *note = new;
    } else {
        uint64_t old = *note;
        new += ((1ull << size) - 1) << NOTE_BYTES << address % WORD;
        if (unlikely(((old ^ new) & (NOTE_OWNER | NOTE_HALF)) != 0))
            return false;
        *note = ((old ^ new) & ~NOTE_ACCESS) == 0
                    ? old | new
                    : new; /* bytes of one word are accessed one after the other: collected in one note */
    }
    self->operations = next;
    return true;
}

/* An access of at most 16 bytes, before it is done.  Inlined into every __tsan_read/write: the words are this task's own, the site is
   not known to access shared memory, and the plan does not stop here. */
static inline __attribute__((always_inline)) void access_check(uintptr_t pc, uintptr_t address, uint32_t size,
                                                               bool write)
{
    struct task *self = rt_self;
    if (unlikely(self == NULL))
        return;
    const struct site_entry *site = site_entry(pc);
    if (unlikely(site->pc != pc || !access_is_settled(self, self->key, site->note, address, size, write)))
        access_slow(address, pc, size, write ? ACCESS_WRITE : ACCESS_READ);
}

#pragma GCC visibility pop

#endif
