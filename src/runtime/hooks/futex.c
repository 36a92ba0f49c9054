/* SPDX-License-Identifier: MIT
 *
 * futex.c - futexes that the program uses by hand, modelled by address.
 *
 * DESIGN
 *   A wait is two points, as in the kernel: one compares the word and joins the queue, one leaves it. A wake takes
 *   waiters out of the queue; when there are more than it may wake, which ones is a choice of the scheduler. The
 *   word itself belongs to the program: its accesses to it are seen like any others.
 *
 *   Once the program has forked, a futex without FUTEX_PRIVATE_FLAG may be shared with a child: then waits on it are
 *   left to the kernel, uncontrolled, and wakes go to both.
 */
#include "runtime/hooks/futex.h"

#include <linux/futex.h>

#include "runtime/hooks/io.h"
#include "runtime/hooks/time.h"
#include "runtime/model/model.h"
#include "runtime/model/object.h"
#include "runtime/model/signal.h"
#include "runtime/oracle/clock.h"
#include "runtime/sched/spin.h"
#include "runtime/transitions.h"

struct futex_waiter {
    struct futex_waiter *next; /* in order of arrival */
    struct task *task;
    struct object *home;  /* where it began to wait: carries the happens-before edge from the task that wakes it */
    struct object *where; /* whose queue it is in; NULL: woken */
    uint32_t bits;
};

static struct object *futex_object(const uint32_t *address)
{
    return object_get((uintptr_t)address, OBJECT_FUTEX);
}

static struct op futex_op(enum wire_op kind, uintptr_t pc, const uint32_t *address)
{
    return (struct op){
        .kind = kind, .pc = pc, .address = (uintptr_t)address, .size = 4, .fd = -1, .deadline = RT_NEVER};
}

/* ---- the queue --------------------------------------------------------------------------------------------------- */

static void queue_join(struct object *object, struct futex_waiter *waiter)
{
    struct futex_waiter **link = &object->futex.queue;
    while (*link != NULL)
        link = &(*link)->next;
    waiter->next = NULL;
    waiter->where = object;
    *link = waiter;
}

static void queue_leave(struct futex_waiter *waiter)
{
    if (waiter->where == NULL)
        return;
    struct futex_waiter **link = &waiter->where->futex.queue;
    while (*link != waiter)
        link = &(*link)->next;
    *link = waiter->next;
    waiter->where = NULL;
}

static uint32_t queue_count(const struct object *object, uint32_t bits)
{
    uint32_t count = 0;
    for (const struct futex_waiter *waiter = object->futex.queue; waiter != NULL; waiter = waiter->next)
        count += (waiter->bits & bits) != 0;
    return count;
}

static struct futex_waiter *queue_nth(const struct object *object, uint32_t bits, uint32_t index)
{
    struct futex_waiter *waiter = object->futex.queue;
    while ((waiter->bits & bits) == 0 || index-- > 0)
        waiter = waiter->next;
    return waiter;
}

/* Wakes up to `most` waiters. */
static uint32_t wake_some(struct task *self, struct object *object, uint32_t most, uint32_t bits)
{
    uint32_t woken = 0, count = queue_count(object, bits);
    for (; woken < most && count > 0; woken++, count--) {
        bool all = count <= most - woken;
        struct futex_waiter *waiter = queue_nth(object, bits, all ? 0 : sched_choose(self, count));
        hb_release_merge(self, waiter->home);
        queue_leave(waiter);
        if (transitions_wanted())
            transition_enable(waiter->task);
        sched_refresh(waiter->task);
    }
    return woken;
}

static uint32_t requeue_some(struct object *from, struct object *to, uint32_t most)
{
    uint32_t moved = 0;
    while (moved < most && from->futex.queue != NULL && from != to) {
        struct futex_waiter *waiter = from->futex.queue;
        queue_leave(waiter);
        queue_join(to, waiter);
        moved++;
    }
    return moved;
}

/* ---- wait -------------------------------------------------------------------------------------------------------- */

static enum ready woken_ready(struct task *task, const struct op *op)
{
    (void)task;
    const struct futex_waiter *waiter = (const struct futex_waiter *)(uintptr_t)op->argument;
    return waiter->where == NULL ? READY_YES : model_ready_later(op);
}

/* In the queue until woken, late or interrupted. */
static int wait_in_queue(struct task *self, uintptr_t pc, const uint32_t *address, int64_t deadline, uint32_t bits)
{
    struct object *object = futex_object(address);
    struct futex_waiter waiter = {.task = self, .home = object, .bits = bits};
    struct op op = futex_op(OP_FUTEX_WAIT, pc, address);
    op.flags = OP_INTERRUPTIBLE;
    op.object = object;
    op.deadline = deadline;
    op.ready = woken_ready;
    op.argument = (uint64_t)(uintptr_t)&waiter;
    queue_join(object, &waiter);
    enum wake wake = sched_point(self, &op);
    if (waiter.where == NULL) {
        hb_acquire(self, object);
        record_event(self, &op, 0, EVENT_VALUE);
        return 0;
    }
    queue_leave(&waiter);
    bool interrupted = wake == WAKE_SIGNAL;
    int error = interrupted ? EINTR : ETIMEDOUT;
    record_event(self, &op, (uint64_t)error, EVENT_FAILED | (interrupted ? EVENT_SIGNALLED : EVENT_TIMEOUT));
    return error;
}

static long futex_wait(struct task *self, uintptr_t pc, const struct futex_call *call, int64_t deadline, uint32_t bits)
{
    for (;;) {
        struct op op = futex_op(OP_FUTEX_WAIT, pc, call->address);
        op.argument = (uint64_t)(uintptr_t)&call->value;
        sched_point(self, &op);
        uint32_t value = __atomic_load_n(call->address, __ATOMIC_SEQ_CST);
        if (value != call->value) {
            record_event(self, &op, EAGAIN, EVENT_FAILED);
            return -EAGAIN;
        }
        record_event(self, &op, value, EVENT_VALUE | EVENT_UNCHANGED);
        int error = wait_in_queue(self, pc, call->address, deadline, bits);
        if (error != EINTR || deadline != RT_NEVER || !signal_restarts(self))
            return -error;
    }
}

/* It may be shared with a child process. */
static bool is_outside(const struct futex_call *call)
{
    return model_has_children && !(call->operation & FUTEX_PRIVATE_FLAG);
}

static long futex_wait_outside(struct task *self, const struct futex_call *call, int64_t deadline)
{
    struct timespec left = time_timespec(deadline > rt.now ? deadline - rt.now : 0);
    sched_external_begin(self, "futex shared with another process");
    long result = RAW(SYS_futex, call->address, FUTEX_WAIT, call->value, deadline == RT_NEVER ? NULL : &left);
    sched_external_end(self);
    if (result == -ETIMEDOUT && rt.now < deadline)
        rt.now = deadline;
    sched_time_passed();
    return result;
}

/* -1 if the time is invalid. */
static int64_t wait_deadline(const struct futex_call *call)
{
    const struct timespec *timeout = (const struct timespec *)call->timeout_or_count;
    if (timeout == NULL)
        return RT_NEVER;
    if (!time_valid(timeout) || timeout->tv_sec < 0)
        return -1;
    if ((call->operation & FUTEX_CMD_MASK) == FUTEX_WAIT)
        return time_after(time_nanoseconds(timeout));
    return time_deadline(call->operation & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, timeout);
}

/* ---- wake -------------------------------------------------------------------------------------------------------- */

static uint8_t woken_flags(uint32_t count)
{
    return EVENT_VALUE | (count == 0 ? EVENT_UNCHANGED : 0);
}

static long futex_wake(struct task *self, uintptr_t pc, const struct futex_call *call, uint32_t bits)
{
    struct op op = futex_op(OP_FUTEX_WAKE, pc, call->address);
    op.object = futex_object(call->address);
    sched_point(self, &op);
    uint32_t most = (int)call->value > 0 ? call->value : 1; /* the kernel wakes one for 0 too */
    uint32_t woken = wake_some(self, op.object, most, bits);
    if (woken < most && is_outside(call)) {
        long more = RAW(SYS_futex, call->address, FUTEX_WAKE, most - woken);
        woken += more > 0 ? (uint32_t)more : 0;
    }
    record_event(self, &op, woken, woken_flags(woken));
    return woken;
}

static long futex_requeue(struct task *self, uintptr_t pc, const struct futex_call *call, bool compare)
{
    struct op op = futex_op(OP_FUTEX_WAKE, pc, call->address);
    op.object = futex_object(call->address);
    op.object2 = futex_object(call->address2);
    sched_point(self, &op);
    if (compare && __atomic_load_n(call->address, __ATOMIC_SEQ_CST) != call->value3) {
        record_event(self, &op, EAGAIN, EVENT_FAILED);
        return -EAGAIN;
    }
    uint32_t woken = wake_some(self, op.object, call->value, FUTEX_BITSET_MATCH_ANY);
    uint32_t moved = requeue_some(op.object, op.object2, (uint32_t)call->timeout_or_count);
    record_event(self, &op, woken + moved, woken_flags(woken + moved));
    return (long)woken + moved;
}

/* The operation that FUTEX_WAKE_OP does on the second word. */
static uint32_t changed_word(uint32_t old, uint32_t code)
{
    uint32_t argument = (uint32_t)((int32_t)(code << 8) >> 20);
    if (code & ((uint32_t)FUTEX_OP_OPARG_SHIFT << 28))
        argument = 1u << (argument & 31);
    switch ((code >> 28) & 7) {
    case FUTEX_OP_SET:
        return argument;
    case FUTEX_OP_ADD:
        return old + argument;
    case FUTEX_OP_OR:
        return old | argument;
    case FUTEX_OP_ANDN:
        return old & ~argument;
    case FUTEX_OP_XOR:
        return old ^ argument;
    default:
        return old;
    }
}

static bool word_compares(uint32_t old, uint32_t code)
{
    int32_t a = (int32_t)old, b = (int32_t)(code << 20) >> 20;
    switch ((code >> 24) & 15) {
    case FUTEX_OP_CMP_EQ:
        return a == b;
    case FUTEX_OP_CMP_NE:
        return a != b;
    case FUTEX_OP_CMP_LT:
        return a < b;
    case FUTEX_OP_CMP_LE:
        return a <= b;
    case FUTEX_OP_CMP_GT:
        return a > b;
    case FUTEX_OP_CMP_GE:
        return a >= b;
    default:
        return false;
    }
}

static long futex_wake_op(struct task *self, uintptr_t pc, const struct futex_call *call)
{
    struct op op = futex_op(OP_FUTEX_WAKE, pc, call->address);
    op.object = futex_object(call->address);
    op.object2 = futex_object(call->address2);
    sched_point(self, &op);
    uint32_t old = *call->address2;
    __atomic_store_n(call->address2, changed_word(old, call->value3), __ATOMIC_SEQ_CST);
    spin_written((uintptr_t)call->address2, 4);
    uint32_t woken = wake_some(self, op.object, call->value, FUTEX_BITSET_MATCH_ANY);
    if (word_compares(old, call->value3))
        woken += wake_some(self, op.object2, (uint32_t)call->timeout_or_count, FUTEX_BITSET_MATCH_ANY);
    record_event(self, &op, woken, EVENT_VALUE);
    return woken;
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */

static long wait_any(struct task *self, uintptr_t pc, const struct futex_call *call, uint32_t bits)
{
    int64_t deadline = wait_deadline(call);
    if (deadline < 0 || bits == 0)
        return -EINVAL;
    return is_outside(call) ? futex_wait_outside(self, call, deadline) : futex_wait(self, pc, call, deadline, bits);
}

long futex_task(struct task *self, uintptr_t pc, const struct futex_call *call)
{
    int command = call->operation & FUTEX_CMD_MASK;
    bool two = command == FUTEX_REQUEUE || command == FUTEX_CMP_REQUEUE || command == FUTEX_WAKE_OP;
    if (((uintptr_t)call->address & 3) != 0 || (two && ((uintptr_t)call->address2 & 3) != 0))
        return -EINVAL;
    if (call->address == NULL || (two && call->address2 == NULL))
        return -EFAULT;
    switch (command) {
    case FUTEX_WAIT:
        return wait_any(self, pc, call, FUTEX_BITSET_MATCH_ANY);
    case FUTEX_WAIT_BITSET:
        return wait_any(self, pc, call, call->value3);
    case FUTEX_WAKE:
        return futex_wake(self, pc, call, FUTEX_BITSET_MATCH_ANY);
    case FUTEX_WAKE_BITSET:
        return call->value3 == 0 ? -EINVAL : futex_wake(self, pc, call, call->value3);
    case FUTEX_REQUEUE:
        return futex_requeue(self, pc, call, false);
    case FUTEX_CMP_REQUEUE:
        return futex_requeue(self, pc, call, true);
    case FUTEX_WAKE_OP:
        return futex_wake_op(self, pc, call);
    default:
        return -ENOSYS;
    }
}
