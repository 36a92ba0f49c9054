/* SPDX-License-Identifier: MIT
 *
 * filter.h - puts a call of the runtime before each instruction of inline assembler that accesses memory, fences or pauses.
 *
 * DESIGN
 *   Input is the text that gcc or clang gives to the assembler.  Inline assembler is between #APP and #NO_APP.  Before an instruction
 *   that is understood (instruction.h) come these lines, which change no register and no flag:
 *
 *       leaq -128(%rsp), %rsp         the red zone
 *       pushq SOURCE                  the source operand, for the value that will be written
 *       pushq %rdi
 *       leaq MEMORY, %rdi             no access, only the address
 *       pushq $DESCRIPTOR             wire_asm.h
 *       call *raddle_assembler@GOTPCREL(%rip)      bound early in libraries too: lazy binding changes flags
 *       leaq 8(%rsp), %rsp
 *       popq %rdi
 *       leaq 136(%rsp), %rsp
 *
 *   The runtime returns when the instruction may be done now, and the program does it: no other task runs in between.
 *
 *   What is not understood is left as it is and named: a line "FUNCTION<tab>FILE:LINE<tab>INSTRUCTION" in the section ASM_SECTION, which
 *   the linker merges.  Blocks that switch sections or measure distances in the code are not changed at all.  Hand-written assembler
 *   (at file level, or in files of its own) is never changed; locked instructions there are named.
 */
#ifndef RADDLE_ASM_FILTER_H
#define RADDLE_ASM_FILTER_H

#include <stdbool.h>

#include "util/buffer.h"

#define ASM_SECTION ".raddle_asm"

/* Whether it is the compiler's, with instrumentation: then it has a constructor that calls __tsan_init.  Else it is hand-written. */
bool asm_is_compiled(const char *text);

/* Text: terminated.  False: nothing to change, `output` is empty.  Instrument: false to name all that would be instrumented. */
bool asm_filter(const char *text, size_t size, bool instrument, struct buffer *output);

#endif
