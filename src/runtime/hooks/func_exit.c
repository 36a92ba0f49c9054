/* SPDX-License-Identifier: MIT
 *
 * func_exit.c - __tsan_func_exit: the last call before a function returns, when its result is in registers already.
 *
 * The compiler keeps a result that it knows of.  But a `void main()`, or a main without return in C89, returns what the last call before
 * left in the registers, and so it must with the instrumentation.  Therefore assembler: only scratch registers that hold no part
 * of any result.  It pops the task's shadow call stack, if there is a task:
 *
 *     if (rt_self != NULL && rt_self->depth > 0)
 *         rt_self->depth--;
 */
#include "runtime/rt.h"

/* As a number in the text below. */
_Static_assert(offsetof(struct task, depth) == 36, "the offset of struct task.depth in __tsan_func_exit");

#if defined(__x86_64__)
__asm__(".text\n"
        ".p2align 4\n"
        ".weak __tsan_func_exit\n"
        ".type __tsan_func_exit, @function\n"
        "__tsan_func_exit:\n"
        "    .cfi_startproc\n"
        "    movq rt_self@gottpoff(%rip), %rcx\n"
        "    movq %fs:(%rcx), %rcx\n"
        "    testq %rcx, %rcx\n"
        "    je 1f\n"
        "    cmpl $0, 36(%rcx)\n"
        "    je 1f\n"
        "    decl 36(%rcx)\n"
        "1:  ret\n"
        "    .cfi_endproc\n"
        ".size __tsan_func_exit, . - __tsan_func_exit\n");
#elif defined(__aarch64__)
__asm__(".text\n"
        ".p2align 4\n"
        ".weak __tsan_func_exit\n"
        ".type __tsan_func_exit, %function\n"
        "__tsan_func_exit:\n"
        "    .cfi_startproc\n"
        "    adrp x9, :gottprel:rt_self\n"
        "    ldr x9, [x9, #:gottprel_lo12:rt_self]\n"
        "    mrs x10, tpidr_el0\n"
        "    ldr x9, [x10, x9]\n"
        "    cbz x9, 1f\n"
        "    ldr w10, [x9, #36]\n"
        "    cbz w10, 1f\n"
        "    sub w10, w10, #1\n"
        "    str w10, [x9, #36]\n"
        "1:  ret\n"
        "    .cfi_endproc\n"
        ".size __tsan_func_exit, . - __tsan_func_exit\n");
#else
#error "raddle runs on x86-64 and arm64"
#endif
