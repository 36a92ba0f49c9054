// SPDX-License-Identifier: MIT
// asm_x86.h - what libraries of lock-free code write as inline assembler on x86-64: for the programs of must-find and must-not-report.
#ifndef ASM_X86_H
#define ASM_X86_H

#include <stdbool.h>
#include <stdint.h>

static inline int asm_load(const int *from)
{
    int value;
    __asm__ volatile("movl %1, %0" : "=r"(value) : "m"(*from) : "memory");
    return value;
}

static inline void asm_store(int *to, int value)
{
    __asm__ volatile("movl %1, %0" : "=m"(*to) : "ir"(value) : "memory");
}

static inline int asm_exchange(int *at, int value)
{
    __asm__ volatile("xchgl %0, %1" : "+r"(value), "+m"(*at) : : "memory");
    return value;
}

static inline int asm_fetch_add(int *at, int value)
{
    __asm__ volatile("lock; xaddl %0, %1" : "+r"(value), "+m"(*at) : : "memory", "cc");
    return value;
}

static inline bool asm_compare_exchange(int *at, int expected, int desired)
{
    bool done;
    __asm__ volatile("lock\n\tcmpxchgl %3, %0\n\tsete %1"
                     : "+m"(*at), "=q"(done), "+a"(expected)
                     : "r"(desired)
                     : "memory", "cc");
    return done;
}

/* Not locked: a read and a write. */
static inline void asm_increment(int *at)
{
    __asm__ volatile("incl %0" : "+m"(*at) : : "memory", "cc");
}

static inline bool asm_decrement_is_zero(int *at)
{
    bool zero;
    __asm__ volatile("lock decl %0; sete %1" : "+m"(*at), "=q"(zero) : : "memory", "cc");
    return zero;
}

static inline void asm_fence(void)
{
    __asm__ volatile("lock; addl $0, -4(%%rsp)" : : : "memory", "cc");
}

static inline void asm_pause(void)
{
    __asm__ volatile("rep; nop" : : : "memory");
}

#endif
