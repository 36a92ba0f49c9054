/* SPDX-License-Identifier: MIT
 *
 * x86_64.h - see arch.h: the part of x86-64.
 */
#ifndef RADDLE_ARCH_X86_64_H
#define RADDLE_ARCH_X86_64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

static inline long syscall_raw(long number, long a, long b, long c, long d, long e, long f)
{
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

static inline void arch_copy(void *to, const void *from, size_t size)
{
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

static inline void arch_fill(void *to, int byte, size_t size)
{
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(byte) : "memory");
}

enum { ARCH_HAS_CAS_128 = 1 };
static inline bool arch_cas_128(volatile unsigned __int128 *object, unsigned __int128 *expected,
                                unsigned __int128 desired)
{
    uint64_t low = (uint64_t)*expected, high = (uint64_t)(*expected >> 64);
    bool done;
    __asm__ volatile("lock cmpxchg16b %1"
                     : "=@ccz"(done), "+m"(*object), "+a"(low), "+d"(high)
                     : "b"((uint64_t)desired), "c"((uint64_t)(desired >> 64))
                     : "memory");
    *expected = (unsigned __int128)high << 64 | low;
    return done;
}

/* ---- registers and stacks --------------------------------------------------------------------------------------------- */

static inline uintptr_t arch_interrupted_pc(const ucontext_t *context)
{
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
}

static inline uintptr_t arch_interrupted_sp(const ucontext_t *context)
{
    return (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
}

enum {
    ARCH_SAVED = 6,
    ARCH_SAVED_FROM = -5,
    ARCH_SAVED_BELOW = 7,
    ARCH_CALL_PUSHES = 1,
};

/* ---- machine code ------------------------------------------------------------------------------------------------------ */

static inline uintptr_t arch_after_jump(uintptr_t pc)
{
    const unsigned char *code = (const unsigned char *)pc;
    if (code[0] == 0x90) /* nop */
        return pc + 1;
    if ((code[0] == 0xf3 || code[0] == 0x66) && code[1] == 0x90) /* pause, nop */
        return pc + 2;
    if (code[0] == 0xeb) /* jmp */
        return pc + 2 + (uintptr_t)(intptr_t)(signed char)code[1];
    if (code[0] == 0xe9)
        return pc + 5 +
               (uintptr_t)(intptr_t)(int32_t)(code[1] | code[2] << 8 | code[3] << 16 | (uint32_t)code[4] << 24);
    return 0;
}

static inline bool arch_follows_call(uintptr_t pc)
{
    const unsigned char *code = (const unsigned char *)pc;
    /* call rel32; call *rip-relative; call *register; call *8(register) */
    return code[-5] == 0xe8 || (code[-6] == 0xff && code[-5] == 0x15) ||
           (code[-2] == 0xff && (code[-1] & 0xf8) == 0xd0) || (code[-3] == 0xff && (code[-2] & 0xf8) == 0x50);
}

static inline bool arch_is_empty_fini(void (*function)(void))
{
    static const unsigned char marker[] = {0xf3, 0x0f, 0x1e, 0xfa}; /* endbr64 */
    static const unsigned char nothing[] = {0x48, 0x83, 0xec, 0x08, 0x48, 0x83, 0xc4, 0x08, 0xc3};
    const unsigned char *code = (const unsigned char *)function;
    size_t skipped = 0, same = 0;
    while (skipped < sizeof marker && code[skipped] == marker[skipped])
        skipped++;
    code += skipped == sizeof marker ? skipped : 0;
    while (same < sizeof nothing && code[same] == nothing[same])
        same++;
    return same == sizeof nothing;
}

/* ---- the C library ----------------------------------------------------------------------------------------------------- */

static inline bool arch_spinlock_is_free(int word)
{
    return word > 0;
}

static inline uint64_t arch_thread_pointer_of(uintptr_t handle)
{
    return handle; /* with glibc they are the same here */
}

arch_put_back *arch_find_put_back(void);

/* ---- functions in assembler -------------------------------------------------------------------------------------------- */

/* clang-format off */
#define ARCH_TSAN_FUNC_EXIT                                                                                            \
    ".text\n"                                                                                                          \
    ".p2align 4\n"                                                                                                     \
    ".weak __tsan_func_exit\n"                                                                                         \
    ".type __tsan_func_exit, @function\n"                                                                              \
    "__tsan_func_exit:\n"                                                                                              \
    "    .cfi_startproc\n"                                                                                             \
    "    movq rt_self@gottpoff(%rip), %rcx\n"                                                                          \
    "    movq %fs:(%rcx), %rcx\n"                                                                                      \
    "    testq %rcx, %rcx\n"                                                                                           \
    "    je 1f\n"                                                                                                      \
    "    cmpl $0, 36(%rcx)\n"                                                                                          \
    "    je 1f\n"                                                                                                      \
    "    decl 36(%rcx)\n"                                                                                              \
    "1:  ret\n"                                                                                                        \
    "    .cfi_endproc\n"                                                                                               \
    ".size __tsan_func_exit, . - __tsan_func_exit\n"

#define ARCH_ACCESS_SLOW                                                                                               \
    ".text\n"                                                                                                          \
    ".p2align 4\n"                                                                                                     \
    ".hidden access_slow\n"                                                                                            \
    ".globl access_slow\n"                                                                                             \
    ".type access_slow, @function\n"                                                                                   \
    "access_slow:\n"                                                                                                   \
    "    .cfi_startproc\n"                                                                                             \
    "    cmpb $0, site_noting(%rip)\n"                                                                                 \
    "    je access_settle\n"                                                                                           \
    "    movq rt_self@gottpoff(%rip), %rax\n"                                                                          \
    "    movq %fs:(%rax), %r9\n"                                                                                       \
    "    movq 16(%r9), %r8\n"                                                                                          \
    "    movq $0x1ffe, 16(%r9)\n"                                                                                      \
    "    movq access_noting_stack(%rip), %rax\n"                                                                       \
    "    movq %rsp, -8(%rax)\n"                                                                                        \
    "    leaq -8(%rax), %rsp\n"                                                                                        \
    "    pushq %rdi\n"                                                                                                 \
    "    pushq %rsi\n"                                                                                                 \
    "    pushq %rdx\n"                                                                                                 \
    "    pushq %rcx\n"                                                                                                 \
    "    pushq %r8\n"                                                                                                  \
    "    pushq %r9\n"                                                                                                  \
    "    subq $8, %rsp\n"                                                                                              \
    "    call access_note\n"                                                                                           \
    "    addq $8, %rsp\n"                                                                                              \
    "    popq %r9\n"                                                                                                   \
    "    popq %r8\n"                                                                                                   \
    "    popq %rcx\n"                                                                                                  \
    "    popq %rdx\n"                                                                                                  \
    "    popq %rsi\n"                                                                                                  \
    "    popq %rdi\n"                                                                                                  \
    "    popq %rsp\n"                                                                                                  \
    "    movq %r8, 16(%r9)\n"                                                                                          \
    "    testb %al, %al\n"                                                                                             \
    "    je access_settle\n"                                                                                           \
    "    ret\n"                                                                                                        \
    "    .cfi_endproc\n"                                                                                               \
    ".size access_slow, . - access_slow\n"

#define ARCH_CALL_PROGRAM                                                                                              \
    ".text\n"                                                                                                          \
    ".p2align 4\n"                                                                                                     \
    ".hidden call_program\n"                                                                                           \
    ".globl call_program\n"                                                                                            \
    ".type call_program, @function\n"                                                                                  \
    "call_program:\n"                                                                                                  \
    "    .cfi_startproc\n"                                                                                             \
    "    pushq %rbp\n"                                                                                                 \
    "    .cfi_adjust_cfa_offset 8\n"                                                                                   \
    "    .cfi_rel_offset rbp, 0\n"                                                                                     \
    "    pushq %rbx\n"                                                                                                 \
    "    .cfi_adjust_cfa_offset 8\n"                                                                                   \
    "    .cfi_rel_offset rbx, 0\n"                                                                                     \
    "    pushq %r12\n"                                                                                                 \
    "    .cfi_adjust_cfa_offset 8\n"                                                                                   \
    "    .cfi_rel_offset r12, 0\n"                                                                                     \
    "    pushq %r13\n"                                                                                                 \
    "    .cfi_adjust_cfa_offset 8\n"                                                                                   \
    "    .cfi_rel_offset r13, 0\n"                                                                                     \
    "    pushq %r14\n"                                                                                                 \
    "    .cfi_adjust_cfa_offset 8\n"                                                                                   \
    "    .cfi_rel_offset r14, 0\n"                                                                                     \
    "    pushq %r15\n"                                                                                                 \
    "    .cfi_adjust_cfa_offset 8\n"                                                                                   \
    "    .cfi_rel_offset r15, 0\n"                                                                                     \
    "    subq $8, %rsp\n"                                                                                              \
    "    .cfi_adjust_cfa_offset 8\n"                                                                                   \
    "    xorl %ebp, %ebp\n"                                                                                            \
    "    xorl %ebx, %ebx\n"                                                                                            \
    "    xorl %r12d, %r12d\n"                                                                                          \
    "    xorl %r13d, %r13d\n"                                                                                          \
    "    xorl %r14d, %r14d\n"                                                                                          \
    "    xorl %r15d, %r15d\n"                                                                                          \
    "    call *%rcx\n"                                                                                                 \
    "    addq $8, %rsp\n"                                                                                              \
    "    .cfi_adjust_cfa_offset -8\n"                                                                                  \
    "    popq %r15\n"                                                                                                  \
    "    .cfi_adjust_cfa_offset -8\n"                                                                                  \
    "    .cfi_restore r15\n"                                                                                           \
    "    popq %r14\n"                                                                                                  \
    "    .cfi_adjust_cfa_offset -8\n"                                                                                  \
    "    .cfi_restore r14\n"                                                                                           \
    "    popq %r13\n"                                                                                                  \
    "    .cfi_adjust_cfa_offset -8\n"                                                                                  \
    "    .cfi_restore r13\n"                                                                                           \
    "    popq %r12\n"                                                                                                  \
    "    .cfi_adjust_cfa_offset -8\n"                                                                                  \
    "    .cfi_restore r12\n"                                                                                           \
    "    popq %rbx\n"                                                                                                  \
    "    .cfi_adjust_cfa_offset -8\n"                                                                                  \
    "    .cfi_restore rbx\n"                                                                                           \
    "    popq %rbp\n"                                                                                                  \
    "    .cfi_adjust_cfa_offset -8\n"                                                                                  \
    "    .cfi_restore rbp\n"                                                                                           \
    "    ret\n"                                                                                                        \
    "    .cfi_endproc\n"                                                                                               \
    ".size call_program, . - call_program\n"

#define ARCH_SIGSETJMP                                                                                                 \
    ".text\n"                                                                                                          \
    ".globl __sigsetjmp\n"                                                                                             \
    ".weak __sigsetjmp\n"                                                                                              \
    ".type __sigsetjmp, @function\n"                                                                                   \
    "__sigsetjmp:\n"                                                                                                   \
    "    .cfi_startproc\n"                                                                                             \
    "    testl %esi, %esi\n"                                                                                           \
    "    jne 1f\n"                                                                                                     \
    "    cmpq $0, setjmp_real(%rip)\n"                                                                                 \
    "    jne 2f\n"                                                                                                     \
    "1:  pushq %rdi\n"                                                                                                 \
    "    .cfi_adjust_cfa_offset 8\n"                                                                                   \
    "    pushq %rsi\n"                                                                                                 \
    "    .cfi_adjust_cfa_offset 8\n"                                                                                   \
    "    subq $8, %rsp\n"                                                                                              \
    "    .cfi_adjust_cfa_offset 8\n"                                                                                   \
    "    call setjmp_save_mask\n"                                                                                      \
    "    addq $8, %rsp\n"                                                                                              \
    "    .cfi_adjust_cfa_offset -8\n"                                                                                  \
    "    popq %rsi\n"                                                                                                  \
    "    .cfi_adjust_cfa_offset -8\n"                                                                                  \
    "    popq %rdi\n"                                                                                                  \
    "    .cfi_adjust_cfa_offset -8\n"                                                                                  \
    "2:  jmp *setjmp_real(%rip)\n"                                                                                     \
    "    .cfi_endproc\n"                                                                                               \
    ".size __sigsetjmp, . - __sigsetjmp\n"

#define ARCH_CALL_AND_JUMP(function, label)                                                                                                 \
    "push %rdi\n push %rsi\n push %rdx\n push %rcx\n push %r8\n push %r9\n push %rax\n"                                \
    "lea " label "(%rip), %rdi\n call " function "\n mov %rax, %r11\n"                                        \
    "pop %rax\n pop %r9\n pop %r8\n pop %rcx\n pop %rdx\n pop %rsi\n pop %rdi\n jmp *%r11\n"
/* clang-format on */

#endif
