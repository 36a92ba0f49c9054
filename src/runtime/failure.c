/* SPDX-License-Identifier: MIT
 *
 * failure.c - the real handler of SIGABRT and of faults: it reports why the program dies.
 */
#include "runtime/failure.h"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "runtime/access.h"
#include "runtime/arch/arch.h"
#include "runtime/init.h"
#include "runtime/model/signal.h"
#include "runtime/raw.h"
#include "runtime/record.h"

REAL_FUNCTION(pthread_sigmask);

/* Prepared by a hook for the SIGABRT that follows. */
static struct {
    enum wire_kind kind; /* KIND_NONE: nothing */
    uintptr_t pc;
    char text[WIRE_TEXT];
} prepared;

static struct abort_message { /* libc: the message of assert, malloc or the stack protector */
    unsigned size;
    char text[];
} * *abort_message;

void failure_learn(void)
{
    abort_message = dlsym(RTLD_DEFAULT, "__abort_msg");
}

void failure_prepare(enum wire_kind kind, uintptr_t pc, const char *text, const char *detail)
{
    prepared.kind = kind;
    prepared.pc = pc;
    rt_format(prepared.text, sizeof prepared.text, "%s%s%s", text, detail, kind == KIND_ASSERT ? "' failed" : "");
}

/* ---- where ------------------------------------------------------------------------------------------------------- */

bool failure_is_program_code(uintptr_t pc)
{
    uintptr_t start = (uintptr_t)__start_raddle_text, stop = (uintptr_t)__stop_raddle_text;
    return init_pc_instrumented(pc) && pc - start >= stop - start;
}

uintptr_t failure_program_pc(uintptr_t sp)
{
    enum { WORDS = 64, ROUNDS = 16 };
    uintptr_t words[WORDS];
    sp &= ~(uintptr_t)7;
    for (int round = 0; round < ROUNDS; round++, sp += sizeof words) {
        struct iovec here = {words, sizeof words}, there = {(void *)sp, sizeof words};
        long got = syscall_raw(SYS_process_vm_readv, raw_getpid(), (long)&here, 1, (long)&there, 1, 0);
        for (long i = 0; i < got / (long)sizeof words[0]; i++)
            if (failure_is_program_code(words[i]) && failure_is_program_code(words[i] - 8) &&
                arch_follows_call(words[i]))
                return words[i];
        if (got < (long)sizeof words)
            break;
    }
    return 0;
}

/* Where in the program the fault is.  It is given like a return address: after the first byte of the instruction. */
static uintptr_t failure_pc(const ucontext_t *context)
{
    uintptr_t pc = arch_interrupted_pc(context);
    if (failure_is_program_code(pc))
        return pc + 1;
    if (access_probe_pc != 0)
        return access_probe_pc; /* the runtime did the access for it */
    uintptr_t caller = failure_program_pc(arch_interrupted_sp(context));
    return caller != 0 ? caller : pc + 1;
}

/* ---- what -------------------------------------------------------------------------------------------------------- */

static bool is_stack_overflow(uintptr_t address, const ucontext_t *context)
{
    uintptr_t sp = arch_interrupted_sp(context);
    return address - (sp - 65536) < 2 * 65536u; /* memory near sp is mapped, unless the stack is full */
}

static void describe_segv(char *text, const siginfo_t *info, const ucontext_t *context)
{
    unsigned long address = (unsigned long)info->si_addr;
    if (info->si_code == SI_KERNEL)
        rt_format(text, WIRE_TEXT, "SIGSEGV: access to an address that no process can have");
    else if (is_stack_overflow(address, context))
        rt_format(text, WIRE_TEXT, "SIGSEGV: stack overflow at address 0x%lx", address);
    else if (info->si_code == SEGV_ACCERR)
        rt_format(text, WIRE_TEXT, "SIGSEGV: access to address 0x%lx is not permitted", address);
    else
        rt_format(text, WIRE_TEXT, "SIGSEGV: invalid access to address 0x%lx", address);
}

static void describe_fault(char *text, const siginfo_t *info, const ucontext_t *context)
{
    unsigned long address = (unsigned long)info->si_addr;
    switch (info->si_signo) {
    case SIGSEGV:
        describe_segv(text, info, context);
        break;
    case SIGBUS:
        rt_format(text, WIRE_TEXT, "SIGBUS: %s at address 0x%lx",
                  info->si_code == BUS_ADRALN ? "misaligned access" : "access to memory that has no storage", address);
        break;
    case SIGFPE:
        rt_format(text, WIRE_TEXT, "SIGFPE: %s",
                  info->si_code == FPE_INTDIV   ? "integer division by zero"
                  : info->si_code == FPE_INTOVF ? "integer overflow"
                                                : "arithmetic error");
        break;
    case SIGILL:
        rt_format(text, WIRE_TEXT, "SIGILL: illegal instruction");
        break;
    case SIGTRAP:
        rt_format(text, WIRE_TEXT, "SIGTRAP: breakpoint or trap instruction");
        break;
    case SIGSYS:
        rt_format(text, WIRE_TEXT, "SIGSYS: system call %d is not permitted", info->si_syscall);
        break;
    default:
        rt_format(text, WIRE_TEXT, "%s", signal_name(info->si_signo));
    }
}

/* An abort by libc itself, which no hook has seen. */
static void prepare_from_libc(const ucontext_t *context)
{
    prepared.kind = KIND_ABORT;
    prepared.pc = failure_pc(context);
    if (abort_message == NULL || *abort_message == NULL) {
        rt_format(prepared.text, sizeof prepared.text, "abort() called");
        return;
    }
    rt_format(prepared.text, sizeof prepared.text, "%s", (*abort_message)->text);
    for (char *c = prepared.text; *c != '\0'; c++)
        if (*c == '\n')
            *c = '\0';
}

/* ---- the real handler -------------------------------------------------------------------------------------------- */

static void report(struct task *self, int signo, const siginfo_t *info, const ucontext_t *context)
{
    struct wire_finding *finding;
    if (rt.finishing)
        return; /* the result of the run is decided already */
    if (self != NULL)
        task_go_inside(self);
    else
        self = rt.current; /* a thread that is not a task: the report needs one */
    if (signo == SIGABRT) {
        if (prepared.kind == KIND_NONE)
            prepare_from_libc(context);
        finding = finding_add(self, prepared.kind, prepared.pc, 0, "%s", prepared.text);
    } else {
        char text[WIRE_TEXT];
        describe_fault(text, info, context);
        finding = finding_add(self, KIND_SIGNAL, failure_pc(context), (uintptr_t)info->si_addr, "%s", text);
    }
    finding->signal = (uint32_t)signo;
    finding_decide(finding);
}

/* The write that caused the fault has not been done: its value must not be read from memory. */
static void forget_write(struct task *self, uintptr_t address)
{
    const struct wire_event *event = self->last_write;
    if (event != NULL && address - event->address < event->size)
        self->last_write = NULL;
}

/* Runs the program's own handler at once, with the real context.  The handler may leave by siglongjmp.  So the kernel's mask is
   restored before, and signal_run_handler releases the guard. */
static void run_program_handler(struct task *self, siginfo_t *info, ucontext_t *context)
{
    sigset_t mask;
    forget_write(self, (uintptr_t)info->si_addr);
    signal_set_bits(&mask, signal_bits(&context->uc_sigmask));
    REAL(pthread_sigmask)(SIG_SETMASK, &mask, NULL);
    self->saved_errno = task_is_inside(self) ? self->saved_errno : errno;
    prepared.kind = KIND_NONE;
    signal_run_handler(self, info, context, arch_interrupted_pc(context));
}

void failure_fault(int signo, siginfo_t *info, void *frame)
{
    struct task *self = rt_self;
    ucontext_t *context = frame;
    int saved_errno = errno;
    bool sent = info->si_code <= 0; /* by kill and the like: no fault */
    bool ours = info->si_pid == raw_getpid();
    if (!rt.controlled)
        signal_die(signo);
    if (sent && !(signo == SIGABRT && ours)) {
        if (!signal_caught(signo) && signal_action(signo)->sa_handler == SIG_DFL)
            signal_die(signo);
        signal_note(signo, info);
        return;
    }
    if (signal_caught(signo) && self != NULL) {
        enum wire_kind kind = prepared.kind;
        run_program_handler(self, info, context);
        errno = saved_errno;
        if (signo != SIGABRT)
            return;
        prepared.kind = kind; /* abort ends the process also if the handler returns */
    }
    report(self, signo, info, context);
    if (sent || signo == SIGTRAP || signo == SIGSYS)
        signal_die(signo);
    signal_default(signo); /* the instruction is executed again, now with the default action */
    errno = saved_errno;
}
