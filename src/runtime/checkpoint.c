/* SPDX-License-Identifier: MIT
 *
 * checkpoint.c - fork in the middle of a multithreaded run.
 *
 * DESIGN
 *   On fibres all tasks are memory of one kernel thread, so a forked child is a whole copy of the run.  The child of checkpoint_make is the
 *   *holder*: it waits for the driver and forks one continuation per request.  A continuation reads the plan anew and goes on from
 *   here; what the wire had of the run so far (schedule, threads, counts) is put back first, for the driver has cleared it.
 *   The border is the same as for restart.c: a run that has touched descriptors, mappings, handlers or other processes is not
 *   held, because those would be shared by all continuations; the driver then runs the prefix again.
 */
#include "runtime/checkpoint.h"

#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/forkserver.h"
#include "runtime/init.h"
#include "runtime/restart.h"
#include "runtime/rt.h"
#include "runtime/sched/carrier.h"
#include "runtime/sched/sched.h"
#include "runtime/shadow.h"

REAL_FUNCTION(_Fork);

/* What the wire had of the run when it was held: the filled parts of its tables. */
enum { PARTS = 8 };
struct past {
    struct {
        void *wire, *copy;
        size_t size;
    } parts[PARTS];
};

static void copy(void *to, const void *from, size_t size)
{
    char *target = to;
    const char *source = from;
    for (size_t i = 0; i < size; i++)
        target[i] = source[i];
}

static void past_keep(struct past *past)
{
    struct wire *wire = rt.wire;
    struct wire_result *result = &wire->result;
    const struct past filled = {{
        {result, NULL, offsetof(struct wire_result, findings)},
        {result->findings, NULL, result->finding_count * sizeof result->findings[0]},
        {result->blocked, NULL, result->blocked_count * sizeof result->blocked[0]},
        {result->uncontrolled, NULL, result->uncontrolled_count * sizeof result->uncontrolled[0]},
        {result->tasks, NULL, result->task_count * sizeof result->tasks[0]},
        {wire->steps, NULL, result->step_count * sizeof wire->steps[0]},
        {wire->choices, NULL, result->choice_count * sizeof wire->choices[0]},
        {wire->events, NULL, result->event_count * sizeof wire->events[0]},
    }};
    *past = filled;
    for (int i = 0; i < PARTS; i++) {
        past->parts[i].copy = rt_alloc(past->parts[i].size);
        copy(past->parts[i].copy, past->parts[i].wire, past->parts[i].size);
    }
}

static void past_put_back(const struct past *past)
{
    for (int i = 0; i < PARTS; i++)
        copy(past->parts[i].wire, past->parts[i].copy, past->parts[i].size);
}

/* Waits for the driver; ends the process when the driver is gone. */
static void await_go(uint32_t *go)
{
    while (__atomic_exchange_n(go, 0, __ATOMIC_ACQUIRE) != 1) {
        struct timespec second = {1, 0};
        syscall_raw(SYS_futex, (long)go, FUTEX_WAIT, 0, (long)&second, 0, 0);
        if (!forkserver_driver_lives())
            rt_end_process(0);
    }
}

static void own_group(int pid)
{
    syscall_raw(SYS_setpgid, pid, 0, 0, 0, 0, 0);
}

/* In the holder. Returns in each continuation. */
static void hold(uint32_t slot, const struct past *past)
{
    restart_leave(); /* a continuation ends with its process */
    for (;;) {
        await_go(&rt.wire->checkpoints[slot].go);
        int pid = REAL(_Fork)();
        if (pid < 0)
            rt_end_process(0);
        own_group(pid);
        if (pid == 0) {
            syscall_raw(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0, 0);
            past_put_back(past);
            sched_new_plan();
            site_forget_private();
            return;
        }
        forkserver_tell_run(pid);
    }
}

void checkpoint_make(uint32_t slot)
{
    if (slot >= WIRE_CHECKPOINTS || carrier != &carrier_fibre || !restart_possible())
        return;
    struct past past;
    past_keep(&past); /* now: the run goes on beside the holder */
    rt.wire->checkpoints[slot].go = 0;
    int pid = REAL(_Fork)();
    if (pid == 0) {
        own_group(0);
        syscall_raw(SYS_prctl, PR_SET_PDEATHSIG, 0, 0, 0, 0, 0);
        hold(slot, &past);
        return;
    }
    if (pid > 0) {
        own_group(pid);
        forkserver_tell_holder(pid, slot);
    }
}
