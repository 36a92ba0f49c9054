/* SPDX-License-Identifier: MIT
 *
 * gomp_task.c - what gcc calls for explicit tasks (libgomp's interface).
 */
#include "runtime/openmp/openmp.h"
#include "runtime/raw.h"

typedef unsigned long long ull;

enum { /* flags that the compiler gives */
       TASK_FINAL = 2,
       TASK_DEPEND = 8,
       LOOP_UP = 256,
       LOOP_GRAINSIZE = 512,
       LOOP_IF = 1024,
       LOOP_NOGROUP = 2048,
       TASK_REDUCTION = 4096,
       TASK_DETACH = 8192,
       LOOP_STRICT = 16384,
};

static void check_flags(unsigned flags)
{
    if (flags & TASK_DETACH)
        openmp_refuse("detached tasks are");
    if (flags & TASK_REDUCTION)
        openmp_refuse("task reductions are");
}

/* ---- dependences ---------------------------------------------------------------------------------------------------- */

/* As the compiler lists them.  Old form: count, of these out, addresses.  New form, with 0 in front: count, of these out, of
   these mutexinoutset, of these in, addresses; the rest are addresses of depend objects (address, kind). */
struct listed {
    uintptr_t *entries;
    uint32_t count, plain, writing;
};

enum { KIND_IN = 1 };

static struct listed read_list(void **depend)
{
    uintptr_t *list = (uintptr_t *)depend;
    if (list[0] != 0)
        return (struct listed){list + 2, (uint32_t)list[0], (uint32_t)list[0], (uint32_t)list[1]};
    return (struct listed){list + 5, (uint32_t)list[1], (uint32_t)(list[2] + list[3] + list[4]),
                           (uint32_t)(list[2] + list[3])};
}

/* Made with rt_alloc; *count entries. */
static struct dependence *read_dependences(void **depend, uint32_t *count)
{
    struct listed listed = read_list(depend);
    struct dependence *result = rt_alloc(listed.count * sizeof *result);
    for (uint32_t i = 0; i < listed.count; i++) {
        if (i < listed.plain) {
            result[i] = (struct dependence){listed.entries[i], i < listed.writing};
        } else {
            const uintptr_t *object = (const uintptr_t *)listed.entries[i];
            result[i] = (struct dependence){object[0], object[1] != KIND_IN};
        }
    }
    *count = listed.count;
    return result;
}

/* ---- tasks ---------------------------------------------------------------------------------------------------------- */

struct gomp_task {
    void (*function)(void *);
    void *data;
    void (*copy)(void *, void *); /* NULL: bytes */
    long size, alignment;
};

/* The task's own copy of what it was given. */
static void *copy_data(struct task *self, uintptr_t pc, const struct gomp_task *task)
{
    void *memory = openmp_allocate(self, pc, (size_t)task->size, (size_t)task->alignment);
    if (task->copy == NULL) {
        raw_copy(memory, task->data, (size_t)task->size);
        return memory;
    }
    rt_leave(self);
    task->copy(memory, task->data);
    rt_enter();
    return memory;
}

OPENMP_HOOK(void, GOMP_task,
            (void (*function)(void *), void *data, void (*copy)(void *, void *), long size, long alignment,
             bool deferred, unsigned flags, void **depend, int priority, void *detach))
{
    OPENMP_ENTER(GOMP_task, function, data, copy, size, alignment, deferred, flags, depend, priority, detach);
    check_flags(flags);
    struct gomp_task task = {function, data, copy, size, alignment};
    struct work_request request = {
        .function = function, .body = (uintptr_t)function, .undeferred = !deferred, .final = (flags & TASK_FINAL) != 0};
    struct dependence *dependences = NULL;
    if (flags & TASK_DEPEND)
        request.dependences = dependences = read_dependences(depend, &request.dependence_count);
    request.data = request.memory = size > 0 ? copy_data(self, CALLER, &task) : NULL;
    work_generate(self, CALLER, &request);
    rt_free(dependences, request.dependence_count * sizeof *dependences);
    rt_leave(self);
}

OPENMP_HOOK(void, GOMP_taskwait, (void))
{
    OPENMP_ENTER(GOMP_taskwait);
    work_wait(self, CALLER);
    rt_leave(self);
}

OPENMP_HOOK(void, GOMP_taskwait_depend, (void **depend))
{
    OPENMP_ENTER(GOMP_taskwait_depend, depend);
    uint32_t count;
    struct dependence *dependences = read_dependences(depend, &count);
    work_wait_depend(self, CALLER, dependences, count);
    rt_free(dependences, count * sizeof *dependences);
    rt_leave(self);
}

OPENMP_HOOK(void, GOMP_taskyield, (void))
{
    OPENMP_ENTER(GOMP_taskyield);
    work_yield(self, CALLER);
    rt_leave(self);
}

OPENMP_HOOK(void, GOMP_taskgroup_start, (void))
{
    OPENMP_ENTER(GOMP_taskgroup_start);
    group_begin(self);
    rt_leave(self);
}

OPENMP_HOOK(void, GOMP_taskgroup_end, (void))
{
    OPENMP_ENTER(GOMP_taskgroup_end);
    group_end(self, CALLER);
    rt_leave(self);
}

/* ---- taskloop ------------------------------------------------------------------------------------------------------- */

struct gomp_taskloop {
    struct gomp_task task;
    unsigned flags;
    uint64_t start, step, count; /* iterations */
    uint64_t number;             /* grainsize or num_tasks; 0: not given */
};

/* As many tasks as there are threads, if the program does not say. */
static uint64_t count_tasks(struct task *self, const struct gomp_taskloop *loop)
{
    uint64_t number = loop->number;
    if (loop->flags & LOOP_GRAINSIZE)
        number = loop->flags & LOOP_STRICT ? (loop->count + number - 1) / number : loop->count / number;
    else if (number == 0)
        number = team_of(self)->size;
    return number == 0 ? 1 : number > loop->count ? loop->count : number;
}

static void generate_part(struct task *self, uintptr_t pc, const struct gomp_taskloop *loop, uint64_t first,
                          uint64_t after)
{
    uint64_t *memory = copy_data(self, pc, &loop->task);
    memory[0] = loop->start + first * loop->step;
    memory[1] = loop->start + after * loop->step;
    struct work_request request = {.function = loop->task.function,
                                   .body = (uintptr_t)loop->task.function,
                                   .data = memory,
                                   .memory = memory,
                                   .undeferred = (loop->flags & LOOP_IF) == 0,
                                   .final = (loop->flags & TASK_FINAL) != 0};
    work_generate(self, pc, &request);
}

static void run_taskloop(struct task *self, uintptr_t pc, const struct gomp_taskloop *loop)
{
    check_flags(loop->flags);
    if (loop->count == 0)
        return;
    bool strict = (loop->flags & LOOP_STRICT) && (loop->flags & LOOP_GRAINSIZE);
    uint64_t tasks = count_tasks(self, loop);
    uint64_t each = strict ? loop->number : loop->count / tasks, more = strict ? 0 : loop->count % tasks;
    if (!(loop->flags & LOOP_NOGROUP))
        group_begin(self);
    for (uint64_t first = 0; first < loop->count;) {
        uint64_t after = first + each + (more > 0);
        more -= more > 0;
        after = after < loop->count ? after : loop->count;
        generate_part(self, pc, loop, first, after);
        first = after;
    }
    if (!(loop->flags & LOOP_NOGROUP))
        group_end(self, pc);
}

static uint64_t iterations(bool up, uint64_t start, uint64_t end, uint64_t step)
{
    return up ? (end - start + step - 1) / step : (start - end - step - 1) / (0 - step);
}

OPENMP_HOOK(void, GOMP_taskloop,
            (void (*function)(void *), void *data, void (*copy)(void *, void *), long size, long alignment,
             unsigned flags, unsigned long number, int priority, long start, long end, long step))
{
    OPENMP_ENTER(GOMP_taskloop, function, data, copy, size, alignment, flags, number, priority, start, end, step);
    bool any = step > 0 ? start < end : start > end;
    struct gomp_taskloop loop = {.task = {function, data, copy, size, alignment},
                                 .flags = flags,
                                 .start = (uint64_t)start,
                                 .step = (uint64_t)step,
                                 .number = number};
    if (any)
        loop.count = iterations(step > 0, (uint64_t)start, (uint64_t)end, (uint64_t)step);
    run_taskloop(self, CALLER, &loop);
    rt_leave(self);
}

OPENMP_HOOK(void, GOMP_taskloop_ull,
            (void (*function)(void *), void *data, void (*copy)(void *, void *), long size, long alignment,
             unsigned flags, unsigned long number, int priority, ull start, ull end, ull step))
{
    OPENMP_ENTER(GOMP_taskloop_ull, function, data, copy, size, alignment, flags, number, priority, start, end, step);
    bool up = (flags & LOOP_UP) != 0;
    struct gomp_taskloop loop = {.task = {function, data, copy, size, alignment},
                                 .flags = flags,
                                 .start = start,
                                 .step = step,
                                 .number = number};
    if (up ? start < end : start > end)
        loop.count = iterations(up, start, end, step);
    run_taskloop(self, CALLER, &loop);
    rt_leave(self);
}
