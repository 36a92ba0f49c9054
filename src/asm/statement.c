/* SPDX-License-Identifier: MIT
 *
 * statement.c - see statement.h.
 */
#include "asm/statement.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>
#include <strings.h>

bool asm_text_is(struct asm_text text, const char *word)
{
    return text.size == strlen(word) && strncasecmp(text.at, word, text.size) == 0;
}

bool asm_text_starts(struct asm_text text, const char *beginning)
{
    size_t size = strlen(beginning);
    return text.size >= size && strncasecmp(text.at, beginning, size) == 0;
}

bool asm_text_has(struct asm_text text, char c)
{
    return text.size > 0 && memchr(text.at, c, text.size) != NULL;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$' || c == '@';
}

/* After blanks and comments of the slash-and-star kind. */
static const char *skip_blanks(const char *at, const char *end)
{
    for (;;) {
        while (at < end && is_blank(*at))
            at++;
        if (end - at < 2 || at[0] != '/' || at[1] != '*')
            return at;
        for (at += 2; at < end && !(at[0] == '*' && end - at > 1 && at[1] == '/');)
            at++;
        at = end - at < 2 ? end : at + 2;
    }
}

/* After a string that begins here. */
static const char *skip_string(const char *at, const char *end)
{
    for (at++; at < end && *at != '"' && *at != '\n'; at++)
        if (*at == '\\' && end - at > 1)
            at++;
    return at < end && *at == '"' ? at + 1 : at;
}

/* Where the statement ends that begins here: at a separator, at a comment, at the end. */
static const char *find_end(const char *at, const char *end)
{
    while (at < end && *at != '\n' && *at != ';' && *at != '#') {
        const char *after = skip_blanks(at, end);
        if (after == at)
            after = *at == '"' ? skip_string(at, end) : at + 1;
        at = after;
    }
    return at;
}

static struct asm_text trim(const char *begin, const char *end)
{
    begin = skip_blanks(begin, end);
    while (end > begin && is_blank(end[-1]))
        end--;
    return (struct asm_text){begin, (size_t)(end - begin)};
}

static struct asm_text read_name(const char *at, const char *end)
{
    const char *begin = at;
    while (at < end && is_name(*at))
        at++;
    return (struct asm_text){begin, (size_t)(at - begin)};
}

static void add_operand(struct asm_statement *statement, const char *begin, const char *end)
{
    struct asm_text operand = trim(begin, end);
    if (operand.size == 0)
        return;
    if (statement->operand_count < ASM_OPERANDS)
        statement->operands[statement->operand_count] = operand;
    statement->operand_count++;
}

static void read_operands(struct asm_statement *statement, const char *at, const char *end)
{
    int depth = 0;
    const char *begin = at;
    while (at < end) {
        const char *after = *at == '"' ? skip_string(at, end) : skip_blanks(at, end);
        if (after != at) {
            at = after;
            continue;
        }
        depth += (*at == '(') - (*at == ')');
        if (*at == ',' && depth <= 0) {
            add_operand(statement, begin, at);
            begin = at + 1;
        }
        at++;
    }
    add_operand(statement, begin, end);
}

static bool read_prefix(struct asm_statement *statement, struct asm_text word)
{
    static const char *const repeats[] = {"rep", "repe", "repz", "repne", "repnz"};
    static const char *const others[] = {"xacquire", "xrelease", "bnd", "notrack", "data16"};
    if (asm_text_is(word, "lock"))
        return statement->lock = true;
    for (size_t i = 0; i < sizeof repeats / sizeof repeats[0]; i++)
        if (asm_text_is(word, repeats[i]))
            return statement->repeat = true;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (asm_text_is(word, others[i]))
            return true;
    return false;
}

static void read_instruction(struct asm_statement *statement, const char *at, const char *end)
{
    for (;;) {
        struct asm_text word = read_name(at, end);
        const char *after = skip_blanks(at + word.size, end);
        if (word.size > 0 && after < end && *after == '=') {
            statement->name = word;
            statement->assigns = true;
            return;
        }
        if (word.size > 0 && read_prefix(statement, word)) {
            at = after;
            continue;
        }
        statement->name = word;
        read_operands(statement, at + word.size, end);
        return;
    }
}

bool asm_statement_read(struct asm_statement *statement, const char **at, const char *end)
{
    if (*at >= end)
        return false;
    const char *const from = *at;
    const char *begin = skip_blanks(*at, end);
    const char *stop = find_end(begin, end);
    *statement = (struct asm_statement){.begin = begin};
    for (;;) { /* labels */
        struct asm_text word = read_name(begin, stop);
        const char *after = skip_blanks(begin + word.size, stop);
        if (word.size == 0 || after >= stop || *after != ':')
            break;
        statement->label = word;
        begin = skip_blanks(after + 1, stop);
    }
    statement->begin = begin;
    statement->whole = trim(begin, stop);
    read_instruction(statement, begin, begin + statement->whole.size);
    while (stop < end && *stop == '#') { /* a comment, to the end of the line */
        const char *line = memchr(stop, '\n', (size_t)(end - stop));
        stop = line != NULL ? line : end;
    }
    *at = stop < end ? stop + 1 : end;
    assert(*at > from && *at <= end); /* a caller that reads all statements comes to the end */
    assert(statement->begin >= from && statement->whole.at + statement->whole.size <= end);
    return true;
}
