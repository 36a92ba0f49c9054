/* SPDX-License-Identifier: MIT
 *
 * carrier_kernel.c - each task is a real thread, and the baton is a futex word per task.
 *
 * DESIGN
 *   A real thread does nothing at all before it gets the baton for the first time, and nothing after its task has ended until
 *   it is reaped: libc's own work at thread exit (freeing its malloc cache) would otherwise run at the same time as the task with the baton, and make
 *   addresses depend on timing.  Reaping happens at the modelled join, and for detached tasks at the next creation.
 */
#include <linux/futex.h>
#include <sys/syscall.h>

#include "runtime/arch/arch.h"
#include "runtime/debug.h"
#include "runtime/init.h"
#include "runtime/sched/carrier.h"
#include "runtime/sched/idle.h"

REAL_FUNCTION(pthread_create);
REAL_FUNCTION(pthread_join);

struct task_thread {
    int baton;  /* 1: may run */
    int go;     /* 1: the task has ended and the real thread may leave */
    bool real;  /* carried by a thread of its own (not main) */
    int number; /* of that thread; 0: not known yet, or main */
};

static struct task_thread *thread_of(struct task *task)
{
    if (task->thread == NULL)
        task->thread = rt_alloc(sizeof *task->thread);
    return task->thread;
}

static void wait_for(int *word)
{
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == 0)
        syscall_raw(SYS_futex, (long)word, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
}

static void allow(int *word)
{
    __atomic_store_n(word, 1, __ATOMIC_RELEASE);
    syscall_raw(SYS_futex, (long)word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

static void hand_over(struct task *self, struct task *next)
{
    thread_of(self); /* must exist before another task can run */
    rt.current = next;
    rt.wire->result.runner = thread_of(next)->number != 0 ? thread_of(next)->number : RUNNER_FIRST;
    allow(&thread_of(next)->baton);
}

static void await(struct task *self)
{
    struct task_thread *thread = thread_of(self);
    wait_for(&thread->baton);
    thread->baton = 0;
}

static void switch_to(struct task *self, struct task *next)
{
    hand_over(self, next);
    await(self);
}

static void depart(struct task *self, struct task *next)
{
    hand_over(self, next);
    wait_for(&self->thread->go);
}

static void come_back(struct task *self)
{
    idle_external_returned(self);
    await(self);
}

static void *run(void *argument)
{
    struct task *self = argument;
    rt_self = self;
    debug_carries(self);
    await(self);
    self->thread->number = (int)syscall_raw(SYS_gettid, 0, 0, 0, 0, 0, 0);
    rt.wire->result.runner = self->thread->number;
    task_body_at(self, (uintptr_t)__builtin_frame_address(0) - CARRIER_FRAMES);
    return NULL;
}

static void learn_stack(struct task *task)
{
    pthread_attr_t attributes;
    void *lo = NULL;
    size_t size = 0;
    rt.own_allocation++;
    int error = pthread_getattr_np(task->handle, &attributes);
    if (error == 0) {
        pthread_attr_getstack(&attributes, &lo, &size);
        pthread_attr_destroy(&attributes);
    }
    rt.own_allocation--;
    if (error != 0)
        return;
    task->stack_lo = (uintptr_t)lo;
    task->stack_hi = (uintptr_t)lo + size;
}

static int start(struct task *task, const pthread_attr_t *attributes)
{
    struct task_thread *thread = thread_of(task);
    rt.own_allocation++; /* memory of the new real thread must not change the addresses of the program's blocks */
    int error = REAL(pthread_create)(&task->handle, attributes, run, task);
    rt.own_allocation--;
    thread->real = error == 0;
    if (error == 0)
        learn_stack(task);
    return error;
}

static void reap(struct task *task)
{
    struct task_thread *thread = thread_of(task);
    if (!thread->real)
        return;
    thread->real = false;
    allow(&thread->go);
    REAL(pthread_join)(task->handle, NULL);
}

const struct carrier carrier_kernel = {
    .name = "kernel",
    .start = start,
    .switch_to = switch_to,
    .depart = depart,
    .hand_over = hand_over,
    .come_back = come_back,
    .reap = reap,
};
