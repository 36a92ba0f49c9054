/* SPDX-License-Identifier: MIT
 *
 * loops.c - which threads a join waits for, where the function itself shows it.
 *
 * DESIGN
 *   A thread's name is in a variable that is used by creating and joining calls only: then the join of the variable waits for the
 *   thread that was created with it.  For arrays, two loops are recognised:
 *
 *       for (i = 0; i < n; i++) pthread_create(&threads[i], …);       for (i = 0; i < n; i++) pthread_join(threads[i], …);
 *
 *   with one n, a constant or a value that does not change.  Where the second loop ends by its condition, all threads that the first one
 *   began have ended, provided that nothing else uses the array and that each round of the second loop comes to the join.
 */
#include <string.h>

#include "llvm/read.h"

struct loop {
    LLVMBasicBlockRef header, body, latch, exit;
    LLVMValueRef index, bound;
};

struct loops {
    VECTOR(struct loop) all;
    VECTOR(LLVMValueRef) creates, joins;
};

static const char *called_name(LLVMValueRef instruction)
{
    if (LLVMIsACallInst(instruction) == NULL && LLVMIsAInvokeInst(instruction) == NULL)
        return "";
    LLVMValueRef function = LLVMIsAFunction(LLVMGetCalledValue(instruction));
    size_t length;
    return function != NULL ? LLVMGetValueName2(function, &length) : "";
}

bool loops_is_create(LLVMValueRef instruction)
{
    const char *name = called_name(instruction);
    return strcmp(name, "pthread_create") == 0 || strcmp(name, "thrd_create") == 0;
}

bool loops_is_join(LLVMValueRef instruction)
{
    const char *name = called_name(instruction);
    return strcmp(name, "pthread_join") == 0 || strcmp(name, "thrd_join") == 0;
}

/* ---- handles -------------------------------------------------------------------------------------------------------- */

/* An address in the variable, by GEPs and casts, instructions or constant expressions. */
static bool is_address_step(LLVMValueRef value)
{
    LLVMOpcode opcode = (LLVMOpcode)0;
    if (LLVMIsAInstruction(value) != NULL)
        opcode = LLVMGetInstructionOpcode(value);
    else if (LLVMIsAConstantExpr(value) != NULL)
        opcode = LLVMGetConstOpcode(value);
    return opcode == LLVMGetElementPtr || opcode == LLVMBitCast;
}

static bool is_lifetime(LLVMValueRef call)
{
    return strncmp(called_name(call), "llvm.lifetime", 13) == 0 || strncmp(called_name(call), "llvm.dbg", 8) == 0;
}

/* Only joins use the value of the variable. */
static bool is_only_joined(LLVMValueRef load)
{
    for (LLVMUseRef use = LLVMGetFirstUse(load); use != NULL; use = LLVMGetNextUse(use)) {
        const char *name = called_name(LLVMGetUser(use));
        if (!loops_is_join(LLVMGetUser(use)) && strcmp(name, "pthread_cancel") != 0 &&
            strcmp(name, "pthread_kill") != 0)
            return false;
    }
    return true;
}

static bool is_only_handle(LLVMValueRef address, int depth)
{
    if (depth == 0)
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(address); use != NULL; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        bool fine = is_address_step(user)           ? is_only_handle(user, depth - 1)
                    : LLVMIsALoadInst(user) != NULL ? is_only_joined(user)
                    : loops_is_create(user)         ? LLVMGetOperand(user, 0) == address
                                                    : is_lifetime(user);
        if (!fine)
            return false;
    }
    return true;
}

/* The variable that the address is in; *stride: 0, or it is at any multiple. */
static LLVMValueRef variable_of(struct read *read, LLVMValueRef address, int64_t *offset, uint64_t *stride)
{
    *offset = 0;
    *stride = 0;
    while (is_address_step(address)) {
        uint64_t step = 0;
        bool gep = LLVMIsAGetElementPtrInst(address) != NULL ||
                   (LLVMIsAConstantExpr(address) != NULL && LLVMGetConstOpcode(address) == LLVMGetElementPtr);
        if (gep)
            *offset += read_offset(read, address, &step);
        if (step != 0)
            *stride = step;
        address = LLVMGetOperand(address, 0);
    }
    bool variable = LLVMIsAAllocaInst(address) != NULL ||
                    (LLVMIsAGlobalVariable(address) != NULL && LLVMGetLinkage(address) == LLVMInternalLinkage);
    return variable ? address : NULL;
}

static LLVMValueRef handle_address(LLVMValueRef call, bool join)
{
    LLVMValueRef value = LLVMGetOperand(call, 0);
    if (!join)
        return value;
    return LLVMIsALoadInst(value) != NULL ? LLVMGetOperand(value, 0) : NULL;
}

LLVMValueRef loops_handle(struct read *read, LLVMValueRef call, bool join, int64_t *offset)
{
    enum { DEPTH = 6 };
    uint64_t stride;
    LLVMValueRef address = handle_address(call, join);
    LLVMValueRef variable = address != NULL ? variable_of(read, address, offset, &stride) : NULL;
    return variable != NULL && stride == 0 && is_only_handle(variable, DEPTH) ? variable : NULL;
}

/* ---- counting loops ------------------------------------------------------------------------------------------------- */

static bool is_number(LLVMValueRef value, int64_t number)
{
    return LLVMIsAConstantInt(value) != NULL && LLVMConstIntGetSExtValue(value) == number;
}

static bool is_increment(LLVMValueRef value, LLVMValueRef index)
{
    return LLVMIsAInstruction(value) != NULL && LLVMGetInstructionOpcode(value) == LLVMAdd &&
           LLVMGetOperand(value, 0) == index && is_number(LLVMGetOperand(value, 1), 1);
}

/* index = phi [0, before], [index + 1, latch] */
static bool is_index(LLVMValueRef value, LLVMBasicBlockRef header, LLVMBasicBlockRef *latch)
{
    if (LLVMIsAPHINode(value) == NULL || LLVMGetInstructionParent(value) != header || LLVMCountIncoming(value) != 2)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        *latch = LLVMGetIncomingBlock(value, i);
        if (is_increment(LLVMGetIncomingValue(value, i), value) && is_number(LLVMGetIncomingValue(value, 1 - i), 0))
            return true;
    }
    return false;
}

static LLVMValueRef without_cast(LLVMValueRef value)
{
    while (LLVMIsASExtInst(value) != NULL || LLVMIsAZExtInst(value) != NULL)
        value = LLVMGetOperand(value, 0);
    return value;
}

static void note_loop(struct loops *loops, LLVMBasicBlockRef header)
{
    LLVMValueRef last = LLVMGetBasicBlockTerminator(header);
    if (last == NULL || LLVMIsABranchInst(last) == NULL || !LLVMIsConditional(last))
        return;
    LLVMValueRef compare = LLVMGetCondition(last);
    struct loop loop = {.header = header, .body = LLVMGetSuccessor(last, 0), .exit = LLVMGetSuccessor(last, 1)};
    if (LLVMIsAICmpInst(compare) == NULL || loop.body == loop.exit)
        return;
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(compare);
    loop.index = without_cast(LLVMGetOperand(compare, 0));
    loop.bound = without_cast(LLVMGetOperand(compare, 1));
    bool below = predicate == LLVMIntSLT || predicate == LLVMIntULT || predicate == LLVMIntNE;
    bool fixed = LLVMIsAConstantInt(loop.bound) != NULL || LLVMIsAArgument(loop.bound) != NULL ||
                 LLVMIsAInstruction(loop.bound) != NULL;
    if (below && fixed && is_index(loop.index, header, &loop.latch))
        vector_push(&loops->all, loop);
}

/* Where control can go from `from` without passing `without`. */
static bool is_reachable(LLVMBasicBlockRef from, LLVMBasicBlockRef to, LLVMBasicBlockRef without)
{
    VECTOR(LLVMBasicBlockRef) list = {0};
    struct table seen = {0};
    bool found = false;
    if (from != without)
        vector_push(&list, from);
    while (list.count > 0 && !found) {
        LLVMBasicBlockRef block = list.data[--list.count];
        if (*table_put(&seen, (uint64_t)(uintptr_t)block) != 0)
            continue;
        *table_put(&seen, (uint64_t)(uintptr_t)block) = 1;
        found = block == to;
        LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
        unsigned count = last != NULL ? LLVMGetNumSuccessors(last) : 0;
        for (unsigned i = 0; i < count; i++)
            if (LLVMGetSuccessor(last, i) != without)
                vector_push(&list, LLVMGetSuccessor(last, i));
    }
    vector_free(&list);
    table_free(&seen);
    return found;
}

/* The innermost counting loop that has the call in its body; NULL. */
static const struct loop *loop_of(const struct loops *loops, LLVMValueRef call)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(call);
    const struct loop *best = NULL;
    for (size_t i = 0; i < loops->all.count; i++) {
        const struct loop *loop = &loops->all.data[i];
        bool inside = is_reachable(loop->body, block, loop->header) && is_reachable(block, loop->latch, loop->header);
        if (inside && (best == NULL || is_reachable(best->body, loop->header, best->header)))
            best = loop;
    }
    return best;
}

/* The call is about the element of the array that has the loop's index. */
static LLVMValueRef array_of(LLVMValueRef call, bool join, const struct loop *loop)
{
    LLVMValueRef address = handle_address(call, join);
    if (address == NULL || LLVMIsAGetElementPtrInst(address) == NULL)
        return NULL;
    unsigned count = (unsigned)LLVMGetNumOperands(address);
    LLVMValueRef array = LLVMGetOperand(address, 0);
    bool variable = LLVMIsAAllocaInst(array) != NULL ||
                    (LLVMIsAGlobalVariable(array) != NULL && LLVMGetLinkage(array) == LLVMInternalLinkage);
    bool plain = count == 2 || (count == 3 && is_number(LLVMGetOperand(address, 1), 0));
    return variable && plain && without_cast(LLVMGetOperand(address, count - 1)) == loop->index ? array : NULL;
}

static void note_call(struct loops *loops, LLVMValueRef instruction)
{
    if (loops_is_create(instruction))
        vector_push(&loops->creates, instruction);
    else if (loops_is_join(instruction))
        vector_push(&loops->joins, instruction);
}

struct loops *loops_find(LLVMValueRef function)
{
    struct loops *loops = memory_allocate(1, sizeof *loops);
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block != NULL;
         block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef at = LLVMGetFirstInstruction(block); at != NULL; at = LLVMGetNextInstruction(at))
            note_call(loops, at);
    if (loops->joins.count == 0)
        return loops;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block != NULL;
         block = LLVMGetNextBasicBlock(block))
        note_loop(loops, block);
    return loops;
}

void loops_free(struct loops *loops)
{
    vector_free(&loops->all);
    vector_free(&loops->creates);
    vector_free(&loops->joins);
    free(loops);
}

static bool is_same_bound(const struct loop *a, const struct loop *b)
{
    if (LLVMIsAConstantInt(a->bound) != NULL && LLVMIsAConstantInt(b->bound) != NULL)
        return LLVMConstIntGetSExtValue(a->bound) <= LLVMConstIntGetSExtValue(b->bound);
    return a->bound == b->bound;
}

/* The loop comes to its end by its header alone, and each round passes the join. */
static bool waits_for_all(const struct loop *loop, LLVMValueRef join)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(join);
    return block == loop->body || !is_reachable(loop->body, loop->latch, block);
}

static bool is_in_any_loop(LLVMBasicBlockRef header, const struct loop *loop)
{
    return is_reachable(loop->exit, header, NULL);
}

static bool is_joined_by(const struct loops *loops, LLVMValueRef create, LLVMBasicBlockRef exit)
{
    enum { DEPTH = 6 };
    const struct loop *begins = loop_of(loops, create);
    LLVMValueRef array = begins != NULL ? array_of(create, false, begins) : NULL;
    if (array == NULL || is_in_any_loop(begins->header, begins) || !is_only_handle(array, DEPTH))
        return false;
    for (size_t i = 0; i < loops->joins.count; i++) {
        LLVMValueRef join = loops->joins.data[i];
        const struct loop *ends = loop_of(loops, join);
        if (ends != NULL && ends->exit == exit && array_of(join, true, ends) == array && is_same_bound(begins, ends) &&
            waits_for_all(ends, join))
            return true;
    }
    return false;
}

/* Only the loop's header leads to its exit. */
static bool is_plain_exit(const struct loops *loops, LLVMBasicBlockRef block)
{
    LLVMValueRef as_value = LLVMBasicBlockAsValue(block);
    unsigned entries = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(as_value); use != NULL; use = LLVMGetNextUse(use))
        entries += LLVMIsATerminatorInst(LLVMGetUser(use)) != NULL;
    for (size_t i = 0; i < loops->all.count; i++)
        if (loops->all.data[i].exit == block)
            return entries == 1;
    return false;
}

size_t loops_joined_at(const struct loops *loops, LLVMBasicBlockRef block, LLVMValueRef *creates, size_t most)
{
    size_t count = 0;
    if (loops->joins.count == 0 || loops->creates.count == 0 || !is_plain_exit(loops, block))
        return 0;
    for (size_t i = 0; i < loops->creates.count && count < most; i++)
        if (is_joined_by(loops, loops->creates.data[i], block))
            creates[count++] = loops->creates.data[i];
    return count;
}
