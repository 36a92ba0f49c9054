/* SPDX-License-Identifier: MIT
 *
 * task.c - the kernel-thread back end: each task is a real thread, and the baton is a futex word per task.
 *
 * DESIGN
 *   A real thread does nothing at all before it gets the baton for the first time, and nothing after its task has ended until
 *   it is reaped: libc's own work at thread exit (freeing its malloc cache) would otherwise run beside the baton holder and make
 *   addresses depend on timing.  Reaping happens at the modelled join, and for detached tasks at the next creation.
 */
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/hooks/signal.h"
#include "runtime/init.h"
#include "runtime/model/thread.h"
#include "runtime/sched/sched.h"
#include "runtime/shadow.h"

REAL_FUNCTION(pthread_create);
REAL_FUNCTION(pthread_exit);
REAL_FUNCTION(pthread_join);
REAL_FUNCTION(pthread_self);

struct task_thread {
    int baton; /* 1: may run */
    int go;    /* 1: the task has ended and the real thread may leave */
    bool real; /* carried by a thread of its own (not main) */
};

static void futex_wait(int *word, int value)
{
    syscall_raw(SYS_futex, (long)word, FUTEX_WAIT_PRIVATE, value, 0, 0, 0);
}

static void futex_wake(int *word)
{
    syscall_raw(SYS_futex, (long)word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

struct task *task_new(struct task *parent)
{
    if (rt.task_count == WIRE_TASKS)
        rt_die("more than %d threads in one run: raddle does not carry so many", (int)WIRE_TASKS);
    struct task *task = rt_alloc(sizeof *task);
    task->id = rt.task_count;
    task->parent = parent;
    task->guard = 1;
    task->stop_at = UINT64_MAX;
    task->frames = rt_alloc(TASK_FRAMES * sizeof *task->frames);
    task->thread = rt_alloc(sizeof *task->thread);
    task->end = object_get((uintptr_t)task, OBJECT_TASK);
    rt.tasks[rt.task_count++] = task;
    rt.live_count++;
    struct wire_task *entry = &rt.wire->result.tasks[task->id];
    *entry = (struct wire_task){.parent = parent != NULL ? parent->id : 0};
    rt.wire->result.task_count = rt.task_count;
    return task;
}

/* ---- the baton ------------------------------------------------------------------------------------------------------- */

void task_hand_over(struct task *next)
{
    rt.current = next;
    __atomic_store_n(&next->thread->baton, 1, __ATOMIC_RELEASE);
    futex_wake(&next->thread->baton);
}

void task_await(struct task *self)
{
    while (__atomic_load_n(&self->thread->baton, __ATOMIC_ACQUIRE) == 0)
        futex_wait(&self->thread->baton, 0);
    self->thread->baton = 0;
    self->state = TASK_RUNNING;
}

void task_switch(struct task *self, struct task *next)
{
    task_hand_over(next);
    task_await(self);
}

/* ---- life ------------------------------------------------------------------------------------------------------------ */

void task_end(struct task *self)
{
    self->guard = 1;
    struct op op = {.kind = OP_END, .deadline = RT_NEVER, .fd = -1, .address = (uintptr_t)self->end};
    sched_point(self, &op);
    record_event(self, &op, 0, 0);
    hb_release(self, self->end);
    self->ended = true;
    rt.live_count--;
    shadow_task_ended(self);
    spin_ended(self);
    object_changed(self->end);
    if (rt.live_count == 0) { /* the last thread of a program whose main has ended by pthread_exit */
        self->guard = 0;
        exit(0);
    }
    sched_depart(self);
    while (__atomic_load_n(&self->thread->go, __ATOMIC_ACQUIRE) == 0)
        futex_wait(&self->thread->go, 0);
    rt_self = NULL;
}

void task_reap(struct task *task)
{
    if (!task->thread->real)
        return;
    task->thread->real = false;
    __atomic_store_n(&task->thread->go, 1, __ATOMIC_RELEASE);
    futex_wake(&task->thread->go);
    REAL(pthread_join)(task->handle, NULL);
    rt_free(task->frames, TASK_FRAMES * sizeof *task->frames);
    task->frames = NULL;
}

void task_unwind(struct task *self, void *result)
{
    self->result = result;
    self->cancelling = true;
    rt_leave(self);
    REAL(pthread_exit)(result);
    __builtin_unreachable();
}

/* Outermost clean-up of a task: reached by return, pthread_exit and cancellation alike. */
static void end_of_task(void *argument)
{
    struct task *self = argument;
    thread_finish(self);
    task_end(self);
}

static void *trampoline(void *argument)
{
    struct task *self = argument;
    rt_self = self;
    task_await(self);
    sched_started(self);
    signal_thread_started(self);
    pthread_cleanup_push(end_of_task, self);
    self->guard = 0;
    errno = 0;
    self->result = self->start(self->argument);
    pthread_cleanup_pop(1);
    return self->result;
}

int task_carry(struct task *task, const pthread_attr_t *attributes)
{
    int error = REAL(pthread_create)(&task->handle, attributes, trampoline, task);
    if (error != 0) { /* as if it had never been: it is the newest */
        rt.tasks[--rt.task_count] = NULL;
        rt.live_count--;
        rt.wire->result.task_count = rt.task_count;
        return error;
    }
    task->thread->real = true;
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

/* ---- main ------------------------------------------------------------------------------------------------------------ */

static bool main_entered;

bool task_main_entered(void)
{
    return main_entered;
}

void task_adopt_main(void)
{
    struct task *task = task_new(NULL);
    task->handle = REAL(pthread_self)();
    task->state = TASK_RUNNING;
    rt.current = task;
    rt_self = task;
    signal_thread_started(task);
    hb_fork(NULL, task);
    task->guard = 0;
}

/* pthread_exit in main: main is a task like the others, but its thread never leaves. */
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
    status = program(argc, argv, envp);
    pthread_cleanup_pop(0);
    exit(status);
}
