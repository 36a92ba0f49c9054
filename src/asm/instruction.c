/* SPDX-License-Identifier: MIT
 *
 * instruction.c - see instruction.h.
 *
 * DESIGN
 *   A table of mnemonics without their size suffixes.  Where the size comes from is in the row; with none of the allowed suffixes a
 *   general register among the operands determines it.  An instruction with a memory operand that is in no table is ASM_UNSEEN.
 */
#include "asm/instruction.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- operands ------------------------------------------------------------------------------------------------------- */

enum operand { OPERAND_REGISTER, OPERAND_IMMEDIATE, OPERAND_MEMORY, OPERAND_OWN, OPERAND_STRANGE };

static enum operand operand_kind(struct asm_text operand)
{
    if (operand.at[0] == '$')
        return OPERAND_IMMEDIATE;
    if (operand.at[0] == '*' || asm_text_has(operand, '{'))
        return OPERAND_STRANGE;
    if (operand.at[0] == '%') {
        if (!asm_text_has(operand, ':'))
            return OPERAND_REGISTER;
        /* Thread-local storage: of no other thread, or only by its address. */
        return asm_text_starts(operand, "%fs:") || asm_text_starts(operand, "%gs:") ? OPERAND_OWN : OPERAND_STRANGE;
    }
    return asm_text_has(operand, '@') ? OPERAND_OWN : OPERAND_MEMORY; /* x@GOTPCREL(%rip): a constant of the linker's */
}

/* General registers: the name of all 64 bits, and the size of the part that the operand names. */
static unsigned general_register(struct asm_text operand, char whole[8], bool *high)
{
    static const char *const old[] = {"ax", "bx", "cx", "dx", "si", "di", "bp", "sp"};
    char name[8] = "";
    *high = false;
    if (operand.size < 3 || operand.size > sizeof name)
        return 0;
    for (size_t i = 1; i < operand.size; i++)
        name[i - 1] = (char)tolower((unsigned char)operand.at[i]);
    int number, used = 0;
    if (sscanf(name, "r%2d%n", &number, &used) == 1 && number >= 8 && number <= 15) {
        snprintf(whole, 8, "%%r%d", number);
        char part = name[used];
        return part == '\0' ? 8 : name[used + 1] != '\0' ? 0 : part == 'd' ? 4 : part == 'w' ? 2 : part == 'b' ? 1 : 0;
    }
    for (size_t i = 0; i < sizeof old / sizeof old[0]; i++) {
        const char *two = old[i];
        snprintf(whole, 8, "%%r%s", two);
        if (strcmp(name, whole + 1) == 0)
            return 8;
        if (name[0] == 'e' && strcmp(name + 1, two) == 0)
            return 4;
        if (strcmp(name, two) == 0)
            return 2;
        bool letter = i < 4;
        *high = letter && name[0] == two[0] && strcmp(name + 1, "h") == 0;
        if (*high || (letter && name[0] == two[0] && strcmp(name + 1, "l") == 0) ||
            (!letter && strncmp(name, two, 2) == 0 && strcmp(name + 2, "l") == 0))
            return 1;
    }
    return 0;
}

static unsigned register_size(struct asm_text operand)
{
    char whole[8];
    bool high;
    if (asm_text_starts(operand, "%xmm"))
        return 16;
    if (asm_text_starts(operand, "%ymm"))
        return 32;
    if (asm_text_starts(operand, "%zmm"))
        return 64;
    return general_register(operand, whole, &high);
}

/* A plain number that fits into what can be pushed. */
static bool read_immediate(struct asm_text operand, long *value)
{
    char text[24] = "", *end;
    if (operand.size < 2 || operand.size > sizeof text)
        return false;
    memcpy(text, operand.at + 1, operand.size - 1);
    errno = 0;
    *value = strtol(text, &end, 0);
    if (text[0] == '\0' || isspace((unsigned char)text[0]) || *end != '\0' || errno != 0 || *value > UINT_MAX)
        return false;
    if (*value > INT_MAX) /* of 4 bytes: as the instruction takes it */
        *value = (int)(unsigned)*value;
    return *value >= INT_MIN;
}

/* Fills in what to push; false: the value is not known. */
static bool set_source(struct asm_instruction *instruction, struct asm_text operand)
{
    char whole[8];
    bool high;
    long value;
    snprintf(instruction->source, sizeof instruction->source, "$0");
    if (operand.size == 0)
        return false;
    if (operand_kind(operand) == OPERAND_IMMEDIATE && read_immediate(operand, &value)) {
        snprintf(instruction->source, sizeof instruction->source, "$%ld", value);
        return true;
    }
    if (operand.at[0] != '%' || general_register(operand, whole, &high) == 0 || high || strcmp(whole, "%rsp") == 0)
        return false;
    snprintf(instruction->source, sizeof instruction->source, "%s", whole);
    return true;
}

/* ---- mnemonics ------------------------------------------------------------------------------------------------------ */

enum form {
    FORM_MOVE,   /* source, destination: reads the one, writes the other */
    FORM_READ,   /* reads each operand that is memory */
    FORM_WRITE,  /* writes its only operand */
    FORM_ARITH,  /* source, destination: reads both, writes the destination */
    FORM_SINGLE, /* reads and writes its last operand; `source`: what with */
    FORM_XCHG,
    FORM_CAS,
    FORM_PAIR,
    FORM_BIT,
};

struct row {
    const char *name;
    enum form form;
    enum asm_operation operation;
    unsigned size;      /* 0: by suffix or register */
    const char *source; /* of FORM_SINGLE */
};

static const struct row rows[] = {
    {"mov", FORM_MOVE, ASM_SET, 0, NULL},        {"movbe", FORM_MOVE, ASM_OTHER, 0, NULL},
    {"movnti", FORM_MOVE, ASM_SET, 0, NULL},     {"movd", FORM_MOVE, ASM_OTHER, 4, NULL},
    {"movss", FORM_MOVE, ASM_OTHER, 4, NULL},    {"movsd", FORM_MOVE, ASM_OTHER, 8, NULL},
    {"add", FORM_ARITH, ASM_ADD, 0, NULL},       {"sub", FORM_ARITH, ASM_SUB, 0, NULL},
    {"and", FORM_ARITH, ASM_AND, 0, NULL},       {"or", FORM_ARITH, ASM_OR, 0, NULL},
    {"xor", FORM_ARITH, ASM_XOR, 0, NULL},       {"xadd", FORM_ARITH, ASM_ADD, 0, NULL},
    {"adc", FORM_ARITH, ASM_OTHER, 0, NULL},     {"sbb", FORM_ARITH, ASM_OTHER, 0, NULL},
    {"inc", FORM_SINGLE, ASM_ADD, 0, "$1"},      {"dec", FORM_SINGLE, ASM_SUB, 0, "$1"},
    {"neg", FORM_SINGLE, ASM_NEGATE, 0, "$0"},   {"not", FORM_SINGLE, ASM_NOT, 0, "$0"},
    {"shl", FORM_SINGLE, ASM_OTHER, 0, NULL},    {"sal", FORM_SINGLE, ASM_OTHER, 0, NULL},
    {"shr", FORM_SINGLE, ASM_OTHER, 0, NULL},    {"sar", FORM_SINGLE, ASM_OTHER, 0, NULL},
    {"rol", FORM_SINGLE, ASM_OTHER, 0, NULL},    {"ror", FORM_SINGLE, ASM_OTHER, 0, NULL},
    {"xchg", FORM_XCHG, ASM_SET, 0, NULL},       {"cmpxchg", FORM_CAS, ASM_SET, 0, NULL},
    {"cmpxchg8b", FORM_PAIR, ASM_SET, 8, NULL},  {"cmpxchg16b", FORM_PAIR, ASM_SET, 16, NULL},
    {"bts", FORM_BIT, ASM_BIT_SET, 0, NULL},     {"btr", FORM_BIT, ASM_BIT_RESET, 0, NULL},
    {"btc", FORM_BIT, ASM_BIT_FLIP, 0, NULL},    {"bt", FORM_BIT, ASM_BIT_TEST, 0, NULL},
    {"cmp", FORM_READ, ASM_SET, 0, NULL},        {"test", FORM_READ, ASM_SET, 0, NULL},
    {"mul", FORM_READ, ASM_SET, 0, NULL},        {"imul", FORM_READ, ASM_SET, 0, NULL},
    {"mulx", FORM_READ, ASM_SET, 0, NULL},       {"adcx", FORM_READ, ASM_SET, 0, NULL},
    {"adox", FORM_READ, ASM_SET, 0, NULL},       {"div", FORM_READ, ASM_SET, 0, NULL},
    {"idiv", FORM_READ, ASM_SET, 0, NULL},       {"bsf", FORM_READ, ASM_SET, 0, NULL},
    {"bsr", FORM_READ, ASM_SET, 0, NULL},        {"popcnt", FORM_READ, ASM_SET, 0, NULL},
    {"lzcnt", FORM_READ, ASM_SET, 0, NULL},      {"tzcnt", FORM_READ, ASM_SET, 0, NULL},
    {"movzb", FORM_READ, ASM_SET, 1, NULL},      {"movzw", FORM_READ, ASM_SET, 2, NULL},
    {"movsb", FORM_READ, ASM_SET, 1, NULL},      {"movsw", FORM_READ, ASM_SET, 2, NULL},
    {"movsl", FORM_READ, ASM_SET, 4, NULL},      {"push", FORM_READ, ASM_SET, 8, NULL},
    {"pop", FORM_WRITE, ASM_OTHER, 8, NULL},     {"ldmxcsr", FORM_READ, ASM_SET, 4, NULL},
    {"stmxcsr", FORM_WRITE, ASM_OTHER, 4, NULL}, {"fldcw", FORM_READ, ASM_SET, 2, NULL},
    {"fstcw", FORM_WRITE, ASM_OTHER, 2, NULL},   {"fnstcw", FORM_WRITE, ASM_OTHER, 2, NULL},
    {"movdqa", FORM_MOVE, ASM_OTHER, 0, NULL},   {"movdqu", FORM_MOVE, ASM_OTHER, 0, NULL},
    {"movaps", FORM_MOVE, ASM_OTHER, 0, NULL},   {"movups", FORM_MOVE, ASM_OTHER, 0, NULL},
    {"movapd", FORM_MOVE, ASM_OTHER, 0, NULL},   {"movupd", FORM_MOVE, ASM_OTHER, 0, NULL},
    {"movntdq", FORM_MOVE, ASM_OTHER, 0, NULL},  {"vmovdqa", FORM_MOVE, ASM_OTHER, 0, NULL},
    {"vmovdqu", FORM_MOVE, ASM_OTHER, 0, NULL},  {"vmovaps", FORM_MOVE, ASM_OTHER, 0, NULL},
    {"vmovups", FORM_MOVE, ASM_OTHER, 0, NULL},  {"vmovntdq", FORM_MOVE, ASM_OTHER, 0, NULL},
};

static unsigned suffix_size(char suffix)
{
    switch (tolower((unsigned char)suffix)) {
    case 'b':
        return 1;
    case 'w':
        return 2;
    case 'l':
        return 4;
    case 'q':
        return 8;
    default:
        return 0;
    }
}

/* The row of a mnemonic, with or without a suffix; its size, 0 if the mnemonic does not determine it. */
static const struct row *find_row(struct asm_text name, unsigned *size)
{
    struct asm_text stem = {name.at, name.size > 0 ? name.size - 1 : 0};
    unsigned suffix = name.size > 0 ? suffix_size(name.at[name.size - 1]) : 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool whole = asm_text_is(name, rows[i].name);
        if (!whole && (suffix == 0 || !asm_text_is(stem, rows[i].name)))
            continue;
        *size = rows[i].size != 0 ? rows[i].size : whole ? 0 : suffix;
        return &rows[i];
    }
    return NULL;
}

static bool starts_with_one_of(struct asm_text name, const char *const *list)
{
    for (; *list != NULL; list++)
        if (asm_text_starts(name, *list))
            return true;
    return false;
}

static bool is_one_of(struct asm_text name, const char *const *list)
{
    for (; *list != NULL; list++)
        if (asm_text_is(name, *list))
            return true;
    return false;
}

/* ---- instructions --------------------------------------------------------------------------------------------------- */

static struct asm_instruction unseen(bool synchronises)
{
    return (struct asm_instruction){.verdict = ASM_UNSEEN, .synchronises = synchronises};
}

static struct asm_instruction without_memory(enum asm_kind kind)
{
    struct asm_instruction instruction = {.verdict = ASM_SEEN};
    instruction.descriptor = asm_describe(kind, ASM_SET, 0, 0);
    set_source(&instruction, (struct asm_text){NULL, 0});
    return instruction;
}

/* The size by the general or vector registers among the operands; 0: there are none. */
static unsigned size_by_registers(const struct asm_statement *statement)
{
    for (int i = 0; i < statement->operand_count && i < ASM_OPERANDS; i++)
        if (operand_kind(statement->operands[i]) == OPERAND_REGISTER && register_size(statement->operands[i]) != 0)
            return register_size(statement->operands[i]);
    return 0;
}

/* `lock; addl $0, -4(%rsp)` changes nothing, and is written for its order alone. */
static bool is_fence(const struct asm_statement *statement, const struct row *row, struct asm_text memory)
{
    long value = 1;
    bool neutral = row->operation == ASM_ADD || row->operation == ASM_OR || row->operation == ASM_XOR;
    return statement->lock && row->form == FORM_ARITH && neutral && statement->operand_count == 2 &&
           statement->operands[0].at[0] == '$' && read_immediate(statement->operands[0], &value) && value == 0 &&
           memory.size >= 6 && strncmp(memory.at + memory.size - 6, "(%rsp)", 6) == 0;
}

/* Source and descriptor by the form; `last`: the memory operand is the last one.  False: no such instruction. */
static bool apply_form(struct asm_instruction *instruction, const struct asm_statement *statement,
                       const struct row *row, bool last, unsigned size)
{
    const struct asm_text none = {NULL, 0}, first = statement->operands[0];
    struct asm_text source = none;
    enum asm_kind kind = ASM_LOAD;
    unsigned flags = statement->lock ? ASM_LOCKED : 0;
    switch (row->form) {
    case FORM_READ:
        break;
    case FORM_WRITE:
        kind = ASM_STORE;
        break;
    case FORM_MOVE:
    case FORM_ARITH:
        if (statement->operand_count != 2)
            return false;
        kind = !last ? ASM_LOAD : row->form == FORM_MOVE ? ASM_STORE : ASM_UPDATE;
        source = last ? first : none;
        break;
    case FORM_SINGLE:
        kind = ASM_UPDATE;
        source = row->source != NULL ? (struct asm_text){row->source, strlen(row->source)} : none;
        break;
    case FORM_XCHG:
        kind = ASM_UPDATE;
        flags = ASM_LOCKED; /* with or without the prefix */
        source = statement->operands[last ? 0 : 1];
        break;
    case FORM_CAS:
        kind = ASM_CAS;
        source = first;
        break;
    case FORM_PAIR:
        kind = ASM_CAS_PAIR;
        break;
    case FORM_BIT:
        kind = row->operation == ASM_BIT_TEST ? ASM_LOAD : ASM_UPDATE;
        source = first;
        if (first.size > 0 && first.at[0] == '%')
            flags |= ASM_OFFSET;
        break;
    }
    if (set_source(instruction, source))
        flags |= ASM_SOURCE;
    else if (row->form == FORM_BIT)
        return false; /* the address is not known */
    instruction->descriptor = asm_describe(kind, row->operation, size, flags);
    return true;
}

static struct asm_instruction read_access(const struct asm_statement *statement, int memory)
{
    unsigned size = 0;
    bool last = memory == statement->operand_count - 1;
    const struct row *row = find_row(statement->name, &size);
    bool sets = asm_text_starts(statement->name, "set"), moves = asm_text_starts(statement->name, "cmov");
    static const struct row set_row = {"set", FORM_WRITE, ASM_OTHER, 1, NULL},
                            move_row = {"cmov", FORM_READ, ASM_SET, 0, NULL};
    if (row == NULL && (sets || moves)) {
        row = sets ? &set_row : &move_row;
        size = row->size;
    }
    struct asm_instruction instruction = {.verdict = ASM_SEEN, .memory = statement->operands[memory]};
    bool exchanges = row != NULL && row->form == FORM_XCHG;
    instruction.synchronises = statement->lock || exchanges;
    if (row == NULL || (exchanges && statement->operand_count != 2))
        return unseen(instruction.synchronises);
    if (is_fence(statement, row, instruction.memory))
        return without_memory(ASM_FENCE);
    if (size == 0 && row->form != FORM_SINGLE)
        size = size_by_registers(statement);
    if (size == 0 || statement->repeat || !apply_form(&instruction, statement, row, last, size))
        return unseen(instruction.synchronises);
    return instruction;
}

/* Operands like `. + 5`, `2b - 1b`: distances in the code. */
static bool measures_distance(struct asm_text operand)
{
    for (size_t i = 0; i < operand.size; i++) {
        char c = operand.at[i], next = i + 1 < operand.size ? operand.at[i + 1] : '\0';
        char before = i > 0 ? operand.at[i - 1] : '\0';
        bool word_before = isalnum((unsigned char)before) || before == '_' || before == '.' || before == '$';
        bool word_next = isalnum((unsigned char)next) || next == '_' || next == '.' || next == '$';
        if (c == '.' && !word_before && !word_next)
            return true;
        if ((c == 'b' || c == 'f') && isdigit((unsigned char)before) && (next == '-' || next == ' '))
            return true;
    }
    return false;
}

static struct asm_instruction read_kind(const struct asm_statement *statement)
{
    static const char *const fences[] = {"mfence", "lfence", "sfence", NULL};
    static const char *const harmless[] = {"lea", "nop", "prefetch", "clflush", "clwb", "cldemote", "endbr", NULL};
    static const char *const strings[] = {"movs", "stos", "lods", "scas", "cmps", "ins", "outs", NULL};
    static const char *const kernel[] = {"syscall", "sysenter", "int", "xbegin", "xend", "xabort", NULL};
    struct asm_text name = statement->name;
    if (is_one_of(name, fences))
        return without_memory(ASM_FENCE);
    if (asm_text_is(name, "pause") || (asm_text_is(name, "nop") && statement->repeat))
        return without_memory(ASM_PAUSE);
    if (starts_with_one_of(name, harmless))
        return (struct asm_instruction){.verdict = ASM_NOTHING};
    if (is_one_of(name, kernel) || (statement->operand_count == 0 && starts_with_one_of(name, strings)))
        return unseen(false);
    if (statement->operand_count > ASM_OPERANDS)
        return unseen(statement->lock);
    static const char *const branches[] = {"j", "call", "ret", "loop", NULL};
    bool branch = starts_with_one_of(name, branches);
    int memory = -1;
    for (int i = 0; i < statement->operand_count; i++) {
        enum operand kind = operand_kind(statement->operands[i]);
        bool indirect = branch && statement->operands[i].at[0] == '*' &&
                        (statement->operands[i].size < 2 || statement->operands[i].at[1] != '%');
        if (branch ? indirect : kind == OPERAND_STRANGE)
            return unseen(statement->lock);
        if (kind == OPERAND_MEMORY && !branch) {
            if (memory >= 0)
                return unseen(statement->lock);
            memory = i;
        }
    }
    if (memory < 0)
        return (struct asm_instruction){.verdict = ASM_NOTHING};
    return read_access(statement, memory);
}

struct asm_instruction asm_instruction_read(const struct asm_statement *statement)
{
    static const char *const short_jumps[] = {"loop", "jcxz", "jecxz", "jrcxz", NULL};
    struct asm_instruction instruction = read_kind(statement);
    instruction.rigid = starts_with_one_of(statement->name, short_jumps);
    for (int i = 0; i < statement->operand_count && i < ASM_OPERANDS; i++)
        instruction.rigid |= measures_distance(statement->operands[i]);
    if (instruction.verdict == ASM_SEEN) { /* what filter.c writes can be assembled */
        assert(instruction.source[0] == '%' || instruction.source[0] == '$');
        assert(instruction.descriptor <= INT_MAX);
        assert(instruction.memory.size == 0 || asm_size_of(instruction.descriptor) > 0);
    }
    return instruction;
}
