/* SPDX-License-Identifier: MIT
 *
 * instruction.h - what an instruction does to memory, as far as it can be described to the runtime.
 */
#ifndef RADDLE_ASM_INSTRUCTION_H
#define RADDLE_ASM_INSTRUCTION_H

#include "asm/statement.h"
#include "wire/wire_asm.h"

enum asm_verdict {
    ASM_NOTHING, /* registers only, or memory that only its thread uses */
    ASM_SEEN,    /* `descriptor` describes it */
    ASM_UNSEEN,  /* it accesses memory, or may, and is not understood */
};

struct asm_instruction {
    enum asm_verdict verdict;
    bool synchronises; /* locked: reported also in code that is not instrumented */
    bool rigid;        /* nothing must be put into the code around it: it depends on distances */
    unsigned descriptor;
    struct asm_text memory; /* the operand; empty: fence, pause */
    char source[24];        /* what is to be pushed for the runtime: "%rax", "$1"; "$0" if it is not known */
};

/* The statement is an instruction, not a directive. */
struct asm_instruction asm_instruction_read(const struct asm_statement *statement);

#endif
