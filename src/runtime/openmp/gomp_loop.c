/* SPDX-License-Identifier: MIT
 *
 * gomp_loop.c - what gcc calls for loops whose iterations are not shared by the thread's number alone.
 *
 * The names differ by schedule, by the type of the loop variable (long, unsigned long long), and by whether the loop has ordered
 * parts; what they do is the same.
 */
#include "runtime/openmp/openmp.h"

typedef unsigned long long ull;

/* ---- values of the loop variable ------------------------------------------------------------------------------------ */

static uint64_t distance(uint64_t from, uint64_t to, uint64_t step)
{
    return (to - from + step - 1) / step;
}

static struct loop loop_of_long(long start, long end, long step, long chunk, enum schedule schedule)
{
    struct loop loop = {(uint64_t)start, (uint64_t)step, 0, chunk > 0 ? (uint64_t)chunk : 0, schedule};
    if (step > 0 && start < end)
        loop.count = distance((uint64_t)start, (uint64_t)end, (uint64_t)step);
    else if (step < 0 && start > end)
        loop.count = distance((uint64_t)end, (uint64_t)start, 0 - (uint64_t)step);
    return loop;
}

static struct loop loop_of_ull(bool up, ull start, ull end, ull step, ull chunk, enum schedule schedule)
{
    struct loop loop = {start, step, 0, chunk, schedule};
    if (up && start < end)
        loop.count = distance(start, end, step);
    else if (!up && start > end)
        loop.count = distance(end, start, 0 - step);
    return loop;
}

/* The next iterations as values; `end` is after the last. */
static bool next_values(struct task *self, uintptr_t pc, bool ordered, ull *start, ull *end)
{
    uint64_t first, after;
    bool more = ordered ? loop_next_ordered(self, pc, &first, &after) : loop_next(self, pc, &first, &after);
    if (!more)
        return false;
    const struct share *share = member_of(self)->place.share;
    *start = share->start + first * share->step;
    *end = share->start + after * share->step;
    return true;
}

/* ---- one function for each name ------------------------------------------------------------------------------------- */

#define NEXT(name, type, ordered)                                                                                      \
    OPENMP_HOOK(bool, name, (type * start, type * end))                                                                \
    {                                                                                                                  \
        OPENMP_ENTER(name, start, end);                                                                                \
        bool more = next_values(self, CALLER, ordered, (ull *)start, (ull *)end);                                      \
        rt_leave(self);                                                                                                \
        return more;                                                                                                   \
    }

#define START(name, schedule, ordered)                                                                                 \
    OPENMP_HOOK(bool, name, (long from, long to, long step, long chunk, long *start, long *end))                       \
    {                                                                                                                  \
        OPENMP_ENTER(name, from, to, step, chunk, start, end);                                                         \
        struct loop loop = loop_of_long(from, to, step, chunk, schedule);                                              \
        loop_begin(self, &loop);                                                                                       \
        bool more = next_values(self, CALLER, ordered, (ull *)start, (ull *)end);                                      \
        rt_leave(self);                                                                                                \
        return more;                                                                                                   \
    }

#define START_ULL(name, schedule, ordered)                                                                             \
    OPENMP_HOOK(bool, name, (bool up, ull from, ull to, ull step, ull chunk, ull *start, ull *end))                    \
    {                                                                                                                  \
        OPENMP_ENTER(name, up, from, to, step, chunk, start, end);                                                     \
        struct loop loop = loop_of_ull(up, from, to, step, chunk, schedule);                                           \
        loop_begin(self, &loop);                                                                                       \
        bool more = next_values(self, CALLER, ordered, start, end);                                                    \
        rt_leave(self);                                                                                                \
        return more;                                                                                                   \
    }

/* schedule(runtime): no chunk is given. */
#define START_RUNTIME(name, ordered)                                                                                   \
    OPENMP_HOOK(bool, name, (long from, long to, long step, long *start, long *end))                                   \
    {                                                                                                                  \
        OPENMP_ENTER(name, from, to, step, start, end);                                                                \
        struct loop loop = loop_of_long(from, to, step, 0, SCHEDULE_RUNTIME);                                          \
        loop_begin(self, &loop);                                                                                       \
        bool more = next_values(self, CALLER, ordered, (ull *)start, (ull *)end);                                      \
        rt_leave(self);                                                                                                \
        return more;                                                                                                   \
    }

#define START_RUNTIME_ULL(name, ordered)                                                                               \
    OPENMP_HOOK(bool, name, (bool up, ull from, ull to, ull step, ull *start, ull *end))                               \
    {                                                                                                                  \
        OPENMP_ENTER(name, up, from, to, step, start, end);                                                            \
        struct loop loop = loop_of_ull(up, from, to, step, 0, SCHEDULE_RUNTIME);                                       \
        loop_begin(self, &loop);                                                                                       \
        bool more = next_values(self, CALLER, ordered, start, end);                                                    \
        rt_leave(self);                                                                                                \
        return more;                                                                                                   \
    }

#define LOOP(word, schedule, ordered)                                                                                  \
    START(GOMP_loop_##word##_start, schedule, ordered)                                                                 \
    NEXT(GOMP_loop_##word##_next, long, ordered)                                                                       \
    START_ULL(GOMP_loop_ull_##word##_start, schedule, ordered)                                                         \
    NEXT(GOMP_loop_ull_##word##_next, ull, ordered)

#define LOOP_RUNTIME(word, ordered)                                                                                    \
    START_RUNTIME(GOMP_loop_##word##_start, ordered)                                                                   \
    NEXT(GOMP_loop_##word##_next, long, ordered)                                                                       \
    START_RUNTIME_ULL(GOMP_loop_ull_##word##_start, ordered)                                                           \
    NEXT(GOMP_loop_ull_##word##_next, ull, ordered)

LOOP(static, SCHEDULE_STATIC, false)
LOOP(dynamic, SCHEDULE_DYNAMIC, false)
LOOP(guided, SCHEDULE_GUIDED, false)
LOOP(nonmonotonic_dynamic, SCHEDULE_DYNAMIC, false)
LOOP(nonmonotonic_guided, SCHEDULE_GUIDED, false)
LOOP(ordered_static, SCHEDULE_STATIC, true)
LOOP(ordered_dynamic, SCHEDULE_DYNAMIC, true)
LOOP(ordered_guided, SCHEDULE_GUIDED, true)
LOOP_RUNTIME(runtime, false)
LOOP_RUNTIME(nonmonotonic_runtime, false)
LOOP_RUNTIME(maybe_nonmonotonic_runtime, false)
LOOP_RUNTIME(ordered_runtime, true)

/* ---- loops with more to say: task reductions, memory for lastprivate(conditional) ----------------------------------- */

static void begin_general(struct task *self, const struct loop *loop, const void *reductions, void **memory)
{
    if (reductions != NULL)
        openmp_refuse("task reductions are");
    loop_begin(self, loop);
    struct share *share = member_of(self)->place.share;
    if (memory == NULL)
        return;
    if (share->memory == NULL)
        share->memory = openmp_allocate(self, team_of(self)->pc, (size_t)*memory, 16);
    *memory = share->memory;
}

static enum schedule schedule_of(long number)
{
    number &= ~0x80000000l; /* monotonic */
    return number == 0 ? SCHEDULE_RUNTIME : number <= 4 ? (enum schedule)number : SCHEDULE_RUNTIME;
}

#define START_GENERAL(name, ordered)                                                                                   \
    OPENMP_HOOK(bool, name,                                                                                            \
                (long from, long to, long step, long schedule, long chunk, long *start, long *end, void *reductions,   \
                 void **memory))                                                                                       \
    {                                                                                                                  \
        OPENMP_ENTER(name, from, to, step, schedule, chunk, start, end, reductions, memory);                           \
        struct loop loop = loop_of_long(from, to, step, chunk, schedule_of(schedule));                                 \
        begin_general(self, &loop, reductions, memory);                                                                \
        bool more = start == NULL || next_values(self, CALLER, ordered, (ull *)start, (ull *)end);                     \
        rt_leave(self);                                                                                                \
        return more;                                                                                                   \
    }

#define START_GENERAL_ULL(name, ordered)                                                                               \
    OPENMP_HOOK(bool, name,                                                                                            \
                (bool up, ull from, ull to, ull step, long schedule, ull chunk, ull *start, ull *end,                  \
                 void *reductions, void **memory))                                                                     \
    {                                                                                                                  \
        OPENMP_ENTER(name, up, from, to, step, schedule, chunk, start, end, reductions, memory);                       \
        struct loop loop = loop_of_ull(up, from, to, step, chunk, schedule_of(schedule));                              \
        begin_general(self, &loop, reductions, memory);                                                                \
        bool more = start == NULL || next_values(self, CALLER, ordered, start, end);                                   \
        rt_leave(self);                                                                                                \
        return more;                                                                                                   \
    }

START_GENERAL(GOMP_loop_start, false)
START_GENERAL(GOMP_loop_ordered_start, true)
START_GENERAL_ULL(GOMP_loop_ull_start, false)
START_GENERAL_ULL(GOMP_loop_ull_ordered_start, true)

OPENMP_HOOK(unsigned, GOMP_sections2_start, (unsigned count, void *reductions, void **memory))
{
    OPENMP_ENTER(GOMP_sections2_start, count, reductions, memory);
    struct loop loop = {.start = 1, .step = 1, .count = count, .chunk = 1, .schedule = SCHEDULE_DYNAMIC};
    ull section = 0, after;
    begin_general(self, &loop, reductions, memory);
    if (!next_values(self, CALLER, false, &section, &after))
        section = 0;
    rt_leave(self);
    return (unsigned)section;
}

OPENMP_HOOK(void, GOMP_scope_start, (void *reductions))
{
    OPENMP_ENTER(GOMP_scope_start, reductions);
    if (reductions != NULL)
        openmp_refuse("task reductions are");
    rt_leave(self);
}

/* ---- end ------------------------------------------------------------------------------------------------------------ */

OPENMP_HOOK(void, GOMP_loop_end, (void))
{
    OPENMP_ENTER(GOMP_loop_end);
    team_barrier(self, CALLER);
    share_leave(self);
    rt_leave(self);
}

OPENMP_HOOK(bool, GOMP_loop_end_cancel, (void))
{
    OPENMP_ENTER(GOMP_loop_end_cancel);
    openmp_check_cancellation();
    team_barrier(self, CALLER);
    share_leave(self);
    rt_leave(self);
    return false;
}

OPENMP_HOOK(void, GOMP_loop_end_nowait, (void))
{
    OPENMP_ENTER(GOMP_loop_end_nowait);
    share_leave(self);
    rt_leave(self);
}

/* ---- parallel and loop in one --------------------------------------------------------------------------------------- */

struct combined {
    void (*function)(void *);
    void *data;
    struct loop loop;
};

/* Each member is in the loop before its first instruction. */
static void call_combined(const struct region *region)
{
    const struct combined *combined = region->data;
    struct task *self = rt_enter();
    if (self != NULL) {
        loop_begin(self, &combined->loop);
        rt_leave(self);
    }
    combined->function(combined->data);
}

static void run_combined(struct task *self, uintptr_t pc, struct combined *combined, unsigned threads)
{
    struct region region = {.call = call_combined, .body = (uintptr_t)combined->function, .data = combined};
    team_run(self, pc, &region, threads);
}

#define PARALLEL(name, schedule)                                                                                       \
    OPENMP_HOOK(void, name,                                                                                            \
                (void (*function)(void *), void *data, unsigned threads, long from, long to, long step, long chunk,    \
                 unsigned flags))                                                                                      \
    {                                                                                                                  \
        openmp_before_team();                                                                                          \
        OPENMP_ENTER(name, function, data, threads, from, to, step, chunk, flags);                                     \
        struct combined combined = {function, data, loop_of_long(from, to, step, chunk, schedule)};                    \
        run_combined(self, CALLER, &combined, threads);                                                                \
        rt_leave(self);                                                                                                \
    }

#define PARALLEL_RUNTIME(name)                                                                                         \
    OPENMP_HOOK(                                                                                                       \
        void, name,                                                                                                    \
        (void (*function)(void *), void *data, unsigned threads, long from, long to, long step, unsigned flags))       \
    {                                                                                                                  \
        openmp_before_team();                                                                                          \
        OPENMP_ENTER(name, function, data, threads, from, to, step, flags);                                            \
        struct combined combined = {function, data, loop_of_long(from, to, step, 0, SCHEDULE_RUNTIME)};                \
        run_combined(self, CALLER, &combined, threads);                                                                \
        rt_leave(self);                                                                                                \
    }

PARALLEL(GOMP_parallel_loop_static, SCHEDULE_STATIC)
PARALLEL(GOMP_parallel_loop_dynamic, SCHEDULE_DYNAMIC)
PARALLEL(GOMP_parallel_loop_guided, SCHEDULE_GUIDED)
PARALLEL(GOMP_parallel_loop_nonmonotonic_dynamic, SCHEDULE_DYNAMIC)
PARALLEL(GOMP_parallel_loop_nonmonotonic_guided, SCHEDULE_GUIDED)
PARALLEL_RUNTIME(GOMP_parallel_loop_runtime)
PARALLEL_RUNTIME(GOMP_parallel_loop_nonmonotonic_runtime)
PARALLEL_RUNTIME(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

OPENMP_HOOK(void, GOMP_parallel_sections,
            (void (*function)(void *), void *data, unsigned threads, unsigned count, unsigned flags))
{
    openmp_before_team();
    OPENMP_ENTER(GOMP_parallel_sections, function, data, threads, count, flags);
    struct combined combined = {function, data, loop_of_long(1, (long)count + 1, 1, 1, SCHEDULE_DYNAMIC)};
    run_combined(self, CALLER, &combined, threads);
    rt_leave(self);
}
