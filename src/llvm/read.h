/* SPDX-License-Identifier: MIT
 *
 * read.h - what the files of the reader share: a module of LLVM, and what has become of its parts.
 *
 * Tables have addresses as keys and are only asked, never gone through: the result does not depend on addresses.
 */
#ifndef RADDLE_LLVM_READ_H
#define RADDLE_LLVM_READ_H

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

#include "analyze/reader.h"

struct loops;

struct read {
    struct ir_program *program;
    LLVMModuleRef module;
    LLVMTargetDataRef layout;
    bool open;
    struct table nodes, objects, functions, types, blocks; /* from LLVM's to ours, + 1 */
    uint32_t function, arguments;                          /* that is being read, and its object of further arguments */
    uint32_t function_name;
    uint32_t results;     /* node: results of threads */
    struct loops *loops;  /* of the function */
    struct table creates; /* from instructions to operations */
    struct table lines;
};

/* ---- values.c ------------------------------------------------------------------------------------------------------- */

/* The node of a value; IR_NONE if it can be no address. */
uint32_t read_value(struct read *read, LLVMValueRef value);
/* The object of a global variable or a function. */
uint32_t read_global(struct read *read, LLVMValueRef value);
/* IR_NONE: not known. */
uint32_t read_type(struct read *read, LLVMTypeRef type);
/* A value of the type may have an address in it. */
bool read_type_carries(LLVMTypeRef type);
/* Bytes; IR_UNKNOWN. */
uint64_t read_size(struct read *read, LLVMTypeRef type);
/* The node gets what memory of the object has at the beginning. */
void read_initial(struct read *read, uint32_t object, LLVMValueRef value);
/* What a GEP adds: constant bytes, and any number of *stride bytes (0: none). */
int64_t read_offset(struct read *read, LLVMValueRef gep, uint64_t *stride);

/* ---- instructions.c ------------------------------------------------------------------------------------------------- */

void read_instruction(struct read *read, LLVMValueRef instruction);
/* An operation of the block that is being read. */
struct ir_op *read_op(struct read *read, enum ir_op_kind kind, unsigned flags, LLVMValueRef instruction,
                      uint32_t pointer, uint64_t size);
uint32_t read_place(struct read *read, LLVMValueRef instruction);
uint32_t read_text(struct read *read, const char *text, size_t length);

/* ---- calls.c, library.c --------------------------------------------------------------------------------------------- */

void read_call(struct read *read, LLVMValueRef instruction);
/* A call of a function that is not seen. False: nothing is known about it. */
bool read_library_call(struct read *read, LLVMValueRef instruction, const char *name);
uint32_t read_argument(struct read *read, LLVMValueRef instruction, unsigned index); /* node or IR_NONE */
/* A call of what `pointer` points to, or of `callee`; args: nodes. */
uint32_t read_make_call(struct read *read, uint32_t callee, uint32_t pointer, const uint32_t *args, unsigned count,
                        uint32_t result);
/* A new heap object is the result of the instruction. */
uint32_t read_heap(struct read *read, LLVMValueRef instruction, uint64_t size);

/* ---- loops.c -------------------------------------------------------------------------------------------------------- */

/* Loops of a function that begin one thread for each element of an array, and those that wait for all of them. */
struct loops *loops_find(LLVMValueRef function);
void loops_free(struct loops *loops);
/* All threads that are begun at `create` have ended when the loop is over whose exit is this block: the creating calls. */
size_t loops_joined_at(const struct loops *loops, LLVMBasicBlockRef block, LLVMValueRef *creates, size_t most);
/* The variable that has the name of a thread: an alloca or a global that only creating and joining calls use, with a constant
   offset.  NULL: not known. */
LLVMValueRef loops_handle(struct read *read, LLVMValueRef call, bool join, int64_t *offset);
bool loops_is_create(LLVMValueRef instruction);
bool loops_is_join(LLVMValueRef instruction);

#endif
