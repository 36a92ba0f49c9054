/* SPDX-License-Identifier: MIT
 *
 * kmpc_loop.c - what clang calls for loops (libomp's interface), for loop variables of four types.
 */
#include "runtime/openmp/openmp.h"

/* Schedules as the compiler numbers them; those of loops with ordered parts are 32 higher. */
enum {
    KMP_STATIC_CHUNKED = 33,
    KMP_STATIC = 34,
    KMP_DYNAMIC = 35,
    KMP_GUIDED = 36,
    KMP_RUNTIME = 37,
    KMP_AUTO = 38,
    KMP_BALANCED_CHUNKED = 45,
    KMP_RUNTIME_SIMD = 47,
    KMP_ORDERED = 64,
    KMP_DISTRIBUTE = 91,
    KMP_MODIFIERS = 3 << 29, /* monotonic, nonmonotonic */
};

static enum schedule schedule_of(int number)
{
    number &= ~KMP_MODIFIERS;
    if (number > KMP_ORDERED)
        number -= 32;
    switch (number) {
    case KMP_STATIC_CHUNKED:
    case KMP_STATIC:
    case KMP_AUTO:
    case KMP_BALANCED_CHUNKED:
        return SCHEDULE_STATIC;
    case KMP_GUIDED:
    case 39: /* trapezoidal, and the other ways of guided */
    case 42:
    case 43:
    case 46:
        return SCHEDULE_GUIDED;
    case KMP_RUNTIME:
    case KMP_RUNTIME_SIMD:
        return SCHEDULE_RUNTIME;
    default:
        return SCHEDULE_DYNAMIC;
    }
}

static bool is_ordered(int number)
{
    number &= ~KMP_MODIFIERS;
    return number > KMP_ORDERED && number < KMP_DISTRIBUTE;
}

static bool is_chunked(int number)
{
    number &= ~KMP_MODIFIERS;
    return number != KMP_STATIC && number != KMP_STATIC + 32 && number != KMP_AUTO && number != KMP_AUTO + 32;
}

/* From lower to upper, both included, of which there is at least one. */
static uint64_t iterations(uint64_t lower, uint64_t upper, int64_t step)
{
    if (step == 0)
        return 1;
    return step > 0 ? (upper - lower) / (uint64_t)step + 1 : (lower - upper) / (0 - (uint64_t)step) + 1;
}

/* ---- static: each thread computes its own part ---------------------------------------------------------------------- */

struct part { /* in numbers of iterations */
    uint64_t first, last, stride;
    bool any, has_last;
};

static struct part static_part(struct task *self, uint64_t count, uint64_t chunk)
{
    const struct place *place = &member_of(self)->place;
    uint64_t threads = place->team->size, number = place->number;
    struct part part = {.stride = count};
    if (chunk == 0) {
        uint64_t each = count / threads, more = count % threads;
        part.first = number * each + (number < more ? number : more);
        part.any = each + (number < more) > 0;
        part.last = part.first + each + (number < more) - 1;
        part.has_last = part.any && part.last == count - 1;
    } else {
        part.first = number * chunk;
        part.last = part.first + chunk - 1;
        part.stride = threads * chunk;
        part.any = part.first < count;
        part.has_last = (count - 1) / chunk % threads == number;
    }
    return part;
}

/* The bounds are inclusive; a thread that gets nothing gets a lower bound above the upper one.  A chunk may reach beyond the
   loop's end: the compiler's code checks that. */
#define STATIC(suffix, type, stype)                                                                                    \
    OPENMP_HOOK(void, __kmpc_for_static_init_##suffix,                                                                 \
                (void *location, int thread, int schedule, int *last, type *lower, type *upper, stype *stride,         \
                 stype step, stype chunk))                                                                             \
    {                                                                                                                  \
        OPENMP_ENTER(__kmpc_for_static_init_##suffix, location, thread, schedule, last, lower, upper, stride, step,    \
                     chunk);                                                                                           \
        if ((schedule & ~KMP_MODIFIERS) >= KMP_DISTRIBUTE)                                                             \
            openmp_refuse("distribute loops are");                                                                     \
        bool none = step > 0 ? *upper < *lower : *lower < *upper;                                                      \
        uint64_t count = none ? 0 : iterations((uint64_t)*lower, (uint64_t)*upper, step);                              \
        uint64_t each = !is_chunked(schedule) ? 0 : chunk > 0 ? (uint64_t)chunk : 1;                                   \
        struct part part = static_part(self, count, each);                                                             \
        type begin = *lower;                                                                                           \
        *stride = (stype)(part.stride * (uint64_t)step);                                                               \
        if (count > 0 && part.any) {                                                                                   \
            *lower = (type)(begin + (type)(part.first * (uint64_t)step));                                              \
            *upper = (type)(begin + (type)(part.last * (uint64_t)step));                                               \
        } else if (count > 0) {                                                                                        \
            *lower = (type)(*upper + (type)step);                                                                      \
        }                                                                                                              \
        if (last != NULL)                                                                                              \
            *last = count > 0 && part.has_last;                                                                        \
        rt_leave(self);                                                                                                \
    }

STATIC(4, int32_t, int32_t)
STATIC(4u, uint32_t, int32_t)
STATIC(8, int64_t, int64_t)
STATIC(8u, uint64_t, int64_t)

OPENMP_HOOK(void, __kmpc_for_static_fini, (void *location, int thread))
{
    OPENMP_ENTER(__kmpc_for_static_fini, location, thread);
    rt_leave(self);
}

/* ---- dispatch: iterations are handed out ---------------------------------------------------------------------------- */

static void dispatch_begin(struct task *self, int schedule, uint64_t start, uint64_t step, uint64_t count,
                           uint64_t chunk)
{
    struct loop loop = {start, step, count, is_chunked(schedule) ? chunk : 0, schedule_of(schedule)};
    loop_begin(self, &loop);
    member_of(self)->place.share->ordered_parts = is_ordered(schedule);
}

/* When there is no more the thread has left the loop. */
static bool dispatch_next(struct task *self, uintptr_t pc, uint64_t *lower, uint64_t *upper, uint64_t *step, bool *last)
{
    const struct share *share = member_of(self)->place.share;
    uint64_t first, after;
    bool more =
        share->ordered_parts ? loop_next_ordered(self, pc, &first, &after) : loop_next(self, pc, &first, &after);
    if (!more) {
        share_leave(self);
        return false;
    }
    *lower = share->start + first * share->step;
    *upper = share->start + (after - 1) * share->step;
    *step = share->step;
    *last = after == share->count;
    return true;
}

#define DISPATCH(suffix, type, stype)                                                                                  \
    OPENMP_HOOK(void, __kmpc_dispatch_init_##suffix,                                                                   \
                (void *location, int thread, int schedule, type lower, type upper, stype step, stype chunk))           \
    {                                                                                                                  \
        OPENMP_ENTER(__kmpc_dispatch_init_##suffix, location, thread, schedule, lower, upper, step, chunk);            \
        bool none = step > 0 ? upper < lower : lower < upper;                                                          \
        uint64_t count = none ? 0 : iterations((uint64_t)lower, (uint64_t)upper, step);                                \
        dispatch_begin(self, schedule, (uint64_t)lower, (uint64_t)step, count, chunk > 0 ? (uint64_t)chunk : 1);       \
        rt_leave(self);                                                                                                \
    }                                                                                                                  \
    OPENMP_HOOK(int, __kmpc_dispatch_next_##suffix,                                                                    \
                (void *location, int thread, int *last, type *lower, type *upper, stype *step))                        \
    {                                                                                                                  \
        OPENMP_ENTER(__kmpc_dispatch_next_##suffix, location, thread, last, lower, upper, step);                       \
        uint64_t from, to, by;                                                                                         \
        bool is_last;                                                                                                  \
        bool more = dispatch_next(self, CALLER, &from, &to, &by, &is_last);                                            \
        if (more) {                                                                                                    \
            *lower = (type)from;                                                                                       \
            *upper = (type)to;                                                                                         \
            if (step != NULL)                                                                                          \
                *step = (stype)by;                                                                                     \
            if (last != NULL)                                                                                          \
                *last = is_last;                                                                                       \
        }                                                                                                              \
        rt_leave(self);                                                                                                \
        return more;                                                                                                   \
    }                                                                                                                  \
    OPENMP_HOOK(void, __kmpc_dispatch_fini_##suffix, (void *location, int thread))                                     \
    {                                                                                                                  \
        OPENMP_ENTER(__kmpc_dispatch_fini_##suffix, location, thread);                                                 \
        rt_leave(self);                                                                                                \
    }

DISPATCH(4, int32_t, int32_t)
DISPATCH(4u, uint32_t, int32_t)
DISPATCH(8, int64_t, int64_t)
DISPATCH(8u, uint64_t, int64_t)
