/* SPDX-License-Identifier: MIT
 *
 * values.c - values and types of LLVM.
 */
#include <string.h>

#include "llvm/read.h"

static uint32_t known(const struct table *table, const void *key)
{
    const uint64_t *value = table_get(table, (uint64_t)(uintptr_t)key);
    return value != NULL ? (uint32_t)*value - 1 : IR_NONE;
}

static uint32_t note(struct table *table, const void *key, uint32_t value)
{
    *table_put(table, (uint64_t)(uintptr_t)key) = (uint64_t)value + 1;
    return value;
}

/* ---- types ---------------------------------------------------------------------------------------------------------- */

uint64_t read_size(struct read *read, LLVMTypeRef type)
{
    return LLVMTypeIsSized(type) ? LLVMABISizeOfType(read->layout, type) : IR_UNKNOWN;
}

bool read_type_carries(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(type) >= 8;
    case LLVMPointerTypeKind:
    case LLVMStructTypeKind:
    case LLVMArrayTypeKind:
    case LLVMVectorTypeKind:
        return true;
    default:
        return false;
    }
}

static struct ir_type read_array(struct read *read, LLVMTypeRef type, uint64_t count)
{
    LLVMTypeRef element = LLVMGetElementType(type);
    return (struct ir_type){
        .kind = TYPE_ARRAY, .element = read_type(read, element), .size = read_size(read, type), .count = count};
}

static struct ir_type read_struct(struct read *read, LLVMTypeRef type)
{
    unsigned count = LLVMCountStructElementTypes(type);
    struct ir_type result = {.kind = TYPE_STRUCT, .members = count, .size = read_size(read, type)};
    VECTOR(struct ir_member) members = {0};
    for (unsigned i = 0; i < count; i++) {
        struct ir_member member = {LLVMOffsetOfElement(read->layout, type, i),
                                   read_type(read, LLVMStructGetTypeAtIndex(type, i))};
        vector_push(&members, member);
    }
    result.first = (uint32_t)read->program->members.count;
    vector_append(&read->program->members, members.data, members.count);
    vector_free(&members);
    return result;
}

uint32_t read_type(struct read *read, LLVMTypeRef type)
{
    uint32_t number = known(&read->types, type);
    if (number != IR_NONE || !LLVMTypeIsSized(type))
        return number;
    struct ir_type result;
    switch (LLVMGetTypeKind(type)) {
    case LLVMArrayTypeKind:
        result = read_array(read, type, LLVMGetArrayLength(type));
        break;
    case LLVMVectorTypeKind:
        result = read_array(read, type, LLVMGetVectorSize(type));
        break;
    case LLVMStructTypeKind:
        result = read_struct(read, type);
        break;
    default:
        result = (struct ir_type){.kind = TYPE_PLAIN, .size = read_size(read, type)};
    }
    vector_push(&read->program->types, result);
    return note(&read->types, type, (uint32_t)read->program->types.count - 1);
}

/* ---- offsets -------------------------------------------------------------------------------------------------------- */

static uint64_t greatest_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

int64_t read_offset(struct read *read, LLVMValueRef gep, uint64_t *stride)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    int64_t bytes = 0;
    *stride = 0;
    unsigned count = (unsigned)LLVMGetNumOperands(gep);
    for (unsigned i = 1; i < count; i++) {
        LLVMValueRef index = LLVMGetOperand(gep, i);
        bool constant = LLVMIsAConstantInt(index) != NULL;
        if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned member = constant ? (unsigned)LLVMConstIntGetZExtValue(index) : 0;
            bytes += (int64_t)LLVMOffsetOfElement(read->layout, type, member);
            type = LLVMStructGetTypeAtIndex(type, member);
            continue;
        }
        if (i > 1)
            type = LLVMGetElementType(type);
        uint64_t size = read_size(read, type);
        if (size == IR_UNKNOWN)
            size = 1;
        if (constant)
            bytes += LLVMConstIntGetSExtValue(index) * (int64_t)size;
        else
            *stride = greatest_divisor(size, *stride);
    }
    return bytes;
}

/* ---- values --------------------------------------------------------------------------------------------------------- */

static enum ir_object_kind kind_of_global(LLVMValueRef value)
{
    if (LLVMIsAFunction(value) != NULL)
        return OBJECT_FUNCTION;
    return LLVMIsAGlobalVariable(value) != NULL && LLVMIsThreadLocal(value) ? OBJECT_THREAD : OBJECT_GLOBAL;
}

uint32_t read_global(struct read *read, LLVMValueRef value)
{
    uint32_t number = known(&read->objects, value);
    if (number != IR_NONE)
        return number;
    size_t length;
    const char *name = LLVMGetValueName2(value, &length);
    struct ir_object object = {.kind = kind_of_global(value), .type = IR_NONE, .size = 0, .function = IR_NONE};
    object.name = read_text(read, name, length);
    if (LLVMIsAGlobalVariable(value) != NULL) {
        LLVMTypeRef type = LLVMGlobalGetValueType(value);
        object.constant = LLVMIsGlobalConstant(value);
        object.type = read_type(read, type);
        object.size = LLVMIsDeclaration(value) ? IR_UNKNOWN : read_size(read, type);
        unsigned file_length = 0;
        const char *file = LLVMGetDebugLocFilename(value, &file_length);
        object.place = (struct ir_place){read_text(read, file, file != NULL ? file_length : 0),
                                         LLVMGetDebugLocLine(value), 0, ir_text_add(read->program, "")};
    }
    return note(&read->objects, value, ir_object_add(read->program, &object));
}

static uint32_t address_of(struct read *read, LLVMValueRef value)
{
    uint32_t object = read_global(read, value), node = ir_node(read->program);
    ir_constrain(read->program, CONSTRAINT_ADDRESS, node, object, 0, 0);
    return node;
}

static uint32_t read_operands(struct read *read, LLVMValueRef value)
{
    uint32_t node = IR_NONE;
    int count = LLVMGetNumOperands(value);
    for (int i = 0; i < count; i++) {
        uint32_t from = read_value(read, LLVMGetOperand(value, (unsigned)i));
        if (from == IR_NONE)
            continue;
        if (node == IR_NONE)
            node = ir_node(read->program);
        ir_constrain(read->program, CONSTRAINT_COPY, node, from, 0, 0);
    }
    return node;
}

static uint32_t read_constant_address(struct read *read, LLVMValueRef value)
{
    uint64_t stride;
    uint32_t from = read_value(read, LLVMGetOperand(value, 0));
    int64_t bytes = read_offset(read, value, &stride);
    if (from == IR_NONE || (bytes == 0 && stride == 0))
        return from;
    uint32_t node = ir_node(read->program);
    if (stride != 0)
        ir_constrain(read->program, CONSTRAINT_STRIDE, node, from, (uint64_t)bytes, stride);
    else
        ir_constrain(read->program, CONSTRAINT_OFFSET, node, from, (uint64_t)bytes, 0);
    return node;
}

static uint32_t read_constant(struct read *read, LLVMValueRef value)
{
    if (LLVMIsAFunction(value) != NULL || LLVMIsAGlobalVariable(value) != NULL)
        return address_of(read, value);
    if (LLVMIsAGlobalAlias(value) != NULL)
        return read_value(read, LLVMAliasGetAliasee(value));
    if (LLVMIsAConstantExpr(value) != NULL && LLVMGetConstOpcode(value) == LLVMGetElementPtr)
        return read_constant_address(read, value);
    if (LLVMIsAConstantExpr(value) != NULL && LLVMGetConstOpcode(value) == LLVMIntToPtr) {
        uint32_t from = read_operands(read, value);
        if (from == IR_NONE)
            return IR_NONE;
        uint32_t node = ir_node(read->program);
        ir_constrain(read->program, CONSTRAINT_STRIDE, node, from, 0, 1);
        return node;
    }
    if (LLVMIsAConstantExpr(value) != NULL || LLVMIsAConstantStruct(value) != NULL ||
        LLVMIsAConstantArray(value) != NULL || LLVMIsAConstantVector(value) != NULL)
        return read_operands(read, value);
    return IR_NONE;
}

uint32_t read_value(struct read *read, LLVMValueRef value)
{
    if (value == NULL || !read_type_carries(LLVMTypeOf(value)))
        return IR_NONE;
    const uint64_t *seen = table_get(&read->nodes, (uint64_t)(uintptr_t)value);
    if (seen != NULL)
        return (uint32_t)(*seen - 1);
    uint32_t node = IR_NONE;
    if (LLVMIsAInstruction(value) != NULL || LLVMIsAArgument(value) != NULL)
        node = ir_node(read->program);
    else if (LLVMIsAConstant(value) != NULL)
        node = read_constant(read, value);
    return note(&read->nodes, value, node);
}

/* ---- initial values ------------------------------------------------------------------------------------------------- */

static void read_initial_at(struct read *read, uint32_t object, uint64_t offset, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    bool structure = LLVMIsAConstantStruct(value) != NULL;
    if (structure || LLVMIsAConstantArray(value) != NULL) {
        uint64_t size = structure ? 0 : read_size(read, LLVMGetElementType(type));
        int count = LLVMGetNumOperands(value);
        for (int i = 0; i < count; i++)
            read_initial_at(read, object,
                            offset +
                                (structure ? LLVMOffsetOfElement(read->layout, type, (unsigned)i) : (uint64_t)i * size),
                            LLVMGetOperand(value, (unsigned)i));
        return;
    }
    uint32_t from = read_value(read, value);
    if (from == IR_NONE)
        return;
    uint32_t to = ir_node(read->program);
    ir_constrain(read->program, CONSTRAINT_ADDRESS, to, object, offset, 0);
    ir_constrain(read->program, CONSTRAINT_STORE, to, from, read_size(read, type), 0);
}

void read_initial(struct read *read, uint32_t object, LLVMValueRef value)
{
    read_initial_at(read, object, 0, value);
}
