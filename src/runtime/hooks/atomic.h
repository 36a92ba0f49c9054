/* SPDX-License-Identifier: MIT
 *
 * atomic.h - atomic operations as the program sees them, for every name under which compilers and libatomic call them.
 */
#ifndef RADDLE_HOOKS_ATOMIC_H
#define RADDLE_HOOKS_ATOMIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/rt.h"

enum atomic_rmw { RMW_EXCHANGE, RMW_ADD, RMW_SUB, RMW_AND, RMW_OR, RMW_XOR, RMW_NAND };

typedef unsigned __int128 uint128_t;

/* X(bits, type, bytes) */
#define ATOMIC_TYPES(X) X(8, uint8_t, 1) X(16, uint16_t, 2) X(32, uint32_t, 4) X(64, uint64_t, 8) X(128, uint128_t, 16)

/* Each is one operation of the program's at pc: under control an event, else the plain operation. */
#define DECLARE(bits, type, bytes)                                                                                     \
    type atomic_load_##bits(uintptr_t pc, const volatile type *object, int order);                                     \
    void atomic_store_##bits(uintptr_t pc, volatile type *object, type value, int order);                              \
    /* The old value. */                                                                                               \
    type atomic_rmw_##bits(uintptr_t pc, volatile type *object, type value, int order, enum atomic_rmw what);          \
    /* *expected becomes the value found if that was another. */                                                       \
    bool atomic_cas_##bits(uintptr_t pc, volatile type *object, type *expected, type desired, int order, int failure);
ATOMIC_TYPES(DECLARE)
#undef DECLARE

/* The same for objects of any size: an object that has no size of its own is guarded by a lock when not under control. */
void atomic_load_any(uintptr_t pc, size_t size, const void *object, void *result, int order);
void atomic_store_any(uintptr_t pc, size_t size, void *object, const void *value, int order);
void atomic_exchange_any(uintptr_t pc, size_t size, void *object, const void *value, void *result, int order);
bool atomic_cas_any(uintptr_t pc, size_t size, void *object, void *expected, const void *desired, int order,
                    int failure);

/* ---- parts of them, for an operation that the caller does itself; guard held ---- */

/* A scheduling point; on return the operation may be done now, and atomic_end comes next.  expected: of a compare-and-swap, or what an
   exchange writes; NULL: not known. */
void atomic_begin(struct task *self, struct op *op, enum wire_op kind, uintptr_t pc, const volatile void *object,
                  size_t size, const void *expected);
/* The operation has been done: happens-before edges, races, the event. */
enum { ATOMIC_LOADS = 1, ATOMIC_STORES = 2 };
void atomic_end(struct task *self, const struct op *op, int what, int order, uint64_t value, uint8_t flags);
void atomic_fence(struct task *self, uintptr_t pc, int order);

#endif
