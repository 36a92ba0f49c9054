/* SPDX-License-Identifier: MIT
 *
 * arm64.c - switching contexts on arm64: callee-saved registers, floating-point control, thread pointer.
 */
#if defined(__aarch64__)

#include "runtime/arch/context.h"

enum { FRAME = 176 }; /* x19-x30, d8-d15, fpcr */

__asm__(".text\n"
        ".p2align 4\n"
        ".hidden arch_switch\n"
        ".globl arch_switch\n"
        ".type arch_switch, %function\n"
        "arch_switch:\n"
        "    sub sp, sp, #176\n"
        "    stp x19, x20, [sp, #0]\n"
        "    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n"
        "    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mrs x9, fpcr\n"
        "    str x9, [sp, #160]\n"
        "    mov x9, sp\n"
        "    str x9, [x0]\n"
        "    ldp x9, x10, [x1]\n"
        "    mov sp, x9\n"
        "    msr tpidr_el0, x10\n"
        "    ldr x9, [sp, #160]\n"
        "    msr fpcr, x9\n"
        "    ldp x19, x20, [sp, #0]\n"
        "    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n"
        "    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #176\n"
        "    ret\n"
        ".size arch_switch, . - arch_switch\n"
        /* The bottom of a new stack: unwinders stop here because there is no return address. */
        ".hidden arch_entry\n"
        ".globl arch_entry\n"
        ".type arch_entry, %function\n"
        "arch_entry:\n"
        "    .cfi_startproc\n"
        "    .cfi_undefined x30\n"
        "    mov x0, x19\n"
        "    blr x20\n"
        "    brk #1\n"
        "    .cfi_endproc\n"
        ".size arch_entry, . - arch_entry\n"
        ".hidden arch_call_on\n"
        ".globl arch_call_on\n"
        ".type arch_call_on, %function\n"
        "arch_call_on:\n"
        "    .cfi_startproc\n"
        "    stp x29, x30, [sp, #-16]!\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset x29, -16\n"
        "    .cfi_offset x30, -8\n"
        "    mov x29, sp\n"
        "    .cfi_def_cfa_register x29\n"
        "    and x0, x0, #-16\n"
        "    mov sp, x0\n"
        "    mov x0, x2\n"
        "    blr x1\n"
        "    mov sp, x29\n"
        "    ldp x29, x30, [sp], #16\n"
        "    .cfi_def_cfa sp, 0\n"
        "    .cfi_restore x29\n"
        "    .cfi_restore x30\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size arch_call_on, . - arch_call_on\n");

void arch_entry(void);

void arch_prepare(struct arch_context *context, uintptr_t top, void (*entry)(void *), void *argument)
{
    uint64_t control;
    __asm__("mrs %0, fpcr" : "=r"(control));
    uint64_t *frame = (uint64_t *)((top & ~(uintptr_t)15) - FRAME);
    for (int i = 0; i < FRAME / 8; i++)
        frame[i] = 0;
    frame[0] = (uint64_t)(uintptr_t)argument;    /* x19 */
    frame[1] = (uint64_t)(uintptr_t)entry;       /* x20 */
    frame[11] = (uint64_t)(uintptr_t)arch_entry; /* x30 */
    frame[20] = control;
    context->stack = frame;
}

uintptr_t arch_thread_base(void)
{
    uintptr_t base;
    __asm__("mrs %0, tpidr_el0" : "=r"(base));
    return base;
}

void arch_begin(bool slow)
{
    (void)slow; /* every program may set tpidr_el0 */
}

bool arch_is_slow(void)
{
    return false;
}

#endif
