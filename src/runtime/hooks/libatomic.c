/* SPDX-License-Identifier: MIT
 *
 * libatomic.c - the functions of libatomic: what compilers call for atomic objects that they cannot do in place.
 *
 * The names are builtins of the compiler, so the functions here have others, and get theirs by asm labels.
 */
#include "runtime/hooks/atomic.h"
#include "runtime/rt.h"

#define NAMED(result, name, ...)                                                                                       \
    result lib##name(__VA_ARGS__) __asm__(#name);                                                                      \
    RT_HOOK result lib##name(__VA_ARGS__)

/* ---- any size -------------------------------------------------------------------------------------------------------- */

NAMED(void, __atomic_load, size_t size, const void *object, void *result, int order)
{
    atomic_load_any(CALLER, size, object, result, order);
}

NAMED(void, __atomic_store, size_t size, void *object, const void *value, int order)
{
    atomic_store_any(CALLER, size, object, value, order);
}

NAMED(void, __atomic_exchange, size_t size, void *object, const void *value, void *result, int order)
{
    atomic_exchange_any(CALLER, size, object, value, result, order);
}

NAMED(bool, __atomic_compare_exchange, size_t size, void *object, void *expected, const void *desired, int order,
      int failure)
{
    return atomic_cas_any(CALLER, size, object, expected, desired, order, failure);
}

NAMED(bool, __atomic_is_lock_free, size_t size, const void *object)
{
    return size != 0 && size <= 16 && (size & (size - 1)) == 0 && (uintptr_t)object % size == 0;
}

/* ---- 1, 2, 4, 8 and 16 bytes ------------------------------------------------------------------------------------------- */

#define FETCH(bits, type, bytes, name, what, operation)                                                                \
    NAMED(type, __atomic_fetch_##name##_##bytes, volatile type *object, type value, int order)                         \
    {                                                                                                                  \
        return atomic_rmw_##bits(CALLER, object, value, order, what);                                                  \
    }                                                                                                                  \
    NAMED(type, __atomic_##name##_fetch_##bytes, volatile type *object, type value, int order)                         \
    {                                                                                                                  \
        type old = atomic_rmw_##bits(CALLER, object, value, order, what);                                              \
        return (type)(operation);                                                                                      \
    }

#define SIZED(bits, type, bytes)                                                                                       \
    NAMED(type, __atomic_load_##bytes, const volatile type *object, int order)                                         \
    {                                                                                                                  \
        return atomic_load_##bits(CALLER, object, order);                                                              \
    }                                                                                                                  \
    NAMED(void, __atomic_store_##bytes, volatile type *object, type value, int order)                                  \
    {                                                                                                                  \
        atomic_store_##bits(CALLER, object, value, order);                                                             \
    }                                                                                                                  \
    NAMED(type, __atomic_exchange_##bytes, volatile type *object, type value, int order)                               \
    {                                                                                                                  \
        return atomic_rmw_##bits(CALLER, object, value, order, RMW_EXCHANGE);                                          \
    }                                                                                                                  \
    NAMED(bool, __atomic_compare_exchange_##bytes, volatile type *object, type *expected, type desired, int order,     \
          int failure)                                                                                                 \
    {                                                                                                                  \
        return atomic_cas_##bits(CALLER, object, expected, desired, order, failure);                                   \
    }                                                                                                                  \
    NAMED(bool, __atomic_test_and_set_##bytes, volatile type *object, int order)                                       \
    {                                                                                                                  \
        return atomic_rmw_##bits(CALLER, object, 1, order, RMW_EXCHANGE) != 0;                                         \
    }                                                                                                                  \
    FETCH(bits, type, bytes, add, RMW_ADD, old + value)                                                                \
    FETCH(bits, type, bytes, sub, RMW_SUB, old - value)                                                                \
    FETCH(bits, type, bytes, and, RMW_AND, old &value)                                                                 \
    FETCH(bits, type, bytes, or, RMW_OR, old | value)                                                                  \
    FETCH(bits, type, bytes, xor, RMW_XOR, old ^ value)                                                                \
    FETCH(bits, type, bytes, nand, RMW_NAND, ~(old & value))
ATOMIC_TYPES(SIZED)
