/* SPDX-License-Identifier: MIT
 *
 * instructions.c - what instructions do with addresses and with memory.
 */
#include <string.h>

#include "llvm/read.h"

uint32_t read_text(struct read *read, const char *text, size_t length)
{
    char *copy = memory_format("%.*s", (int)length, text != NULL ? text : "");
    uint32_t number = ir_text_add(read->program, copy);
    free(copy);
    return number;
}

uint32_t read_place(struct read *read, LLVMValueRef instruction)
{
    unsigned length = 0, line = LLVMGetDebugLocLine(instruction);
    const char *file = line > 0 ? LLVMGetDebugLocFilename(instruction, &length) : NULL;
    struct ir_place place = {.file = read_text(read, file, length), .line = line, .function = read->function_name};
    place.column = line > 0 ? LLVMGetDebugLocColumn(instruction) : 0;
    if (line > 0)
        *table_put(&read->lines, ((uint64_t)place.file << 32) | line) = 1;
    return ir_place_add(read->program, &place);
}

struct ir_op *read_op(struct read *read, enum ir_op_kind kind, unsigned flags, LLVMValueRef instruction,
                      uint32_t pointer, uint64_t size)
{
    struct ir_op op = {.kind = (uint8_t)kind, .flags = (uint8_t)flags, .pointer = pointer, .size = size};
    op.second = op.call = op.handle = IR_NONE;
    op.place = read_place(read, instruction);
    vector_push(&read->program->ops, op);
    return &read->program->ops.data[read->program->ops.count - 1];
}

static void copy_from(struct read *read, LLVMValueRef instruction, LLVMValueRef operand)
{
    uint32_t to = read_value(read, instruction), from = read_value(read, operand);
    if (to != IR_NONE && from != IR_NONE)
        ir_constrain(read->program, CONSTRAINT_COPY, to, from, 0, 0);
}

static void copy_operands(struct read *read, LLVMValueRef instruction)
{
    int count = LLVMGetNumOperands(instruction);
    for (int i = 0; i < count; i++)
        copy_from(read, instruction, LLVMGetOperand(instruction, (unsigned)i));
}

/* ---- memory --------------------------------------------------------------------------------------------------------- */

static void read_alloca(struct read *read, LLVMValueRef instruction)
{
    LLVMTypeRef type = LLVMGetAllocatedType(instruction);
    LLVMValueRef count = LLVMGetOperand(instruction, 0);
    bool one = LLVMIsAConstantInt(count) != NULL && LLVMConstIntGetZExtValue(count) == 1;
    size_t length;
    const char *name = LLVMGetValueName2(instruction, &length);
    if (length > 5 && strncmp(name + length - 5, ".addr", 5) == 0)
        length -= 5;
    struct ir_object object = {.kind = OBJECT_LOCAL,
                               .name = read_text(read, name, length),
                               .type = read_type(read, type),
                               .size = one ? read_size(read, type) : IR_UNKNOWN,
                               .function = read->function};
    object.place = (struct ir_place){.function = read->function_name};
    *table_put(&read->objects, (uint64_t)(uintptr_t)instruction) = (uint64_t)read->program->objects.count + 1;
    uint32_t number = ir_object_add(read->program, &object);
    ir_constrain(read->program, CONSTRAINT_ADDRESS, read_value(read, instruction), number, 0, 0);
}

static unsigned atomic_flag(LLVMValueRef instruction)
{
    return LLVMGetOrdering(instruction) != LLVMAtomicOrderingNotAtomic ? OP_ATOMIC : 0;
}

static void load_into(struct read *read, LLVMValueRef result, uint32_t pointer, uint64_t size)
{
    uint32_t to = read_value(read, result);
    if (to != IR_NONE && pointer != IR_NONE)
        ir_constrain(read->program, CONSTRAINT_LOAD, to, pointer, size, 0);
}

static void store_from(struct read *read, uint32_t pointer, LLVMValueRef value, uint64_t size)
{
    uint32_t from = read_value(read, value);
    if (from != IR_NONE && pointer != IR_NONE)
        ir_constrain(read->program, CONSTRAINT_STORE, pointer, from, size, 0);
}

static void read_load(struct read *read, LLVMValueRef instruction)
{
    uint32_t pointer = read_value(read, LLVMGetOperand(instruction, 0));
    uint64_t size = read_size(read, LLVMTypeOf(instruction));
    read_op(read, IR_READ, atomic_flag(instruction), instruction, pointer, size);
    load_into(read, instruction, pointer, size);
}

static void read_store(struct read *read, LLVMValueRef instruction)
{
    LLVMValueRef value = LLVMGetOperand(instruction, 0);
    uint32_t pointer = read_value(read, LLVMGetOperand(instruction, 1));
    uint64_t size = read_size(read, LLVMTypeOf(value));
    read_op(read, IR_WRITE, atomic_flag(instruction), instruction, pointer, size);
    store_from(read, pointer, value, size);
}

/* Operand 0 is the address, the last one the new value. */
static void read_update(struct read *read, LLVMValueRef instruction)
{
    LLVMValueRef value = LLVMGetOperand(instruction, (unsigned)LLVMGetNumOperands(instruction) - 1);
    uint32_t pointer = read_value(read, LLVMGetOperand(instruction, 0));
    uint64_t size = read_size(read, LLVMTypeOf(value));
    read_op(read, IR_UPDATE, OP_ATOMIC, instruction, pointer, size);
    load_into(read, instruction, pointer, size);
    store_from(read, pointer, value, size);
}

static void read_address(struct read *read, LLVMValueRef instruction)
{
    uint64_t stride;
    LLVMValueRef base = LLVMGetOperand(instruction, 0);
    int64_t bytes = read_offset(read, instruction, &stride);
    uint32_t to = read_value(read, instruction), from = read_value(read, base);
    if (LLVMIsAConstantPointerNull(base) != NULL) { /* (char *)NULL + number: the number is the address */
        copy_operands(read, instruction);
        return;
    }
    if (from == IR_NONE)
        return;
    if (stride != 0)
        ir_constrain(read->program, CONSTRAINT_STRIDE, to, from, (uint64_t)bytes, stride);
    else
        ir_constrain(read->program, CONSTRAINT_OFFSET, to, from, (uint64_t)bytes, 0);
}

/* ---- numbers -------------------------------------------------------------------------------------------------------- */

static bool is_wide(LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    return LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) >= 64;
}

/* Arithmetic on a cast address. */
static void read_arithmetic(struct read *read, LLVMValueRef instruction)
{
    if (!is_wide(instruction))
        return;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
    LLVMValueRef second = LLVMGetOperand(instruction, 1);
    if ((opcode == LLVMAdd || opcode == LLVMSub) && LLVMIsAConstantInt(second) != NULL) {
        uint32_t from = read_value(read, LLVMGetOperand(instruction, 0));
        int64_t bytes = LLVMConstIntGetSExtValue(second);
        if (from != IR_NONE)
            ir_constrain(read->program, CONSTRAINT_OFFSET, read_value(read, instruction), from,
                         (uint64_t)(opcode == LLVMAdd ? bytes : -bytes), 0);
        return;
    }
    copy_operands(read, instruction);
}

static bool is_small_mask(LLVMValueRef number)
{
    if (LLVMIsAConstantInt(number) == NULL)
        return false;
    int64_t value = LLVMConstIntGetSExtValue(number);
    return value >= -16 && value < 16;
}

/* The number may be an address and a distance that is not known: what the local expression says. */
static bool is_computed(LLVMValueRef value, int depth)
{
    LLVMValueRef instruction = LLVMIsAInstruction(value);
    if (instruction == NULL)
        return false;
    if (depth == 0)
        return true;
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMAdd:
    case LLVMSub:
        return LLVMIsAConstantInt(LLVMGetOperand(instruction, 1)) == NULL ||
               is_computed(LLVMGetOperand(instruction, 0), depth - 1);
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
        return !is_small_mask(LLVMGetOperand(instruction, 1)) || is_computed(LLVMGetOperand(instruction, 0), depth - 1);
    case LLVMMul:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
        return true;
    case LLVMPHI:
    case LLVMSelect: {
        int count = LLVMGetNumOperands(instruction);
        for (int i = 0; i < count; i++)
            if (is_computed(LLVMGetOperand(instruction, (unsigned)i), depth - 1))
                return true;
        return false;
    }
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
    case LLVMBitCast:
    case LLVMFreeze:
        return is_computed(LLVMGetOperand(instruction, 0), depth - 1);
    default:
        return false; /* loads, calls, casts from addresses */
    }
}

static void read_cast_to_address(struct read *read, LLVMValueRef instruction)
{
    enum { DEPTH = 8 };
    LLVMValueRef number = LLVMGetOperand(instruction, 0);
    uint32_t to = read_value(read, instruction), from = read_value(read, number);
    if (from == IR_NONE)
        return;
    if (is_computed(number, DEPTH))
        ir_constrain(read->program, CONSTRAINT_STRIDE, to, from, 0, 1);
    else
        ir_constrain(read->program, CONSTRAINT_COPY, to, from, 0, 0);
}

/* ---- all of them ---------------------------------------------------------------------------------------------------- */

static void read_return(struct read *read, LLVMValueRef instruction)
{
    uint32_t result = read->program->functions.data[read->function].result;
    if (LLVMGetNumOperands(instruction) == 0 || result == IR_NONE)
        return;
    uint32_t from = read_value(read, LLVMGetOperand(instruction, 0));
    if (from != IR_NONE)
        ir_constrain(read->program, CONSTRAINT_COPY, result, from, 0, 0);
}

static void read_exception(struct read *read, LLVMValueRef instruction, bool catches)
{
    uint32_t outside = read->program->outside_node;
    uint32_t node = catches ? read_value(read, instruction) : read_value(read, LLVMGetOperand(instruction, 0));
    if (node != IR_NONE)
        ir_constrain(read->program, CONSTRAINT_COPY, catches ? node : outside, catches ? outside : node, 0, 0);
}

void read_instruction(struct read *read, LLVMValueRef instruction)
{
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMAlloca:
        read_alloca(read, instruction);
        break;
    case LLVMLoad:
        read_load(read, instruction);
        break;
    case LLVMStore:
        read_store(read, instruction);
        break;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        read_update(read, instruction);
        break;
    case LLVMGetElementPtr:
        read_address(read, instruction);
        break;
    case LLVMIntToPtr:
        read_cast_to_address(read, instruction);
        break;
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
    case LLVMPtrToInt:
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMPHI:
    case LLVMSelect:
    case LLVMFreeze:
    case LLVMExtractValue:
    case LLVMInsertValue:
    case LLVMExtractElement:
    case LLVMInsertElement:
    case LLVMShuffleVector:
        copy_operands(read, instruction);
        break;
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
        read_arithmetic(read, instruction);
        break;
    case LLVMVAArg:
        ir_constrain(read->program, CONSTRAINT_COLLECT, read_value(read, instruction),
                     read_value(read, LLVMGetOperand(instruction, 0)), 0, 0);
        break;
    case LLVMCall:
    case LLVMInvoke:
    case LLVMCallBr:
        read_call(read, instruction);
        break;
    case LLVMRet:
        read_return(read, instruction);
        break;
    case LLVMLandingPad:
        read_exception(read, instruction, true);
        break;
    case LLVMResume:
        read_exception(read, instruction, false);
        break;
    default:
        break;
    }
}
