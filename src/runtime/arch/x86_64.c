/* SPDX-License-Identifier: MIT
 *
 * x86_64.c - switching contexts on x86-64: callee-saved registers, floating-point control words, FS base.
 */
#if defined(__x86_64__)

#include "runtime/arch/context.h"

#include <sys/auxv.h>

enum { HWCAP2_FSGSBASE_BIT = 1 << 1 };

/* The processor or the kernel does not let the program set FS: a system call does it at every switch. */
__attribute__((visibility("hidden"), used)) bool arch_by_system_call;

__asm__(".text\n"
        ".p2align 4\n"
        ".hidden arch_switch\n"
        ".globl arch_switch\n"
        ".type arch_switch, @function\n"
        "arch_switch:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    subq $8, %rsp\n"
        "    stmxcsr (%rsp)\n"
        "    fnstcw 4(%rsp)\n"
        "    movq %rsp, (%rdi)\n"
        "    movq (%rsi), %rsp\n"
        "    movq 8(%rsi), %rax\n"
        "    cmpb $0, arch_by_system_call(%rip)\n"
        "    jne 2f\n"
        "    wrfsbase %rax\n"
        "1:\n"
        "    ldmxcsr (%rsp)\n"
        "    fldcw 4(%rsp)\n"
        "    addq $8, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        "2:  movl $158, %r8d\n" /* arch_prctl(ARCH_SET_FS, base) */
        "    movl $0x1002, %edi\n"
        "    movq %rax, %rsi\n"
        "    movl %r8d, %eax\n"
        "    syscall\n"
        "    jmp 1b\n"
        ".size arch_switch, . - arch_switch\n"
        /* The bottom of a new stack: unwinders stop here because there is no return address. */
        ".hidden arch_entry\n"
        ".globl arch_entry\n"
        ".type arch_entry, @function\n"
        "arch_entry:\n"
        "    .cfi_startproc\n"
        "    .cfi_undefined rip\n"
        "    movq %r12, %rdi\n"
        "    callq *%r13\n"
        "    ud2\n"
        "    .cfi_endproc\n"
        ".size arch_entry, . - arch_entry\n"
        ".hidden arch_call_on\n"
        ".globl arch_call_on\n"
        ".type arch_call_on, @function\n"
        "arch_call_on:\n"
        "    .cfi_startproc\n"
        "    pushq %rbp\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset rbp, -16\n"
        "    movq %rsp, %rbp\n"
        "    .cfi_def_cfa_register rbp\n"
        "    movq %rdi, %rsp\n"
        "    andq $-16, %rsp\n"
        "    movq %rdx, %rdi\n"
        "    callq *%rsi\n"
        "    movq %rbp, %rsp\n"
        "    popq %rbp\n"
        "    .cfi_def_cfa rsp, 8\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size arch_call_on, . - arch_call_on\n");

void arch_entry(void);

void arch_prepare(struct arch_context *context, uintptr_t top, void (*entry)(void *), void *argument)
{
    uint32_t sse_control;
    uint16_t x87_control;
    __asm__("stmxcsr %0" : "=m"(sse_control));
    __asm__("fnstcw %0" : "=m"(x87_control));
    uint64_t *stack = (uint64_t *)(top & ~(uintptr_t)15);
    *--stack = (uint64_t)(uintptr_t)arch_entry;
    *--stack = 0;                             /* rbp */
    *--stack = 0;                             /* rbx */
    *--stack = (uint64_t)(uintptr_t)argument; /* r12 */
    *--stack = (uint64_t)(uintptr_t)entry;    /* r13 */
    *--stack = 0;                             /* r14 */
    *--stack = 0;                             /* r15 */
    *--stack = sse_control | (uint64_t)x87_control << 32;
    context->stack = stack;
}

uintptr_t arch_thread_base(void)
{
    uintptr_t base; /* the first word of the thread control block points to itself */
    __asm__("movq %%fs:0, %0" : "=r"(base));
    return base;
}

void arch_begin(bool slow)
{
    arch_by_system_call = slow || (getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE_BIT) == 0;
}

bool arch_is_slow(void)
{
    return arch_by_system_call;
}

#endif
