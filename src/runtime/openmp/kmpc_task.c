/* SPDX-License-Identifier: MIT
 *
 * kmpc_task.c - what clang calls for explicit tasks (libomp's interface).
 *
 * A task is a heap block: our own head, then what the compiler's code knows as kmp_task_t, the task's private variables, and the addresses of
 * the shared ones.  The compiler fills it in between allocation and generation.
 */
#include "runtime/openmp/openmp.h"
#include "runtime/raw.h"

struct kmp_task { /* the compiler's */
    void *shareds;
    int (*routine)(int, struct kmp_task *);
    int part;
    union {
        int priority;
        int (*destructors)(int, struct kmp_task *);
    } data1, data2;
};

struct head {    /* ours, before it */
    size_t size; /* of all that follows */
    size_t shareds;
    int flags;
};
enum { HEAD = 32 };
_Static_assert(sizeof(struct head) <= HEAD, "the head of a task has room");

enum { FLAG_FINAL = 2, FLAG_DESTRUCTORS = 8, FLAG_DETACHABLE = 64 };

static struct head *head_of(struct kmp_task *task)
{
    return (struct head *)((char *)task - HEAD);
}

static struct kmp_task *task_allocate(struct task *self, uintptr_t pc, size_t size, size_t shareds, int flags)
{
    size_t inner = (size + 15) & ~(size_t)15;
    struct head *head = openmp_allocate(self, pc, HEAD + inner + shareds, 16);
    struct kmp_task *task = (struct kmp_task *)((char *)head + HEAD);
    *head = (struct head){inner + shareds, shareds > 0 ? inner : 0, flags};
    task->shareds = shareds > 0 ? (char *)task + inner : NULL;
    return task;
}

/* Outside of the guard. */
static void call_task(void *data)
{
    struct kmp_task *task = data;
    int thread = (int)rt_self->id;
    bool destructors = (head_of(task)->flags & FLAG_DESTRUCTORS) != 0;
    task->routine(thread, task);
    if (destructors)
        task->data1.destructors(thread, task);
}

static struct work_request request_of(struct kmp_task *task)
{
    return (struct work_request){.function = call_task,
                                 .data = task,
                                 .memory = head_of(task),
                                 .body = (uintptr_t)task->routine,
                                 .final = (head_of(task)->flags & FLAG_FINAL) != 0};
}

OPENMP_HOOK(void *, __kmpc_omp_task_alloc,
            (void *location, int thread, int flags, size_t size, size_t shareds,
             int (*routine)(int, struct kmp_task *)))
{
    OPENMP_ENTER(__kmpc_omp_task_alloc, location, thread, flags, size, shareds, routine);
    if (flags & FLAG_DETACHABLE)
        openmp_refuse("detached tasks are");
    struct kmp_task *task = task_allocate(self, CALLER, size, shareds, flags);
    task->routine = routine;
    rt_leave(self);
    return task;
}

OPENMP_HOOK(int, __kmpc_omp_task, (void *location, int thread, struct kmp_task *task))
{
    OPENMP_ENTER(__kmpc_omp_task, location, thread, task);
    struct work_request request = request_of(task);
    work_generate(self, CALLER, &request);
    rt_leave(self);
    return 0;
}

/* ---- dependences ---------------------------------------------------------------------------------------------------- */

struct kmp_depend { /* the compiler's */
    uintptr_t address;
    size_t size;
    unsigned char flags; /* 1 in, 2 out, 4 mutexinoutset, 8 inoutset */
};
enum { DEPEND_IN = 1 };

/* Made with rt_alloc. */
static struct dependence *read_dependences(const struct kmp_depend *list, int count)
{
    struct dependence *result = rt_alloc((size_t)count * sizeof *result);
    for (int i = 0; i < count; i++)
        result[i] = (struct dependence){list[i].address, list[i].flags != DEPEND_IN};
    return result;
}

static void free_dependences(struct dependence *dependences, int count)
{
    rt_free(dependences, (size_t)count * sizeof *dependences);
}

OPENMP_HOOK(int, __kmpc_omp_task_with_deps,
            (void *location, int thread, struct kmp_task *task, int count, const struct kmp_depend *list,
             int alias_count, const struct kmp_depend *aliases))
{
    OPENMP_ENTER(__kmpc_omp_task_with_deps, location, thread, task, count, list, alias_count, aliases);
    struct work_request request = request_of(task);
    struct dependence *dependences = read_dependences(list, count);
    request.dependences = dependences;
    request.dependence_count = (uint32_t)count;
    work_generate(self, CALLER, &request);
    free_dependences(dependences, count);
    rt_leave(self);
    return 0;
}

OPENMP_HOOK(void, __kmpc_omp_wait_deps,
            (void *location, int thread, int count, const struct kmp_depend *list, int alias_count,
             const struct kmp_depend *aliases))
{
    OPENMP_ENTER(__kmpc_omp_wait_deps, location, thread, count, list, alias_count, aliases);
    struct dependence *dependences = read_dependences(list, count);
    work_wait_depend(self, CALLER, dependences, (uint32_t)count);
    free_dependences(dependences, count);
    rt_leave(self);
}

/* ---- undeferred: the compiler calls the body itself ----------------------------------------------------------------- */

OPENMP_HOOK(void, __kmpc_omp_task_begin_if0, (void *location, int thread, struct kmp_task *task))
{
    OPENMP_ENTER(__kmpc_omp_task_begin_if0, location, thread, task);
    struct work_request request = request_of(task);
    work_begin_here(self, CALLER, &request);
    rt_leave(self);
}

OPENMP_HOOK(void, __kmpc_omp_task_complete_if0, (void *location, int thread, struct kmp_task *task))
{
    OPENMP_ENTER(__kmpc_omp_task_complete_if0, location, thread, task);
    if (head_of(task)->flags & FLAG_DESTRUCTORS) {
        rt_leave(self);
        task->data1.destructors((int)self->id, task);
        rt_enter();
    }
    work_end_here(self);
    rt_leave(self);
}

/* ---- waiting -------------------------------------------------------------------------------------------------------- */

OPENMP_HOOK(int, __kmpc_omp_taskwait, (void *location, int thread))
{
    OPENMP_ENTER(__kmpc_omp_taskwait, location, thread);
    work_wait(self, CALLER);
    rt_leave(self);
    return 0;
}

OPENMP_HOOK(int, __kmpc_omp_taskyield, (void *location, int thread, int end))
{
    OPENMP_ENTER(__kmpc_omp_taskyield, location, thread, end);
    work_yield(self, CALLER);
    rt_leave(self);
    return 0;
}

OPENMP_HOOK(void, __kmpc_taskgroup, (void *location, int thread))
{
    OPENMP_ENTER(__kmpc_taskgroup, location, thread);
    group_begin(self);
    rt_leave(self);
}

OPENMP_HOOK(void, __kmpc_end_taskgroup, (void *location, int thread))
{
    OPENMP_ENTER(__kmpc_end_taskgroup, location, thread);
    group_end(self, CALLER);
    rt_leave(self);
}

/* ---- taskloop: the task given is the pattern of all ----------------------------------------------------------------- */

enum kmp_taskloop { LOOP_DEFAULT, LOOP_GRAINSIZE, LOOP_TASKS };

struct kmpc_taskloop {
    struct kmp_task *pattern;
    uint64_t *lower, *upper; /* in the pattern */
    uint64_t start, step, count;
    bool undeferred;
    void (*copy)(struct kmp_task *, struct kmp_task *, int);
};

static void generate_part(struct task *self, uintptr_t pc, const struct kmpc_taskloop *loop, uint64_t first,
                          uint64_t after)
{
    const struct head *head = head_of(loop->pattern);
    struct head *copy = openmp_allocate(self, pc, HEAD + head->size, 16);
    struct kmp_task *task = (struct kmp_task *)((char *)copy + HEAD);
    raw_copy(copy, head, HEAD + head->size);
    if (head->shareds != 0)
        task->shareds = (char *)task + head->shareds;
    char *lower = (char *)task + ((char *)loop->lower - (char *)loop->pattern);
    char *upper = (char *)task + ((char *)loop->upper - (char *)loop->pattern);
    *(uint64_t *)lower = loop->start + first * loop->step;
    *(uint64_t *)upper = loop->start + (after - 1) * loop->step;
    if (loop->copy != NULL) {
        rt_leave(self);
        loop->copy(task, loop->pattern, after == loop->count);
        rt_enter();
    }
    struct work_request request = request_of(task);
    request.undeferred = loop->undeferred;
    work_generate(self, pc, &request);
}

static void run_taskloop(struct task *self, uintptr_t pc, const struct kmpc_taskloop *loop, uint64_t tasks)
{
    uint64_t each = loop->count / tasks, more = loop->count % tasks;
    for (uint64_t first = 0; first < loop->count;) {
        uint64_t after = first + each + (more > 0);
        more -= more > 0;
        generate_part(self, pc, loop, first, after);
        first = after;
    }
    openmp_free(self, pc, head_of(loop->pattern));
}

static uint64_t count_tasks(struct task *self, uint64_t count, int kind, uint64_t number)
{
    uint64_t tasks = kind == LOOP_GRAINSIZE && number > 0 ? count / number
                     : kind == LOOP_TASKS                 ? number
                                                          : team_of(self)->size;
    return tasks == 0 ? 1 : tasks > count ? count : tasks;
}

OPENMP_HOOK(void, __kmpc_taskloop,
            (void *location, int thread, struct kmp_task *task, int deferred, uint64_t *lower, uint64_t *upper,
             int64_t step, int no_group, int kind, uint64_t number,
             void (*copy)(struct kmp_task *, struct kmp_task *, int)))
{
    OPENMP_ENTER(__kmpc_taskloop, location, thread, task, deferred, lower, upper, step, no_group, kind, number, copy);
    struct kmpc_taskloop loop = {.pattern = task,
                                 .lower = lower,
                                 .upper = upper,
                                 .start = *lower,
                                 .step = (uint64_t)step,
                                 .undeferred = deferred == 0,
                                 .copy = copy};
    int64_t distance = (int64_t)(*upper - *lower);
    if (step > 0 ? distance >= 0 : distance <= 0)
        loop.count = (uint64_t)(distance / step) + 1;
    if (!no_group)
        group_begin(self);
    run_taskloop(self, CALLER, &loop, loop.count > 0 ? count_tasks(self, loop.count, kind, number) : 1);
    if (!no_group)
        group_end(self, CALLER);
    rt_leave(self);
}
