/* SPDX-License-Identifier: MIT
 *
 * read.c - modules and functions of LLVM: the entry of the reader.
 *
 * DESIGN
 *   All modules are linked into one, as the linker of the program did, and local variables whose address is not taken become
 *   values (LLVM's mem2reg).  LLVM knows what many functions of libc do with their arguments (its inferattrs); library.c has
 *   what it does not know.
 */
#include "llvm/read.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <string.h>

__attribute__((visibility("default"))) reader_function raddle_read_ir;

/* ---- functions ------------------------------------------------------------------------------------------------------ */

static uint32_t read_params(struct read *read, LLVMValueRef function)
{
    uint32_t first = read->program->nodes;
    unsigned count = LLVMCountParams(function);
    for (unsigned i = 0; i < count; i++) {
        uint32_t node = ir_node(read->program);
        *table_put(&read->nodes, (uint64_t)(uintptr_t)LLVMGetParam(function, i)) = (uint64_t)node + 1;
    }
    return first;
}

static void declare_function(struct read *read, LLVMValueRef value)
{
    struct ir_program *program = read->program;
    struct ir_function function = {.result = IR_NONE, .more = IR_NONE};
    size_t length;
    const char *name = LLVMGetValueName2(value, &length);
    uint32_t object = read_global(read, value);
    function.name = read_text(read, name, length);
    function.object = object;
    function.params = LLVMCountParams(value);
    function.first_param = read_params(read, value);
    unsigned file_length = 0;
    const char *file = LLVMGetSubprogram(value) != NULL ? LLVMGetDebugLocFilename(value, &file_length) : NULL;
    function.place = (struct ir_place){read_text(read, file, file_length), 0, 0, function.name};
    if (LLVMGetSubprogram(value) != NULL)
        function.place.line = LLVMGetDebugLocLine(value);
    if (!LLVMIsDeclaration(value)) {
        function.result = ir_node(program);
        function.more = ir_node(program);
    }
    uint32_t number = (uint32_t)program->functions.count;
    vector_push(&program->functions, function);
    program->objects.data[object].function = number;
    *table_put(&read->functions, (uint64_t)(uintptr_t)value) = (uint64_t)number + 1;
    if (strcmp(name, "main") == 0 && !LLVMIsDeclaration(value))
        program->main = number;
}

static void number_blocks(struct read *read, LLVMValueRef function)
{
    uint32_t number = (uint32_t)read->program->blocks.count;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block != NULL;
         block = LLVMGetNextBasicBlock(block))
        *table_put(&read->blocks, (uint64_t)(uintptr_t)block) = ++number;
}

static uint32_t block_number(struct read *read, LLVMBasicBlockRef block)
{
    return (uint32_t)*table_get(&read->blocks, (uint64_t)(uintptr_t)block) - 1;
}

/* The loop that waits for all threads of an array is over where this block begins. */
static void read_joins(struct read *read, LLVMBasicBlockRef block)
{
    enum { MOST = 16 };
    LLVMValueRef creates[MOST];
    size_t count = loops_joined_at(read->loops, block, creates, MOST);
    LLVMValueRef first = LLVMGetFirstInstruction(block);
    for (size_t i = 0; i < count; i++) {
        const uint64_t *create = table_get(&read->creates, (uint64_t)(uintptr_t)creates[i]);
        if (create != NULL)
            read_op(read, IR_JOIN_ALL, 0, first, IR_NONE, 0)->second = (uint32_t)*create;
    }
}

static bool goes_elsewhere(LLVMValueRef instruction)
{
    static const char *const names[] = {"__cxa_throw",   "__cxa_rethrow", "_Unwind_Resume", "longjmp",   "_longjmp",
                                        "__longjmp_chk", "siglongjmp",    "pthread_exit",   "thrd_exit", NULL};
    LLVMValueRef function = LLVMIsAFunction(LLVMGetCalledValue(instruction));
    size_t length;
    if (function == NULL || !LLVMIsDeclaration(function))
        return true;
    for (const char *const *name = names; *name != NULL; name++)
        if (strcmp(*name, LLVMGetValueName2(function, &length)) == 0)
            return true;
    return false;
}

/* The function ends with the block: it returns, or leaves by an exception, longjmp or the end of the thread.  It does not where the
   program ends. */
static bool ends_function(LLVMBasicBlockRef block)
{
    LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
    if (last == NULL || LLVMGetInstructionOpcode(last) != LLVMUnreachable)
        return last != NULL && LLVMGetNumSuccessors(last) == 0;
    for (LLVMValueRef at = LLVMGetFirstInstruction(block); at != NULL; at = LLVMGetNextInstruction(at))
        if (LLVMGetInstructionOpcode(at) == LLVMCall && goes_elsewhere(at))
            return true;
    return false;
}

static void read_block(struct read *read, LLVMBasicBlockRef from)
{
    struct ir_block block = {.first = (uint32_t)read->program->ops.count};
    read_joins(read, from);
    for (LLVMValueRef instruction = LLVMGetFirstInstruction(from); instruction != NULL;
         instruction = LLVMGetNextInstruction(instruction))
        read_instruction(read, instruction);
    block.ops = (uint32_t)read->program->ops.count - block.first;
    block.ends = ends_function(from);
    block.first_next = (uint32_t)read->program->nexts.count;
    LLVMValueRef last = LLVMGetBasicBlockTerminator(from);
    block.nexts = last != NULL ? LLVMGetNumSuccessors(last) : 0;
    for (unsigned i = 0; i < block.nexts; i++)
        vector_push(&read->program->nexts, block_number(read, LLVMGetSuccessor(last, i)));
    vector_push(&read->program->blocks, block);
}

static void read_body(struct read *read, LLVMValueRef value)
{
    struct ir_program *program = read->program;
    read->function = (uint32_t)*table_get(&read->functions, (uint64_t)(uintptr_t)value) - 1;
    read->function_name = program->functions.data[read->function].name;
    read->arguments = IR_NONE;
    read->loops = loops_find(value);
    uint32_t first = (uint32_t)program->blocks.count;
    number_blocks(read, value);
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(value); block != NULL; block = LLVMGetNextBasicBlock(block))
        read_block(read, block);
    program->functions.data[read->function].first = first;
    program->functions.data[read->function].blocks = (uint32_t)program->blocks.count - first;
    loops_free(read->loops);
}

/* ---- modules -------------------------------------------------------------------------------------------------------- */

/* Functions that are called before main, or after it. */
static void mark_listed(struct read *read, const char *list, bool starts)
{
    LLVMValueRef global = LLVMGetNamedGlobal(read->module, list);
    LLVMValueRef entries = global != NULL ? LLVMGetInitializer(global) : NULL;
    int count = entries != NULL && LLVMIsAConstantArray(entries) != NULL ? LLVMGetNumOperands(entries) : 0;
    for (int i = 0; i < count; i++) {
        LLVMValueRef entry = LLVMGetOperand(entries, (unsigned)i);
        LLVMValueRef function = LLVMGetNumOperands(entry) > 1 ? LLVMGetOperand(entry, 1) : NULL;
        const uint64_t *number = table_get(&read->functions, (uint64_t)(uintptr_t)function);
        if (number != NULL && starts)
            read->program->functions.data[*number - 1].starts = true;
        else if (number != NULL)
            read->program->functions.data[*number - 1].ends = true;
    }
}

static bool is_public(LLVMValueRef global)
{
    LLVMLinkage linkage = LLVMGetLinkage(global);
    return linkage != LLVMInternalLinkage && linkage != LLVMPrivateLinkage;
}

static void tell_outside(struct read *read, LLVMValueRef global)
{
    uint32_t node = read_value(read, global);
    if (node != IR_NONE)
        ir_constrain(read->program, CONSTRAINT_COPY, read->program->outside_node, node, 0, 0);
}

static bool is_intrinsic(LLVMValueRef global)
{
    size_t length;
    return strncmp(LLVMGetValueName2(global, &length), "llvm.", 5) == 0;
}

static void read_globals(struct read *read)
{
    for (LLVMValueRef global = LLVMGetFirstGlobal(read->module); global != NULL; global = LLVMGetNextGlobal(global)) {
        if (is_intrinsic(global))
            continue;
        uint32_t object = read_global(read, global);
        if (LLVMIsDeclaration(global) || (read->open && is_public(global) && !LLVMIsGlobalConstant(global)))
            tell_outside(read, global);
        if (!LLVMIsDeclaration(global))
            read_initial(read, object, LLVMGetInitializer(global));
    }
}

static void read_functions(struct read *read)
{
    LLVMValueRef function;
    for (function = LLVMGetFirstFunction(read->module); function != NULL; function = LLVMGetNextFunction(function))
        declare_function(read, function);
    mark_listed(read, "llvm.global_ctors", true);
    mark_listed(read, "llvm.global_dtors", false);
    for (function = LLVMGetFirstFunction(read->module); function != NULL; function = LLVMGetNextFunction(function)) {
        if (LLVMIsDeclaration(function))
            continue;
        if (read->open && is_public(function))
            tell_outside(read, function);
        read_body(read, function);
    }
}

static void read_module(LLVMModuleRef module, const struct reader_options *options, struct ir_program *program)
{
    struct read read = {.program = program, .module = module, .open = options->open};
    read.layout = LLVMGetModuleDataLayout(module);
    /* Libraries may keep what they are told, and use it. */
    uint32_t outside = program->outside_node;
    ir_constrain(program, CONSTRAINT_COLLECT, outside, outside, 0, 0);
    ir_constrain(program, CONSTRAINT_SPREAD, outside, outside, 0, 0);
    read.results = ir_node(program);
    read_globals(&read);
    read_functions(&read);
    program->lines = read.lines.count;
    table_free(&read.nodes);
    table_free(&read.objects);
    table_free(&read.functions);
    table_free(&read.types);
    table_free(&read.blocks);
    table_free(&read.creates);
    table_free(&read.lines);
}

static void note_diagnostic(LLVMDiagnosticInfoRef info, void *context)
{
    char **first = context;
    char *text = LLVMGetDiagInfoDescription(info);
    if (*first == NULL && LLVMGetDiagInfoSeverity(info) == LLVMDSError)
        *first = memory_copy_string(text);
    LLVMDisposeMessage(text);
}

static LLVMModuleRef parse(LLVMContextRef context, const struct reader_input *input)
{
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(input->bytes, input->size, input->name);
    LLVMModuleRef module = NULL;
    bool failed = LLVMParseBitcodeInContext2(context, buffer, &module);
    LLVMDisposeMemoryBuffer(buffer);
    return failed ? NULL : module;
}

/* All inputs as one module; NULL: `error` has a sentence. */
static LLVMModuleRef link_all(LLVMContextRef context, const struct reader_input *inputs, size_t count, char *error,
                              size_t room)
{
    char *problem = NULL;
    LLVMContextSetDiagnosticHandler(context, note_diagnostic, &problem);
    LLVMModuleRef all = NULL;
    for (size_t i = 0; i < count && problem == NULL; i++) {
        LLVMModuleRef module = parse(context, &inputs[i]);
        if (module == NULL && problem == NULL)
            problem = memory_copy_string("it is no bitcode that this LLVM can read");
        if (problem == NULL && all == NULL)
            all = module;
        else if (problem == NULL && LLVMLinkModules2(all, module) && problem == NULL)
            problem = memory_copy_string("it cannot be linked with the others");
        if (problem != NULL)
            snprintf(error, room, "the IR of %s cannot be used: %s", inputs[i].name, problem);
    }
    LLVMContextSetDiagnosticHandler(context, NULL, NULL);
    if (problem != NULL && all != NULL) {
        LLVMDisposeModule(all);
        all = NULL;
    }
    free(problem);
    return all;
}

static bool run_passes(LLVMModuleRef module, char *error, size_t room)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef failed = LLVMRunPasses(module, "inferattrs,function(mem2reg)", NULL, options);
    LLVMDisposePassBuilderOptions(options);
    if (failed == NULL)
        return true;
    char *text = LLVMGetErrorMessage(failed);
    snprintf(error, room, "LLVM cannot prepare the IR: %s", text);
    LLVMDisposeErrorMessage(text);
    return false;
}

bool raddle_read_ir(const struct reader_input *inputs, size_t count, const struct reader_options *options,
                    struct ir_program *program, char *error, size_t room)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = link_all(context, inputs, count, error, room);
    bool good = module != NULL && run_passes(module, error, room);
    if (good)
        read_module(module, options, program);
    if (module != NULL)
        LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return good;
}
