/* SPDX-License-Identifier: MIT
 *
 * arm64.h - see arch.h: the part of arm64.
 */
#ifndef RADDLE_ARCH_ARM64_H
#define RADDLE_ARCH_ARM64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

static inline long syscall_raw(long number, long a, long b, long c, long d, long e, long f)
{
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    return x0;
}

static inline void arch_copy(void *to, const void *from, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((volatile unsigned char *)to)[i] = ((const unsigned char *)from)[i];
}

static inline void arch_fill(void *to, int byte, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((volatile unsigned char *)to)[i] = (unsigned char)byte;
}

enum { ARCH_HAS_CAS_128 = 0 };
static inline bool arch_cas_128(volatile unsigned __int128 *object, unsigned __int128 *expected,
                                unsigned __int128 desired)
{
    (void)object;
    (void)expected;
    (void)desired;
    return false;
}

/* ---- registers and stacks --------------------------------------------------------------------------------------------- */

static inline uintptr_t arch_interrupted_pc(const ucontext_t *context)
{
    return (uintptr_t)context->uc_mcontext.pc;
}

static inline uintptr_t arch_interrupted_sp(const ucontext_t *context)
{
    return (uintptr_t)context->uc_mcontext.sp;
}

enum {
    ARCH_SAVED = 12,
    ARCH_SAVED_FROM = 0,
    ARCH_SAVED_BELOW = 24,
    ARCH_CALL_PUSHES = 0,
};

/* ---- machine code ------------------------------------------------------------------------------------------------------ */

static inline uintptr_t arch_after_jump(uintptr_t pc)
{
    uint32_t word = *(const uint32_t *)pc;
    if (word == 0xd503201f || word == 0xd503203f) /* nop, yield */
        return pc + 4;
    if ((word & 0xfc000000) == 0x14000000) /* b */
        return pc + (uintptr_t)((intptr_t)(int32_t)(word << 6) >> 4);
    return 0;
}

static inline bool arch_follows_call(uintptr_t pc)
{
    uint32_t word = *(const uint32_t *)(pc - 4);
    return (word & 0xfc000000) == 0x94000000 || (word & 0xfffffc1f) == 0xd63f0000; /* bl, blr */
}

static inline bool arch_is_empty_fini(void (*function)(void))
{
    (void)function; /* not known */
    return false;
}

/* ---- the C library ----------------------------------------------------------------------------------------------------- */

static inline bool arch_spinlock_is_free(int word)
{
    return word == 0;
}

static inline uint64_t arch_thread_pointer_of(uintptr_t handle)
{
    (void)handle; /* not known */
    return 0;
}

static inline arch_put_back *arch_find_put_back(void)
{
    return NULL;
}

/* ---- functions in assembler -------------------------------------------------------------------------------------------- */

/* clang-format off */
#define ARCH_TSAN_FUNC_EXIT                                                                                            \
    ".text\n"                                                                                                          \
    ".p2align 4\n"                                                                                                     \
    ".weak __tsan_func_exit\n"                                                                                         \
    ".type __tsan_func_exit, %function\n"                                                                              \
    "__tsan_func_exit:\n"                                                                                              \
    "    .cfi_startproc\n"                                                                                             \
    "    adrp x9, :gottprel:rt_self\n"                                                                                 \
    "    ldr x9, [x9, #:gottprel_lo12:rt_self]\n"                                                                      \
    "    mrs x10, tpidr_el0\n"                                                                                         \
    "    ldr x9, [x10, x9]\n"                                                                                          \
    "    cbz x9, 1f\n"                                                                                                 \
    "    ldr w10, [x9, #36]\n"                                                                                         \
    "    cbz w10, 1f\n"                                                                                                \
    "    sub w10, w10, #1\n"                                                                                           \
    "    str w10, [x9, #36]\n"                                                                                         \
    "1:  ret\n"                                                                                                        \
    "    .cfi_endproc\n"                                                                                               \
    ".size __tsan_func_exit, . - __tsan_func_exit\n"

#define ARCH_ACCESS_SLOW                                                                                               \
    ".text\n"                                                                                                          \
    ".p2align 4\n"                                                                                                     \
    ".hidden access_slow\n"                                                                                            \
    ".globl access_slow\n"                                                                                             \
    ".type access_slow, %function\n"                                                                                   \
    "access_slow:\n"                                                                                                   \
    "    .cfi_startproc\n"                                                                                             \
    "    adrp x9, site_noting\n"                                                                                       \
    "    ldrb w9, [x9, #:lo12:site_noting]\n"                                                                          \
    "    cbz w9, 1f\n"                                                                                                 \
    "    adrp x9, :gottprel:rt_self\n"                                                                                 \
    "    ldr x9, [x9, #:gottprel_lo12:rt_self]\n"                                                                      \
    "    mrs x10, tpidr_el0\n"                                                                                         \
    "    ldr x5, [x10, x9]\n"                                                                                          \
    "    ldr x4, [x5, #16]\n"                                                                                          \
    "    mov x9, #0x1ffe\n"                                                                                            \
    "    str x9, [x5, #16]\n"                                                                                          \
    "    adrp x9, access_noting_stack\n"                                                                               \
    "    ldr x9, [x9, #:lo12:access_noting_stack]\n"                                                                   \
    "    mov x10, sp\n"                                                                                                \
    "    mov sp, x9\n"                                                                                                 \
    "    stp x10, x30, [sp, #-64]!\n"                                                                                  \
    "    stp x0, x1, [sp, #16]\n"                                                                                      \
    "    stp x2, x3, [sp, #32]\n"                                                                                      \
    "    stp x4, x5, [sp, #48]\n"                                                                                      \
    "    bl access_note\n"                                                                                             \
    "    mov w9, w0\n"                                                                                                 \
    "    ldp x4, x5, [sp, #48]\n"                                                                                      \
    "    ldp x2, x3, [sp, #32]\n"                                                                                      \
    "    ldp x0, x1, [sp, #16]\n"                                                                                      \
    "    ldp x10, x30, [sp]\n"                                                                                         \
    "    mov sp, x10\n"                                                                                                \
    "    str x4, [x5, #16]\n"                                                                                          \
    "    tbz w9, #0, 1f\n"                                                                                             \
    "    ret\n"                                                                                                        \
    "1:  b access_settle\n"                                                                                            \
    "    .cfi_endproc\n"                                                                                               \
    ".size access_slow, . - access_slow\n"

#define ARCH_CALL_PROGRAM                                                                                              \
    ".text\n"                                                                                                          \
    ".p2align 4\n"                                                                                                     \
    ".hidden call_program\n"                                                                                           \
    ".globl call_program\n"                                                                                            \
    ".type call_program, %function\n"                                                                                  \
    "call_program:\n"                                                                                                  \
    "    .cfi_startproc\n"                                                                                             \
    "    stp x29, x30, [sp, #-96]!\n"                                                                                  \
    "    .cfi_def_cfa_offset 96\n"                                                                                     \
    "    .cfi_offset x29, -96\n"                                                                                       \
    "    .cfi_offset x30, -88\n"                                                                                       \
    "    stp x19, x20, [sp, #16]\n"                                                                                    \
    "    .cfi_offset x19, -80\n"                                                                                       \
    "    .cfi_offset x20, -72\n"                                                                                       \
    "    stp x21, x22, [sp, #32]\n"                                                                                    \
    "    .cfi_offset x21, -64\n"                                                                                       \
    "    .cfi_offset x22, -56\n"                                                                                       \
    "    stp x23, x24, [sp, #48]\n"                                                                                    \
    "    .cfi_offset x23, -48\n"                                                                                       \
    "    .cfi_offset x24, -40\n"                                                                                       \
    "    stp x25, x26, [sp, #64]\n"                                                                                    \
    "    .cfi_offset x25, -32\n"                                                                                       \
    "    .cfi_offset x26, -24\n"                                                                                       \
    "    stp x27, x28, [sp, #80]\n"                                                                                    \
    "    .cfi_offset x27, -16\n"                                                                                       \
    "    .cfi_offset x28, -8\n"                                                                                        \
    "    mov x29, #0\n"                                                                                                \
    "    mov x19, #0\n"                                                                                                \
    "    mov x20, #0\n"                                                                                                \
    "    mov x21, #0\n"                                                                                                \
    "    mov x22, #0\n"                                                                                                \
    "    mov x23, #0\n"                                                                                                \
    "    mov x24, #0\n"                                                                                                \
    "    mov x25, #0\n"                                                                                                \
    "    mov x26, #0\n"                                                                                                \
    "    mov x27, #0\n"                                                                                                \
    "    mov x28, #0\n"                                                                                                \
    "    blr x3\n"                                                                                                     \
    "    ldp x19, x20, [sp, #16]\n"                                                                                    \
    "    ldp x21, x22, [sp, #32]\n"                                                                                    \
    "    ldp x23, x24, [sp, #48]\n"                                                                                    \
    "    ldp x25, x26, [sp, #64]\n"                                                                                    \
    "    ldp x27, x28, [sp, #80]\n"                                                                                    \
    "    ldp x29, x30, [sp], #96\n"                                                                                    \
    "    .cfi_def_cfa_offset 0\n"                                                                                      \
    "    ret\n"                                                                                                        \
    "    .cfi_endproc\n"                                                                                               \
    ".size call_program, . - call_program\n"

#define ARCH_SIGSETJMP                                                                                                 \
    ".text\n"                                                                                                          \
    ".globl __sigsetjmp\n"                                                                                             \
    ".weak __sigsetjmp\n"                                                                                              \
    ".type __sigsetjmp, %function\n"                                                                                   \
    "__sigsetjmp:\n"                                                                                                   \
    "    .cfi_startproc\n"                                                                                             \
    "    stp x29, x30, [sp, #-32]!\n"                                                                                  \
    "    .cfi_adjust_cfa_offset 32\n"                                                                                  \
    "    stp x0, x1, [sp, #16]\n"                                                                                      \
    "    bl setjmp_save_mask\n"                                                                                        \
    "    ldp x0, x1, [sp, #16]\n"                                                                                      \
    "    ldp x29, x30, [sp], #32\n"                                                                                    \
    "    .cfi_adjust_cfa_offset -32\n"                                                                                 \
    "    adrp x16, setjmp_real\n"                                                                                      \
    "    ldr x16, [x16, #:lo12:setjmp_real]\n"                                                                         \
    "    br x16\n"                                                                                                     \
    "    .cfi_endproc\n"                                                                                               \
    ".size __sigsetjmp, . - __sigsetjmp\n"

#define ARCH_CALL_AND_JUMP(function, label)                                                                                                 \
    "stp x29, x30, [sp, #-96]!\n stp x0, x1, [sp, #16]\n stp x2, x3, [sp, #32]\n stp x4, x5, [sp, #48]\n"              \
    "stp x6, x7, [sp, #64]\n str x8, [sp, #80]\n adrp x0, " label "\n add x0, x0, :lo12:" label "\n"                   \
    "bl " function "\n mov x16, x0\n ldp x0, x1, [sp, #16]\n ldp x2, x3, [sp, #32]\n"                         \
    "ldp x4, x5, [sp, #48]\n ldp x6, x7, [sp, #64]\n ldr x8, [sp, #80]\n ldp x29, x30, [sp], #96\n br x16\n"
/* clang-format on */

#endif
