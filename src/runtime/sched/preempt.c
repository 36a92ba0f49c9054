/* SPDX-License-Identifier: MIT
 *
 * preempt.c - see preempt.h.
 *
 * DESIGN
 *   A task that does no operation has no scheduling point: it computes privately, or spins in code that is not instrumented on
 *   a lock that another task holds.  The driver sees that the count of operations does not change while the run uses CPU time, and
 *   sends SIGNAL_PREEMPT to the kernel thread that has the baton.  Runs that do operations are never interrupted.
 *
 *   The handler finds out whether the task has done an operation since it was last found.  If it has, it is stopped at one of
 *   its next operations.  If not, it is between two operations, far from both, and is left there: nothing that other tasks can
 *   see happens until its next operation, so in the schedule that is a switch before that operation (sched_compute).  A replay
 *   comes to the operation or is interrupted again on the way; the events are the same.
 *
 *   The handler's frame is on the task's own stack and saves all registers.  It blocks no signal, so that the kernel's mask is the
 *   same for all tasks.  A task is not left inside libc, which may hold a lock of its own, inside the runtime, or on an
 *   alternate stack, which tasks on one kernel thread share.
 */
#include "runtime/sched/preempt.h"

#include <link.h>
#include <sys/syscall.h>

#include "runtime/arch/arch.h"
#include "runtime/init.h"
#include "runtime/sched/sched.h"

enum { FOUND = 2, LIBRARIES = 8 };

/* Code in which a task is not left. */
static RT_RARE struct module_range kept_together[LIBRARIES];
static uint32_t kept_count;
static bool installed;

static bool contains(const struct module_range *range, uintptr_t pc)
{
    return pc - range->lo < range->hi - range->lo;
}

static void keep_together(struct module_range range)
{
    if (range.hi > range.lo && kept_count < LIBRARIES)
        kept_together[kept_count++] = range;
}

static bool name_begins(const char *path, const char *beginning)
{
    const char *name = path;
    for (; *path != '\0'; path++)
        if (*path == '/')
            name = path + 1;
    while (*beginning != '\0')
        if (*name++ != *beginning++)
            return false;
    return true;
}

static bool is_libc(const char *path)
{
    return name_begins(path, "libc.") || name_begins(path, "ld-") || name_begins(path, "libpthread.") ||
           name_begins(path, "libdl.") || name_begins(path, "librt.");
}

static int note_library(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    struct module_range range = init_code_range(info);
    bool preloaded = __start_raddle_text == NULL && contains(&range, (uintptr_t)preempt_install);
    if (preloaded || is_libc(info->dlpi_name))
        keep_together(range);
    return 0;
}

static bool may_be_left_at(uintptr_t pc)
{
    for (uint32_t i = 0; i < kept_count; i++)
        if (contains(&kept_together[i], pc))
            return false;
    return true;
}

/* ---- loops without end ----------------------------------------------------------------------------------------------- */

/* If the instructions from pc on only jump, and lead back to pc: the lowest address of the loop.  Else 0. */
static uintptr_t find_loop(uintptr_t pc)
{
    enum { MOST = 16 };
    uintptr_t at = pc, lowest = pc;
    for (int i = 0; i < MOST && at != 0; i++) {
        at = arch_after_jump(at);
        if (at == pc)
            return lowest;
        lowest = at < lowest ? at : lowest;
    }
    return 0;
}

/* ---- the handler ----------------------------------------------------------------------------------------------------- */

/* Notes that the task was found between two operations.  Returns how often since its last operation. */
static uint32_t find(struct task *self)
{
    if (self->computing.operations != self->operations) {
        self->computing.operations = self->operations;
        self->computing.found = self->computing.taken_off = 0;
        rt.wire->result.operations++; /* tells the driver that the program is alive: it is slow, but goes on */
    }
    return ++self->computing.found;
}

static void on_signal(int signo, siginfo_t *info, void *frame)
{
    (void)signo;
    (void)info;
    const ucontext_t *context = frame;
    struct task *self = rt_self;
    if (!rt.controlled || rt.finishing || self == NULL || self != rt.current || task_is_inside(self))
        return;
    uintptr_t pc = arch_interrupted_pc(context);
    uint32_t found = find(self);
    sched_tell_progress();
    if (found < FOUND)
        sched_stop_soon(self);
    if (found < FOUND || !may_be_left_at(pc) || (context->uc_stack.ss_flags & SS_ONSTACK))
        return;
    task_go_inside(self);
    self->saved_errno = errno;
    uintptr_t loop = find_loop(pc);
    self->computing.endless = loop != 0;
    sched_compute(self, (loop != 0 ? loop : pc) +
                            1); /* places are return addresses: one byte into or after the instruction */
    rt_leave(self);
}

/* ---- begin ----------------------------------------------------------------------------------------------------------- */

struct kernel_action { /* libc does not let this signal be handled */
    void (*handler)(int, siginfo_t *, void *);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};

void preempt_install(void)
{
    enum { RESTORER = 0x04000000 }; /* SA_RESTORER, which only the kernel's header has */
    struct kernel_action action = {0};
    /* The code that returns from a handler is that of libc, which has unwinding information. */
    if (syscall_raw(SYS_rt_sigaction, SIGSEGV, 0, (long)&action, sizeof action.mask, 0, 0) != 0)
        return;
    action.handler = on_signal;
    action.flags = (action.flags & RESTORER) | SA_SIGINFO | SA_RESTART | SA_NODEFER;
    action.mask = 0;
    if (syscall_raw(SYS_rt_sigaction, SIGNAL_PREEMPT, (long)&action, 0, sizeof action.mask, 0, 0) != 0)
        return;
    installed = true;
    if (__start_raddle_text != NULL)
        keep_together((struct module_range){(uintptr_t)__start_raddle_text, (uintptr_t)__stop_raddle_text});
    dl_iterate_phdr(note_library, NULL);
}

void preempt_begin_run(void)
{
    rt.wire->result.runner = installed ? RUNNER_FIRST : 0;
}
