/* SPDX-License-Identifier: MIT
 *
 * calls.c - calls: of functions that are seen, through pointers, of LLVM's intrinsics, and inline assembler.
 */
#include <string.h>

#include "llvm/read.h"

uint32_t read_argument(struct read *read, LLVMValueRef instruction, unsigned index)
{
    return index < LLVMGetNumArgOperands(instruction) ? read_value(read, LLVMGetOperand(instruction, index)) : IR_NONE;
}

uint32_t read_make_call(struct read *read, uint32_t callee, uint32_t pointer, const uint32_t *args, unsigned count,
                        uint32_t result)
{
    struct ir_call call = {.callee = callee,
                           .pointer = pointer,
                           .first = (uint32_t)read->program->args.count,
                           .args = count,
                           .result = result,
                           .function = read->function};
    vector_append(&read->program->args, args, count);
    vector_push(&read->program->calls, call);
    return (uint32_t)read->program->calls.count - 1;
}

uint32_t read_heap(struct read *read, LLVMValueRef instruction, uint64_t size)
{
    struct ir_object object = {.kind = OBJECT_HEAP, .type = IR_NONE, .size = size, .function = read->function};
    object.name = ir_text_add(read->program, "");
    object.place = read->program->places.data[read_place(read, instruction)];
    return ir_object_add(read->program, &object);
}

static bool returns_twice(const char *name)
{
    return strcmp(name, "setjmp") == 0 || strcmp(name, "_setjmp") == 0 || strcmp(name, "__sigsetjmp") == 0 ||
           strcmp(name, "sigsetjmp") == 0;
}

static void call_seen(struct read *read, LLVMValueRef instruction, uint32_t callee, uint32_t pointer)
{
    VECTOR(uint32_t) args = {0};
    unsigned count = LLVMGetNumArgOperands(instruction);
    for (unsigned i = 0; i < count; i++)
        vector_push(&args, read_argument(read, instruction, i));
    uint32_t call = read_make_call(read, callee, pointer, args.data, count, read_value(read, instruction));
    vector_free(&args);
    read_op(read, IR_CALL, 0, instruction, IR_NONE, 0)->call = call;
}

/* ---- functions that are not seen ------------------------------------------------------------------------------------ */

static bool has_attribute(LLVMValueRef function, LLVMAttributeIndex index, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    return kind != 0 && LLVMGetEnumAttributeAtIndex(function, index, kind) != NULL;
}

/* It may do with its arguments whatever LLVM does not exclude. */
static void call_unknown(struct read *read, LLVMValueRef instruction, LLVMValueRef function)
{
    struct ir_program *program = read->program;
    bool pure = function != NULL && has_attribute(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "readnone");
    uint32_t all = IR_NONE, result = read_value(read, instruction);
    unsigned count = LLVMGetNumArgOperands(instruction);
    for (unsigned i = 0; i < count; i++) {
        uint32_t node = read_argument(read, instruction, i);
        if (node == IR_NONE)
            continue;
        bool named = function != NULL && i < LLVMCountParams(function);
        bool reads_only = named && has_attribute(function, i + 1, "readonly");
        bool kept = !named || !has_attribute(function, i + 1, "nocapture");
        if (all == IR_NONE)
            all = ir_node(program);
        ir_constrain(program, CONSTRAINT_COPY, all, node, 0, 0);
        ir_constrain(program, CONSTRAINT_COLLECT, all, node, 0, 0);
        if (kept && !pure)
            ir_constrain(program, CONSTRAINT_COPY, program->outside_node, node, 0, 0);
        if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(instruction, i))) != LLVMPointerTypeKind || pure)
            continue;
        if (!named || !has_attribute(function, i + 1, "writeonly"))
            read_op(read, IR_READ, OP_LIBRARY, instruction, node, IR_UNKNOWN);
        if (!reads_only) {
            read_op(read, IR_WRITE, OP_LIBRARY, instruction, node, IR_UNKNOWN);
            ir_constrain(program, CONSTRAINT_SPREAD, node, all, 0, 0);
            if (kept)
                ir_constrain(program, CONSTRAINT_SPREAD, node, program->outside_node, 0, 0);
        }
    }
    if (result == IR_NONE || pure)
        return;
    if (all != IR_NONE)
        ir_constrain(program, CONSTRAINT_COPY, result, all, 0, 0);
    if (function != NULL && has_attribute(function, (LLVMAttributeIndex)LLVMAttributeReturnIndex, "noalias"))
        ir_constrain(program, CONSTRAINT_ADDRESS, result, read_heap(read, instruction, IR_UNKNOWN), 0, 0);
    else if (LLVMGetTypeKind(LLVMTypeOf(instruction)) == LLVMPointerTypeKind)
        ir_constrain(program, CONSTRAINT_COPY, result, program->outside_node, 0, 0);
}

/* What the addresses point to may be read and written; what they are may be the result. */
static void call_assembler(struct read *read, LLVMValueRef instruction)
{
    struct ir_program *program = read->program;
    uint32_t all = IR_NONE, result = read_value(read, instruction);
    unsigned count = LLVMGetNumArgOperands(instruction);
    for (unsigned i = 0; i < count; i++) {
        uint32_t node = read_argument(read, instruction, i);
        if (node == IR_NONE)
            continue;
        if (all == IR_NONE)
            all = ir_node(program);
        ir_constrain(program, CONSTRAINT_COPY, all, node, 0, 0);
        ir_constrain(program, CONSTRAINT_COLLECT, all, node, 0, 0);
    }
    for (unsigned i = 0; i < count; i++) {
        uint32_t node = read_argument(read, instruction, i);
        if (node == IR_NONE)
            continue;
        read_op(read, IR_READ, OP_ATOMIC | OP_LIBRARY, instruction, node, IR_UNKNOWN);
        read_op(read, IR_WRITE, OP_ATOMIC | OP_LIBRARY, instruction, node, IR_UNKNOWN);
        ir_constrain(program, CONSTRAINT_SPREAD, node, all, 0, 0);
    }
    if (result != IR_NONE && all != IR_NONE)
        ir_constrain(program, CONSTRAINT_COPY, result, all, 0, 0);
    if (count > 0)
        vector_push(&program->assembler, read_place(read, instruction));
}

/* ---- intrinsics ----------------------------------------------------------------------------------------------------- */

/* The arguments that have no parameter are in an object of their own; the list points to it. */
static void begin_arguments(struct read *read, LLVMValueRef instruction)
{
    struct ir_program *program = read->program;
    uint32_t list = read_argument(read, instruction, 0);
    if (read->arguments == IR_NONE) {
        struct ir_object object = {.kind = OBJECT_LOCAL, .type = IR_NONE, .size = IR_UNKNOWN};
        object.function = read->function;
        object.name = ir_text_add(program, "(arguments)");
        read->arguments = ir_node(program);
        ir_constrain(program, CONSTRAINT_ADDRESS, read->arguments, ir_object_add(program, &object), 0, 0);
        ir_constrain(program, CONSTRAINT_SPREAD, read->arguments, program->functions.data[read->function].more, 0, 0);
    }
    if (list != IR_NONE)
        ir_constrain(program, CONSTRAINT_SPREAD, list, read->arguments, 0, 0);
}

static uint64_t constant_size(LLVMValueRef value)
{
    return LLVMIsAConstantInt(value) != NULL ? LLVMConstIntGetZExtValue(value) : IR_UNKNOWN;
}

static void move_memory(struct read *read, LLVMValueRef instruction)
{
    uint32_t to = read_argument(read, instruction, 0), from = read_argument(read, instruction, 1);
    uint64_t size = constant_size(LLVMGetOperand(instruction, 2));
    read_op(read, IR_READ, 0, instruction, from, size);
    read_op(read, IR_WRITE, 0, instruction, to, size);
    if (to != IR_NONE && from != IR_NONE)
        ir_constrain(read->program, CONSTRAINT_MOVE, to, from, size, 0);
}

static bool begins_with(const char *name, const char *beginning)
{
    return strncmp(name, beginning, strlen(beginning)) == 0;
}

static void call_intrinsic(struct read *read, LLVMValueRef instruction, const char *name)
{
    if (begins_with(name, "llvm.memcpy") || begins_with(name, "llvm.memmove")) {
        move_memory(read, instruction);
    } else if (begins_with(name, "llvm.memset")) {
        read_op(read, IR_WRITE, 0, instruction, read_argument(read, instruction, 0),
                constant_size(LLVMGetOperand(instruction, 2)));
    } else if (strcmp(name, "llvm.va_start") == 0) {
        begin_arguments(read, instruction);
    } else if (strcmp(name, "llvm.va_copy") == 0) {
        uint32_t to = read_argument(read, instruction, 0), from = read_argument(read, instruction, 1);
        if (to != IR_NONE && from != IR_NONE)
            ir_constrain(read->program, CONSTRAINT_MOVE, to, from, IR_UNKNOWN, 0);
    } else if (!begins_with(name, "llvm.lifetime") && !begins_with(name, "llvm.dbg")) {
        uint32_t result = read_value(read, instruction);
        unsigned count = LLVMGetNumArgOperands(instruction);
        for (unsigned i = 0; i < count; i++) {
            uint32_t node = read_argument(read, instruction, i);
            if (node != IR_NONE && result != IR_NONE)
                ir_constrain(read->program, CONSTRAINT_COPY, result, node, 0, 0);
        }
    }
}

/* ---- all calls ------------------------------------------------------------------------------------------------------ */

static LLVMValueRef called_function(LLVMValueRef instruction)
{
    LLVMValueRef value = LLVMGetCalledValue(instruction);
    while (LLVMIsAConstantExpr(value) != NULL && LLVMGetConstOpcode(value) == LLVMBitCast)
        value = LLVMGetOperand(value, 0);
    if (LLVMIsAGlobalAlias(value) != NULL)
        value = LLVMAliasGetAliasee(value);
    return LLVMIsAFunction(value);
}

static void call_declared(struct read *read, LLVMValueRef instruction, LLVMValueRef function, const char *name)
{
    if (begins_with(name, "llvm.")) {
        call_intrinsic(read, instruction, name);
        return;
    }
    if (!read_library_call(read, instruction, name))
        call_unknown(read, instruction, function);
    if (returns_twice(name))
        read_op(read, IR_JOIN, OP_TWICE, instruction, IR_NONE, 0);
}

void read_call(struct read *read, LLVMValueRef instruction)
{
    LLVMValueRef function = called_function(instruction);
    if (LLVMIsAInlineAsm(LLVMGetCalledValue(instruction)) != NULL) {
        call_assembler(read, instruction);
    } else if (function == NULL) {
        uint32_t pointer = read_value(read, LLVMGetCalledValue(instruction));
        if (pointer != IR_NONE)
            call_seen(read, instruction, IR_NONE, pointer);
    } else if (!LLVMIsDeclaration(function)) {
        call_seen(read, instruction, (uint32_t)*table_get(&read->functions, (uint64_t)(uintptr_t)function) - 1,
                  IR_NONE);
    } else {
        size_t length;
        call_declared(read, instruction, function, LLVMGetValueName2(function, &length));
    }
}
