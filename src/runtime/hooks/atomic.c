/* SPDX-License-Identifier: MIT
 *
 * atomic.c - atomic operations: one scheduling point and one event each, done by the runtime.
 *
 * DESIGN
 *   The operation itself is always sequentially consistent; its memory order says only which happens-before edges it
 *   makes (oracle/order.c).  A compare-and-exchange that fails is a read; a weak one never fails for no reason.
 *   A write that leaves the memory as it was is recorded as such: a spin lock's failed try.
 */
#include "runtime/hooks/atomic.h"

#include "runtime/arch/arch.h"
#include "runtime/oracle/order.h"
#include "runtime/raw.h"
#include "runtime/record.h"
#include "runtime/sched/point.h"
#include "runtime/shadow.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* the compilers know these without a header */

/* ---- the real operations --------------------------------------------------------------------------------------------- */

static int any_lock; /* for objects whose size or alignment the machine does not support, when not under control */

static void lock_any(void)
{
    while (__atomic_exchange_n(&any_lock, 1, __ATOMIC_ACQUIRE) != 0)
        while (__atomic_load_n(&any_lock, __ATOMIC_RELAXED) != 0)
            continue;
}

static void unlock_any(void)
{
    __atomic_store_n(&any_lock, 0, __ATOMIC_RELEASE);
}

/* Combined value; 16-byte objects have no instruction for it. */
#define DEFINE_COMBINE(bits, type, bytes)                                                                              \
    static inline type combine_##bits(type old, type value, enum atomic_rmw what)                                      \
    {                                                                                                                  \
        switch (what) {                                                                                                \
        case RMW_ADD:                                                                                                  \
            return (type)(old + value);                                                                                \
        case RMW_SUB:                                                                                                  \
            return (type)(old - value);                                                                                \
        case RMW_AND:                                                                                                  \
            return (type)(old & value);                                                                                \
        case RMW_OR:                                                                                                   \
            return (type)(old | value);                                                                                \
        case RMW_XOR:                                                                                                  \
            return (type)(old ^ value);                                                                                \
        case RMW_NAND:                                                                                                 \
            return (type) ~(old & value);                                                                              \
        default:                                                                                                       \
            return value;                                                                                              \
        }                                                                                                              \
    }
ATOMIC_TYPES(DEFINE_COMBINE)

#define DEFINE_REAL(bits, type)                                                                                        \
    static inline type real_load_##bits(const volatile type *object)                                                   \
    {                                                                                                                  \
        return __atomic_load_n(object, __ATOMIC_SEQ_CST);                                                              \
    }                                                                                                                  \
    static inline void real_store_##bits(volatile type *object, type value)                                            \
    {                                                                                                                  \
        __atomic_store_n(object, value, __ATOMIC_SEQ_CST);                                                             \
    }                                                                                                                  \
    static inline bool real_cas_##bits(volatile type *object, type *expected, type desired)                            \
    {                                                                                                                  \
        return __atomic_compare_exchange_n(object, expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);      \
    }                                                                                                                  \
    static inline type real_rmw_##bits(volatile type *object, type value, enum atomic_rmw what)                        \
    {                                                                                                                  \
        switch (what) {                                                                                                \
        case RMW_ADD:                                                                                                  \
            return __atomic_fetch_add(object, value, __ATOMIC_SEQ_CST);                                                \
        case RMW_SUB:                                                                                                  \
            return __atomic_fetch_sub(object, value, __ATOMIC_SEQ_CST);                                                \
        case RMW_AND:                                                                                                  \
            return __atomic_fetch_and(object, value, __ATOMIC_SEQ_CST);                                                \
        case RMW_OR:                                                                                                   \
            return __atomic_fetch_or(object, value, __ATOMIC_SEQ_CST);                                                 \
        case RMW_XOR:                                                                                                  \
            return __atomic_fetch_xor(object, value, __ATOMIC_SEQ_CST);                                                \
        case RMW_NAND:                                                                                                 \
            return __atomic_fetch_nand(object, value, __ATOMIC_SEQ_CST);                                               \
        default:                                                                                                       \
            return __atomic_exchange_n(object, value, __ATOMIC_SEQ_CST);                                               \
        }                                                                                                              \
    }
DEFINE_REAL(8, uint8_t)
DEFINE_REAL(16, uint16_t)
DEFINE_REAL(32, uint32_t)
DEFINE_REAL(64, uint64_t)

/* 16 bytes: everything by compare and exchange. The compilers' builtins would call libatomic, which is hooked here. */
static inline bool real_cas_128(volatile uint128_t *object, uint128_t *expected, uint128_t desired)
{
    if (ARCH_HAS_CAS_128)
        return arch_cas_128(object, expected, desired);
    lock_any();
    bool done = *object == *expected;
    if (done)
        *object = desired;
    else
        *expected = *object;
    unlock_any();
    return done;
}

static inline uint128_t real_load_128(const volatile uint128_t *object)
{
    if (rt_self != NULL)
        return *object; /* no other task runs; and the object may be read-only */
    uint128_t value = 0;
    real_cas_128((volatile uint128_t *)object, &value, 0);
    return value;
}

static inline uint128_t real_rmw_128(volatile uint128_t *object, uint128_t value, enum atomic_rmw what)
{
    uint128_t old = *object;
    while (!real_cas_128(object, &old, combine_128(old, value, what)))
        continue;
    return old;
}

static inline void real_store_128(volatile uint128_t *object, uint128_t value)
{
    real_rmw_128(object, value, RMW_EXCHANGE);
}

/* ---- under control --------------------------------------------------------------------------------------------------- */

void atomic_begin(struct task *self, struct op *op, enum wire_op kind, uintptr_t pc, const volatile void *object,
                  size_t size, const void *expected)
{
    *op = (struct op){.kind = kind,
                      .flags = OP_ATOMIC,
                      .pc = pc,
                      .address = (uintptr_t)object,
                      .size = (uint32_t)size,
                      .fd = -1,
                      .deadline = RT_NEVER,
                      .argument = (uintptr_t)expected};
    sched_point(self, op);
    struct span span = {(uintptr_t)object, size, ACCESS_ATOMIC | (kind == OP_ATOMIC_LOAD ? ACCESS_READ : ACCESS_WRITE)};
    access_check_heap(self, pc, &span);
    access_probe_pc = pc;
    if (kind != OP_ATOMIC_LOAD && size <= sizeof op->before)
        raw_copy(&op->before, (const void *)object, size);
}

void atomic_end(struct task *self, const struct op *op, int what, int order, uint64_t value, uint8_t flags)
{
    access_probe_pc = 0;
    access_atomic(self, op->pc, op->address, op->size, what & ATOMIC_LOADS, what & ATOMIC_STORES, order & 7);
    record_event(self, op, value, flags);
}

/* NULL: not under control.  Else the operation may be done now; end_atomic comes next. */
static struct task *begin_atomic(struct op *op, enum wire_op kind, uintptr_t pc, const volatile void *object,
                                 size_t size, const void *expected)
{
    struct task *self = rt_enter();
    if (self != NULL)
        atomic_begin(self, op, kind, pc, object, size, expected);
    return self;
}

enum { LOADS = ATOMIC_LOADS, STORES = ATOMIC_STORES };

static void end_atomic(struct task *self, const struct op *op, int what, int order, uint64_t value, uint8_t flags)
{
    atomic_end(self, op, what, order, value, flags | EVENT_VALUE);
    rt_leave(self);
}

#define DEFINE_ATOMIC(bits, type, bytes)                                                                               \
    type atomic_load_##bits(uintptr_t pc, const volatile type *object, int order)                                      \
    {                                                                                                                  \
        struct op op;                                                                                                  \
        struct task *self = begin_atomic(&op, OP_ATOMIC_LOAD, pc, object, bytes, NULL);                                \
        type value = real_load_##bits(object);                                                                         \
        if (self != NULL)                                                                                              \
            end_atomic(self, &op, LOADS, order, (uint64_t)value, 0);                                                   \
        return value;                                                                                                  \
    }                                                                                                                  \
    void atomic_store_##bits(uintptr_t pc, volatile type *object, type value, int order)                               \
    {                                                                                                                  \
        struct op op;                                                                                                  \
        struct task *self = begin_atomic(&op, OP_ATOMIC_STORE, pc, object, bytes, NULL);                               \
        real_store_##bits(object, value);                                                                              \
        if (self != NULL)                                                                                              \
            end_atomic(self, &op, STORES, order, (uint64_t)value, 0);                                                  \
    }                                                                                                                  \
    type atomic_rmw_##bits(uintptr_t pc, volatile type *object, type value, int order, enum atomic_rmw what)           \
    {                                                                                                                  \
        struct op op;                                                                                                  \
        struct task *self = begin_atomic(&op, OP_ATOMIC_RMW, pc, object, bytes, what == RMW_EXCHANGE ? &value : NULL); \
        type old = real_rmw_##bits(object, value, what);                                                               \
        if (self != NULL) {                                                                                            \
            type new = combine_##bits(old, value, what);                                                               \
            end_atomic(self, &op, LOADS | STORES, order, (uint64_t) new, new == old ? EVENT_UNCHANGED : 0);            \
        }                                                                                                              \
        return old;                                                                                                    \
    }                                                                                                                  \
    bool atomic_cas_##bits(uintptr_t pc, volatile type *object, type *expected, type desired, int order, int failure)  \
    {                                                                                                                  \
        struct op op;                                                                                                  \
        struct task *self = begin_atomic(&op, OP_ATOMIC_CAS, pc, object, bytes, expected);                             \
        type found = *expected;                                                                                        \
        bool done = real_cas_##bits(object, &found, desired);                                                          \
        if (!done)                                                                                                     \
            *expected = found;                                                                                         \
        if (self != NULL && done)                                                                                      \
            end_atomic(self, &op, LOADS | STORES, order, (uint64_t)desired, desired == found ? EVENT_UNCHANGED : 0);   \
        else if (self != NULL)                                                                                         \
            end_atomic(self, &op, LOADS, failure, (uint64_t)found, EVENT_FAILED);                                      \
        return done;                                                                                                   \
    }
ATOMIC_TYPES(DEFINE_ATOMIC)

/* ---- objects of any size --------------------------------------------------------------------------------------------- */

/* The size of the operation that can do it at once; 0 if none. */
static size_t native_size(size_t size, const void *object)
{
    bool fits = size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
    return fits && (uintptr_t)object % size == 0 ? size : 0;
}

static uint64_t first_bytes(const void *from, size_t size)
{
    uint64_t value = 0;
    raw_copy(&value, from, size < sizeof value ? size : sizeof value);
    return value;
}

static bool same_bytes(const void *a, const void *b, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (((const unsigned char *)a)[i] != ((const unsigned char *)b)[i])
            return false;
    return true;
}

/* The program's own variables go through copies of the right type: they need not be aligned for it. */
#define COPY(type, name, from)                                                                                         \
    type name;                                                                                                         \
    raw_copy(&name, from, sizeof name)

void atomic_load_any(uintptr_t pc, size_t size, const void *object, void *result, int order)
{
    switch (native_size(size, object)) {
#define CASE(bits, type, bytes)                                                                                        \
    case bytes: {                                                                                                      \
        type value = atomic_load_##bits(pc, object, order);                                                            \
        raw_copy(result, &value, sizeof value);                                                                        \
        return;                                                                                                        \
    }
        ATOMIC_TYPES(CASE)
#undef CASE
    }
    struct op op;
    struct task *self = begin_atomic(&op, OP_ATOMIC_LOAD, pc, object, size, NULL);
    lock_any();
    raw_copy(result, object, size);
    unlock_any();
    if (self != NULL)
        end_atomic(self, &op, LOADS, order, first_bytes(result, size), 0);
}

void atomic_store_any(uintptr_t pc, size_t size, void *object, const void *value, int order)
{
    switch (native_size(size, object)) {
#define CASE(bits, type, bytes)                                                                                        \
    case bytes: {                                                                                                      \
        COPY(type, copy, value);                                                                                       \
        atomic_store_##bits(pc, object, copy, order);                                                                  \
        return;                                                                                                        \
    }
        ATOMIC_TYPES(CASE)
#undef CASE
    }
    struct op op;
    struct task *self = begin_atomic(&op, OP_ATOMIC_STORE, pc, object, size, NULL);
    lock_any();
    raw_copy(object, value, size);
    unlock_any();
    if (self != NULL)
        end_atomic(self, &op, STORES, order, first_bytes(value, size), 0);
}

/* `result` may be `value`. */
static void exchange_bytes(unsigned char *object, const unsigned char *value, unsigned char *result, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char old = object[i];
        object[i] = value[i];
        result[i] = old;
    }
}

void atomic_exchange_any(uintptr_t pc, size_t size, void *object, const void *value, void *result, int order)
{
    switch (native_size(size, object)) {
#define CASE(bits, type, bytes)                                                                                        \
    case bytes: {                                                                                                      \
        COPY(type, copy, value);                                                                                       \
        type old = atomic_rmw_##bits(pc, object, copy, order, RMW_EXCHANGE);                                           \
        raw_copy(result, &old, sizeof old);                                                                            \
        return;                                                                                                        \
    }
        ATOMIC_TYPES(CASE)
#undef CASE
    }
    struct op op;
    struct task *self = begin_atomic(&op, OP_ATOMIC_RMW, pc, object, size, NULL);
    lock_any();
    exchange_bytes(object, value, result, size);
    bool same = same_bytes(object, result, size);
    unlock_any();
    if (self != NULL)
        end_atomic(self, &op, LOADS | STORES, order, first_bytes(object, size), same ? EVENT_UNCHANGED : 0);
}

bool atomic_cas_any(uintptr_t pc, size_t size, void *object, void *expected, const void *desired, int order,
                    int failure)
{
    switch (native_size(size, object)) {
#define CASE(bits, type, bytes)                                                                                        \
    case bytes: {                                                                                                      \
        COPY(type, wanted, expected);                                                                                  \
        COPY(type, copy, desired);                                                                                     \
        bool done = atomic_cas_##bits(pc, object, &wanted, copy, order, failure);                                      \
        if (!done)                                                                                                     \
            raw_copy(expected, &wanted, sizeof wanted);                                                                \
        return done;                                                                                                   \
    }
        ATOMIC_TYPES(CASE)
#undef CASE
    }
    struct op op;
    struct task *self = begin_atomic(&op, OP_ATOMIC_CAS, pc, object, size, expected);
    lock_any();
    bool done = same_bytes(object, expected, size);
    raw_copy(done ? object : expected, done ? desired : object, size);
    unlock_any();
    if (self != NULL && done)
        end_atomic(self, &op, LOADS | STORES, order, first_bytes(object, size), 0);
    else if (self != NULL)
        end_atomic(self, &op, LOADS, failure, first_bytes(object, size), EVENT_FAILED);
    return done;
}

/* ---- the compilers' names -------------------------------------------------------------------------------------------- */

#define TSAN_RMW(bits, type, name, what)                                                                               \
    RT_HOOK type __tsan_atomic##bits##_##name(volatile type *object, type value, int order)                            \
    {                                                                                                                  \
        return atomic_rmw_##bits(CALLER, object, value, order, what);                                                  \
    }

#define TSAN_ATOMIC(bits, type, bytes)                                                                                 \
    RT_HOOK type __tsan_atomic##bits##_load(const volatile type *object, int order)                                    \
    {                                                                                                                  \
        return atomic_load_##bits(CALLER, object, order);                                                              \
    }                                                                                                                  \
    RT_HOOK void __tsan_atomic##bits##_store(volatile type *object, type value, int order)                             \
    {                                                                                                                  \
        atomic_store_##bits(CALLER, object, value, order);                                                             \
    }                                                                                                                  \
    TSAN_RMW(bits, type, exchange, RMW_EXCHANGE)                                                                       \
    TSAN_RMW(bits, type, fetch_add, RMW_ADD)                                                                           \
    TSAN_RMW(bits, type, fetch_sub, RMW_SUB)                                                                           \
    TSAN_RMW(bits, type, fetch_and, RMW_AND)                                                                           \
    TSAN_RMW(bits, type, fetch_or, RMW_OR)                                                                             \
    TSAN_RMW(bits, type, fetch_xor, RMW_XOR)                                                                           \
    TSAN_RMW(bits, type, fetch_nand, RMW_NAND)                                                                         \
    RT_HOOK int __tsan_atomic##bits##_compare_exchange_strong(volatile type *object, type *expected, type desired,     \
                                                              int order, int failure)                                  \
    {                                                                                                                  \
        return atomic_cas_##bits(CALLER, object, expected, desired, order, failure);                                   \
    }                                                                                                                  \
    RT_HOOK int __tsan_atomic##bits##_compare_exchange_weak(volatile type *object, type *expected, type desired,       \
                                                            int order, int failure)                                    \
    {                                                                                                                  \
        return atomic_cas_##bits(CALLER, object, expected, desired, order, failure);                                   \
    }                                                                                                                  \
    RT_HOOK type __tsan_atomic##bits##_compare_exchange_val(volatile type *object, type expected, type desired,        \
                                                            int order, int failure)                                    \
    {                                                                                                                  \
        atomic_cas_##bits(CALLER, object, &expected, desired, order, failure);                                         \
        return expected;                                                                                               \
    }
ATOMIC_TYPES(TSAN_ATOMIC)

void atomic_fence(struct task *self, uintptr_t pc, int order)
{
    struct op op = {.kind = OP_FENCE, .flags = OP_ATOMIC, .pc = pc, .fd = -1, .deadline = RT_NEVER};
    sched_point(self, &op);
    order_fence(self, order & 7);
    record_event(self, &op, 0, 0);
}

RT_HOOK void __tsan_atomic_thread_fence(int order)
{
    struct task *self = rt_enter();
    if (self == NULL) {
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        return;
    }
    atomic_fence(self, CALLER, order);
    rt_leave(self);
}

/* Between a thread and its own signal handlers: one thread, always in order. */
RT_HOOK void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
