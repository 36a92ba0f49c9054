/* SPDX-License-Identifier: MIT
 *
 * alone_trace.c - what a module that runs alone does: the functions that -fsanitize=thread calls.
 *
 * The trace of a call is the order of its accesses, lock operations and functions, by their places in the code.  A place counts twice at
 * most, so that a longer list does not make another trace for each of its lengths.
 */
#include "harness/alone.h"
#include "util/hash.h"

extern char __executable_start[];
enum { PLACE_COUNTS = 2, ENTER = 16, LEAVE };

void alone_trace_begin(void)
{
    struct alone *alone = alone_get();
    alone->trace = 0;
    alone->epoch++;
}

/* How often the place was seen in this call before. */
static uint32_t count_site(struct alone *alone, uint32_t site)
{
    uint32_t at = (uint32_t)hash_mix(site) % ALONE_SITES;
    for (int i = 0; i < 16; i++, at = (at + 1) % ALONE_SITES) {
        if (alone->sites[at].epoch != alone->epoch) {
            alone->sites[at].epoch = alone->epoch;
            alone->sites[at].site = site;
            alone->sites[at].count = 1;
            return 0;
        }
        if (alone->sites[at].site == site)
            return alone->sites[at].count++;
    }
    return PLACE_COUNTS;
}

static void note_place(struct alone *alone, unsigned kind, uintptr_t pc)
{
    uint32_t site = (uint32_t)(pc - (uintptr_t)__executable_start);
    if (count_site(alone, site * 32 + kind) < PLACE_COUNTS)
        alone->trace = hash_combine(alone->trace, (uint64_t)site * 32 + kind);
}

static uint64_t location_of(uintptr_t address)
{
    const struct alone_block *block = alone_block_at(address);
    if (block == NULL)
        return address;
    return GEN_HEAP_BIT | (uint64_t)(block - alone_get()->block) << 32 | (address - block->begin);
}

void alone_note(enum gen_event_kind kind, const void *address, unsigned size, bool atomic, bool shared, uintptr_t pc)
{
    struct alone *alone = alone_get();
    uintptr_t at = (uintptr_t)address, here = (uintptr_t)__builtin_frame_address(0);
    if (alone->report == NULL || (at >= here && at < alone->stack_top))
        return;
    note_place(alone, kind, pc);
    struct gen_report *report = alone->report;
    if (report->events >= GEN_EVENTS)
        return;
    alone->events[report->events++] = (struct gen_event){.kind = (uint8_t)kind,
                                                         .atomic = atomic,
                                                         .shared = shared,
                                                         .size = (uint8_t)(size < 255 ? size : 255),
                                                         .site = (uint32_t)(pc - (uintptr_t)__executable_start),
                                                         .location = location_of(at)};
}

/* An access of the module: in the heap it must be to one live block. */
static void access(enum gen_event_kind kind, const void *address, unsigned long size, bool atomic, uintptr_t pc)
{
    const struct alone *alone = alone_get();
    uintptr_t at = (uintptr_t)address;
    if (at >= alone->arena && at < alone->arena_end && size > 0) {
        const struct alone_block *block = alone_block_at(at);
        if (block == NULL || block->freed || at + size > block->end)
            alone_fail(GEN_HEAP);
    }
    alone_note(kind, address, (unsigned)size, atomic, false, pc);
}

#define PC ((uintptr_t)__builtin_return_address(0))

void __tsan_init(void);
void __tsan_init(void)
{
}
void __tsan_func_entry(void *caller);
void __tsan_func_entry(void *caller)
{
    (void)caller;
    if (alone_get()->report != NULL)
        note_place(alone_get(), ENTER, PC);
}
void __tsan_func_exit(void *caller);
void __tsan_func_exit(void *caller)
{
    (void)caller;
}

#define PLAIN(name, kind, bytes)                                                                                       \
    void __tsan_##name(void *address);                                                                                 \
    void __tsan_##name(void *address)                                                                                  \
    {                                                                                                                  \
        access(kind, address, bytes, false, PC);                                                                       \
    }
#define PLAIN_SIZES(name, kind)                                                                                        \
    PLAIN(name##1, kind, 1)                                                                                            \
    PLAIN(name##2, kind, 2) PLAIN(name##4, kind, 4) PLAIN(name##8, kind, 8) PLAIN(name##16, kind, 16)
PLAIN_SIZES(read, GEN_READ)
PLAIN_SIZES(write, GEN_WRITE)
PLAIN_SIZES(unaligned_read, GEN_READ)
PLAIN_SIZES(unaligned_write, GEN_WRITE)
PLAIN_SIZES(volatile_read, GEN_READ)
PLAIN_SIZES(volatile_write, GEN_WRITE)
PLAIN_SIZES(unaligned_volatile_read, GEN_READ)
PLAIN_SIZES(unaligned_volatile_write, GEN_WRITE)
PLAIN_SIZES(read_write, GEN_WRITE)
PLAIN_SIZES(unaligned_read_write, GEN_WRITE)
PLAIN(vptr_read, GEN_READ, 8)

void __tsan_vptr_update(void **address, void *value);
void __tsan_vptr_update(void **address, void *value)
{
    (void)value;
    access(GEN_WRITE, address, 8, false, PC);
}

#define RANGE(name, kind)                                                                                              \
    void __tsan_##name(void *address, unsigned long size);                                                             \
    void __tsan_##name(void *address, unsigned long size)                                                              \
    {                                                                                                                  \
        access(kind, address, size, false, PC);                                                                        \
    }
RANGE(read_range, GEN_READ)
RANGE(write_range, GEN_WRITE)

/* clang calls these in the place of libc's. */
void *__tsan_memcpy(void *to, const void *from, unsigned long size);
void *__tsan_memcpy(void *to, const void *from, unsigned long size)
{
    access(GEN_READ, from, size, false, PC);
    access(GEN_WRITE, to, size, false, PC);
    return __builtin_memcpy(to, from, size);
}
void *__tsan_memmove(void *to, const void *from, unsigned long size);
void *__tsan_memmove(void *to, const void *from, unsigned long size)
{
    access(GEN_READ, from, size, false, PC);
    access(GEN_WRITE, to, size, false, PC);
    return __builtin_memmove(to, from, size);
}
void *__tsan_memset(void *to, int byte, unsigned long size);
void *__tsan_memset(void *to, int byte, unsigned long size)
{
    access(GEN_WRITE, to, size, false, PC);
    return __builtin_memset(to, byte, size);
}

/* ---- atomic operations: there is one thread ------------------------------------------------------------------------- */

#define CHANGE(bits, type, name, expression)                                                                           \
    type __tsan_atomic##bits##_##name(volatile type *at, type value, int order);                                       \
    type __tsan_atomic##bits##_##name(volatile type *at, type value, int order)                                        \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        access(GEN_WRITE, (const void *)at, sizeof *at, true, PC);                                                     \
        type old = *at;                                                                                                \
        *at = (type)(expression);                                                                                      \
        return old;                                                                                                    \
    }

#define EXCHANGE_IF(bits, type, name)                                                                                  \
    int __tsan_atomic##bits##_##name(volatile type *at, type *expected, type value, int order, int otherwise);         \
    int __tsan_atomic##bits##_##name(volatile type *at, type *expected, type value, int order, int otherwise)          \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        (void)otherwise;                                                                                               \
        access(GEN_WRITE, (const void *)at, sizeof *at, true, PC);                                                     \
        type old = *at;                                                                                                \
        if (old == *expected)                                                                                          \
            *at = value;                                                                                               \
        else                                                                                                           \
            *expected = old;                                                                                           \
        return *at == value && old == *expected;                                                                       \
    }

#define ATOMICS(bits, type)                                                                                            \
    type __tsan_atomic##bits##_load(const volatile type *at, int order);                                               \
    type __tsan_atomic##bits##_load(const volatile type *at, int order)                                                \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        access(GEN_READ, (const void *)at, sizeof *at, true, PC);                                                      \
        return *at;                                                                                                    \
    }                                                                                                                  \
    void __tsan_atomic##bits##_store(volatile type *at, type value, int order);                                        \
    void __tsan_atomic##bits##_store(volatile type *at, type value, int order)                                         \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        access(GEN_WRITE, (const void *)at, sizeof *at, true, PC);                                                     \
        *at = value;                                                                                                   \
    }                                                                                                                  \
    CHANGE(bits, type, exchange, value)                                                                                \
    CHANGE(bits, type, fetch_add, old + value)                                                                         \
    CHANGE(bits, type, fetch_sub, old - value)                                                                         \
    CHANGE(bits, type, fetch_and, old &value)                                                                          \
    CHANGE(bits, type, fetch_or, old | value)                                                                          \
    CHANGE(bits, type, fetch_xor, old ^ value)                                                                         \
    CHANGE(bits, type, fetch_nand, ~(old & value))                                                                     \
    EXCHANGE_IF(bits, type, compare_exchange_strong)                                                                   \
    EXCHANGE_IF(bits, type, compare_exchange_weak)                                                                     \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *at, type expected, type value, int order,           \
                                                    int otherwise);                                                    \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *at, type expected, type value, int order,           \
                                                    int otherwise)                                                     \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        (void)otherwise;                                                                                               \
        access(GEN_WRITE, (const void *)at, sizeof *at, true, PC);                                                     \
        type old = *at;                                                                                                \
        if (old == expected)                                                                                           \
            *at = value;                                                                                               \
        return old;                                                                                                    \
    }

ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)
ATOMICS(128, __uint128_t)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
    (void)order;
}
void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}
