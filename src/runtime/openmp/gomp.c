/* SPDX-License-Identifier: MIT
 *
 * gomp.c - what gcc calls for parallel regions, barriers, critical sections, single, sections and ordered (libgomp's interface).
 */
#include "runtime/openmp/openmp.h"

static void call_function(const struct region *region)
{
    region->function(region->data);
}

static struct region region_of(void (*function)(void *), void *data)
{
    return (struct region){.call = call_function, .body = (uintptr_t)function, .function = function, .data = data};
}

/* ---- parallel ------------------------------------------------------------------------------------------------------- */

OPENMP_HOOK(void, GOMP_parallel, (void (*function)(void *), void *data, unsigned threads, unsigned flags))
{
    openmp_before_team();
    OPENMP_ENTER(GOMP_parallel, function, data, threads, flags);
    struct region region = region_of(function, data);
    team_run(self, CALLER, &region, threads);
    rt_leave(self);
}

OPENMP_HOOK(void, GOMP_parallel_start, (void (*function)(void *), void *data, unsigned threads))
{
    openmp_before_team();
    OPENMP_ENTER(GOMP_parallel_start, function, data, threads);
    struct region region = region_of(function, data);
    team_begin(self, CALLER, &region, threads);
    rt_leave(self);
}

OPENMP_HOOK(void, GOMP_parallel_end, (void))
{
    OPENMP_ENTER(GOMP_parallel_end);
    team_end(self);
    rt_leave(self);
}

/* There is always one team, which the standard allows. */
OPENMP_HOOK(void, GOMP_teams_reg,
            (void (*function)(void *), void *data, unsigned teams, unsigned thread_limit, unsigned flags))
{
    OPENMP_ENTER(GOMP_teams_reg, function, data, teams, thread_limit, flags);
    rt_leave(self);
    function(data);
}

/* ---- barrier and cancellation --------------------------------------------------------------------------------------- */

OPENMP_HOOK(void, GOMP_barrier, (void))
{
    OPENMP_ENTER(GOMP_barrier);
    team_barrier(self, CALLER);
    rt_leave(self);
}

OPENMP_HOOK(bool, GOMP_barrier_cancel, (void))
{
    OPENMP_ENTER(GOMP_barrier_cancel);
    openmp_check_cancellation();
    team_barrier(self, CALLER);
    rt_leave(self);
    return false;
}

OPENMP_HOOK(bool, GOMP_cancel, (int which, bool cancel))
{
    OPENMP_ENTER(GOMP_cancel, which, cancel);
    openmp_check_cancellation();
    rt_leave(self);
    return false;
}

OPENMP_HOOK(bool, GOMP_cancellation_point, (int which))
{
    OPENMP_ENTER(GOMP_cancellation_point, which);
    openmp_check_cancellation();
    rt_leave(self);
    return false;
}

/* ---- critical sections ---------------------------------------------------------------------------------------------- */

OPENMP_HOOK(void, GOMP_critical_start, (void))
{
    OPENMP_ENTER(GOMP_critical_start);
    openmp_lock(self, CALLER, (uintptr_t)openmp_critical, false);
    rt_leave(self);
}

OPENMP_HOOK(void, GOMP_critical_end, (void))
{
    OPENMP_ENTER(GOMP_critical_end);
    openmp_unlock(self, CALLER, (uintptr_t)openmp_critical);
    rt_leave(self);
}

/* The name is that of a variable, which the compiler makes for it. */
OPENMP_HOOK(void, GOMP_critical_name_start, (void **name))
{
    OPENMP_ENTER(GOMP_critical_name_start, name);
    openmp_lock(self, CALLER, (uintptr_t)name, false);
    rt_leave(self);
}

OPENMP_HOOK(void, GOMP_critical_name_end, (void **name))
{
    OPENMP_ENTER(GOMP_critical_name_end, name);
    openmp_unlock(self, CALLER, (uintptr_t)name);
    rt_leave(self);
}

OPENMP_HOOK(void, GOMP_atomic_start, (void))
{
    OPENMP_ENTER(GOMP_atomic_start);
    openmp_lock(self, CALLER, (uintptr_t)openmp_atomic, false);
    rt_leave(self);
}

OPENMP_HOOK(void, GOMP_atomic_end, (void))
{
    OPENMP_ENTER(GOMP_atomic_end);
    openmp_unlock(self, CALLER, (uintptr_t)openmp_atomic);
    rt_leave(self);
}

/* ---- single --------------------------------------------------------------------------------------------------------- */

OPENMP_HOOK(bool, GOMP_single_start, (void))
{
    OPENMP_ENTER(GOMP_single_start);
    bool mine = single_begin(self, CALLER);
    rt_leave(self);
    return mine;
}

/* NULL: the caller executes it and calls GOMP_single_copy_end; else what that was given. */
OPENMP_HOOK(void *, GOMP_single_copy_start, (void))
{
    OPENMP_ENTER(GOMP_single_copy_start);
    void *copied = NULL;
    if (!single_begin(self, CALLER)) {
        team_barrier(self, CALLER);
        copied = team_of(self)->copied;
    }
    rt_leave(self);
    return copied;
}

OPENMP_HOOK(void, GOMP_single_copy_end, (void *data))
{
    OPENMP_ENTER(GOMP_single_copy_end, data);
    team_of(self)->copied = data;
    team_barrier(self, CALLER);
    rt_leave(self);
}

/* ---- sections: a loop over their numbers, from 1 -------------------------------------------------------------------- */

static unsigned next_section(struct task *self, uintptr_t pc)
{
    uint64_t first, after;
    return loop_next(self, pc, &first, &after) ? (unsigned)first + 1 : 0;
}

static void begin_sections(struct task *self, unsigned count)
{
    struct loop loop = {.start = 1, .step = 1, .count = count, .chunk = 1, .schedule = SCHEDULE_DYNAMIC};
    loop_begin(self, &loop);
}

OPENMP_HOOK(unsigned, GOMP_sections_start, (unsigned count))
{
    OPENMP_ENTER(GOMP_sections_start, count);
    begin_sections(self, count);
    unsigned section = next_section(self, CALLER);
    rt_leave(self);
    return section;
}

OPENMP_HOOK(unsigned, GOMP_sections_next, (void))
{
    OPENMP_ENTER(GOMP_sections_next);
    unsigned section = next_section(self, CALLER);
    rt_leave(self);
    return section;
}

OPENMP_HOOK(void, GOMP_sections_end, (void))
{
    OPENMP_ENTER(GOMP_sections_end);
    team_barrier(self, CALLER);
    share_leave(self);
    rt_leave(self);
}

OPENMP_HOOK(bool, GOMP_sections_end_cancel, (void))
{
    OPENMP_ENTER(GOMP_sections_end_cancel);
    openmp_check_cancellation();
    team_barrier(self, CALLER);
    share_leave(self);
    rt_leave(self);
    return false;
}

OPENMP_HOOK(void, GOMP_sections_end_nowait, (void))
{
    OPENMP_ENTER(GOMP_sections_end_nowait);
    share_leave(self);
    rt_leave(self);
}

/* ---- ordered -------------------------------------------------------------------------------------------------------- */

OPENMP_HOOK(void, GOMP_ordered_start, (void))
{
    OPENMP_ENTER(GOMP_ordered_start);
    ordered_begin(self, CALLER);
    rt_leave(self);
}

OPENMP_HOOK(void, GOMP_ordered_end, (void))
{
    OPENMP_ENTER(GOMP_ordered_end);
    ordered_end(self, CALLER);
    rt_leave(self);
}
