/* SPDX-License-Identifier: MIT
 *
 * checkpoint.c - fork in the middle of a multithreaded run.
 *
 * DESIGN
 *   On fibres all tasks are memory of one kernel thread, so a forked child is a whole copy of the run.  The child of checkpoint_make is the
 *   *holder*: it waits for the driver and forks one continuation per request.  A continuation reads the new plan and goes on from
 *   here.  First it restores what the wire had of the run so far (schedule, threads, counts), because the driver has cleared it.
 *   A plan that does not lead here (position.h) is declined, and the driver runs it from the beginning.
 *   The conditions are stricter than those of restart.c.  A run that has changed descriptors, mappings, handlers or other processes is not
 *   held, because all continuations would share them.  Neither is one that has read or written: its output would be missing in
 *   continuations, and input can be read only once.
 */
#include "runtime/checkpoint.h"

#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/arch/arch.h"
#include "runtime/forkserver.h"
#include "runtime/init.h"
#include "runtime/position.h"
#include "runtime/restart.h"
#include "runtime/sched/carrier.h"
#include "runtime/sched/sched.h"

REAL_FUNCTION(_Fork);

bool checkpoint_wanted;
static bool forbidden;

void checkpoint_begin(void)
{
    checkpoint_wanted = rt.wire->plan.checkpoint != CHECKPOINT_NOWHERE;
    forbidden = false;
    if (checkpoint_wanted)
        position_begin();
}

void checkpoint_forbid(void)
{
    forbidden = true;
}

/* What the wire had of the run when it was held: the filled parts of its tables. */
enum { PARTS = 10, STEPS = 7, CHOICES = 8 };
struct saved_wire {
    struct position position;
    struct {
        void *wire, *copy;
        size_t size;
    } parts[PARTS];
    size_t size; /* of the mapping */
};

/* At an address where nothing else is, and only while it is needed: addresses in a run must not depend on whether it is held or continued. */
#define PAST_ADDRESS 0x100000000000ull

static void copy(void *to, const void *from, size_t size)
{
    char *target = to;
    const char *source = from;
    for (size_t i = 0; i < size; i++)
        target[i] = source[i];
}

static void past_drop(const struct saved_wire *past)
{
    syscall_raw(SYS_munmap, (long)PAST_ADDRESS, (long)past->size, 0, 0, 0, 0);
}

static bool past_map(struct saved_wire *past)
{
    for (int i = 0; i < PARTS; i++)
        past->size += past->parts[i].size;
    long at = syscall_raw(SYS_mmap, (long)PAST_ADDRESS, (long)past->size, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (at != (long)PAST_ADDRESS && (at >= 0 || at < -4095)) /* an old kernel: elsewhere */
        syscall_raw(SYS_munmap, at, (long)past->size, 0, 0, 0, 0);
    return at == (long)PAST_ADDRESS;
}

static bool past_keep(struct saved_wire *past)
{
    struct wire *wire = rt.wire;
    struct wire_result *result = &wire->result;
    const struct saved_wire filled = {
        .position = past->position,
        .parts = {
            {result, NULL, WIRE_RESULT_COUNTS},
            {result->findings, NULL, result->finding_count * sizeof result->findings[0]},
            {result->blocked, NULL, result->blocked_count * sizeof result->blocked[0]},
            {result->uncontrolled, NULL, result->uncontrolled_count * sizeof result->uncontrolled[0]},
            {result->leaks, NULL, result->leak_count * sizeof result->leaks[0]},
            {result->tasks, NULL, result->task_count * sizeof result->tasks[0]},
            {result->frames, NULL, result->frame_count * sizeof result->frames[0]},
            {wire->steps, NULL, result->step_count * sizeof wire->steps[0]},
            {wire->choices, NULL, result->choice_count * sizeof wire->choices[0]},
            {wire->events, NULL, result->event_count * sizeof wire->events[0]},
        }};
    *past = filled;
    if (!past_map(past))
        return false;
    char *at = (char *)PAST_ADDRESS;
    for (int i = 0; i < PARTS; i++) {
        past->parts[i].copy = at;
        copy(at, past->parts[i].wire, past->parts[i].size);
        at += past->parts[i].size;
    }
    past->position.steps = past->parts[STEPS].copy;
    past->position.choices = past->parts[CHOICES].copy;
    return true;
}

static void past_put_back(const struct saved_wire *past)
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
static void hold(uint32_t slot, const struct saved_wire *past)
{
    restart_leave(); /* a continuation ends with its process */
    long self = syscall_raw(SYS_getpid, 0, 0, 0, 0, 0, 0);
    for (;;) {
        await_go(&rt.wire->checkpoints[slot].go);
        if (!position_serves(&past->position)) {
            forkserver_tell_declined();
            continue;
        }
        int pid = REAL(_Fork)();
        if (pid < 0)
            rt_end_process(0);
        own_group(pid);
        if (pid == 0) {
            syscall_raw(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0, 0);
            if (syscall_raw(SYS_getppid, 0, 0, 0, 0, 0, 0) != self)
                rt_end_process(0); /* too late: the holder was killed, and another process does the run */
            past_put_back(past);
            sched_new_plan(&past->position);
            past_drop(past);
            return;
        }
        forkserver_tell_run(pid);
    }
}

/* All that the program has printed so far is still in buffers. */
static bool is_silent(void)
{
    struct stat output, errors;
    return syscall_raw(SYS_fstat, STDOUT_FILENO, (long)&output, 0, 0, 0, 0) == 0 && output.st_size == 0 &&
           syscall_raw(SYS_fstat, STDERR_FILENO, (long)&errors, 0, 0, 0, 0) == 0 && errors.st_size == 0;
}

static uint64_t all_operations(void)
{
    uint64_t operations = 0;
    for (uint32_t i = 0; i < rt.task_count; i++)
        operations += rt.tasks[i] != NULL ? rt.tasks[i]->operations : 0;
    return operations;
}

void checkpoint_make(const struct task *self)
{
    uint32_t slot = rt.wire->plan.checkpoint_slot;
    struct saved_wire past = {0};
    checkpoint_wanted = false;
    if (slot >= WIRE_CHECKPOINTS || carrier != &carrier_fibre || forbidden || !is_silent() || !restart_untouched() ||
        !position_take(&past.position, self) || !past_keep(&past)) /* now: the run goes on while the holder waits */
        return;
    rt.wire->checkpoints[slot] = (struct wire_checkpoint){
        .steps = past.position.step_count, .until = past.position.until, .operations = all_operations()};
    int pid = REAL(_Fork)();
    if (pid == 0) {
        own_group(0);
        syscall_raw(SYS_prctl, PR_SET_PDEATHSIG, 0, 0, 0, 0, 0);
        hold(slot, &past);
        return;
    }
    past_drop(&past);
    if (pid > 0) {
        own_group(pid);
        forkserver_tell_holder(pid, slot);
    }
}
