/* SPDX-License-Identifier: MIT
 *
 * idle.c - waiting for what is not under control.
 *
 * The kernel is asked which descriptors are ready only after a task did I/O, every POLL_EVERY points, or when no task can run.  So
 * a run whose descriptors only connect its own threads is deterministic.  One that communicates with other processes depends on
 * them, and a replay waits for them.
 */
#include "runtime/sched/idle.h"

#include <linux/futex.h>
#include <poll.h>
#include <sys/syscall.h>

#include "runtime/arch/arch.h"
#include "runtime/init.h"
#include "runtime/model/signal.h"
#include "runtime/record.h"
#include "runtime/sched/replay.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/set.h"

enum { POLL_EVERY = 256, POLL_FDS = 64 };

static struct {
    struct task_set waiting; /* tasks with a published OP_IO operation */
    uint32_t waiting_count;
    bool dirty;     /* I/O was done since they were asked */
    uint64_t asked; /* at this point they were asked last */
    uint32_t external_count;
    struct task_set external; /* tasks in uncontrolled calls */
    int returned;             /* futex: counts returns from uncontrolled calls */
} idle;

void idle_watch(struct task *task, bool waits)
{
    if (set_has(&idle.waiting, task) == waits)
        return;
    set_put(&idle.waiting, task, waits);
    idle.waiting_count += waits ? 1 : -1u;
}

void sched_io_changed(void)
{
    idle.dirty = true;
}

static void ask_again(void)
{
    idle.dirty = false;
    idle.asked = rt.points;
    SET_EACH(task, &idle.waiting)
    {
        sched_refresh(task);
    }
    SET_EACH(task, &idle.external)
    {
        sched_refresh(task);
    }
}

void idle_refresh(void)
{
    if (idle.external_count == 0 && (idle.waiting_count == 0 || (!idle.dirty && rt.points - idle.asked < POLL_EVERY)))
        return;
    ask_again();
}

/* Sleeps in the kernel until a descriptor is ready, a call comes back, or some milliseconds have passed. */
static void wait_outside(int milliseconds)
{
    if (idle.external_count > 0) {
        struct timespec limit = {0, 1000000};
        int seen = __atomic_load_n(&idle.returned, __ATOMIC_ACQUIRE);
        ask_again();
        syscall_raw(SYS_futex, (long)&idle.returned, FUTEX_WAIT_PRIVATE, seen, (long)&limit, 0, 0);
        ask_again();
        return;
    }
    struct pollfd fds[POLL_FDS];
    int count = 0;
    SET_EACH(task, &idle.waiting)
    {
        enum wire_op kind = task->pending->kind;
        if (task->pending->fd >= 0 && count < POLL_FDS)
            fds[count++] = (struct pollfd){
                .fd = task->pending->fd,
                .events = kind == OP_IO_WRITE || kind == OP_IO_CONNECT ? POLLOUT : POLLIN,
            };
    }
    if (count < (int)idle.waiting_count)
        milliseconds = 1; /* some tasks wait for several descriptors, which poll is not asked for */
    int children = signal_watch_children(fds + count, POLL_FDS - count);
    struct timespec limit = {0, (long)milliseconds * 1000000};
    syscall_raw(SYS_ppoll, (long)fds, count + children, (long)&limit, 0, 0, 0);
    signal_unwatch_children(fds + count, children);
    ask_again();
}

/* The task waits for something that could happen outside the program. */
static bool waits_for_outside(const struct task *task)
{
    if (set_has(&idle.external, task))
        return true;
    const struct op *op = task->pending;
    return set_has(&idle.waiting, task) && (op->outside == NULL || op->outside(op));
}

bool idle_waits_for_outside(void)
{
    if (idle.external_count > 0)
        return true;
    SET_EACH(task, &idle.waiting)
    {
        if (waits_for_outside(task))
            return true;
    }
    return false;
}

void idle_wait(struct task *wanted)
{
    ask_again();
    if (wanted != NULL && wanted->ready != READY_NO)
        return;
    sched_list_blocked(); /* the driver reports it if this takes too long */
    if (wanted != NULL ? waits_for_outside(wanted) : idle_waits_for_outside()) {
        wait_outside(5);
        return;
    }
    if (signal_collect() || signal_idle())
        return;
    if (wanted != NULL)
        replay_diverged(wanted, "the schedule goes on with T%u at its operation %lu, which is blocked", wanted->id,
                        (unsigned long)wanted->operations);
    struct task *self = rt.current;
    const struct op *op = self->pending;
    if (self->state != TASK_ENDED) /* it cannot go on, not even by a spurious wake-up */
        record_segment_end(self->operations, false);
    struct wire_finding *finding = finding_add(self, KIND_DEADLOCK, op != NULL ? op->pc : 0,
                                               op != NULL ? op->address : 0, "deadlock: no thread can go on");
    finding_fail(finding);
}

void idle_outside_first(void)
{
    if (idle_waits_for_outside())
        wait_outside(1);
}

/* ---- uncontrolled calls ---------------------------------------------------------------------------------------------- */

struct external {
    struct op op;
    int returned;
};

static enum ready external_ready(struct task *task, const struct op *op)
{
    (void)task;
    const struct external *external = (const struct external *)op;
    return __atomic_load_n(&external->returned, __ATOMIC_ACQUIRE) ? READY_YES : READY_NO;
}

struct op *idle_external_op(struct task *task)
{
    struct external *external = rt_alloc(sizeof *external);
    external->op.kind = OP_EXTERNAL;
    external->op.deadline = RT_NEVER;
    external->op.fd = -1;
    external->op.ready = external_ready;
    set_put(&idle.external, task, true);
    idle.external_count++;
    return &external->op;
}

void idle_external_done(struct task *self)
{
    if (set_has(&idle.external, self)) {
        set_put(&idle.external, self, false);
        idle.external_count--;
    }
}

/* Called by the returning thread without the baton: only atomics. */
void idle_external_returned(struct task *self)
{
    struct external *external = (struct external *)self->pending;
    __atomic_store_n(&external->returned, 1, __ATOMIC_RELEASE);
    __atomic_fetch_add(&idle.returned, 1, __ATOMIC_RELEASE);
    syscall_raw(SYS_futex, (long)&idle.returned, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}
