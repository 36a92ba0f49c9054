/* SPDX-License-Identifier: MIT
 *
 * kmpc.c - what clang calls for parallel regions, barriers, critical sections, single, reductions and ordered (libomp's interface).
 *
 * `location` and `thread` are given with each call and not needed: the calling task is known.
 */
#include <stdarg.h>

#include "runtime/openmp/openmp.h"
#include "runtime/oracle/order.h"

/* ---- parallel ------------------------------------------------------------------------------------------------------- */

enum { FEW = 8, MOST = 64 };

typedef void microtask(int *, int *, ...);

/* In the calling conventions of x86-64 and arm64, more arguments than the function takes do no harm. */
static void call_microtask(const struct region *region)
{
    typedef void few(int *, int *, void *, void *, void *, void *, void *, void *, void *, void *);
    void **a = region->arguments;
    int thread = (int)rt_self->id, bound = 0;
    if (region->count <= FEW)
        ((few *)region->body)(&thread, &bound, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
    else {
#define A8(n) a[n], a[(n) + 1], a[(n) + 2], a[(n) + 3], a[(n) + 4], a[(n) + 5], a[(n) + 6], a[(n) + 7]
        typedef void most(int *, int *, ...);
        ((most *)region->body)(&thread, &bound, A8(0), A8(8), A8(16), A8(24), A8(32), A8(40), A8(48), A8(56));
#undef A8
    }
}

OPENMP_HOOK(void, __kmpc_fork_call, (void *location, int count, microtask *function, ...))
{
    void *arguments[MOST] = {0};
    va_list list;
    va_start(list, function);
    for (int i = 0; i < count && i < MOST; i++)
        arguments[i] = va_arg(list, void *);
    va_end(list);
    openmp_before_team();
    struct task *self = rt_enter();
    if (self == NULL) {
        typedef void fork_most(void *, int, microtask *, ...);
        fork_most *real = (fork_most *)openmp_real("__kmpc_fork_call", &real___kmpc_fork_call);
        void **a = arguments;
#define A8(n) a[n], a[(n) + 1], a[(n) + 2], a[(n) + 3], a[(n) + 4], a[(n) + 5], a[(n) + 6], a[(n) + 7]
        real(location, count, function, A8(0), A8(8), A8(16), A8(24), A8(32), A8(40), A8(48), A8(56));
#undef A8
        return;
    }
    if (count > MOST)
        openmp_refuse("parallel regions with more than 64 shared variables are");
    struct region region = {
        .call = call_microtask, .body = (uintptr_t)function, .count = (uint32_t)count, .arguments = arguments};
    team_run(self, CALLER, &region, 0);
    rt_leave(self);
}

OPENMP_HOOK(void, __kmpc_push_num_threads, (void *location, int thread, int threads))
{
    OPENMP_ENTER(__kmpc_push_num_threads, location, thread, threads);
    member_of(self)->wanted = threads > 0 ? (uint32_t)threads : 0;
    rt_leave(self);
}

OPENMP_HOOK(void, __kmpc_push_proc_bind, (void *location, int thread, int bind))
{
    OPENMP_ENTER(__kmpc_push_proc_bind, location, thread, bind);
    rt_leave(self);
}

/* A region whose if clause is false: the compiler calls its function itself. */
OPENMP_HOOK(void, __kmpc_serialized_parallel, (void *location, int thread))
{
    OPENMP_ENTER(__kmpc_serialized_parallel, location, thread);
    struct region region = {.body = team_of(self)->region.body};
    team_begin(self, CALLER, &region, 1);
    rt_leave(self);
}

OPENMP_HOOK(void, __kmpc_end_serialized_parallel, (void *location, int thread))
{
    OPENMP_ENTER(__kmpc_end_serialized_parallel, location, thread);
    team_end(self);
    rt_leave(self);
}

OPENMP_HOOK(int, __kmpc_global_thread_num, (void *location))
{
    OPENMP_ENTER(__kmpc_global_thread_num, location);
    rt_leave(self);
    return (int)self->id;
}

OPENMP_HOOK(int, __kmpc_global_num_threads, (void *location))
{
    OPENMP_ENTER(__kmpc_global_num_threads, location);
    rt_leave(self);
    return (int)rt.task_count;
}

OPENMP_HOOK(int, __kmpc_bound_thread_num, (void *location))
{
    OPENMP_ENTER(__kmpc_bound_thread_num, location);
    int number = (int)member_of(self)->place.number;
    rt_leave(self);
    return number;
}

OPENMP_HOOK(int, __kmpc_bound_num_threads, (void *location))
{
    OPENMP_ENTER(__kmpc_bound_num_threads, location);
    int size = (int)team_of(self)->size;
    rt_leave(self);
    return size;
}

OPENMP_HOOK(int, __kmpc_in_parallel, (void *location))
{
    OPENMP_ENTER(__kmpc_in_parallel, location);
    bool active = team_of(self)->active_level > 0;
    rt_leave(self);
    return active;
}

OPENMP_HOOK(int, __kmpc_ok_to_fork, (void *location))
{
    OPENMP_ENTER(__kmpc_ok_to_fork, location);
    rt_leave(self);
    return 1;
}

OPENMP_HOOK(void, __kmpc_begin, (void *location, int flags))
{
    OPENMP_ENTER(__kmpc_begin, location, flags);
    rt_leave(self);
}

OPENMP_HOOK(void, __kmpc_end, (void *location))
{
    OPENMP_ENTER(__kmpc_end, location);
    rt_leave(self);
}

/* ---- barrier, flush, cancellation ----------------------------------------------------------------------------------- */

OPENMP_HOOK(void, __kmpc_barrier, (void *location, int thread))
{
    OPENMP_ENTER(__kmpc_barrier, location, thread);
    team_barrier(self, CALLER);
    rt_leave(self);
}

/* The fence that gcc makes of it. */
OPENMP_HOOK(void, __kmpc_flush, (void *location))
{
    OPENMP_ENTER(__kmpc_flush, location);
    struct op op = model_op(OP_FENCE, CALLER, NULL, NULL);
    op.flags = OP_ATOMIC;
    sched_point(self, &op);
    order_fence(self, __ATOMIC_SEQ_CST);
    record_event(self, &op, 0, 0);
    rt_leave(self);
}

OPENMP_HOOK(int, __kmpc_cancel, (void *location, int thread, int which))
{
    OPENMP_ENTER(__kmpc_cancel, location, thread, which);
    openmp_check_cancellation();
    rt_leave(self);
    return 0;
}

OPENMP_HOOK(int, __kmpc_cancellationpoint, (void *location, int thread, int which))
{
    OPENMP_ENTER(__kmpc_cancellationpoint, location, thread, which);
    openmp_check_cancellation();
    rt_leave(self);
    return 0;
}

OPENMP_HOOK(int, __kmpc_cancel_barrier, (void *location, int thread))
{
    OPENMP_ENTER(__kmpc_cancel_barrier, location, thread);
    openmp_check_cancellation();
    team_barrier(self, CALLER);
    rt_leave(self);
    return 0;
}

/* ---- critical sections ---------------------------------------------------------------------------------------------- */

OPENMP_HOOK(void, __kmpc_critical, (void *location, int thread, void *name))
{
    OPENMP_ENTER(__kmpc_critical, location, thread, name);
    openmp_lock(self, CALLER, (uintptr_t)name, false);
    rt_leave(self);
}

OPENMP_HOOK(void, __kmpc_critical_with_hint, (void *location, int thread, void *name, unsigned hint))
{
    OPENMP_ENTER(__kmpc_critical_with_hint, location, thread, name, hint);
    openmp_lock(self, CALLER, (uintptr_t)name, false);
    rt_leave(self);
}

OPENMP_HOOK(void, __kmpc_end_critical, (void *location, int thread, void *name))
{
    OPENMP_ENTER(__kmpc_end_critical, location, thread, name);
    openmp_unlock(self, CALLER, (uintptr_t)name);
    rt_leave(self);
}

/* ---- master, masked, single, copyprivate ---------------------------------------------------------------------------- */

OPENMP_HOOK(int, __kmpc_master, (void *location, int thread))
{
    OPENMP_ENTER(__kmpc_master, location, thread);
    bool mine = member_of(self)->place.number == 0;
    rt_leave(self);
    return mine;
}

OPENMP_HOOK(int, __kmpc_masked, (void *location, int thread, int filter))
{
    OPENMP_ENTER(__kmpc_masked, location, thread, filter);
    bool mine = (int)member_of(self)->place.number == filter;
    rt_leave(self);
    return mine;
}

#define NOTHING(name)                                                                                                  \
    OPENMP_HOOK(void, name, (void *location, int thread))                                                              \
    {                                                                                                                  \
        OPENMP_ENTER(name, location, thread);                                                                          \
        rt_leave(self);                                                                                                \
    }

NOTHING(__kmpc_end_master)
NOTHING(__kmpc_end_masked)
NOTHING(__kmpc_end_single)

OPENMP_HOOK(int, __kmpc_single, (void *location, int thread))
{
    OPENMP_ENTER(__kmpc_single, location, thread);
    bool mine = single_begin(self, CALLER);
    rt_leave(self);
    return mine;
}

/* `mine`: the caller has executed the single region; the others copy from it. */
OPENMP_HOOK(void, __kmpc_copyprivate,
            (void *location, int thread, size_t size, void *data, void (*copy)(void *, void *), int mine))
{
    OPENMP_ENTER(__kmpc_copyprivate, location, thread, size, data, copy, mine);
    struct team *team = team_of(self);
    if (mine)
        team->copied = data;
    team_barrier(self, CALLER);
    if (!mine) {
        void *from = team->copied;
        rt_leave(self);
        copy(data, from);
        rt_enter();
    }
    team_barrier(self, CALLER);
    rt_leave(self);
}

/* ---- reductions: one after the other, under a lock ------------------------------------------------------------------ */

#define REDUCE(name)                                                                                                   \
    OPENMP_HOOK(                                                                                                       \
        int, name,                                                                                                     \
        (void *location, int thread, int count, size_t size, void *data, void (*reduce)(void *, void *), void *lock))  \
    {                                                                                                                  \
        OPENMP_ENTER(name, location, thread, count, size, data, reduce, lock);                                         \
        openmp_lock(self, CALLER, (uintptr_t)openmp_reduction, false);                                                 \
        rt_leave(self);                                                                                                \
        return 1;                                                                                                      \
    }

REDUCE(__kmpc_reduce)
REDUCE(__kmpc_reduce_nowait)

OPENMP_HOOK(void, __kmpc_end_reduce_nowait, (void *location, int thread, void *lock))
{
    OPENMP_ENTER(__kmpc_end_reduce_nowait, location, thread, lock);
    openmp_unlock(self, CALLER, (uintptr_t)openmp_reduction);
    rt_leave(self);
}

OPENMP_HOOK(void, __kmpc_end_reduce, (void *location, int thread, void *lock))
{
    OPENMP_ENTER(__kmpc_end_reduce, location, thread, lock);
    openmp_unlock(self, CALLER, (uintptr_t)openmp_reduction);
    team_barrier(self, CALLER);
    rt_leave(self);
}

/* ---- ordered -------------------------------------------------------------------------------------------------------- */

OPENMP_HOOK(void, __kmpc_ordered, (void *location, int thread))
{
    OPENMP_ENTER(__kmpc_ordered, location, thread);
    ordered_begin(self, CALLER);
    rt_leave(self);
}

OPENMP_HOOK(void, __kmpc_end_ordered, (void *location, int thread))
{
    OPENMP_ENTER(__kmpc_end_ordered, location, thread);
    ordered_end(self, CALLER);
    rt_leave(self);
}
