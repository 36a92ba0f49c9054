/* SPDX-License-Identifier: MIT
 *
 * tear.c - see tear.h.
 */
#include "runtime/tear.h"

#include <assert.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "runtime/arch/arch.h"
#include "runtime/init.h"
#include "runtime/raw.h"
#include "runtime/record.h"
#include "runtime/sched/sched.h"

/* ---- pieces ---------------------------------------------------------------------------------------------------------- */

struct pieces {
    unsigned count;
    size_t ends[TEAR_CUTS + 2]; /* piece i is [ends[i], ends[i + 1]) */
};

/* Large accesses are cut at places that vary from run to run. */
static void cut(struct pieces *pieces, uintptr_t address, size_t size, uint64_t time)
{
    unsigned cuts = tear_cuts(address, size);
    size_t unit = size <= TEAR_PIECE ? TEAR_LINE : TEAR_PIECE, first = unit - address % unit;
    size_t all = size <= TEAR_PIECE ? cuts : (size - first - 1) / unit + 1;
    pieces->count = cuts + 1;
    pieces->ends[0] = 0;
    for (unsigned i = 0; i < cuts; i++) {
        size_t at = i, share = all / cuts;
        if (all > cuts)
            at = i * share + rt_mix(time + i) % share;
        pieces->ends[i + 1] = first + at * unit;
    }
    pieces->ends[cuts + 1] = size;
}

/* ---- work in steps ----------------------------------------------------------------------------------------------------- */

struct tearing {
    struct access *access;
    const struct span *read, *written; /* of the access; NULL: does not */
    struct pieces pieces;
    unsigned steps;
    bool separate; /* reads and writes each piece in two steps */
    bool down;
    bool asks, asks_between; /* whether the scheduler is asked: at all, and between reading and writing a piece */
    unsigned recorded;       /* steps */
    void (*step)(struct tearing *work, size_t offset, size_t size, bool second);
    unsigned char *bytes; /* of the current step */
    uint64_t word;
    int byte;
};

static void find_spans(struct tearing *work)
{
    struct access *access = work->access;
    bool visible[2] = {false, false};
    assert(access->count > 0);
    for (unsigned i = 0; i < access->count; i++) {
        bool write = access->spans[i].flags & ACCESS_WRITE;
        *(write ? &work->written : &work->read) = &access->spans[i];
        visible[write] = access->visible[i];
    }
    work->asks_between = visible[0] && visible[1];
    work->asks = visible[0] || visible[1];
}

/* How many pieces have been read or written after so many steps. */
static unsigned pieces_done(const struct tearing *work, unsigned steps, bool write)
{
    return work->separate ? (steps + (write ? 0 : 1)) / 2 : steps;
}

/* The bytes of the pieces number `from` to `to` of those that are done one after the other. */
static struct span part(const struct tearing *work, const struct span *span, unsigned from, unsigned to)
{
    const struct pieces *pieces = &work->pieces;
    unsigned lo = work->down ? pieces->count - to : from, hi = work->down ? pieces->count - from : to;
    size_t end = hi == pieces->count ? span->size : pieces->ends[hi];
    return (struct span){span->address + pieces->ends[lo], end - pieces->ends[lo], span->flags};
}

static void record_part(struct tearing *work, const struct span *span, unsigned steps)
{
    if (span == NULL)
        return;
    bool write = span->flags & ACCESS_WRITE;
    unsigned from = pieces_done(work, work->recorded, write), to = pieces_done(work, steps, write);
    if (from == to)
        return;
    struct span done = part(work, span, from, to);
    access_part(work->access, (unsigned)(span - work->access->spans), &done, work->recorded != 0);
}

/* Records the pieces that have been done since the last call. */
static void record(struct tearing *work, unsigned steps)
{
    record_part(work, work->read, steps);
    record_part(work, work->written, steps);
    work->recorded = steps;
}

static void do_step(struct tearing *work, unsigned number)
{
    unsigned piece = work->separate ? number / 2 : number;
    if (work->down)
        piece = work->pieces.count - 1 - piece;
    size_t offset = work->pieces.ends[piece];
    access_probe_pc = work->access->pc;
    work->step(work, offset, work->pieces.ends[piece + 1] - offset, work->separate && number % 2 == 1);
    access_probe_pc = 0;
}

/* The rest of the access after so many steps, as a published operation. */
static struct op rest_of(const struct tearing *work, unsigned steps)
{
    const struct span *span = work->written != NULL ? work->written : work->read;
    struct span rest = part(work, span, pieces_done(work, steps, span->flags & ACCESS_WRITE), work->pieces.count);
    return (struct op){.kind = OP_NONE,
                       .flags = OP_PRIVATE, /* a handler that was put off stays put off */
                       .pc = work->access->pc,
                       .address = rest.address,
                       .size = (uint32_t)(rest.size < UINT32_MAX ? rest.size : UINT32_MAX),
                       .fd = -1,
                       .deadline = RT_NEVER};
}

static struct task *ask(struct tearing *work, unsigned steps)
{
    struct op rest = rest_of(work, steps);
    bool between = work->separate && steps % 2 == 1;
    return sched_middle(work->access->self, &rest, between ? work->asks_between : work->asks);
}

/* NULL: the access is not torn.  Else the task that goes on after *steps steps. */
static struct task *decide(struct tearing *work, unsigned *steps)
{
    work->asks = work->asks && sched_tears();
    work->asks_between = work->asks_between && work->asks;
    for (unsigned down = 0; down < (work->pieces.count > 1 ? 2 : 1); down++) {
        work->down = down;
        for (*steps = 1; *steps < work->steps; ++*steps) {
            struct task *next = ask(work, *steps);
            if (next != NULL)
                return next;
        }
    }
    work->down = false;
    return NULL;
}

static void check_rest(const struct tearing *work, unsigned steps)
{
    const struct span *spans[] = {work->read, work->written};
    for (unsigned i = 0; i < 2; i++) {
        if (spans[i] == NULL)
            continue;
        struct span rest = part(work, spans[i], pieces_done(work, steps, i == 1), work->pieces.count);
        if (rest.size != 0)
            access_check_heap(work->access->self, work->access->pc, &rest);
    }
}

/* So many steps have been done; `next` goes on.  Returns when all have been done. */
static void go_on(struct tearing *work, unsigned steps, struct task *next, uint64_t operation)
{
    struct task *self = work->access->self;
    while (steps < work->steps) {
        record(work, steps);
        struct op rest = rest_of(work, steps);
        sched_leave(self, &rest, operation, next);
        check_rest(work, steps);
        do
            do_step(work, steps++);
        while (steps < work->steps && (next = ask(work, steps)) == NULL);
        operation = self->operations;
    }
    record(work, work->steps);
}

/* It has been decided that `next` goes on after so many steps. */
static void do_torn(struct tearing *work, unsigned steps, struct task *next)
{
    for (unsigned i = 0; i < steps; i++)
        do_step(work, i);
    go_on(work, steps, next, work->access->self->operations);
}

/* True: the access was torn, and is done.  False: nothing was done. */
static bool do_here(struct tearing *work)
{
    unsigned steps;
    struct task *next = decide(work, &steps);
    if (next != NULL)
        do_torn(work, steps, next);
    else
        record(work, work->steps);
    return next != NULL;
}

/* ---- what libc's functions do ------------------------------------------------------------------------------------------- */

static void copy_step(struct tearing *work, size_t offset, size_t size, bool second)
{
    char *to = (char *)work->written->address + offset;
    const char *from = (const char *)work->read->address + offset;
    if (!work->separate)
        raw_copy(to, from, size);
    else if (second)
        raw_copy(to, &work->word, size);
    else
        raw_copy(&work->word, from, size);
}

static bool overlap(const void *to, const void *from, size_t size)
{
    return (uintptr_t)to - (uintptr_t)from < size || (uintptr_t)from - (uintptr_t)to < size;
}

/* Pieces follow the pointer that is aligned better. */
static uintptr_t copy_alignment(const void *to, const void *from)
{
    uintptr_t t = (uintptr_t)to | TEAR_PIECE, f = (uintptr_t)from | TEAR_PIECE;
    return (t & -t) >= (f & -f) ? (uintptr_t)to : (uintptr_t)from;
}

/* Pieces of one word are read and written in two steps. */
static bool copies_words(size_t size)
{
    return size <= TEAR_CUTS * TEAR_PIECE;
}

unsigned tear_copy_middles(const void *to, const void *from, size_t size)
{
    if (size == 0 || overlap(to, from, size))
        return 0;
    unsigned pieces = tear_cuts(copy_alignment(to, from), size) + 1;
    if (pieces == 1)
        return 1;
    return 2 * ((copies_words(size) ? 2 : 1) * pieces - 1);
}

bool tear_copy(struct access *access, void *to, const void *from, size_t size)
{
    struct tearing work = {.access = access, .step = copy_step};
    find_spans(&work);
    if (size == 0 || overlap(to, from, size)) {
        access_record(access);
        return false;
    }
    cut(&work.pieces, copy_alignment(to, from), size, access->self->operations);
    work.separate = copies_words(size);
    work.steps = work.pieces.count * (work.separate ? 2 : 1);
    return do_here(&work);
}

static void fill_step(struct tearing *work, size_t offset, size_t size, bool second)
{
    (void)second;
    raw_fill((char *)work->written->address + offset, work->byte, size);
}

bool tear_fill(struct access *access, void *to, int byte, size_t size)
{
    struct tearing work = {.access = access, .step = fill_step, .byte = byte};
    find_spans(&work);
    cut(&work.pieces, (uintptr_t)to, size, access->self->operations);
    work.steps = work.pieces.count;
    return do_here(&work);
}

/* ---- the program's own accesses ------------------------------------------------------------------------------------------- */

struct torn {
    struct access access;
    struct tearing work;
    struct task *next; /* write: the task that goes on in the middle of it; NULL: it is a read */
    uint64_t operation;
    unsigned steps;
    size_t size;
    unsigned char bytes[]; /* write: old, then new.  Read: the real content, then what the program reads */
};

static struct torn *torn_new(const struct tearing *work)
{
    size_t size = work->access->spans[0].size;
    struct torn *torn = rt_alloc(sizeof *torn + 2 * size);
    torn->size = size;
    torn->access = *work->access;
    torn->work = *work;
    torn->work.access = &torn->access;
    torn->work.bytes = torn->bytes + size;
    if (work->read != NULL)
        torn->work.read = &torn->access.spans[0];
    else
        torn->work.written = &torn->access.spans[0];
    return torn;
}

static void torn_drop(struct torn *torn)
{
    rt_free(torn, sizeof *torn + 2 * torn->size);
}

/* The program may have unmapped the memory since. */
static bool is_mapped(const struct torn *torn)
{
    char bytes[2];
    const char *first = (const char *)torn->access.spans[0].address, *last = first + torn->size - 1;
    struct iovec here = {bytes, sizeof bytes}, there[] = {{(void *)first, 1}, {(void *)last, 1}};
    long got = syscall_raw(SYS_process_vm_readv, raw_getpid(), (long)&here, 1, (long)there, 2, 0);
    return got == sizeof bytes || got == -ENOSYS || got == -EPERM;
}

static void read_step(struct tearing *work, size_t offset, size_t size, bool second)
{
    (void)second;
    raw_copy(work->bytes + offset, (const char *)work->read->address + offset, size);
}

static void write_step(struct tearing *work, size_t offset, size_t size, bool second)
{
    (void)second;
    raw_copy((char *)work->written->address + offset, work->bytes + offset, size);
}

/* Writes into memory what the torn read returns, until the next hook. */
static void present(struct torn *torn)
{
    unsigned char *memory = (unsigned char *)torn->access.spans[0].address, *read = torn->bytes + torn->size;
    bool same = true;
    access_probe_pc = torn->access.pc;
    for (size_t i = 0; i < torn->size; i++) {
        torn->bytes[i] = memory[i];
        same &= memory[i] == read[i];
    }
    if (!same)
        raw_copy(memory, read, torn->size);
    access_probe_pc = 0;
    if (same)
        torn_drop(torn);
    else
        torn->access.self->torn = torn;
}

static void tear_read(struct tearing *work, unsigned steps, struct task *next)
{
    struct torn *torn = torn_new(work);
    do_torn(&torn->work, steps, next);
    present(torn);
}

/* The program is about to write. */
static void tear_write(struct tearing *work, unsigned steps, struct task *next)
{
    record(work, steps);
    struct torn *torn = torn_new(work);
    struct task *self = work->access->self;
    torn->next = next;
    torn->operation = self->operations;
    torn->steps = steps;
    access_probe_pc = work->access->pc;
    raw_copy(torn->bytes, (const void *)work->written->address, torn->size);
    access_probe_pc = 0;
    self->stop_at = UINT64_MAX; /* all that it does until the next hook belongs to this step */
    self->torn = torn;
}

void tear_access(struct access *access)
{
    const struct span *span = &access->spans[0];
    bool write = span->flags & ACCESS_WRITE;
    struct tearing work = {.access = access, .step = write ? write_step : read_step};
    find_spans(&work);
    cut(&work.pieces, span->address, span->size, access->self->operations);
    work.steps = work.pieces.count;
    unsigned steps;
    struct task *next = decide(&work, &steps);
    if (next == NULL)
        record(&work, work.steps);
    else
        (write ? tear_write : tear_read)(&work, steps, next);
}

bool tear_is_undone(const struct task *self)
{
    const struct torn *torn = self->torn;
    const unsigned char *memory = (const unsigned char *)torn->access.spans[0].address;
    if (torn->next == NULL)
        return false;
    for (size_t i = 0; i < torn->size; i++)
        if (memory[i] != torn->bytes[i])
            return false;
    return true;
}

/* Bytes that have been written since are kept. */
static void put_back(struct torn *torn)
{
    unsigned char *memory = (unsigned char *)torn->access.spans[0].address, *read = torn->bytes + torn->size;
    for (size_t i = 0; i < torn->size; i++)
        if (memory[i] == read[i] && read[i] != torn->bytes[i])
            memory[i] = torn->bytes[i];
}

static void no_step(struct tearing *work, size_t offset, size_t size, bool second)
{
    (void)work;
    (void)offset;
    (void)size;
    (void)second;
}

/* The program has done the whole write.  Other tasks must see only a part of it. */
static void finish_write(struct torn *torn, bool mapped)
{
    struct tearing *work = &torn->work;
    unsigned char *memory = (unsigned char *)work->written->address;
    if (mapped) {
        raw_copy(work->bytes, memory, torn->size);
        record_settle(torn->access.self);
        struct span rest = part(work, work->written, torn->steps, work->pieces.count);
        raw_copy((void *)rest.address, torn->bytes + (rest.address - work->written->address), rest.size);
    } else {
        work->step = no_step;
    }
    go_on(work, torn->steps, torn->next, torn->operation);
}

void tear_finish(struct task *self)
{
    struct torn *torn = self->torn;
    self->torn = NULL;
    bool mapped = is_mapped(torn);
    if (torn->next != NULL)
        finish_write(torn, mapped);
    else if (mapped)
        put_back(torn);
    torn_drop(torn);
}
