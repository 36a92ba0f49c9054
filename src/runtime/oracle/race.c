/* SPDX-License-Identifier: MIT
 *
 * race.c - data races: two conflicting accesses of different tasks, not both atomic, that nothing orders.
 *
 * DESIGN
 *   As FastTrack (Flanagan, Freund: PLDI 2009): an access is an epoch (task, clock); a later access is ordered after it
 *   iff the later task's vector clock has reached that clock.  Where we differ: per byte instead of per variable, atomic and
 *   plain accesses apart, and sites are kept, so that both sides of a race can be named.
 *
 *   A record holds the accesses that may still race with later ones.  An access drops the bytes of an earlier one when every access that races
 *   with the earlier one also races with it: it conflicts with at least as much, and it is by the same task or ordered
 *   after it.  So no race is missed, only one of several pairs that could be reported.
 *   Bytes of several tasks are visible (`shared`), with PLAN_ONLY_READ unless they are only read since they are used by more than one: all writes happened before the
 *   reads of other tasks, or before there was a second task.  Then the reads need no scheduling points: in another order of the
 *   operations that order them the write comes after a read, or is not ordered with it, and makes the bytes and their sites visible.
 *   A write by a task that is alone again, after all that others did, is as one before there was a second task.
 *
 *   While a cell is EXCLUSIVE (shadow.h) only the last read and the last write are kept.  That loses nothing where whole words are
 *   accessed; of words that are accessed byte by byte, by several sites or at several times, it may lose a race.
 */
#include "runtime/oracle/race.h"

#include "runtime/oracle/clock.h"
#include "runtime/oracle/order.h"
#include "runtime/oracle/readers.h"
#include "runtime/record.h"

static size_t record_bytes(uint32_t capacity)
{
    return sizeof(struct record) + capacity * sizeof(struct past_access);
}

static struct record *record_new(uint32_t capacity)
{
    struct record *record = rt_alloc(record_bytes(capacity));
    record->capacity = (uint16_t)capacity;
    return record;
}

/* Room for one more, to be filled in. */
static struct past_access *new_past(struct cell *cell)
{
    struct record *record = (struct record *)cell->detail;
    if (record->count == record->capacity) {
        struct record *grown = record_new(record->capacity * 2u + 2);
        grown->shared = record->shared;
        grown->several = record->several;
        grown->readers = record->readers;
        grown->syncs = record->syncs;
        grown->count = record->count;
        for (uint32_t i = 0; i < record->count; i++)
            grown->pasts[i] = record->pasts[i];
        rt_free(record, record_bytes(record->capacity));
        cell->detail = (uintptr_t)grown;
        record = grown;
    }
    return &record->pasts[record->count++];
}

static void put_back(void *cell, struct past_access past)
{
    *new_past(cell) = past;
}

/* All past accesses are in the record itself. */
static struct record *unfolded(struct cell *cell)
{
    struct readers *readers = ((struct record *)cell->detail)->readers;
    ((struct record *)cell->detail)->readers = NULL;
    if (readers != NULL)
        readers_unfold(readers, put_back, cell);
    return (struct record *)cell->detail;
}

static void forget(void *context, struct past_access past)
{
    (void)context;
    (void)past;
}

void race_drop_record(struct record *record)
{
    order_drop(record);
    if (record->readers != NULL)
        readers_unfold(record->readers, forget, NULL);
    rt_free(record, record_bytes(record->capacity));
}

static void import_note(struct record *record, uint64_t note, uintptr_t address, unsigned flags)
{
    unsigned bytes = note_bytes(note);
    if (bytes == 0)
        return;
    if (bytes == BYTES_HALF)
        bytes = address & WORD ? BYTES_HIGH : BYTES_LOW;
    bool half = bytes > WORD_ALL;
    unsigned mask = half ? WORD_ALL : bytes;
    record->pasts[record->count++] = (struct past_access){
        .pc = site_pc(note_site(note)),
        .bytes = WORD_ALL, /* earlier accesses are not known any more */
        .mask = mask & WORD_ALL,
        .flags = (uint8_t)flags,
        .clock = note_clock(note),
        .task = (uint16_t)note_task(note),
        .size = (uint8_t)(half ? 2 * WORD : __builtin_popcount(mask)),
        .begins = (int8_t)(bytes == BYTES_LOW    ? 0
                           : bytes == BYTES_HIGH ? -WORD
                                                 : __builtin_ctz(mask)),
    };
}

struct record *race_get_record(struct cell *cell, uintptr_t address)
{
    uint64_t state = cell->state;
    unsigned kind = cell_kind(state);
    if (kind == CELL_RECORD)
        return (struct record *)cell->detail;
    if (kind == CELL_FREED || kind == CELL_REDZONE)
        return NULL;
    struct record *record = record_new(2);
    if (kind == CELL_EXCLUSIVE) {
        import_note(record, state, address, ACCESS_WRITE);
        import_note(record, cell->detail, address, ACCESS_READ);
    }
    cell->state = CELL_RECORD | (cell_valid(state) & 3) << CELL_VALID;
    cell->detail = (uintptr_t)record;
    shadow_count_record(address, 1);
    return record;
}

unsigned race_bytes_of_others(const struct record *record, const struct task *self)
{
    unsigned bytes = 0;
    for (uint32_t i = 0; i < record->count; i++)
        if (record->pasts[i].task != self->id)
            bytes |= record->pasts[i].bytes;
    return bytes;
}

/* ---- reports --------------------------------------------------------------------------------------------------------- */

/* Pairs of sites that were reported: each is reported once. */
enum { PAIRS = 1024 };
static RT_RARE struct {
    struct {
        uintptr_t low, high;
    } slots[PAIRS]; /* open addressing */
    uint32_t count;
} pairs;

bool race_pair_is_new(uintptr_t a, uintptr_t b)
{
    uintptr_t low = a < b ? a : b, high = a < b ? b : a;
    uint32_t slot = (uint32_t)(((low * 31 + high) * 0x9e3779b97f4a7c15ull) >> 54);
    while (pairs.slots[slot].high != 0) {
        if (pairs.slots[slot].low == low && pairs.slots[slot].high == high)
            return false;
        slot = (slot + 1) & (PAIRS - 1);
    }
    if (pairs.count == PAIRS / 4 * 3)
        return false;
    pairs.count++;
    pairs.slots[slot].low = low;
    pairs.slots[slot].high = high;
    return true;
}

static uint8_t access_op(unsigned flags)
{
    if (flags & ACCESS_ATOMIC)
        return flags & ACCESS_WRITE ? OP_ATOMIC_STORE : OP_ATOMIC_LOAD;
    return flags & ACCESS_WRITE ? OP_WRITE : OP_READ;
}

static const char *access_name(unsigned flags)
{
    if (flags & ACCESS_ATOMIC)
        return flags & ACCESS_WRITE ? "atomic write" : "atomic read";
    if (flags & ACCESS_VOLATILE)
        return flags & ACCESS_WRITE ? "volatile write" : "volatile read";
    return flags & ACCESS_WRITE ? "write" : "read";
}

static struct wire_access describe_past(const struct past_access *past, uintptr_t cell)
{
    return (struct wire_access){
        .task = past->task,
        .op = access_op(past->flags),
        .flags = past->flags & ACCESS_VOLATILE ? EVENT_VOLATILE : 0,
        .size = past->size,
        .pc = past->pc,
        .address = cell + (uintptr_t)(intptr_t)past->begins,
        .operation = past->operation,
    };
}

static void report(struct task *self, const struct past_access *past, uintptr_t cell, uintptr_t pc,
                   const struct span *span)
{
    if (!race_pair_is_new(past->pc, pc))
        return;
    enum wire_kind kind = (past->flags | span->flags) & ACCESS_VOLATILE ? KIND_VOLATILE_RACE : KIND_RACE;
    struct wire_finding *finding =
        finding_add(self, kind, pc, span->address, "%s by task %u is not ordered with %s by task %u",
                    access_name(span->flags), self->id, access_name(past->flags), (unsigned)past->task);
    finding->here.op = access_op(span->flags);
    finding->here.flags = span->flags & ACCESS_VOLATILE ? EVENT_VOLATILE : 0;
    finding->here.size = span->size < UINT32_MAX ? (uint32_t)span->size : UINT32_MAX;
    finding->other = describe_past(past, cell);
    if ((rt.flags & PLAN_RACE_FAILS) && kind == KIND_RACE)
        finding_fail(finding);
}

/* ---- accesses -------------------------------------------------------------------------------------------------------- */

static bool conflicts(unsigned a, unsigned b)
{
    return ((a | b) & ACCESS_WRITE) != 0 && (a & b & ACCESS_ATOMIC) == 0;
}

/* Whether all that conflicts with an access of kind `old` conflicts with one of kind `new`. */
static bool covers_conflicts_of(unsigned new, unsigned old)
{
    bool plain = !(new &ACCESS_ATOMIC), write = new &ACCESS_WRITE;
    return (plain || (old & ACCESS_ATOMIC)) && (write || !(old & ACCESS_WRITE));
}

/* Whether what `task` did at `clock` is certain to happen before what self does now.  Without clocks: it was before the first thread. */
static bool is_before(const struct task *self, uint32_t task, uint32_t clock)
{
    if (task == self->id)
        return true;
    if (self->clock == NULL)
        return task == 0 && clock == CLOCK_ALONE;
    return clock != 0 && clock_get(self->clock, task) >= clock; /* 0: not known, shadow_epoch */
}

/* Whether an access with these flags may be a write to bytes that are only read. */
static bool is_only_read(const struct task *self, unsigned flags)
{
    if (!(rt.flags & PLAN_ONLY_READ) || (flags & (ACCESS_ATOMIC | ACCESS_VOLATILE)) != 0)
        return false;
    return !(flags & ACCESS_WRITE) || (rt.live_count == 1 && self->clock != NULL);
}

static bool note_is_before(const struct task *self, uint64_t note)
{
    return note_bytes(note) == 0 || is_before(self, note_task(note), note_clock(note));
}

static bool past_allows(const struct task *self, const struct past_access *past, unsigned bytes, unsigned flags)
{
    if (past->task == self->id || (past->bytes & bytes) == 0)
        return true;
    if (past->flags & (ACCESS_ATOMIC | ACCESS_VOLATILE))
        return false;
    return !((past->flags | flags) & ACCESS_WRITE) || is_before(self, past->task, past->clock);
}

/* Whether these bytes, which other tasks use too, are only read with an access of these flags. */
static bool stays_only_read(const struct task *self, const struct record *record, unsigned bytes, unsigned flags)
{
    bool allowed = is_only_read(self, flags);
    for (uint32_t i = 0; i < record->count && allowed; i++)
        allowed = past_allows(self, &record->pasts[i], bytes, flags);
    return allowed;
}

static unsigned bytes_of_several(const struct task *self, const struct record *record, unsigned mask)
{
    return (record->several | race_bytes_of_others(record, self)) & mask & ~(unsigned)record->shared;
}

bool race_is_visible(const struct task *self, struct cell *cell, unsigned mask, unsigned flags)
{
    if (cell_kind(cell->state) == CELL_EXCLUSIVE) {
        bool ordered =
            note_is_before(self, cell->state) && (!(flags & ACCESS_WRITE) || note_is_before(self, cell->detail));
        return note_task(cell->state) != self->id && !(ordered && is_only_read(self, flags));
    }
    if (cell_kind(cell->state) != CELL_RECORD)
        return false;
    const struct record *record = (const struct record *)cell->detail;
    if ((record->shared & mask) != 0)
        return true;
    if (record->readers != NULL && flags != ACCESS_READ)
        record = unfolded(cell);
    unsigned bytes = bytes_of_several(self, record, mask);
    return bytes != 0 && !stays_only_read(self, record, bytes, flags);
}

static inline struct past_access past_of(const struct task *self, uintptr_t at, unsigned mask, uintptr_t pc,
                                         const struct span *span)
{
    intptr_t begins = (intptr_t)(span->address - (at & ~(uintptr_t)(WORD - 1)));
    return (struct past_access){
        .pc = pc,
        .bytes = mask & WORD_ALL,
        .mask = mask & WORD_ALL,
        .flags = (uint8_t)span->flags,
        .operation = self->operations,
        .clock = clock_now(self),
        .task = (uint16_t)self->id,
        .size = (uint8_t)(span->size < UINT8_MAX ? span->size : UINT8_MAX),
        .begins = (int8_t)(begins >= INT8_MIN ? begins : 0),
    };
}

/* The read of self that a new read of the bytes `mask` replaces; NULL: none. */
static struct past_access *own_read(const struct task *self, struct record *record, unsigned mask)
{
    for (uint32_t i = record->count; i-- > 0;) {
        struct past_access *past = &record->pasts[i];
        if (past->task == self->id && past->mask == mask && past->flags == ACCESS_READ)
            return past;
    }
    return NULL;
}

/* The same in the record's readers. */
static struct past_access *own_reader(const struct task *self, const struct record *record)
{
    struct past_access *past = readers_slot(record->readers, self->id);
    return past->mask != 0 || stays_only_read(self, record, WORD_ALL, ACCESS_READ) ? past : NULL;
}

bool race_read_again(const struct task *self, const struct cell *cell, uintptr_t at, unsigned mask, uintptr_t pc,
                     const struct span *span)
{
    struct record *record = (struct record *)cell->detail;
    if (cell_kind(cell->state) != CELL_RECORD || (record->shared & mask) != 0 || mask >> cell_valid(cell->state) != 0)
        return false;
    struct past_access *past =
        record->readers != NULL && mask == WORD_ALL ? own_reader(self, record) : own_read(self, record, mask);
    if (past != NULL)
        *past = past_of(self, at, mask, pc, span);
    return past != NULL;
}

/* Accesses to these bytes, which several tasks use, are visible from now on, and so are the sites that access them. */
static void share(struct record *record, const struct task *self, unsigned bytes, uintptr_t pc)
{
    for (uint32_t i = 0; i < record->count; i++) {
        unsigned used = record->pasts[i].task != self->id ? bytes : bytes & record->several;
        if ((record->pasts[i].bytes & used) != 0)
            site_make_visible(record->pasts[i].pc);
    }
    record->shared |= (uint8_t)bytes;
    site_make_visible(pc);
}

/* Without clocks it is not known which of the reads by several tasks a later write could come before: their sites are still needed. */
static bool may_be_dropped(const struct task *self, const struct record *record, const struct past_access *past)
{
    return self->clock != NULL || past->task == self->id || (past->bytes & ~(unsigned)record->shared) == 0;
}

/* Reports those past accesses of the record that race with this one, and drops those that it covers. */
static void compare_pasts(struct task *self, struct record *record, uintptr_t at, unsigned mask, uintptr_t pc,
                          const struct span *span)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < record->count; i++) {
        struct past_access *past = &record->pasts[i];
        bool ordered = past->task == self->id || clock_ordered(self, past->task, past->clock);
        if (!ordered && (past->mask & mask) != 0 && conflicts(past->flags, span->flags))
            report(self, past, at & ~(uintptr_t)(WORD - 1), pc, span);
        if (ordered && covers_conflicts_of(span->flags, past->flags) && may_be_dropped(self, record, past))
            past->mask &= ~mask & WORD_ALL;
        if (past->mask != 0)
            record->pasts[kept++] = *past;
    }
    record->count = (uint16_t)kept;
}

/* Of a word that several tasks use. */
static void note_use_by_several(struct task *self, struct record *record, unsigned mask, uintptr_t pc,
                                const struct span *span)
{
    unsigned several = bytes_of_several(self, record, mask);
    if (several != 0 && record->several == 0)
        rt.wire->result.shared_locations++;
    if (several != 0 && !stays_only_read(self, record, several, span->flags))
        share(record, self, several, pc);
    record->several |= (uint8_t)several;
}

static bool is_read_of_many(const struct record *record, unsigned mask, const struct span *span)
{
    return record->readers != NULL && record->shared == WORD_ALL && mask == WORD_ALL && span->flags == ACCESS_READ;
}

static bool may_have_readers(const struct record *record, const struct span *span)
{
    return record->readers == NULL && record->count >= READERS_MANY &&
           (record->shared == 0 || record->shared == WORD_ALL) && record->several == WORD_ALL &&
           span->flags == ACCESS_READ;
}

void race_access(struct task *self, struct cell *cell, uintptr_t at, unsigned mask, uintptr_t pc,
                 const struct span *span)
{
    if ((rt.flags & PLAN_ONLY_READ) && span->flags == ACCESS_READ && race_read_again(self, cell, at, mask, pc, span))
        return;
    struct record *record = (struct record *)cell->detail;
    bool many = is_read_of_many(record, mask, span);
    if (!many)
        record = unfolded(cell);
    if (record->shared & mask)
        site_make_visible(pc);
    if ((mask & ~(unsigned)record->shared) != 0)
        note_use_by_several(self, record, mask, pc, span);
    compare_pasts(self, record, at, mask, pc, span);
    if (many)
        *readers_slot(record->readers, self->id) = past_of(self, at, mask, pc, span);
    else
        *new_past(cell) = past_of(self, at, mask, pc, span);
    record = (struct record *)cell->detail;
    if (may_have_readers(record, span))
        readers_fold(record);
}

/* ---- freeing --------------------------------------------------------------------------------------------------------- */

/* Of longer blocks only the beginning is checked. */
enum { FREED_LOOKED_AT = 1 << 16 };

/* Makes the sites of other tasks' accesses to the cell visible.  Returns whether there were any. */
static bool show_other_sites(const struct task *self, struct cell *cell)
{
    if (!race_is_visible(self, cell, WORD_ALL, ACCESS_WRITE))
        return false;
    if (cell_kind(cell->state) == CELL_EXCLUSIVE && note_task(cell->state) != self->id) {
        site_make_visible(site_pc(note_site(cell->state)));
        site_make_visible(site_pc(note_site(cell->detail)));
        return true;
    }
    if (cell_kind(cell->state) != CELL_RECORD)
        return false;
    const struct record *record = unfolded(cell);
    bool others = (record->shared | record->several) != 0;
    for (uint32_t i = 0; i < record->count; i++)
        if (record->pasts[i].task != self->id) {
            site_make_visible(record->pasts[i].pc);
            others = true;
        }
    return others;
}

bool race_frees_shared(struct task *self, uintptr_t lo, uintptr_t hi, uintptr_t pc)
{
    bool shared = false;
    if (hi - lo > FREED_LOOKED_AT)
        hi = lo + FREED_LOOKED_AT;
    for (uintptr_t at = lo; at < hi; at += WORD) {
        struct cell *cell = shadow_peek(at);
        shared |= cell != NULL && cell->state != 0 && show_other_sites(self, cell);
    }
    if (shared)
        site_make_visible(pc);
    return shared;
}
