/* SPDX-License-Identifier: MIT
 *
 * access.c - an access to memory that the fast path could not handle: scheduling point, heap check, races, shadow.
 *
 * DESIGN
 *   1. Is it visible: does it touch a byte that another task has touched (and that is not only read since: race.c), is its site known as one that does, or does the plan
 *      stop here?  Then it is a scheduling point: other tasks may run before it.
 *   2. With the shadow as it is then: heap errors end the run; every cell remembers the access, or finds a race.
 *   3. A visible access is recorded.  One that only the plan stopped at is not, so that a replay records what the run recorded.
 *   sched_point counts the operation of a visible access; the others are counted here.
 */
#include "runtime/shadow.h"

#include "runtime/arch/arch.h"
#include "runtime/oracle/clock.h"
#include "runtime/oracle/heap.h"
#include "runtime/oracle/order.h"
#include "runtime/oracle/race.h"
#include "runtime/record.h"
#include "runtime/sched/point.h"
#include "runtime/sched/spin.h"
#include "runtime/sched/watch.h"
#include "runtime/tear.h"
#include "runtime/transitions.h"

uintptr_t access_probe_pc;

/* Longer ranges are wild pointers, or private in practice: only their beginning is checked. */
static const size_t longest_span = (size_t)1 << 30;

static uintptr_t span_end(const struct span *span)
{
    size_t size = span->size < longest_span ? span->size : longest_span;
    uintptr_t end = span->address + size;
    return end < span->address ? UINTPTR_MAX & ~(uintptr_t)(WORD - 1) : end;
}

/* ---- one cell -------------------------------------------------------------------------------------------------------- */

/* Empty or owned by this task: a further access only changes the note in the cell. */
static inline bool cell_is_private(const struct task *self, const struct cell *cell)
{
    return cell->state == 0 || ((cell->state ^ self->epoch) & NOTE_OWNER) == 0;
}

/* Notes an access in a private cell.  `site` is shifted to its place in a note. */
static inline void cell_note(const struct task *self, struct cell *cell, unsigned bytes, uint64_t site, bool write)
{
    uint64_t new = self->epoch + site + ((uint64_t)bytes << NOTE_BYTES);
    if (cell->state == 0)
        cell->state = cell->detail = self->epoch;
    uint64_t *note = write ? &cell->state : &cell->detail;
    if (bytes < WORD_ALL && ((*note ^ new) & ~NOTE_ACCESS) == 0) /* bytes of one word, accessed one after the other */
        new = *note &NOTE_HALF ? *note : *note | new;
    *note = new;
}

static inline bool cell_allows(const struct cell *cell, unsigned mask)
{
    uint64_t state = cell->state;
    if (state == 0 || cell_kind(state) == CELL_EXCLUSIVE)
        return true;
    if (cell_kind(state) == CELL_FREED || cell_kind(state) == CELL_REDZONE)
        return false;
    return mask >> cell_valid(state) == 0;
}

extern char __executable_start[] __attribute__((weak)), __data_start[] __attribute__((weak));

/* Constants of the program: no task can write them, so the order of accesses does not matter. */
static inline bool is_constant(const struct span *span)
{
    return !(span->flags & ACCESS_WRITE) && span->address >= (uintptr_t)__executable_start &&
           span->address < (uintptr_t)__data_start;
}

/* ---- spans ----------------------------------------------------------------------------------------------------------- */

static bool span_is_visible(const struct task *self, const struct span *span)
{
    if (is_constant(span))
        return false;
    uintptr_t end = span_end(span);
    for (uintptr_t at = span->address; at < end; at = cell_next(at)) {
        struct cell *cell = shadow_peek(at);
        if (cell != NULL && !cell_is_private(self, cell) &&
            race_is_visible(self, cell, cell_mask(at, end), span->flags))
            return true;
    }
    return false;
}

void access_check_heap(struct task *self, uintptr_t pc, const struct span *span)
{
    if (!(rt.flags & PLAN_HEAP))
        return;
    uintptr_t end = span_end(span);
    for (uintptr_t at = span->address; at < end; at = cell_next(at)) {
        const struct cell *cell = shadow_peek(at);
        if (cell != NULL && unlikely(!cell_allows(cell, cell_mask(at, end))))
            heap_report_access(self, pc, span, at, cell);
    }
}

/* The bytes in the note of the cell at `at`. */
static inline unsigned span_bytes(uintptr_t address, size_t size, uintptr_t at)
{
    if (size == 2 * WORD && address % WORD == 0)
        return address % size == 0 ? BYTES_HALF : at == address ? BYTES_LOW : BYTES_HIGH;
    return cell_mask(at, address + size);
}

static void apply_span(struct task *self, uintptr_t pc, const struct span *span)
{
    if (is_constant(span))
        return;
    uintptr_t end = span_end(span);
    uint64_t site = (uint64_t)site_of(pc) << NOTE_SITE;
    bool plain = !(span->flags & (ACCESS_VOLATILE | ACCESS_ATOMIC));
    if (shadow_cell(span->address)->state == 0)
        shadow_populate(span->address, end);
    for (uintptr_t at = span->address; at < end; at = cell_next(at)) {
        struct cell *cell = shadow_cell(at);
        if (plain && cell_is_private(self, cell))
            cell_note(self, cell, span_bytes(span->address, end - span->address, at), site, span->flags & ACCESS_WRITE);
        else if (race_get_record(cell, at) != NULL)
            race_access(self, cell, at, cell_mask(at, end), pc, span);
    }
}

/* Nothing to check, to schedule or to record. */
static bool span_is_private(const struct task *self, const struct span *span)
{
    if (span->flags & (ACCESS_VOLATILE | ACCESS_ATOMIC))
        return false;
    uintptr_t end = span_end(span);
    for (uintptr_t at = span->address; at < end; at = cell_next(at)) {
        const struct cell *cell = shadow_peek(at);
        if (cell != NULL && !cell_is_private(self, cell))
            return false;
    }
    return true;
}

/* What the program is about to read. */
static uint64_t value_at(uintptr_t pc, const struct span *span)
{
    uint64_t value = 0;
    access_probe_pc = pc;
    for (size_t i = 0; i < span->size && i < sizeof value; i++)
        value |= (uint64_t)((const volatile unsigned char *)span->address)[i] << (8 * i);
    access_probe_pc = 0;
    return value;
}

static struct op op_of(uintptr_t pc, const struct span *span)
{
    return (struct op){
        .kind = span->flags & ACCESS_WRITE ? OP_WRITE : OP_READ,
        .flags = span->flags & ACCESS_VOLATILE ? OP_VOLATILE : 0,
        .pc = pc,
        .address = span->address,
        .size = span->size < UINT32_MAX ? (uint32_t)span->size : UINT32_MAX,
        .fd = -1,
        .deadline = RT_NEVER,
    };
}

/* Flags: EVENT_*. */
static void record_span(struct task *self, uintptr_t pc, const struct span *span, uint8_t flags)
{
    struct op op = op_of(pc, span);
    if (span->flags & ACCESS_WRITE)
        record_event(self, &op, 0, flags);
    else
        record_event(self, &op, value_at(pc, span), flags | EVENT_VALUE);
}

/* Does the plan stop at one of the next operations? */
static inline bool stops_within(const struct task *self, unsigned operations)
{
    return self->stop_at - self->operations - 1 < operations;
}

static bool spans_are_private(const struct task *self, uintptr_t pc, const struct span *spans, unsigned count)
{
    if (!site_is_private(pc))
        return false;
    for (unsigned i = 0; i < count; i++)
        if (!span_is_private(self, &spans[i]))
            return false;
    return true;
}

static void count_operations(struct task *self, unsigned count)
{
    self->operations += count;
    rt.wire->result.operations += count; /* large accesses take long: the driver must see that the program is alive */
}

/* With PLAN_TRANSITIONS: what it accesses besides what is published, as one range. */
static void add_further(const struct access *access, const struct span *published, struct op *op)
{
    uintptr_t lo = UINTPTR_MAX, hi = 0;
    for (unsigned i = 0; i < access->count; i++) {
        const struct span *span = &access->spans[i];
        if (!access->visible[i] || span == published)
            continue;
        lo = span->address < lo ? span->address : lo;
        hi = span_end(span) > hi ? span_end(span) : hi;
        op->more_writes |= (span->flags & ACCESS_WRITE) != 0;
    }
    if (lo >= hi)
        return;
    op->more = lo;
    op->more_size = hi - lo < UINT32_MAX ? (uint32_t)(hi - lo) : UINT32_MAX;
}

/* The scheduling point. */
static void publish(struct access *access)
{
    struct task *self = access->self;
    const struct span *spans = access->spans, *published = NULL;
    bool always = !site_is_private(access->pc);
    for (unsigned i = 0; i < access->count; i++) {
        /* Volatile data may be shared with a signal handler of the same thread: always a point. */
        bool wanted = always || (spans[i].flags & ACCESS_VOLATILE);
        bool visible = spans[i].size != 0 && !is_constant(&spans[i]) && (wanted || span_is_visible(self, &spans[i]));
        if (visible && (published == NULL || (spans[i].flags & ACCESS_WRITE)))
            published = &spans[i];
        access->visible[i] = visible;
    }
    if (published != NULL || stops_within(self, 1)) {
        struct op op = op_of(access->pc, published != NULL ? published : spans);
        if (published == NULL)
            op.flags |= OP_PRIVATE;
        else if (transitions_wanted())
            add_further(access, published, &op);
        sched_point(self, &op);
    } else {
        count_operations(self, 1);
    }
}

/* Checks and notes it with the shadow as it is now: other tasks may have run at the point. */
static void apply(struct access *access, unsigned index, const struct span *span)
{
    if (span->size == 0)
        return;
    access_check_heap(access->self, access->pc, span);
    access->visible[index] |= span_is_visible(access->self, span);
    apply_span(access->self, access->pc, span);
}

bool access_begin(struct access *access, unsigned further)
{
    struct task *self = access->self;
    if (!stops_within(self, 1 + further) && spans_are_private(self, access->pc, access->spans, access->count)) {
        count_operations(self, 1 + further);
        for (unsigned i = 0; i < access->count; i++)
            apply_span(self, access->pc, &access->spans[i]);
        return false;
    }
    publish(access);
    for (unsigned i = 0; i < access->count; i++)
        apply(access, i, &access->spans[i]);
    return true;
}

void access_record(struct access *access)
{
    for (unsigned i = 0; i < access->count; i++)
        if (access->visible[i])
            record_span(access->self, access->pc, &access->spans[i], 0);
        else if ((rt.flags & PLAN_ONLY_READ) && access->spans[i].flags == ACCESS_READ && access->spans[i].size != 0)
            spin_read_plain(access->self, access->pc, access->spans[i].address,
                            value_at(access->pc, &access->spans[i]));
}

void access_part(struct access *access, unsigned index, const struct span *part, bool again)
{
    if (again)
        apply(access, index, part);
    if (access->visible[index])
        record_span(access->self, access->pc, part, part->size < access->spans[index].size ? EVENT_PART : 0);
}

void access_spans(struct task *self, uintptr_t pc, const struct span *spans, unsigned count)
{
    struct access access = {.self = self, .pc = pc, .count = count};
    for (unsigned i = 0; i < count; i++)
        access.spans[i] = spans[i];
    if (access_begin(&access, 0))
        access_record(&access);
}

void access_range(struct task *self, uintptr_t pc, const void *address, size_t size, bool write)
{
    struct span span = {(uintptr_t)address, size, write ? ACCESS_WRITE : ACCESS_READ};
    if (size != 0)
        access_spans(self, pc, &span, 1);
}

/* Up to this size private accesses have a path of their own. */
enum { SHORT_RANGE = 16 };

/* A few cells of one leaf, all private. */
static __attribute__((noinline)) bool settle_cells(struct task *self, uintptr_t pc, uintptr_t address, uint32_t size,
                                                   bool write)
{
    uintptr_t base = shadow_base(address);
    struct cell *cell = shadow_at(base, address), *last = shadow_at(base, address + size - 1);
    for (const struct cell *one = cell; one <= last; one++)
        if (!cell_is_private(self, one))
            return false;
    if (cell->state == 0 && shadow_begins_page(address))
        shadow_begin_page(address & ~(uintptr_t)(WORD - 1));
    for (uintptr_t at = address; cell <= last; at = cell_next(at), cell++)
        cell_note(self, cell, span_bytes(address, size, at), site_entry(pc)->note, write);
    self->operations++;
    return true;
}

/* Private and plain: most accesses that do not take the fast path, mainly the first one to a word. */
static inline bool settle_private(struct task *self, uintptr_t pc, uintptr_t address, uint32_t size, bool write)
{
    uintptr_t base = shadow_base(address);
    unsigned further = tear_middles(address, size);
    if (stops_within(self, 1 + further) || base == 0 || !site_is_private(pc))
        return false;
    if (address % WORD + size > WORD) {
        bool settled =
            shadow_number(address) == shadow_number(address + size - 1) && settle_cells(self, pc, address, size, write);
        self->operations += settled ? further : 0;
        return settled;
    }
    struct cell *cell = shadow_at(base, address);
    if (!cell_is_private(self, cell))
        return false;
    if (cell->state == 0 && shadow_begins_page(address))
        shadow_begin_page(address & ~(uintptr_t)(WORD - 1));
    cell_note(self, cell, ((1u << size) - 1) << address % WORD, site_entry(pc)->note, write);
    self->operations++;
    return true;
}

/* Of words that are only read, and that this task has read before. */
static bool cells_are_read_again(const struct task *self, uintptr_t pc, const struct span *span)
{
    uintptr_t end = span->address + span->size;
    if (end <= span->address) /* a wild pointer */
        return false;
    for (uintptr_t at = span->address; at < end; at = cell_next(at)) {
        const struct cell *cell = shadow_peek(at);
        if (cell == NULL || !race_read_again(self, cell, at, cell_mask(at, end), pc, span))
            return false;
    }
    return true;
}

static __attribute__((noinline)) bool settle_read(struct task *self, uintptr_t pc, const struct span *span)
{
    unsigned further = tear_middles(span->address, span->size);
    if (stops_within(self, 1 + further) || !site_is_private(pc))
        return false;
    self->operations++; /* the one that is noted */
    bool settled = cells_are_read_again(self, pc, span);
    self->operations += settled ? further : UINT64_MAX;
    if (settled)
        spin_read_plain(self, pc, span->address,
                        value_at(pc, span)); /* a loop that reads other data each time does not wait */
    return settled;
}

/* The other spans are never looked at: to clear them would take longer than the rest. */
static inline void set_single(struct access *access, struct task *self, uintptr_t pc, const struct span *span)
{
    access->self = self;
    access->pc = pc;
    access->count = 1;
    access->spans[0] = *span;
    access->visible[0] = false;
}

static __attribute__((noinline)) void settle(struct task *self, uintptr_t pc, const struct span *span)
{
    task_go_inside(self);
    self->saved_errno = errno;
    struct access access;
    set_single(&access, self, pc, span);
    unsigned further = tear_middles(span->address, span->size);
    if (access_begin(&access, further))
        (further != 0 ? tear_access : access_record)(&access);
    errno = self->saved_errno;
    task_go_outside(self);
}

/* A torn access is not complete yet.  If it is a write, the program may read operands for it between the hook and the write itself.  No
   other task runs in between: such a read is done at once. */
static __attribute__((noinline)) bool settle_torn(struct task *self, uintptr_t pc, const struct span *span)
{
    bool undone = !(span->flags & ACCESS_WRITE) && tear_is_undone(self);
    task_go_inside(self);
    self->saved_errno = errno;
    if (undone) {
        struct access access;
        set_single(&access, self, pc, span);
        count_operations(self, 1 + tear_middles(span->address, span->size));
        apply(&access, 0, span);
        access.visible[0] |= !site_is_private(pc);
        access_record(&access);
    } else {
        tear_finish(self);
    }
    errno = self->saved_errno;
    task_go_outside(self);
    return undone;
}

/* The task is watched, or has been. */
static __attribute__((noinline)) void watch(struct task *self, uintptr_t pc, const struct span *span)
{
    if (rt.watching)
        watch_access(self, pc, span->address, value_at(pc, span));
    else
        task_go_outside(self);
}

/* Returns whether that was little work. */
static __attribute__((noinline)) bool settle_any(struct task *self, uintptr_t pc, uintptr_t address, size_t size,
                                                 unsigned flags, uintptr_t sp)
{
    struct span span = {address, size, flags};
    if (unlikely(self->torn != NULL) && settle_torn(self, pc, &span))
        return false;
    if (unlikely(self->key == TASK_WATCHED))
        watch(self, pc, &span);
    if (size <= SHORT_RANGE && (flags & ~(unsigned)ACCESS_WRITE) == 0 &&
        (settle_private(self, pc, address, (uint32_t)size, flags & ACCESS_WRITE) ||
         (flags == ACCESS_READ && (rt.flags & PLAN_ONLY_READ) && settle_read(self, pc, &span)))) {
        return likely(self->key != TASK_WATCHED);
    }
    if (unlikely(rt.watching))
        watch_state(self, sp);
    settle(self, pc, &span);
    return false;
}

/* ---- runs in which private reads are noted ----------------------------------------------------------------------------- */

enum { NOTING_STACK = 1 << 14 };
static RT_RARE _Alignas(16) unsigned char noting_stack[NOTING_STACK];

#define ACCESS_SLOW_USES __attribute__((used, visibility("hidden")))

/* The end of the stack, and the two functions that access_slow calls. */
ACCESS_SLOW_USES unsigned char *const access_noting_stack = noting_stack + NOTING_STACK;
ACCESS_SLOW_USES bool access_note(uintptr_t address, uintptr_t pc, size_t size, unsigned flags, uint64_t key,
                                  struct task *self);
ACCESS_SLOW_USES void access_settle(uintptr_t address, uintptr_t pc, size_t size, unsigned flags);
_Static_assert(offsetof(struct task, key) == ARCH_TASK_KEY, "access_slow has it");
_Static_assert(TASK_INSIDE == ARCH_TASK_INSIDE, "access_slow has it");
_Static_assert(sizeof site_noting == 1, "access_slow reads a byte");
__asm__(ARCH_ACCESS_SLOW);

/* access_settle will find no event in this read. */
static bool read_is_private(struct task *self, uintptr_t pc, const struct span *span)
{
    if (span->size > SHORT_RANGE || stops_within(self, 1 + tear_middles(span->address, span->size)) ||
        !site_is_private(pc))
        return false;
    return span_is_private(self, span) || ((rt.flags & PLAN_ONLY_READ) && cells_are_read_again(self, pc, span));
}

/* The guard is held; the task had `key` before.  Does what the fast path would do, which is kept from it (site_noting), and keeps private reads
   among the last ones.  Locals of the task's own stack are left out.  False: the access is still to be done. */
bool access_note(uintptr_t address, uintptr_t pc, size_t size, unsigned flags, uint64_t key, struct task *self)
{
    if (key != self->epoch || self->torn != NULL)
        return false;
    struct span span = {address, size, flags};
    const struct site_entry *site = site_entry(pc);
    bool settled = size <= 2 * WORD && (flags & ~(unsigned)ACCESS_WRITE) == 0 && site->pc == ~pc &&
                   access_is_settled(self, key, site->note, address, (uint32_t)size, flags & ACCESS_WRITE);
    if (flags != ACCESS_READ || address - self->stack_lo < self->stack_hi - self->stack_lo || is_constant(&span))
        return settled;
    if (settled || read_is_private(self, pc, &span)) {
        struct op op = op_of(pc, &span);
        record_private(self, &op, value_at(pc, &span));
    }
    return settled;
}

/* ---- all accesses ------------------------------------------------------------------------------------------------------ */

void access_settle(uintptr_t address, uintptr_t pc, size_t size, unsigned flags)
{
    struct task *self = rt_self;
    if (task_is_inside(self))
        return;
    if (settle_any(self, pc, address, size, flags, (uintptr_t)__builtin_dwarf_cfa()))
        leftover_clear_shallow(self);
    else
        leftover_clear(self);
}

bool access_announce(struct task *self, struct op *op, const struct span *span)
{
    bool visible = (!site_is_private(op->pc) && !is_constant(span)) || span_is_visible(self, span);
    if (visible || stops_within(self, 1)) {
        op->flags |= visible ? 0 : OP_PRIVATE;
        sched_point(self, op);
    } else {
        count_operations(self, 1);
    }
    access_check_heap(self, op->pc, span);
    return visible || span_is_visible(self, span);
}

void access_atomic(struct task *self, uintptr_t pc, uintptr_t address, uint32_t size, bool loads, bool stores,
                   int order)
{
    uintptr_t end = address + size;
    for (uintptr_t at = address; at < end && loads; at = cell_next(at)) {
        struct record *record = race_get_record(shadow_cell(at), at);
        if (record != NULL)
            order_load(self, record, cell_mask(at, end), order);
    }
    struct span span = {address, size, ACCESS_ATOMIC | (stores ? ACCESS_WRITE : ACCESS_READ)};
    apply_span(self, pc, &span);
    for (uintptr_t at = address; at < end && stores; at = cell_next(at)) {
        struct record *record = race_get_record(shadow_cell(at), at);
        if (record != NULL)
            order_store(self, record, cell_mask(at, end), order, loads);
    }
    if (stores)
        order_released(self, order);
}

void access_annotate(struct task *self, uintptr_t address, bool release)
{
    struct record *record = race_get_record(shadow_cell(address), address);
    if (record == NULL)
        return;
    unsigned mask = 1u << (address % WORD);
    if (release) {
        order_store(self, record, mask, __ATOMIC_RELEASE, true);
        order_released(self, __ATOMIC_RELEASE);
    } else {
        order_load(self, record, mask, __ATOMIC_ACQUIRE);
    }
}
