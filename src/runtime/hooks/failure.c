/* SPDX-License-Identifier: MIT
 *
 * failure.c - a program that says itself that it failed (assert, abort, an uncaught exception) or dies of a fault.
 *
 * DESIGN
 *   Everything that aborts ends in SIGABRT, also libc's own aborts, of which no hook knows.  So the hooks of assert and
 *   abort only prepare what is to be said; the real handler of SIGABRT says it.  That way a program that catches
 *   SIGABRT and goes on has not failed, and one that dies has, whoever called abort.
 *
 *   Faults come to the same handler, on an alternate stack because the fault may be a stack overflow.  The finding is
 *   written into shared memory, and then the process dies of the signal itself: exit status and core are the true ones.
 */
#include <assert.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "runtime/arch/arch.h"
#include "runtime/hooks/process.h"
#include "runtime/hooks/signal.h"
#include "runtime/init.h"
#include "runtime/shadow.h"

REAL_FUNCTION(abort);
REAL_FUNCTION(__assert_fail);
REAL_FUNCTION(__assert_perror_fail);
REAL_FUNCTION(__assert);
REAL_FUNCTION(pthread_sigmask);

/* Prepared by a hook for the SIGABRT that follows. */
static struct {
    enum wire_kind kind; /* KIND_NONE: nothing */
    uintptr_t pc;
    char text[WIRE_TEXT];
} prepared;

static struct abort_message { /* libc: the last words of assert, malloc, the stack protector */
    unsigned size;
    char text[];
} * *abort_message;

void failure_learn(void)
{
    abort_message = dlsym(RTLD_DEFAULT, "__abort_msg");
}

/* ---- where ------------------------------------------------------------------------------------------------------- */

/* The runtime's own code, which lies in the program's file (the Makefile names the section); not so when preloaded. */
extern const char __start_raddle_text[] __attribute__((weak)), __stop_raddle_text[] __attribute__((weak));

static bool is_program_code(uintptr_t pc)
{
    uintptr_t start = (uintptr_t)__start_raddle_text, stop = (uintptr_t)__stop_raddle_text;
    return init_pc_instrumented(pc) && pc - start >= stop - start;
}

/* The fault is inside a library: the nearest return address of the program's on the stack.  0 if there is none near. */
static uintptr_t program_pc(uintptr_t sp)
{
    enum { WORDS = 64, ROUNDS = 16 };
    uintptr_t words[WORDS];
    sp &= ~(uintptr_t)7;
    for (int round = 0; round < ROUNDS; round++, sp += sizeof words) {
        struct iovec here = {words, sizeof words}, there = {(void *)sp, sizeof words};
        long got = syscall_raw(SYS_process_vm_readv, process_raw_getpid(), (long)&here, 1, (long)&there, 1, 0);
        for (long i = 0; i < got / (long)sizeof words[0]; i++)
            if (is_program_code(words[i]) && is_program_code(words[i] - 8) && arch_follows_call(words[i]))
                return words[i];
        if (got < (long)sizeof words)
            break;
    }
    return 0;
}

/* Where in the program: as a return address, that is, one byte into or after the instruction. */
static uintptr_t failure_pc(const ucontext_t *context)
{
    uintptr_t pc = arch_interrupted_pc(context);
    if (is_program_code(pc))
        return pc + 1;
    if (access_probe_pc != 0)
        return access_probe_pc; /* the runtime did the access for it */
    uintptr_t caller = program_pc(arch_interrupted_sp(context));
    return caller != 0 ? caller : pc + 1;
}

/* ---- what -------------------------------------------------------------------------------------------------------- */

static bool is_stack_overflow(uintptr_t address, const ucontext_t *context)
{
    uintptr_t sp = arch_interrupted_sp(context);
    return address - (sp - 65536) < 2 * 65536u; /* the stack around sp is there, unless it is used up */
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

/* An abort that no hook has seen coming: libc's own. */
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
        return; /* decided already: this is only how it ends */
    if (self != NULL)
        task_go_inside(self);
    else
        self = rt.current; /* a thread that we do not know: somebody has to stand for it */
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

/* The write that caused the fault has not been done: its value is not to be looked up. */
static void forget_write(struct task *self, uintptr_t address)
{
    const struct wire_event *event = self->last_write;
    if (event != NULL && address - event->address < event->size)
        self->last_write = NULL;
}

/* The program's own handler, at once and with the true context.  It may leave by siglongjmp: the kernel's mask is
   put right before, and the guard is released inside. */
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
    bool ours = info->si_pid == process_raw_getpid();
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
        prepared.kind = kind; /* abort does not care that its handler came back */
    }
    report(self, signo, info, context);
    if (sent || signo == SIGTRAP || signo == SIGSYS)
        signal_die(signo);
    signal_default(signo); /* and the instruction is tried again, with the default action */
    errno = saved_errno;
}

/* ---- what the program says itself -------------------------------------------------------------------------------- */

static void prepare(enum wire_kind kind, uintptr_t pc, const char *format, const char *detail)
{
    prepared.kind = kind;
    prepared.pc = pc;
    rt_format(prepared.text, sizeof prepared.text, "%s%s%s", format, detail, kind == KIND_ASSERT ? "' failed" : "");
}

RT_HOOK void __assert_fail(const char *assertion, const char *file, unsigned line, const char *function)
{
    if (rt_enter() != NULL)
        prepare(KIND_ASSERT, CALLER, "assertion `", assertion);
    REAL(__assert_fail)(assertion, file, line, function);
    __builtin_unreachable();
}

RT_HOOK void __assert(const char *assertion, const char *file, int line)
{
    if (rt_enter() != NULL)
        prepare(KIND_ASSERT, CALLER, "assertion `", assertion);
    REAL(__assert)(assertion, file, line);
    __builtin_unreachable();
}

RT_HOOK void __assert_perror_fail(int error, const char *file, unsigned line, const char *function)
{
    if (rt_enter() != NULL) {
        const char *name = strerrordesc_np(error);
        prepare(KIND_ASSERT, CALLER, "assertion `no error: ", name != NULL ? name : "unknown error");
    }
    REAL(__assert_perror_fail)(error, file, line, function);
    __builtin_unreachable();
}

__attribute__((noreturn)) void __stack_chk_fail(void);
REAL_FUNCTION(__stack_chk_fail);
RT_HOOK void __stack_chk_fail(void)
{
    if (rt_enter() != NULL)
        prepare(KIND_ABORT, CALLER, "stack smashing detected: a local array was overrun", "");
    REAL(__stack_chk_fail)();
    __builtin_unreachable();
}

/* The C++ library, if there is one. A type_info is a vtable pointer and the mangled name. */
struct type_info {
    const void *vtable;
    const char *name;
};
__attribute__((weak, visibility("default"))) struct type_info *__cxa_current_exception_type(void);
__attribute__((weak, visibility("default"))) char *__cxa_demangle(const char *, char *, size_t *, int *);
typedef void terminate_handler(void);
__attribute__((weak, visibility("default"))) terminate_handler *get_terminate(void) __asm__("_ZSt13get_terminatev");
__attribute__((weak, visibility("default"))) void
terminate_default(void) __asm__("_ZN9__gnu_cxx27__verbose_terminate_handlerEv");

/* abort() is the last thing that std::terminate does: called by the C++ library, or by a handler of the program's. */
static bool is_terminating(uintptr_t pc)
{
    if (get_terminate == NULL || terminate_default == NULL)
        return false;
    return !is_program_code(pc) || get_terminate() != terminate_default;
}

static void prepare_abort(uintptr_t pc, uintptr_t sp)
{
    bool terminating = is_terminating(pc);
    struct type_info *type = __cxa_current_exception_type != NULL ? __cxa_current_exception_type() : NULL;
    uintptr_t nearest = is_program_code(pc) ? pc : program_pc(sp); /* of an exception: where it was thrown */
    pc = nearest != 0 ? nearest : pc;
    if (!terminating) {
        prepare(KIND_ABORT, pc, "abort() called", "");
    } else if (type == NULL) {
        prepare(KIND_ABORT, pc, "std::terminate called without an active exception", "");
    } else {
        const char *name = type->name[0] == '*' ? type->name + 1 : type->name;
        char *readable = __cxa_demangle != NULL ? __cxa_demangle(name, NULL, NULL, NULL) : NULL;
        prepare(KIND_UNCAUGHT, pc, "uncaught exception of type ", readable != NULL ? readable : name);
    } /* `readable` is not freed: the process ends */
}

RT_HOOK void abort(void)
{
    if (rt_enter() != NULL)
        prepare_abort(CALLER, (uintptr_t)__builtin_frame_address(0));
    REAL(abort)();
    __builtin_unreachable();
}
