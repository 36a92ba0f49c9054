/* SPDX-License-Identifier: MIT
 *
 * checkpoint.c - fork in the middle of a multithreaded run.
 *
 * DESIGN
 *   On fibres all tasks are memory of one kernel thread, so a forked child is a whole copy of the run.  The child of checkpoint_make is the
 *   *holder*: it waits for the driver and forks one continuation per request.  A continuation reads the new plan and goes on from
 *   here.  First it restores what the wire had of the run so far (schedule, threads, counts), because the driver has cleared it.
 *   A plan that does not lead here (position.h) is declined, and the driver runs it from the beginning.
 *   A run is not held if copies of its process would share something that cannot be put back: what was written to files, pipes,
 *   sockets, other processes, kernel threads, timers (checkpoint_forbid, held.h).  What a copy has of its own is no obstacle: memory,
 *   handlers, the directory.
 *   A continuation from where the first thread is created restarts in place (restart.c), if it has little memory; then it waits for the
 *   driver itself.  If it has much, a fork costs less than the comparison of all pages.
 */
#include "runtime/checkpoint.h"

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/arch/arch.h"
#include "runtime/forkserver.h"
#include "runtime/held.h"
#include "runtime/init.h"
#include "runtime/position.h"
#include "runtime/raw.h"
#include "runtime/restart.h"
#include "runtime/sched/carrier.h"
#include "runtime/sched/sched.h"

REAL_FUNCTION(_Fork);

bool checkpoint_wanted;
static uint64_t began;        /* the run, if a checkpoint is wanted */
static const char *forbidden; /* why the run cannot be held */

static uint64_t now(void)
{
    struct timespec time = {0, 0};
    syscall_raw(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&time, 0, 0, 0, 0);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

void checkpoint_begin(void)
{
    checkpoint_wanted = rt.wire->plan.checkpoint != CHECKPOINT_NOWHERE;
    forbidden = NULL;
    if (!checkpoint_wanted)
        return;
    position_begin();
    began = now();
}

void checkpoint_forbid(const char *why)
{
    if (forbidden == NULL)
        forbidden = why;
}

/* What the wire had of the run when it was held: the filled parts of its tables. */
enum { PARTS = 13, RESULT = 0, STEPS = 8, CHOICES = 9 };
struct saved_wire {
    struct position position;
    struct held held;
    uintptr_t address; /* of the mapping */
    char *text;        /* of the output so far */
    struct {
        void *wire, *copy;
        size_t size;
    } parts[PARTS];
    size_t size; /* of the mapping */
};

/* At addresses where nothing else is: addresses in a run must not depend on whether it is held or continued.  The second is for a run that
   was continued, and is held again. */
static const uintptr_t past_addresses[] = {0x100000000000ull, 0x140000000000ull};

/* Tables of the wire: their sizes are multiples of four bytes. */
static void copy(void *to, const void *from, size_t size)
{
    typedef uint32_t word __attribute__((may_alias));
    word *target = to;
    const word *source = from;
    for (size_t i = 0; i < size / sizeof *target; i++)
        target[i] = source[i];
}

static void past_drop(const struct saved_wire *past)
{
    syscall_raw(SYS_munmap, (long)past->address, (long)past->size, 0, 0, 0, 0);
}

/* Shared, because copies of the process only read it. */
static bool past_map_at(struct saved_wire *past, uintptr_t address)
{
    long at = syscall_raw(SYS_mmap, (long)address, (long)past->size, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (at != (long)address && (at >= 0 || at < -4095)) /* an old kernel: elsewhere */
        syscall_raw(SYS_munmap, at, (long)past->size, 0, 0, 0, 0);
    past->address = address;
    return at == (long)address;
}

static bool past_map(struct saved_wire *past)
{
    past->size = past->held.output + past->held.errors;
    for (int i = 0; i < PARTS; i++)
        past->size += past->parts[i].size;
    return past_map_at(past, past_addresses[0]) || past_map_at(past, past_addresses[1]);
}

static size_t kept_privates(const struct wire_result *result)
{
    return result->private_count < WIRE_PRIVATES ? result->private_count : WIRE_PRIVATES;
}

static const char *past_keep(struct saved_wire *past)
{
    struct wire *wire = rt.wire;
    struct wire_result *result = &wire->result;
    const struct saved_wire filled = {
        .position = past->position,
        .held = past->held,
        .parts = {
            {result, NULL, WIRE_RESULT_COUNTS},
            {result->findings, NULL, result->finding_count * sizeof result->findings[0]},
            {result->blocked, NULL, result->blocked_count * sizeof result->blocked[0]},
            {result->uncontrolled, NULL, result->uncontrolled_count * sizeof result->uncontrolled[0]},
            {result->leaks, NULL, result->leak_count * sizeof result->leaks[0]},
            {result->tasks, NULL, result->task_count * sizeof result->tasks[0]},
            {result->frames, NULL, result->frame_count * sizeof result->frames[0]},
            {result->origins, NULL, result->origin_count * sizeof result->origins[0]},
            {wire->steps, NULL, result->step_count * sizeof wire->steps[0]},
            {wire->choices, NULL, result->choice_count * sizeof wire->choices[0]},
            {wire->events, NULL, result->event_count * sizeof wire->events[0]},
            {wire->calls, NULL, result->call_count * sizeof wire->calls[0]},
            {result->privates, NULL, kept_privates(result) * sizeof result->privates[0]},
        }};
    *past = filled;
    if (!past_map(past)) {
        past->address = 0;
        return "a lack of memory";
    }
    char *at = (char *)past->address;
    for (int i = 0; i < PARTS; i++) {
        past->parts[i].copy = at;
        copy(at, past->parts[i].wire, past->parts[i].size);
        at += past->parts[i].size;
    }
    past->position.steps = past->parts[STEPS].copy;
    past->position.choices = past->parts[CHOICES].copy;
    past->text = at;
    return held_copy_text(&past->held, at);
}

static void past_put_back(const struct saved_wire *past)
{
    ((struct wire_result *)past->parts[RESULT].copy)->pid = (int)raw_getpid();
    for (int i = 0; i < PARTS; i++)
        copy(past->parts[i].wire, past->parts[i].copy, past->parts[i].size);
    held_put_back(&past->held, past->text);
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

/* Waits until the driver wants a run that leads here. */
static void await_plan(uint32_t slot, const struct saved_wire *past)
{
    await_go(&rt.wire->checkpoints[slot].go);
    while (!position_serves(&past->position)) {
        forkserver_tell_declined();
        await_go(&rt.wire->checkpoints[slot].go);
    }
}

/* The mapping that stays while this process restarts in place. */
static struct {
    uintptr_t address;
    size_t size;
} kept_past;

/* In a copy of the holder, for its run, and again for each further run if it restarts in place. */
static void continue_run(uint32_t slot, const struct saved_wire *past, bool restarts)
{
    kept_past.address = past->address;
    kept_past.size = past->size;
    bool stays = restarts && forkserver_stay_held(slot);
    if (stays && restart_count() > 0) {
        await_plan(slot, past);
        forkserver_begin_held();
    }
    past_put_back(past);
    sched_new_plan(&past->position);
    if (!stays) {
        past_drop(past);
        kept_past.size = 0;
    }
}

/* In the holder. Returns in each continuation. */
static void hold(uint32_t slot, const struct saved_wire *past, bool restarts)
{
    restart_leave();
    if (kept_past.size != 0)
        syscall_raw(SYS_munmap, (long)kept_past.address, (long)kept_past.size, 0, 0, 0, 0);
    long self = raw_getpid();
    uint64_t none_wanted = ~0ull, mask = 0; /* the end of a continuation is no signal of the run */
    syscall_raw(SYS_rt_sigprocmask, SIG_SETMASK, (long)&none_wanted, (long)&mask, sizeof mask, 0, 0);
    for (;;) {
        await_plan(slot, past);
        forkserver_before_held(slot);
        int pid = REAL(_Fork)();
        if (pid < 0)
            rt_end_process(0);
        own_group(pid);
        if (pid == 0) {
            syscall_raw(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0, 0);
            if (syscall_raw(SYS_getppid, 0, 0, 0, 0, 0, 0) != self)
                rt_end_process(0); /* too late: the holder was killed, and another process does the run */
            syscall_raw(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, sizeof mask, 0, 0);
            continue_run(slot, past, restarts);
            return;
        }
        restarts &= forkserver_tell_run(pid, slot);
    }
}

static uint64_t all_operations(void)
{
    uint64_t operations = 0;
    for (uint32_t i = 0; i < rt.task_count; i++)
        operations += rt.tasks[i] != NULL ? rt.tasks[i]->operations : 0;
    return operations;
}

/* NULL, or why the run cannot be held; empty: another run can be. */
static const char *take(struct saved_wire *past, const struct task *self)
{
    if (carrier != &carrier_fibre)
        return "kernel threads";
    if (rt.wire->head.flags & HEAD_FORK_PER_RUN)
        return "--fresh";
    const char *why = forbidden != NULL ? forbidden : held_take(&past->held);
    if (why != NULL)
        return why;
    if (!position_take(&past->position, self))
        return "";
    why = past_keep(past); /* now: the run goes on while the holder waits */
    if (why != NULL && past->address != 0)
        past_drop(past);
    return why;
}

static void tell_why_not(const char *why)
{
    rt_format(rt.wire->result.not_held, sizeof rt.wire->result.not_held, "%s", why);
}

/* Forks the holder and returns true in its continuations.  The holder is no child of the run: the program would be told when it ends, or would
   wait for it.  So a process between them forks it; that one is seen by no wait of the program, since it ends without a signal. */
static bool fork_holder(const struct task *self, uint32_t slot, const struct saved_wire *past)
{
    long between = syscall_raw(SYS_clone, 0, 0, 0, 0, 0, 0);
    if (between != 0) {
        while (between > 0 && syscall_raw(SYS_wait4, between, 0, __WCLONE, 0, 0, 0) == -EINTR)
            ;
        return false;
    }
    int pid = REAL(_Fork)();
    if (pid == 0) {
        own_group(0);
        hold(slot, past, past->position.first && self->parent == NULL); /* a snapshot is taken on main's stack */
        return true;
    }
    if (pid > 0) {
        own_group(pid);
        forkserver_tell_holder(pid, slot);
    }
    rt_end_process(0);
}

void checkpoint_make(const struct task *self)
{
    uint32_t slot = rt.wire->plan.checkpoint_slot;
    struct saved_wire past = {0};
    checkpoint_wanted = false;
    const char *why = slot < WIRE_CHECKPOINTS ? take(&past, self) : "";
    if (why != NULL) {
        tell_why_not(why);
        return;
    }
    rt.wire->checkpoints[slot] = (struct wire_checkpoint){.steps = past.position.step_count,
                                                          .until = past.position.until,
                                                          .operations = all_operations(),
                                                          .nanoseconds = now() - began};
    if (!fork_holder(self, slot, &past))
        past_drop(&past);
}
