/* SPDX-License-Identifier: MIT
 *
 * x86_64_assembler.c - raddle_assembler: what the program calls before an instruction of inline assembler.
 *
 * At an instruction every register may be in use, the flags too: all are saved.  Other tasks that run meanwhile may use vector
 * registers of any width; on fibres these are the same registers.
 */
#if defined(__x86_64__)

#include <cpuid.h>

#include "runtime/arch/assembler.h"
#include "runtime/rt.h"

/* x87, SSE, AVX and the three parts of AVX-512: the size of the area that holds them is at most this. */
#define STATE_MASK "0xe7"
#define STATE_SIZE "2816"

_Static_assert(sizeof(struct assembler_call) == 16 * 8, "as it is pushed below");

__attribute__((visibility("hidden"), used)) bool assembler_has_xsave;

__attribute__((constructor(101))) static void find_xsave(void)
{
    unsigned a, b, c = 0, d;
    assembler_has_xsave = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_OSXSAVE);
}

__asm__(".text\n"
        ".p2align 4\n"
        ".weak raddle_assembler\n"
        ".type raddle_assembler, @function\n"
        "raddle_assembler:\n"
        "    .cfi_startproc\n"
        "    pushfq\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    pushq %rax\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    movq rt_self@GOTTPOFF(%rip), %rax\n"
        "    cmpq $0, %fs:(%rax)\n"
        "    je 3f\n"
        "    pushq %rbp\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    .cfi_rel_offset %rbp, 0\n"
        "    .cfi_remember_state\n"
        "    movq %rsp, %rbp\n"
        "    .cfi_def_cfa_register %rbp\n"
        "    pushq %rdi\n"
        "    pushq %rbx\n"
        "    pushq %rcx\n"
        "    pushq %rdx\n"
        "    pushq %rsi\n"
        "    pushq %r8\n"
        "    pushq %r9\n"
        "    pushq %r10\n"
        "    pushq %r11\n"
        "    cld\n"
        "    movq %rsp, %rdi\n"
        "    subq $" STATE_SIZE ", %rsp\n"
        "    andq $-64, %rsp\n"
        "    cmpb $0, assembler_has_xsave(%rip)\n"
        "    je 1f\n"
        "    xorl %eax, %eax\n" /* the header of the area must be 0 */
        "    movq %rax, 512(%rsp)\n"
        "    movq %rax, 520(%rsp)\n"
        "    movq %rax, 528(%rsp)\n"
        "    movq %rax, 536(%rsp)\n"
        "    movq %rax, 544(%rsp)\n"
        "    movq %rax, 552(%rsp)\n"
        "    movq %rax, 560(%rsp)\n"
        "    movq %rax, 568(%rsp)\n"
        "    movl $" STATE_MASK ", %eax\n"
        "    xorl %edx, %edx\n"
        "    xsave64 (%rsp)\n"
        "    call assembler_call\n"
        "    movl $" STATE_MASK ", %eax\n"
        "    xorl %edx, %edx\n"
        "    xrstor64 (%rsp)\n"
        "    jmp 2f\n"
        "1:  fxsave64 (%rsp)\n"
        "    call assembler_call\n"
        "    fxrstor64 (%rsp)\n"
        "2:  leaq -72(%rbp), %rsp\n"
        "    popq %r11\n"
        "    popq %r10\n"
        "    popq %r9\n"
        "    popq %r8\n"
        "    popq %rsi\n"
        "    popq %rdx\n"
        "    popq %rcx\n"
        "    popq %rbx\n"
        "    popq %rdi\n"
        "    .cfi_restore_state\n"
        "    popq %rbp\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    .cfi_restore %rbp\n"
        "3:  popq %rax\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popfq\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size raddle_assembler, . - raddle_assembler\n");

#endif
