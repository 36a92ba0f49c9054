/* SPDX-License-Identifier: MIT
 *
 * heap.c - heap blocks with header and red zone, quarantine of freed ones, and the reports of heap errors.
 *
 * DESIGN
 *   piece of the pool:  [ padding for alignment | header, 80 bytes | the block's memory | red zone ]
 *   An index that is wrong is mostly wrong by a little, or by a few elements.  So the red zone of the first blocks of a run is some hundred bytes long,
 *   more for larger ones; that of the many blocks that some programs make is short, since its shadow costs time and memory.  Which it is depends
 *   on the number of blocks made before, so on the sequence of calls alone.
 *   The shadow of header and red zone is REDZONE, of the last and partly used word EDGE, of freed memory FREED; each points
 *   to the header, which says where the block was allocated and freed.  A freed block is not used again until QUARANTINE_BYTES or
 *   QUARANTINE_BLOCKS of later ones are freed, in order, so that a stale pointer finds FREED cells and not a new block.
 *   Big blocks (own mappings) are unmapped at once: an access by a stale pointer is then a fault.
 *   It may be called without the baton (in an uncontrolled call, in a forked child): hence the lock.
 */
#include "runtime/oracle/heap.h"

#include <sys/syscall.h>

#include "runtime/arch/arch.h"
#include "runtime/init.h"
#include "runtime/oracle/leak.h"
#include "runtime/pool.h"
#include "runtime/raw.h"
#include "runtime/record.h"
#include "runtime/transitions.h"

enum {
    RED_ZONE_UNIT = 16,
    RED_ZONE_LEAST = 16,
    RED_ZONE_FIRST = 320, /* of the first blocks */
    RED_ZONE_MOST = 2048,
    FIRST_BLOCKS = 4096,
    FIRST_OPERATIONS = 65536, /* the same for tasks with blocks of their own */
    QUARANTINE_BYTES = 16 << 20,
    QUARANTINE_BLOCKS = 65536
};

_Static_assert(sizeof(struct block) == 80, "a header keeps the memory after it aligned");
_Static_assert(RED_ZONE_MOST / RED_ZONE_UNIT <= UINT8_MAX, "it fits into the header");

/* Combined with the address: a copy of a header at another address is not valid. */
#define MAGIC_LIVE  0x4b434f4c42455649ull
#define MAGIC_FREED 0x4b434f4c42444546ull

static struct {
    struct block *first, **last;
    size_t bytes;
    uint32_t count;
} quarantine = {.last = &quarantine.first};

/* ---- lock ------------------------------------------------------------------------------------------------------------ */

static int lock_word;

static void lock(void)
{
    for (unsigned tries = 0; __atomic_exchange_n(&lock_word, 1, __ATOMIC_ACQUIRE) != 0; tries++) {
        if (tries > 1u << 20)
            return; /* the thread that held it does not exist in this forked child */
        syscall_raw(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
    }
}

static void unlock(void)
{
    __atomic_store_n(&lock_word, 0, __ATOMIC_RELEASE);
}

/* ---- blocks ---------------------------------------------------------------------------------------------------------- */

static uint32_t blocks_made; /* by the program under control */

/* The addresses of a task's blocks are not to depend on what other tasks do. */
static bool is_own(const struct task *self)
{
    return self != NULL && (rt.flags & PLAN_SAME_HEAP) && rt.task_count > 1;
}

/* Of the next block, in units. */
static unsigned red_zone_for(size_t size)
{
    size_t bytes = RED_ZONE_LEAST;
    const struct task *self = rt_self;
    if (self != NULL && (is_own(self) ? self->operations < FIRST_OPERATIONS : blocks_made < FIRST_BLOCKS))
        bytes = size / 4 < RED_ZONE_FIRST ? RED_ZONE_FIRST : size / 4 < RED_ZONE_MOST ? size / 4 : RED_ZONE_MOST;
    return (unsigned)(bytes / RED_ZONE_UNIT);
}

static size_t size_of_piece(size_t size, unsigned alignment, unsigned distance)
{
    return sizeof(struct block) + (alignment != 0 ? (size_t)1 << alignment : 0) + size +
           (size_t)distance * RED_ZONE_UNIT;
}

static size_t piece_size(const struct block *block)
{
    return size_of_piece(block->size, block->alignment, block->distance);
}

static void *piece_of(const struct block *block)
{
    return (void *)(block_memory(block) - block->offset);
}

static uintptr_t round_up(uintptr_t address, size_t alignment)
{
    return (address + alignment - 1) & ~(uintptr_t)(alignment - 1);
}

static uintptr_t red_zone_end(const struct block *block)
{
    /* pieces are multiples of 16 */
    return round_up(block_memory(block) + block->size + (size_t)block->distance * RED_ZONE_UNIT, WORD);
}

/* The shadow of memory that comes from the pool is clear. */
static void mark_live(const struct block *block)
{
    uintptr_t memory = block_memory(block), end = memory + block->size;
    shadow_mark((uintptr_t)block, memory, CELL_REDZONE, block);
    if (end % WORD != 0)
        shadow_mark_edge(end, end % WORD);
    shadow_mark(round_up(end, WORD), red_zone_end(block), CELL_REDZONE, block);
}

/* Where the function that the task is in was called from; 0: not known. */
static uintptr_t caller_of(const struct task *self)
{
    return self != NULL && self->depth > 0 && self->depth <= TASK_FRAMES ? self->frames[self->depth - 1].pc : 0;
}

static void sign(struct block *block, size_t size, unsigned alignment, unsigned distance, uint32_t offset, uintptr_t pc)
{
    const struct task *self = rt_self;
    *block = (struct block){
        .magic = MAGIC_LIVE ^ (uintptr_t)block,
        .size = size,
        .offset = offset,
        .pc = pc,
        .caller = caller_of(self),
        .alignment = (uint8_t)alignment,
        .distance = (uint8_t)distance,
        .operation = self != NULL ? self->operations : 0,
        .task = self != NULL ? (uint16_t)self->id : HEAP_NO_TASK,
        .free_task = HEAP_NO_TASK,
    };
}

/* Which blocks are neighbours differs from schedule to schedule, so that an access far beyond a block does not always hit the same one.  It depends
   on the operation numbers of the tasks: a replay has the same neighbours, and so has a run that is continued. */
static unsigned pieces_to_pass(void)
{
    enum { TASKS = 16, PASSED_AT_MOST = 3 };
    const struct task *self = rt_self;
    if (self == NULL || rt.task_count < 2 || is_own(self))
        return 0;
    uint64_t hash = self->operations;
    for (uint32_t i = 0; i < rt.task_count && i < TASKS; i++)
        if (rt.tasks[i] != NULL && rt.tasks[i] != self)
            hash = rt_mix(hash ^ rt.tasks[i]->parked_at);
    return (unsigned)(rt_mix(hash) % (PASSED_AT_MOST + 1));
}

static char *new_piece(size_t size, bool *zeroed)
{
    const struct task *self = rt_self;
    if (is_own(self)) {
        char *piece = pool_allocate_own(self->id, size);
        *zeroed = true;
        if (piece != NULL)
            return piece;
        transition_beyond(BEYOND_ADDRESS);
    }
    return pool_allocate(size, pieces_to_pass(), zeroed);
}

void *heap_allocate(size_t size, size_t alignment, bool zero, uintptr_t pc)
{
    if (size > PTRDIFF_MAX / 2 || alignment > (size_t)1 << 30)
        return NULL;
    unsigned more = alignment > 16 ? (unsigned)__builtin_ctzl(alignment) : 0;
    bool zeroed;
    lock();
    unsigned distance = red_zone_for(size);
    char *piece = new_piece(size_of_piece(size, more, distance), &zeroed);
    if (piece == NULL) {
        unlock();
        return NULL;
    }
    uintptr_t memory = round_up((uintptr_t)piece + sizeof(struct block), alignment);
    struct block *block = (struct block *)memory - 1;
    sign(block, size, more, distance, (uint32_t)(memory - (uintptr_t)piece), pc);
    mark_live(block);
    blocks_made += rt_self != NULL;
    if (rt_self != NULL)
        leak_made(block);
    unlock();
    if (zero && !zeroed)
        raw_fill((void *)memory, 0, size);
    return (void *)memory;
}

/* The header that the shadow before the pointer points to, of a live or freed block. */
static struct block *header_at(const void *pointer)
{
    uintptr_t memory = (uintptr_t)pointer;
    if ((memory & 15) != 0 || memory < sizeof(struct block))
        return NULL;
    const struct cell *cell = shadow_peek(memory - WORD);
    if (cell == NULL || cell_kind(cell->state) != CELL_REDZONE || cell->detail != memory - sizeof(struct block))
        return NULL;
    return (struct block *)cell->detail;
}

static bool is_live(const struct block *block)
{
    return block->magic == (MAGIC_LIVE ^ (uintptr_t)block);
}

static bool is_freed(const struct block *block)
{
    return block->magic == (MAGIC_FREED ^ (uintptr_t)block);
}

struct block *heap_find(const void *pointer)
{
    struct block *block = header_at(pointer);
    return block != NULL && is_live(block) ? block : NULL;
}

/* ---- freeing --------------------------------------------------------------------------------------------------------- */

static void give_back(struct block *block)
{
    if (piece_size(block) <= POOL_LARGEST)
        shadow_unmark((uintptr_t)block, red_zone_end(block));
    else
        shadow_clear((uintptr_t)block, red_zone_end(block));
    pool_release(piece_of(block), piece_size(block));
}

static void shorten_quarantine(void)
{
    while (quarantine.bytes > QUARANTINE_BYTES || quarantine.count > QUARANTINE_BLOCKS) {
        struct block *block = quarantine.first;
        quarantine.first = block->next;
        if (block->next == NULL)
            quarantine.last = &quarantine.first;
        quarantine.bytes -= piece_size(block);
        quarantine.count--;
        give_back(block);
    }
}

static void enter_quarantine(struct block *block, const struct task *self, uintptr_t pc)
{
    block->magic = MAGIC_FREED ^ (uintptr_t)block;
    block->free_pc = pc;
    block->free_caller = caller_of(self);
    block->free_task = (uint16_t)self->id;
    block->free_operation = self->operations;
    shadow_mark(block_memory(block), round_up(block_memory(block) + block->size, WORD), CELL_FREED, block);
    block->next = NULL;
    *quarantine.last = block;
    quarantine.last = &block->next;
    quarantine.bytes += piece_size(block);
    quarantine.count++;
    shorten_quarantine();
}

void heap_free(struct block *block, uintptr_t pc)
{
    const struct task *self = rt_self;
    lock();
    leak_freed(block);
    if (self != NULL && rt.controlled && piece_size(block) <= POOL_LARGEST)
        enter_quarantine(block, self, pc);
    else
        give_back(block);
    unlock();
}

void *heap_resize(struct block *block, size_t size, uintptr_t pc)
{
    size_t old_size = piece_size(block);
    if (size > PTRDIFF_MAX / 2 || block->alignment != 0 || old_size <= POOL_LARGEST ||
        size_of_piece(size, 0, block->distance) <= POOL_LARGEST || is_own(rt_self))
        return NULL;
    lock();
    leak_freed(block);
    shadow_clear((uintptr_t)block, red_zone_end(block));
    unsigned distance = block->distance;
    struct block *moved = pool_resize(block, old_size, size_of_piece(size, 0, distance));
    if (moved != NULL)
        sign(moved, size, 0, distance, sizeof(struct block), pc);
    mark_live(moved != NULL ? moved : block);
    if (rt_self != NULL)
        leak_made(moved != NULL ? moved : block);
    unlock();
    return moved != NULL ? (void *)block_memory(moved) : NULL;
}

static void visit_region(uintptr_t lo, uintptr_t hi, void (*visit)(const struct block *block))
{
    for (uintptr_t at = lo; at < hi; at += 16) {
        const struct cell *cell = shadow_peek(at); /* the first cell of a header points to the header itself */
        if (cell == NULL || cell_kind(cell->state) != CELL_REDZONE || cell->detail != at)
            continue;
        const struct block *block = (const struct block *)at;
        if (is_live(block))
            visit(block);
    }
}

void heap_each(void (*visit)(const struct block *block))
{
    uintptr_t lo, hi;
    for (unsigned i = 0; pool_region(i, &lo, &hi); i++)
        visit_region(lo, hi, visit);
}

/* ---- reports --------------------------------------------------------------------------------------------------------- */

static void describe_block(struct wire_finding *finding, const struct block *block, bool freed)
{
    finding->block = block_memory(block);
    finding->block_size = block->size;
    finding->block_pc = block->pc;
    finding->block_caller = block->caller;
    finding->freed_caller = freed ? block->free_caller : 0;
    uint16_t task = freed ? block->free_task : block->task;
    finding->other = (struct wire_access){
        .task = task != HEAP_NO_TASK ? task : 0, /* before control only main's thread runs */
        .op = freed ? OP_FREE : OP_ALLOC,
        .size = block->size < UINT32_MAX ? (uint32_t)block->size : UINT32_MAX,
        .pc = freed ? block->free_pc : block->pc,
        .address = block_memory(block),
        .operation = freed ? block->free_operation : block->operation,
    };
}

extern char __executable_start[] __attribute__((weak)), _end[] __attribute__((weak));
extern void *__libc_stack_end;

/* In a thread's stack or the program's own static data: no allocator can have returned it. */
static bool is_static_or_stack(const struct task *self, uintptr_t address)
{
    if (address >= (uintptr_t)__executable_start && address < (uintptr_t)_end)
        return true;
    if (self->id == 0 && address >= (uintptr_t)__builtin_frame_address(0) && address < (uintptr_t)__libc_stack_end)
        return true;
    for (uint32_t i = 0; i < rt.task_count; i++)
        if (rt.tasks[i] != NULL && !rt.tasks[i]->ended && address >= rt.tasks[i]->stack_lo &&
            address < rt.tasks[i]->stack_hi)
            return true;
    return false;
}

void heap_report_free(struct task *self, const void *pointer, uintptr_t pc)
{
    if (!(rt.flags & PLAN_HEAP))
        return;
    uintptr_t address = (uintptr_t)pointer;
    const struct block *block = header_at(pointer);
    struct wire_finding *finding;
    if (block != NULL && is_freed(block)) {
        finding = finding_add(self, KIND_DOUBLE_FREE, pc, address, "the block of %lu bytes is freed a second time",
                              (unsigned long)block->size);
        describe_block(finding, block, true);
    } else if (block != NULL) {
        finding = finding_add(self, KIND_OUT_OF_BLOCK, pc, address,
                              "the memory in front of a block that is being freed was overwritten");
    } else if (pool_owns(pointer)) {
        finding = finding_add(self, KIND_INVALID_FREE, pc, address,
                              "the pointer that is freed is inside the heap but not the beginning of a block");
    } else if (is_static_or_stack(self, address)) {
        finding = finding_add(self, KIND_INVALID_FREE, pc, address, "memory that is not on the heap is freed");
    } else {
        return;
    }
    finding->here.op = OP_FREE;
    finding_fail(finding);
}

/* Where `at` is, seen from the block. */
static const char *place_in(const struct block *block, uintptr_t at, unsigned long *distance)
{
    uintptr_t memory = block_memory(block);
    if (at < memory) {
        *distance = memory - at;
        return "bytes before";
    }
    *distance = at - memory;
    if (at < memory + block->size)
        return "bytes into";
    *distance -= block->size;
    return "bytes after the end of";
}

static const struct block *block_of_edge(uintptr_t at)
{
    const struct cell *next = shadow_peek(cell_next(at)); /* the red zone follows */
    return next != NULL && cell_kind(next->state) == CELL_REDZONE ? (const struct block *)next->detail : NULL;
}

void heap_report_access(struct task *self, uintptr_t pc, const struct span *span, uintptr_t at, const struct cell *cell)
{
    unsigned kind = cell_kind(cell->state);
    bool freed = kind == CELL_FREED, write = span->flags & ACCESS_WRITE;
    const struct block *block = freed || kind == CELL_REDZONE ? (const struct block *)cell->detail : block_of_edge(at);
    if (!freed && block != NULL && at >= block_memory(block) && at < block_memory(block) + block->size)
        at = block_memory(block) + block->size; /* the first byte that is wrong */
    if (block != NULL && is_freed(block))
        freed = true; /* next to a freed block: the release is reported */
    unsigned long distance = 0;
    const char *place = block != NULL ? place_in(block, at, &distance) : "bytes after";
    struct wire_finding *finding = finding_add(self, freed ? KIND_USE_AFTER_FREE : KIND_OUT_OF_BLOCK, pc, at,
                                               "%s of %lu bytes, %lu %s a %sblock of %lu bytes",
                                               write ? "write" : "read", (unsigned long)span->size, distance, place,
                                               freed ? "freed " : "", block != NULL ? (unsigned long)block->size : 0);
    finding->here.op = span->flags & ACCESS_ATOMIC ? (write ? OP_ATOMIC_STORE : OP_ATOMIC_LOAD)
                       : write                     ? OP_WRITE
                                                   : OP_READ;
    finding->here.size = span->size < UINT32_MAX ? (uint32_t)span->size : UINT32_MAX;
    finding->here.flags = span->flags & ACCESS_VOLATILE ? EVENT_VOLATILE : 0;
    if (block != NULL)
        describe_block(finding, block, freed);
    finding_fail(finding);
}
