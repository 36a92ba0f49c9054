/* SPDX-License-Identifier: MIT
 *
 * wire_asm.h - how an instruction of inline assembler is described to the runtime: the number that asm/filter.c puts into the code
 * and hooks/assembler.c reads.
 */
#ifndef RADDLE_WIRE_ASM_H
#define RADDLE_WIRE_ASM_H

enum asm_kind {
    ASM_LOAD,     /* only reads: mov from memory, cmp, add to a register, ... */
    ASM_STORE,    /* only writes */
    ASM_UPDATE,   /* reads and writes */
    ASM_CAS,      /* cmpxchg: expects what is in rax */
    ASM_CAS_PAIR, /* cmpxchg8b, cmpxchg16b: expects rdx:rax, writes rcx:rbx, halves of their size */
    ASM_FENCE,
    ASM_PAUSE,
    ASM_KINDS
};

/* What ASM_STORE and ASM_UPDATE write, from what is there and the source operand. */
enum asm_operation {
    ASM_SET,
    ASM_ADD,
    ASM_SUB,
    ASM_AND,
    ASM_OR,
    ASM_XOR,
    ASM_NOT,
    ASM_NEGATE,
    ASM_BIT_SET,
    ASM_BIT_RESET,
    ASM_BIT_FLIP,
    ASM_BIT_TEST, /* of ASM_LOAD: only the address depends on the source */
    ASM_OTHER,
};

enum {
    ASM_OPERATION_SHIFT = 4,
    ASM_SIZE_SHIFT = 8,
    ASM_LOCKED = 1 << 16, /* lock prefix, or xchg */
    ASM_SOURCE = 1 << 17, /* the source operand's value is known */
    ASM_OFFSET = 1 << 18, /* the bit number is in a register: it may lie outside of the operand */
};

static inline unsigned asm_describe(enum asm_kind kind, enum asm_operation operation, unsigned size, unsigned flags)
{
    return (unsigned)kind | (unsigned)operation << ASM_OPERATION_SHIFT | size << ASM_SIZE_SHIFT | flags;
}
static inline enum asm_kind asm_kind_of(unsigned descriptor)
{
    return (enum asm_kind)(descriptor & 15);
}
static inline enum asm_operation asm_operation_of(unsigned descriptor)
{
    return (enum asm_operation)(descriptor >> ASM_OPERATION_SHIFT & 15);
}
static inline unsigned asm_size_of(unsigned descriptor)
{
    return descriptor >> ASM_SIZE_SHIFT & 255;
}

#endif
