/* SPDX-License-Identifier: MIT
 *
 * task.c - the life of a task, on both carriers.
 */
#include <stdlib.h>
#include <unistd.h>

#include "runtime/arch/arch.h"
#include "runtime/debug.h"
#include "runtime/model/object.h"
#include "runtime/model/signal.h"
#include "runtime/model/thread.h"
#include "runtime/oracle/clock.h"
#include "runtime/record.h"
#include "runtime/sched/carrier.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/spin.h"
#include "runtime/sched/task.h"
#include "runtime/shadow.h"

REAL_FUNCTION(pthread_exit);
REAL_FUNCTION(pthread_self);

extern void *__libc_stack_end;
enum { MAIN_STACK = 8 << 20 };

const struct carrier *carrier = &carrier_kernel;
static bool main_entered;
static pthread_t main_handle;

struct task *task_new(struct task *parent)
{
    if (rt.task_count == WIRE_TASKS)
        sched_cut(END_THREADS);
    if (rt.task_count == 1)
        sched_first_thread();
    struct task *task = rt_alloc(sizeof *task);
    task->id = rt.task_count;
    task->parent = parent;
    task_go_inside(task);
    task->stop_at = UINT64_MAX;
    task->frames = rt_alloc(TASK_FRAMES * sizeof *task->frames);
    task->end = object_get((uintptr_t)task, OBJECT_TASK);
    rt.tasks[rt.task_count++] = task;
    rt.live_count++;
    rt.wire->result.tasks[task->id] = (struct wire_task){.parent = parent != NULL ? parent->id : 0};
    rt.wire->result.task_count = rt.task_count;
    return task;
}

void task_discard(struct task *task)
{
    object_drop(task->end);
    rt.tasks[--rt.task_count] = NULL;
    rt.live_count--;
    rt.wire->result.task_count = rt.task_count;
}

int task_carry(struct task *task, const pthread_attr_t *attributes)
{
    int error = carrier->start(task, attributes);
    if (error != 0)
        return error;
    if (!task->stack_kept)
        shadow_clear(task->stack_lo, task->stack_hi);
    struct op *start = rt_alloc(sizeof *start);
    *start = (struct op){.kind = OP_START, .deadline = RT_NEVER, .fd = -1, .pc = (uintptr_t)task->start};
    task->pending = start;
    sched_admit(task);
    return 0;
}

struct task *task_by_handle(pthread_t handle)
{
    for (uint32_t i = rt.task_count; i-- > 0;) {
        struct task *task = rt.tasks[i];
        if (task != NULL && task->handle == handle && !task->joined)
            return task;
    }
    return NULL;
}

void task_reap(struct task *task)
{
    carrier->reap(task);
    signal_thread_gone(task);
    rt_free(task->frames, TASK_FRAMES * sizeof *task->frames);
    task->frames = NULL;
    clock_drop(&task->clock); /* from now on only its entries in the clocks of other tasks are used */
    clock_drop(&task->end->clock);
}

/* ---- end ------------------------------------------------------------------------------------------------------------- */

void task_end(struct task *self)
{
    task_go_inside(self);
    struct op op = {.kind = OP_END, .deadline = RT_NEVER, .fd = -1, .address = (uintptr_t)self->end};
    sched_point(self, &op);
    record_event(self, &op, 0, 0);
    if (rt.live_count ==
        1) { /* the last thread of a program whose main has ended by pthread_exit: it runs the exit handlers */
        task_go_outside(self);
        exit(0);
    }
    hb_release(self, self->end);
    self->ended = true;
    rt.live_count--;
    if (!self->stack_kept)
        shadow_task_ended(self);
    spin_ended(self);
    object_changed(self->end);
    sched_depart(self);
    rt_self = NULL;
}

void task_unwind(struct task *self, void *result)
{
    self->result = result;
    self->cancelling = true;
    rt_leave(self);
    REAL(pthread_exit)(result);
    __builtin_unreachable();
}

/* The outermost clean-up of a task: after return, pthread_exit and cancellation. */
static void end_of_task(void *argument)
{
    struct task *self = argument;
    thread_finish(self);
    task_end(self);
}

/* Clears what the runtime has left below the caller's frame.  So a program that reads uninitialised variables reads the same in every run of a
   schedule. */
static __attribute__((noinline)) void clear_stack_below(void)
{
    char room[4096];
    __builtin_memset(room, 0, sizeof room);
    __asm__ volatile("" : : "r"(room) : "memory");
}

/* Calls function(a, b, c) with nothing in the registers that a function saves for its caller: it may save them into frames in which the
   program reads them later. */
void *call_program(void *a, void *b, void *c, void *function);
__asm__(ARCH_CALL_PROGRAM);

static void task_body(struct task *self)
{
    sched_started(self);
    signal_thread_started(self);
    pthread_cleanup_push(end_of_task, self);
    task_go_outside(self);
    errno = 0;
    clear_stack_below();
    self->result = call_program(self->argument, NULL, NULL, (void *)self->start);
    pthread_cleanup_pop(1);
}

void task_body_at(struct task *self, uintptr_t at)
{
    uintptr_t here = (uintptr_t)__builtin_alloca(16);
    if (here > at) {
        char *room = __builtin_alloca(here - (at & ~(uintptr_t)15));
        __asm__ volatile("" : : "r"(room) : "memory");
    }
    task_body(self);
}

/* ---- main ------------------------------------------------------------------------------------------------------------ */

bool task_main_entered(void)
{
    return main_entered;
}

void task_learn_main(void)
{
    main_handle = REAL(pthread_self)();
}

void task_adopt_main(void)
{
    struct task *task = task_new(NULL);
    task->handle = main_handle;
    task->stack_hi = (uintptr_t)__libc_stack_end;
    task->stack_lo = task->stack_hi - MAIN_STACK;
    task->state = TASK_RUNNING;
    rt.current = task;
    rt_self = task;
    debug_carries(task);
    signal_thread_started(task);
    hb_fork(NULL, task);
    rt.wire->result.tasks[0].stack_lo = task->stack_lo;
    rt.wire->result.tasks[0].stack_hi = task->stack_hi;
}

/* pthread_exit in main: main is a task like any other, but its thread never ends. */
static void end_of_main(void *argument)
{
    (void)argument;
    if (rt_self == NULL)
        return; /* not under control: libc does the rest */
    end_of_task(rt_self);
    for (;;)
        pause();
}

int task_run_main(int (*program)(int, char **, char **), int argc, char **argv, char **envp)
{
    int status = 0;
    main_entered = true;
    if (!rt.attached)
        return program(argc, argv, envp);
    pthread_cleanup_push(end_of_main, NULL);
    clear_stack_below();
    status = (int)(intptr_t)call_program((void *)(intptr_t)argc, argv, envp, (void *)program);
    pthread_cleanup_pop(0);
    exit(status);
}
