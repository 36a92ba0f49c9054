/* SPDX-License-Identifier: MIT
 *
 * race.c - data races: two conflicting accesses of different tasks, not both atomic, that nothing orders.
 *
 * DESIGN
 *   As FastTrack (Flanagan, Freund: PLDI 2009): an access is an epoch (task, clock); a later access is ordered after it
 *   iff the later task's vector clock has reached that clock.  Where we differ: per byte instead of per variable, atomic and
 *   plain accesses apart, and sites are kept, so that both sides of a race can be named.
 *
 *   A record holds the accesses that may still race with later ones.  An access drops the bytes of an earlier one when whatever races
 *   with the earlier one also races with it: it conflicts with at least as much, and it is by the same task or ordered
 *   after it.  So nothing that drops out loses the fact of a race, only one of several pairs that could be named.
 *   While a cell is EXCLUSIVE (shadow.h) only the last read and the last write are kept, which may lose bytes of older ones.
 */
#include "runtime/oracle/race.h"

#include "runtime/oracle/clock.h"
#include "runtime/oracle/order.h"

static size_t record_bytes(uint32_t capacity)
{
    return sizeof(struct record) + capacity * sizeof(struct past);
}

static struct record *record_new(uint32_t capacity)
{
    struct record *record = rt_alloc(record_bytes(capacity));
    record->capacity = (uint16_t)capacity;
    return record;
}

void race_drop_record(struct record *record)
{
    order_drop(record);
    rt_free(record, record_bytes(record->capacity));
}

static void import_exclusive(struct record *record, uint64_t state, uint64_t detail, unsigned flags)
{
    bool write = flags & ACCESS_WRITE;
    unsigned mask = (detail >> (write ? DETAIL_WRITE_MASK : DETAIL_READ_MASK)) & 0xff;
    if (mask == 0)
        return;
    uint32_t site = (detail >> (write ? DETAIL_WRITE_SITE : DETAIL_READ_SITE)) & (SHADOW_SITES - 1);
    record->pasts[record->count++] = (struct past){
        .pc = site_pc(site),
        .bytes = (uint8_t)mask,
        .mask = (uint8_t)mask,
        .clock = (state >> (write ? STATE_WRITE_CLOCK : STATE_READ_CLOCK)) & (SHADOW_CLOCKS - 1),
        .task = (uint16_t)cell_task(state),
        .flags = (uint16_t)flags,
    };
}

struct record *race_get_record(struct cell *cell, uintptr_t address)
{
    uint64_t state = cell->state;
    if (cell_kind(state) == CELL_RECORD)
        return (struct record *)cell->detail;
    if (state != 0 && !cell_is_exclusive(state))
        return NULL;
    struct record *record = record_new(2);
    import_exclusive(record, state, cell->detail, ACCESS_WRITE);
    import_exclusive(record, state, cell->detail, ACCESS_READ);
    cell->state = CELL_RECORD | (cell_valid(state) & 7) << 4;
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
static struct {
    uintptr_t low, high;
} pairs[PAIRS];

/* False if the pair is known, or too many are. */
static bool pair_is_new(uintptr_t a, uintptr_t b)
{
    static uint32_t count;
    uintptr_t low = a < b ? a : b, high = a < b ? b : a;
    uint32_t slot = (uint32_t)(((low * 31 + high) * 0x9e3779b97f4a7c15ull) >> 54);
    while (pairs[slot].high != 0) {
        if (pairs[slot].low == low && pairs[slot].high == high)
            return false;
        slot = (slot + 1) & (PAIRS - 1);
    }
    if (count == PAIRS / 4 * 3)
        return false;
    count++;
    pairs[slot].low = low;
    pairs[slot].high = high;
    return true;
}

static uint8_t access_op(unsigned flags)
{
    if (flags & ACCESS_ATOMIC)
        return flags & ACCESS_WRITE ? OP_ATOMIC_STORE : OP_ATOMIC_LOAD;
    return flags & ACCESS_WRITE ? OP_WRITE : OP_READ;
}

static struct wire_access describe(uint32_t task, unsigned flags, uintptr_t cell, unsigned bytes, uintptr_t pc,
                                   uint64_t operation)
{
    return (struct wire_access){
        .task = (uint16_t)task,
        .op = access_op(flags),
        .flags = flags & ACCESS_VOLATILE ? EVENT_VOLATILE : 0,
        .size = (uint32_t)__builtin_popcount(bytes),
        .pc = pc,
        .address = cell + (unsigned)__builtin_ctz(bytes),
        .operation = operation,
    };
}

static const char *access_name(unsigned flags)
{
    if (flags & ACCESS_ATOMIC)
        return flags & ACCESS_WRITE ? "atomic write" : "atomic read";
    if (flags & ACCESS_VOLATILE)
        return flags & ACCESS_WRITE ? "volatile write" : "volatile read";
    return flags & ACCESS_WRITE ? "write" : "read";
}

static void report(struct task *self, const struct past *past, uintptr_t address, unsigned mask, uintptr_t pc, unsigned flags)
{
    if (!pair_is_new(past->pc, pc))
        return;
    uintptr_t cell = address & ~(uintptr_t)7;
    enum wire_kind kind = (past->flags | flags) & ACCESS_VOLATILE ? KIND_VOLATILE_RACE : KIND_RACE;
    struct wire_finding *finding =
        finding_add(self, kind, pc, cell + (unsigned)__builtin_ctz(mask), "%s by task %u is not ordered with %s by task %u",
                    access_name(flags), self->id, access_name(past->flags), (unsigned)past->task);
    finding->here = describe(self->id, flags, cell, mask, pc, self->operations);
    finding->other = describe(past->task, past->flags, cell, past->bytes, past->pc, past->operation);
    if (rt.flags & PLAN_RACE_FAILS)
        finding_fail(finding);
}

/* ---- accesses -------------------------------------------------------------------------------------------------------- */

static bool conflicts(unsigned a, unsigned b)
{
    return ((a | b) & ACCESS_WRITE) != 0 && (a & b & ACCESS_ATOMIC) == 0;
}

/* Whether all that conflicts with an access of kind `old` conflicts with one of kind `new`. */
static bool says_as_much(unsigned new, unsigned old)
{
    bool plain = !(new & ACCESS_ATOMIC), write = new & ACCESS_WRITE;
    return (plain || (old & ACCESS_ATOMIC)) && (write || !(old & ACCESS_WRITE));
}

/* The bytes are used by several tasks from now on, and so are these sites. */
static void share(struct record *record, const struct past *past, unsigned bytes, uintptr_t pc)
{
    if (record->shared == 0)
        rt.wire->result.shared_locations++;
    record->shared |= (uint8_t)bytes;
    site_make_visible(past->pc);
    site_make_visible(pc);
}

static void add_past(struct cell *cell, struct past past)
{
    struct record *record = (struct record *)cell->detail;
    if (record->count == record->capacity) {
        struct record *grown = record_new(record->capacity * 2u + 2);
        grown->shared = record->shared;
        grown->syncs = record->syncs;
        grown->count = record->count;
        for (uint32_t i = 0; i < record->count; i++)
            grown->pasts[i] = record->pasts[i];
        rt_free(record, record_bytes(record->capacity));
        cell->detail = (uintptr_t)grown;
        record = grown;
    }
    record->pasts[record->count++] = past;
}

void race_access(struct task *self, struct cell *cell, uintptr_t address, unsigned mask, uintptr_t pc, unsigned flags)
{
    struct record *record = (struct record *)cell->detail;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < record->count; i++) {
        struct past *past = &record->pasts[i];
        bool own = past->task == self->id;
        if (!own && (past->bytes & mask & ~record->shared) != 0)
            share(record, past, past->bytes & mask, pc);
        bool ordered = own || clock_ordered(self, past->task, past->clock);
        if (!ordered && (past->mask & mask) != 0 && conflicts(past->flags, flags))
            report(self, past, address, past->mask & mask, pc, flags);
        if (ordered && says_as_much(flags, past->flags))
            past->mask &= (uint8_t)~mask;
        if (past->mask != 0)
            record->pasts[kept++] = *past;
    }
    record->count = (uint16_t)kept;
    if (record->shared & mask)
        site_make_visible(pc);
    add_past(cell, (struct past){.pc = pc,
                                 .bytes = (uint8_t)mask,
                                 .mask = (uint8_t)mask,
                                 .operation = self->operations,
                                 .clock = clock_now(self),
                                 .task = (uint16_t)self->id,
                                 .flags = (uint16_t)flags});
}
