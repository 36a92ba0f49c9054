/* SPDX-License-Identifier: MIT
 *
 * assembler.h - what the entry code of the processor passes to hooks/assembler.c before an instruction of inline assembler.
 */
#ifndef RADDLE_ARCH_ASSEMBLER_H
#define RADDLE_ARCH_ASSEMBLER_H

#include <stdint.h>

/* The registers of the program as the entry code has saved them; the last three were pushed by the program (asm/filter.h). */
struct assembler_call {
    uint64_t r11, r10, r9, r8, rsi, rdx, rcx, rbx;
    uint64_t address; /* of the memory operand, if it has one */
    uint64_t rbp, rax, flags;
    uint64_t pc;
    uint64_t descriptor; /* wire_asm.h */
    uint64_t rdi;
    uint64_t source; /* value of the source operand */
};

/* The task is under control.  When this returns the instruction may be done now. */
void assembler_call(const struct assembler_call *call);

#endif
