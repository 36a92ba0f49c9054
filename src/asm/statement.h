/* SPDX-License-Identifier: MIT
 *
 * statement.h - assembler text of GNU as for x86 in AT&T syntax, one statement at a time.
 */
#ifndef RADDLE_ASM_STATEMENT_H
#define RADDLE_ASM_STATEMENT_H

#include <stdbool.h>
#include <stddef.h>

struct asm_text { /* a piece of a text that the caller owns */
    const char *at;
    size_t size;
};

enum { ASM_OPERANDS = 4 };

struct asm_statement {
    const char *begin; /* where the instruction begins, prefixes included; labels are before it */
    struct asm_text whole;
    struct asm_text label; /* the last label before it; empty if there is none */
    struct asm_text name;  /* mnemonic or directive; empty if there are only labels, or prefixes */
    bool lock, repeat;     /* prefixes */
    bool assigns;          /* name = expression */
    struct asm_text operands[ASM_OPERANDS];
    int operand_count; /* may be more than ASM_OPERANDS */
};

/* Reads the statement at *at, which ends at a newline, a semicolon, a comment or `end`, and moves *at after it.  False: no text is
   left.  The statement may be empty. */
bool asm_statement_read(struct asm_statement *statement, const char **at, const char *end);

/* Without regard to case, as the assembler reads mnemonics and registers. */
bool asm_text_is(struct asm_text text, const char *word);
bool asm_text_starts(struct asm_text text, const char *beginning);
bool asm_text_has(struct asm_text text, char c);

#endif
