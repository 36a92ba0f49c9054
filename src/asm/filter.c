/* SPDX-License-Identifier: MIT
 *
 * filter.c - see filter.h.
 */
#include "asm/filter.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asm/instruction.h"
#include "util/vector.h"

enum { RED_ZONE = 128, BEFORE_ADDRESS = RED_ZONE + 16, PUSHED = RED_ZONE + 24, DEPTH = 16 };

struct filter {
    struct buffer *output;
    const char *copied; /* up to here the input is in the output */
    struct buffer notes;
    bool instrument, changed;
    bool intel;              /* syntax */
    struct asm_text typed;   /* declared as a function, its label comes next */
    struct asm_text current; /* the function */
    bool in_function;
    bool in_frame;               /* between .cfi_startproc and .cfi_endproc */
    bool by_stack, saved[DEPTH]; /* the CFA is relative to rsp; of remembered states */
    unsigned saved_count;
    VECTOR(struct asm_text) files; /* .file NUMBER */
    struct asm_text file;
    unsigned long line; /* 0: not known */
};

/* ---- where we are --------------------------------------------------------------------------------------------------- */

/* The last part of a quoted path. */
static struct asm_text base_name(struct asm_text quoted)
{
    if (quoted.size < 2 || quoted.at[0] != '"')
        return (struct asm_text){NULL, 0};
    const char *end = quoted.at + quoted.size - (quoted.at[quoted.size - 1] == '"'), *begin = end;
    while (begin > quoted.at + 1 && begin[-1] != '/')
        begin--;
    return (struct asm_text){begin, (size_t)(end - begin)};
}

static struct asm_text next_word(const char **at, const char *end)
{
    while (*at < end && (**at == ' ' || **at == '\t'))
        ++*at;
    const char *begin = *at;
    if (*at < end && **at == '"') {
        do {
            ++*at;
        } while (*at < end && **at != '"' && **at != '\n');
        if (*at < end && **at == '"')
            ++*at;
    } else {
        while (*at < end && !isspace((unsigned char)**at) && **at != ',')
            ++*at;
    }
    struct asm_text word = {begin, (size_t)(*at - begin)};
    if (*at < end && **at == ',')
        ++*at;
    return word;
}

static unsigned long number_of(struct asm_text word)
{
    unsigned long number = 0;
    for (size_t i = 0; i < word.size; i++) {
        if (!isdigit((unsigned char)word.at[i]) || number > 1ul << 30)
            return 0;
        number = number * 10 + (unsigned long)(word.at[i] - '0');
    }
    return number;
}

/* .file 1 "directory" "name", .file 1 "name"; .file "name" names the unit. */
static void note_file(struct filter *filter, const char *at, const char *end)
{
    enum { FILES_MOST = 1 << 16 };
    struct asm_text word = next_word(&at, end);
    if (word.size == 0 || word.at[0] == '"')
        return;
    unsigned long number = number_of(word);
    struct asm_text first = next_word(&at, end), second = next_word(&at, end);
    if (number >= FILES_MOST)
        return;
    while (filter->files.count <= number)
        vector_push(&filter->files, (struct asm_text){NULL, 0});
    filter->files.data[number] = base_name(second.size > 0 && second.at[0] == '"' ? second : first);
}

static void note_line(struct filter *filter, const char *at, const char *end)
{
    unsigned long number = number_of(next_word(&at, end)), line = number_of(next_word(&at, end));
    if (number < filter->files.count && filter->files.data[number].size > 0 && line > 0) {
        filter->file = filter->files.data[number];
        filter->line = line;
    }
}

/* # LINE "FILE": of the preprocessor, and of gcc before each asm statement; line 0 ends one. */
static bool note_marker(struct filter *filter, const char *at, const char *end)
{
    if (at >= end || *at != '#')
        return false;
    while (at < end && (*at == '#' || *at == ' ' || *at == '\t'))
        at++;
    if (at >= end || !isdigit((unsigned char)*at))
        return false;
    unsigned long line = number_of(next_word(&at, end));
    struct asm_text file = base_name(next_word(&at, end));
    if (line == 0 || file.size == 0)
        return false;
    filter->file = file;
    filter->line = line;
    return true;
}

static bool names_stack_pointer(struct asm_text name)
{
    return asm_text_is(name, "7") || asm_text_is(name, "%rsp") || asm_text_is(name, "rsp");
}

static void note_frame(struct filter *filter, struct asm_text name, const char *at, const char *end)
{
    if (asm_text_is(name, ".cfi_startproc")) {
        filter->in_frame = filter->by_stack = true;
        filter->saved_count = 0;
    } else if (asm_text_is(name, ".cfi_endproc")) {
        filter->in_frame = false;
    } else if (asm_text_is(name, ".cfi_def_cfa_register") || asm_text_is(name, ".cfi_def_cfa")) {
        filter->by_stack = names_stack_pointer(next_word(&at, end));
    } else if (asm_text_is(name, ".cfi_remember_state")) {
        if (filter->saved_count < DEPTH)
            filter->saved[filter->saved_count] = filter->by_stack;
        filter->saved_count++;
    } else if (asm_text_is(name, ".cfi_restore_state") && filter->saved_count > 0) {
        filter->saved_count--;
        if (filter->saved_count < DEPTH)
            filter->by_stack = filter->saved[filter->saved_count];
    }
}

static bool same(struct asm_text a, struct asm_text b)
{
    return a.size == b.size && a.at != NULL && b.at != NULL && memcmp(a.at, b.at, a.size) == 0;
}

static void note_directive(struct filter *filter, struct asm_text name, const char *at, const char *end)
{
    if (asm_text_is(name, ".loc"))
        note_line(filter, at, end);
    else if (asm_text_is(name, ".file"))
        note_file(filter, at, end);
    else if (asm_text_is(name, ".intel_syntax") || asm_text_is(name, ".att_syntax"))
        filter->intel = asm_text_is(name, ".intel_syntax");
    else if (asm_text_starts(name, ".cfi_"))
        note_frame(filter, name, at, end);
    else if (asm_text_is(name, ".type"))
        filter->typed = next_word(&at, end);
    else if (asm_text_is(name, ".size") && same(next_word(&at, end), filter->current))
        filter->in_function = false;
}

/* A line of the compiler's. */
static void note_compiled_line(struct filter *filter, const char *at, const char *end)
{
    struct asm_text word = next_word(&at, end);
    if (word.size > 0 && word.at[0] == '.' && word.at[word.size - 1] != ':') {
        note_directive(filter, word, at, end);
    } else if (word.size > 1 && word.at[word.size - 1] == ':') {
        word.size--;
        if (same(word, filter->typed)) {
            filter->current = word;
            filter->in_function = true;
        }
    }
}

/* ---- what is not seen ----------------------------------------------------------------------------------------------- */

static void add_escaped(struct buffer *into, struct asm_text text)
{
    enum { TEXT_MOST = 160 };
    for (size_t i = 0; i < text.size && i < TEXT_MOST; i++) {
        char c = text.at[i];
        if (c == '"' || c == '\\')
            buffer_add_char(into, '\\');
        buffer_add_char(into, isspace((unsigned char)c) || c == '\0' ? ' ' : c);
    }
}

static void name_unseen(struct filter *filter, const struct asm_statement *statement)
{
    const char *end = statement->whole.at + statement->whole.size;
    struct asm_text instruction = {statement->begin, (size_t)(end - statement->begin)}; /* prefixes too */
    buffer_add_string(&filter->notes, "\t.asciz\t\"");
    add_escaped(&filter->notes, filter->current);
    buffer_add_string(&filter->notes, "\\t");
    if (filter->line > 0 && filter->file.size > 0) {
        add_escaped(&filter->notes, filter->file);
        buffer_printf(&filter->notes, ":%lu", filter->line);
    }
    buffer_add_string(&filter->notes, "\\t");
    add_escaped(&filter->notes, instruction);
    buffer_add_string(&filter->notes, "\"\n");
}

/* ---- the call before an instruction --------------------------------------------------------------------------------- */

/* The address of the operand, at a moment when rsp has been moved by BEFORE_ADDRESS. */
static void add_address(struct filter *filter, struct asm_text memory)
{
    size_t parenthesis = 0;
    while (parenthesis < memory.size && memory.at[memory.size - 1 - parenthesis] != '(')
        parenthesis++;
    size_t displacement = memory.size - (parenthesis < memory.size ? parenthesis + 1 : 0);
    struct asm_text base = {memory.at + displacement, memory.size - displacement};
    bool by_stack = asm_text_starts(base, "(%rsp") || asm_text_starts(base, "(%esp");
    buffer_add_string(filter->output, "\tleaq\t");
    if (by_stack && parenthesis < memory.size) {
        buffer_printf(filter->output, "%d", BEFORE_ADDRESS);
        if (displacement > 0)
            buffer_printf(filter->output, "+(%.*s)", (int)displacement, memory.at);
        memory = base;
    }
    buffer_add(filter->output, memory.at, memory.size);
    buffer_add_string(filter->output, ", %rdi\n");
}

static void add_frame_offset(struct filter *filter, int offset)
{
    if (filter->in_frame && filter->by_stack)
        buffer_printf(filter->output, "\t.cfi_adjust_cfa_offset %d\n", offset);
}

static void add_call(struct filter *filter, const char *before, const struct asm_instruction *instruction)
{
    struct buffer *output = filter->output;
    assert(filter->copied <= before && instruction->verdict == ASM_SEEN);
    buffer_add(output, filter->copied, (size_t)(before - filter->copied));
    filter->copied = before;
    buffer_printf(output, "\n\tleaq\t-%d(%%rsp), %%rsp\n\tpushq\t%s\n\tpushq\t%%rdi\n", RED_ZONE, instruction->source);
    if (instruction->memory.size > 0)
        add_address(filter, instruction->memory);
    buffer_printf(output, "\tpushq\t$%u\n", instruction->descriptor);
    add_frame_offset(filter, PUSHED);
    buffer_add_string(output, "\tcall\t*raddle_assembler@GOTPCREL(%rip)\n");
    add_frame_offset(filter, -PUSHED);
    buffer_printf(output, "\tleaq\t8(%%rsp), %%rsp\n\tpopq\t%%rdi\n\tleaq\t%d(%%rsp), %%rsp\n\t", RED_ZONE + 8);
    filter->changed = true;
}

/* ---- blocks --------------------------------------------------------------------------------------------------------- */

enum directive { DIRECTIVE_HARMLESS, DIRECTIVE_AWAY, DIRECTIVE_BACK, DIRECTIVE_CODE, DIRECTIVE_RIGID };

static enum directive directive_kind(struct asm_text name)
{
    static const struct {
        const char *name;
        enum directive kind;
    } known[] = {
        {".pushsection", DIRECTIVE_AWAY},    {".section", DIRECTIVE_AWAY},    {".subsection", DIRECTIVE_AWAY},
        {".data", DIRECTIVE_AWAY},           {".bss", DIRECTIVE_AWAY},        {".popsection", DIRECTIVE_BACK},
        {".previous", DIRECTIVE_BACK},       {".text", DIRECTIVE_BACK},       {".byte", DIRECTIVE_CODE},
        {".word", DIRECTIVE_CODE},           {".short", DIRECTIVE_CODE},      {".value", DIRECTIVE_CODE},
        {".long", DIRECTIVE_CODE},           {".int", DIRECTIVE_CODE},        {".quad", DIRECTIVE_CODE},
        {".octa", DIRECTIVE_CODE},           {".insn", DIRECTIVE_CODE},       {".macro", DIRECTIVE_CODE},
        {".rept", DIRECTIVE_CODE},           {".irp", DIRECTIVE_CODE},        {".irpc", DIRECTIVE_CODE},
        {".include", DIRECTIVE_CODE},        {".incbin", DIRECTIVE_CODE},     {".intel_syntax", DIRECTIVE_CODE},
        {".align", DIRECTIVE_HARMLESS},      {".balign", DIRECTIVE_HARMLESS}, {".p2align", DIRECTIVE_HARMLESS},
        {".loc", DIRECTIVE_HARMLESS},        {".file", DIRECTIVE_HARMLESS},   {".globl", DIRECTIVE_HARMLESS},
        {".global", DIRECTIVE_HARMLESS},     {".type", DIRECTIVE_HARMLESS},   {".size", DIRECTIVE_HARMLESS},
        {".hidden", DIRECTIVE_HARMLESS},     {".weak", DIRECTIVE_HARMLESS},   {".local", DIRECTIVE_HARMLESS},
        {".att_syntax", DIRECTIVE_HARMLESS},
    };
    if (asm_text_starts(name, ".cfi_"))
        return DIRECTIVE_HARMLESS;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (asm_text_is(name, known[i].name))
            return known[i].kind;
    return DIRECTIVE_RIGID;
}

struct walk { /* through a block */
    const char *at, *end;
    const char *counted; /* up to here lines were counted */
    bool counts;         /* lines: it is a file of its own */
    bool compiled;       /* part of a function of the compiler's; else hand-written as a whole */
    bool rigid;          /* nothing is inserted */
    int away;            /* sections that were switched to */
    const char *prefix;  /* a prefix that stands alone, before its instruction; NULL */
    bool prefix_locks, prefix_repeats;
    struct asm_statement statement;
};

/* In hand-written text lines are counted; the preprocessor's markers give the number of the next one.  gcc's markers in a function
   give that of the whole asm statement. */
static void follow_lines(struct filter *filter, struct walk *walk)
{
    if (!walk->counts) {
        note_marker(filter, walk->at, walk->end);
        return;
    }
    while (walk->counted < walk->at)
        filter->line += *walk->counted++ == '\n';
    if (note_marker(filter, walk->at, walk->end))
        filter->line--;
}

/* The next instruction or directive of the block; lone prefixes are joined with what they belong to. */
static bool next_statement(struct filter *filter, struct walk *walk)
{
    for (;;) {
        while (walk->at < walk->end && (*walk->at == ' ' || *walk->at == '\t'))
            walk->at++;
        follow_lines(filter, walk);
        if (!asm_statement_read(&walk->statement, &walk->at, walk->end))
            return false;
        struct asm_statement *statement = &walk->statement;
        if (!walk->compiled && statement->label.size > 0 && statement->label.at[0] != '.' &&
            !isdigit((unsigned char)statement->label.at[0]))
            filter->current = statement->label;
        bool lone = statement->name.size == 0 && (statement->lock || statement->repeat);
        if (lone && walk->prefix == NULL)
            walk->prefix = statement->begin;
        walk->prefix_locks |= lone && statement->lock;
        walk->prefix_repeats |= lone && statement->repeat;
        if (lone || statement->whole.size == 0)
            continue;
        if (walk->prefix != NULL) {
            statement->begin = walk->prefix;
            statement->lock |= walk->prefix_locks;
            statement->repeat |= walk->prefix_repeats;
            walk->prefix = NULL;
            walk->prefix_locks = walk->prefix_repeats = false;
        }
        return true;
    }
}

static void walk_directive(struct filter *filter, struct walk *walk, bool naming)
{
    struct asm_text name = walk->statement.name;
    enum directive kind = directive_kind(name);
    walk->away += kind == DIRECTIVE_AWAY;
    if (kind == DIRECTIVE_BACK && walk->away > 0)
        walk->away--;
    if (kind == DIRECTIVE_AWAY || kind == DIRECTIVE_BACK || kind == DIRECTIVE_RIGID)
        walk->rigid = true;
    bool expands = kind == DIRECTIVE_CODE && !asm_text_is(name, ".byte");
    walk->rigid |= expands;
    if (naming && kind == DIRECTIVE_CODE && walk->away == 0)
        name_unseen(filter, &walk->statement);
    if (!naming) {
        const char *at = name.at + name.size;
        note_directive(filter, name, at, walk->statement.whole.at + walk->statement.whole.size);
    }
}

/* Intel syntax is not understood: an instruction with an address in brackets, or one that synchronises, is not instrumented. */
static bool is_unseen_intel(const struct asm_statement *statement)
{
    static const char *const words[] = {"mfence", "lfence", "sfence", "syscall"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (asm_text_is(statement->name, words[i]))
            return true;
    return statement->lock || (asm_text_has(statement->whole, '[') && !asm_text_is(statement->name, "lea"));
}

static void walk_instruction(struct filter *filter, struct walk *walk)
{
    const struct asm_statement *statement = &walk->statement;
    if (filter->intel) {
        if (is_unseen_intel(statement))
            name_unseen(filter, statement);
        return;
    }
    struct asm_instruction instruction = asm_instruction_read(statement);
    if (instruction.verdict == ASM_NOTHING)
        return;
    bool pauses = instruction.verdict == ASM_SEEN && asm_kind_of(instruction.descriptor) == ASM_PAUSE;
    bool put_in = walk->compiled && !walk->rigid && instruction.verdict == ASM_SEEN;
    if (put_in && filter->instrument)
        add_call(filter, statement->begin, &instruction);
    else if (!pauses && (walk->compiled || instruction.synchronises))
        name_unseen(filter, statement);
}

/* Whether nothing must be inserted into the block. */
static bool find_rigidity(struct filter *filter, struct walk walk)
{
    struct asm_text file = filter->file, current = filter->current;
    unsigned long line = filter->line;
    while (!walk.rigid && next_statement(filter, &walk)) {
        if (walk.statement.assigns)
            walk.rigid = true;
        else if (walk.statement.name.size > 0 && walk.statement.name.at[0] == '.')
            walk_directive(filter, &walk, false);
        else
            walk.rigid |= asm_instruction_read(&walk.statement).rigid;
    }
    filter->file = file;
    filter->current = current;
    filter->line = line;
    return walk.rigid;
}

/* Inline assembler of a function, or hand-written text. */
static void filter_block(struct filter *filter, struct walk walk)
{
    bool compiled = walk.compiled;
    bool intel = filter->intel;
    walk.rigid = compiled && find_rigidity(filter, walk);
    filter->intel = intel;
    while (next_statement(filter, &walk)) {
        if (walk.statement.assigns)
            continue;
        if (walk.statement.name.size > 0 && walk.statement.name.at[0] == '.')
            walk_directive(filter, &walk, compiled);
        else if (walk.away == 0)
            walk_instruction(filter, &walk);
    }
}

/* ---- the whole text ------------------------------------------------------------------------------------------------- */

static const char *line_end(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline != NULL ? newline : end;
}

static struct asm_text trimmed_line(const char *at, const char *end)
{
    while (at < end && isspace((unsigned char)*at))
        at++;
    while (end > at && isspace((unsigned char)end[-1]))
        end--;
    return (struct asm_text){at, (size_t)(end - at)};
}

static void filter_compiled(struct filter *filter, const char *text, const char *end)
{
    static const char *const begins[] = {"#APP", "# Start of file scope inline assembly"};
    static const char *const ends[] = {"#NO_APP", "# End of file scope inline assembly"};
    const char *block = NULL;
    int kind = 0;
    for (const char *at = text; at < end;) {
        const char *stop = line_end(at, end), *next = stop < end ? stop + 1 : end;
        struct asm_text line = trimmed_line(at, stop);
        if (block == NULL) {
            for (int i = 0; i < 2; i++)
                if (asm_text_is(line, begins[i])) {
                    block = next;
                    kind = i;
                }
            if (block == NULL)
                note_compiled_line(filter, at, stop);
        } else if (asm_text_is(line, ends[kind])) {
            bool compiled = kind == 0 && filter->in_function;
            filter->line = compiled ? filter->line : 0;
            filter_block(filter, (struct walk){.at = block, .end = at, .compiled = compiled});
            block = NULL;
        }
        at = next;
    }
}

bool asm_is_compiled(const char *text)
{
    return strstr(text, "__tsan_init") != NULL;
}

bool asm_filter(const char *text, size_t size, bool instrument, struct buffer *output)
{
    assert(text[size] == '\0');
    bool compiled = asm_is_compiled(text);
    if (compiled && strstr(text, "#APP") == NULL && strstr(text, "# Start of file scope") == NULL)
        return false;
    struct filter filter = {.output = output, .copied = text, .instrument = instrument};
    if (compiled)
        filter_compiled(&filter, text, text + size);
    else
        filter_block(&filter, (struct walk){.at = text, .end = text + size, .counted = text, .counts = true});
    bool changed = filter.changed || filter.notes.size > 0;
    if (changed) {
        assert(filter.copied >= text && filter.copied <= text + size);
        buffer_add(output, filter.copied, (size_t)(text + size - filter.copied));
        if (filter.notes.size > 0)
            buffer_printf(output, "\n\t.section\t%s,\"MS\",@progbits,1\n%s", ASM_SECTION, buffer_text(&filter.notes));
    }
    buffer_free(&filter.notes);
    vector_free(&filter.files);
    return changed;
}
