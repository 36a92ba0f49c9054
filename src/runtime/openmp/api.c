/* SPDX-License-Identifier: MIT
 *
 * api.c - the functions of omp.h that say or change something about teams and threads, and its locks.
 *
 * Clocks (omp_get_wtime), memory and places are left to the real library: it asks libc, which is hooked.
 */
#include "runtime/openmp/openmp.h"

/* ---- questions ------------------------------------------------------------------------------------------------------ */

/* GET(name, expression): `member` is the caller. */
#define GET(name, expression)                                                                                          \
    OPENMP_HOOK(int, name, (void))                                                                                     \
    {                                                                                                                  \
        OPENMP_ENTER(name);                                                                                            \
        __attribute__((unused)) const struct member *member = member_of(self);                                         \
        int result = (int)(expression);                                                                                \
        rt_leave(self);                                                                                                \
        return result;                                                                                                 \
    }

GET(omp_get_thread_num, member->place.number)
GET(omp_get_num_threads, member->place.team->size)
GET(omp_get_max_threads, member->wanted != 0 ? member->wanted : member->place.work->icv.threads)
GET(omp_in_parallel, member->place.team->active_level > 0)
GET(omp_get_level, member->place.team->level)
GET(omp_get_active_level, member->place.team->active_level)
GET(omp_in_final, member->place.work->final)
GET(omp_get_dynamic, member->place.work->icv.dynamic)
GET(omp_get_nested, openmp_levels > member->place.team->active_level + 1)
GET(omp_get_max_active_levels, openmp_levels)
GET(omp_get_supported_active_levels, OPENMP_LEVELS)
GET(omp_get_thread_limit, INT32_MAX)
GET(omp_get_num_procs, OPENMP_PROCESSORS)
GET(omp_get_cancellation, icv_cancellation())
GET(omp_get_num_teams, 1)
GET(omp_get_team_num, 0)

/* The thread's place in its team at a level; NULL: there is no such level. */
static const struct place *place_at(const struct member *member, int level)
{
    const struct place *place = &member->place;
    if (level < 0 || level > (int)place->team->level)
        return NULL;
    while ((int)place->team->level > level)
        place = &place->team->outer;
    return place;
}

OPENMP_HOOK(int, omp_get_ancestor_thread_num, (int level))
{
    OPENMP_ENTER(omp_get_ancestor_thread_num, level);
    const struct place *place = place_at(member_of(self), level);
    rt_leave(self);
    return place != NULL ? (int)place->number : -1;
}

OPENMP_HOOK(int, omp_get_team_size, (int level))
{
    OPENMP_ENTER(omp_get_team_size, level);
    const struct place *place = place_at(member_of(self), level);
    rt_leave(self);
    return place != NULL ? (int)place->team->size : -1;
}

/* ---- settings ------------------------------------------------------------------------------------------------------- */

OPENMP_HOOK(void, omp_set_num_threads, (int threads))
{
    OPENMP_ENTER(omp_set_num_threads, threads);
    member_of(self)->place.work->icv.threads = threads > 0 ? (uint32_t)threads : 1;
    rt_leave(self);
}

OPENMP_HOOK(void, omp_set_dynamic, (int dynamic))
{
    OPENMP_ENTER(omp_set_dynamic, dynamic);
    member_of(self)->place.work->icv.dynamic = dynamic != 0;
    rt_leave(self);
}

OPENMP_HOOK(void, omp_set_max_active_levels, (int levels))
{
    OPENMP_ENTER(omp_set_max_active_levels, levels);
    member_of(self); /* first the environment sets its values */
    if (levels >= 0)
        openmp_levels = (uint32_t)levels;
    rt_leave(self);
}

OPENMP_HOOK(void, omp_set_nested, (int nested))
{
    OPENMP_ENTER(omp_set_nested, nested);
    member_of(self);
    openmp_levels = nested ? OPENMP_LEVELS : 1;
    rt_leave(self);
}

OPENMP_HOOK(void, omp_set_schedule, (unsigned kind, int chunk))
{
    OPENMP_ENTER(omp_set_schedule, kind, chunk);
    struct icv *icv = &member_of(self)->place.work->icv;
    kind &= ~0x80000000u; /* monotonic */
    if (kind >= SCHEDULE_STATIC && kind <= SCHEDULE_AUTO) {
        icv->schedule = (enum schedule)kind;
        icv->chunk = chunk > 0 ? (uint64_t)chunk : 0;
    }
    rt_leave(self);
}

OPENMP_HOOK(void, omp_get_schedule, (unsigned *kind, int *chunk))
{
    OPENMP_ENTER(omp_get_schedule, kind, chunk);
    const struct icv *icv = &member_of(self)->place.work->icv;
    *kind = icv->schedule;
    *chunk = (int)icv->chunk;
    rt_leave(self);
}

/* ---- locks ---------------------------------------------------------------------------------------------------------- */

/* LOCK(name, body): `lock` is its address. */
#define LOCK(name, body)                                                                                               \
    OPENMP_HOOK(void, name, (void *lock))                                                                              \
    {                                                                                                                  \
        OPENMP_ENTER(name, lock);                                                                                      \
        body;                                                                                                          \
        rt_leave(self);                                                                                                \
    }
#define TEST(name, nestable)                                                                                           \
    OPENMP_HOOK(int, name, (void *lock))                                                                               \
    {                                                                                                                  \
        OPENMP_ENTER(name, lock);                                                                                      \
        int count = (int)openmp_trylock(self, CALLER, (uintptr_t)lock, nestable);                                      \
        rt_leave(self);                                                                                                \
        return count;                                                                                                  \
    }
#define INIT_WITH_HINT(name)                                                                                           \
    OPENMP_HOOK(void, name, (void *lock, unsigned hint))                                                               \
    {                                                                                                                  \
        OPENMP_ENTER(name, lock, hint);                                                                                \
        openmp_lock_init(self, (uintptr_t)lock);                                                                       \
        rt_leave(self);                                                                                                \
    }

LOCK(omp_init_lock, openmp_lock_init(self, (uintptr_t)lock))
LOCK(omp_init_nest_lock, openmp_lock_init(self, (uintptr_t)lock))
INIT_WITH_HINT(omp_init_lock_with_hint)
INIT_WITH_HINT(omp_init_nest_lock_with_hint)
LOCK(omp_destroy_lock, openmp_lock_destroy(self, (uintptr_t)lock))
LOCK(omp_destroy_nest_lock, openmp_lock_destroy(self, (uintptr_t)lock))
LOCK(omp_set_lock, openmp_lock(self, CALLER, (uintptr_t)lock, false))
LOCK(omp_set_nest_lock, openmp_lock(self, CALLER, (uintptr_t)lock, true))
LOCK(omp_unset_lock, openmp_unlock(self, CALLER, (uintptr_t)lock))
LOCK(omp_unset_nest_lock, openmp_unlock(self, CALLER, (uintptr_t)lock))
TEST(omp_test_lock, false)
TEST(omp_test_nest_lock, true)
