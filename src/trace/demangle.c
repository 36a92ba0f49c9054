/* SPDX-License-Identifier: MIT
 *
 * demangle.c - see demangle.h.
 *
 * DESIGN
 *   With debug information, names come from its structure.  The remaining symbols are those of libraries, where only
 *   the name matters.  So this reads the name part of the Itanium C++ ABI's mangling (section 5.1) and skips template
 *   arguments by counting what opens and closes.  It needs no C++ library, and gives the same names everywhere.
 */
#include "trace/demangle.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/buffer.h"

enum { DEPTH = 64, LONGEST = 4096 };

static bool skip_to_end(const char **at);
static bool parse_name(const char **at, struct buffer *name, int depth);

/* Two letters that stand for a word. */
struct code {
    const char *letters, *text;
};

static const struct code standard_codes[] = {
    {"Sa", "std::allocator"}, {"Sb", "std::basic_string"}, {"Ss", "std::string"},
    {"Si", "std::istream"},   {"So", "std::ostream"},      {"Sd", "std::iostream"},
};

static const struct code operator_codes[] = {
    {"nw", " new"}, {"na", " new[]"}, {"dl", " delete"}, {"da", " delete[]"}, {"cl", "()"}, {"ix", "[]"}, {"pt", "->"},
    {"aS", "="},    {"eq", "=="},     {"ne", "!="},      {"lt", "<"},         {"gt", ">"},  {"le", "<="}, {"ge", ">="},
    {"pl", "+"},    {"mi", "-"},      {"ml", "*"},       {"dv", "/"},         {"rm", "%"},  {"pL", "+="}, {"mI", "-="},
    {"pp", "++"},   {"mm", "--"},     {"ls", "<<"},      {"rs", ">>"},        {"nt", "!"},  {"de", "*"},  {"ad", "&"},
};

static const char *find_code(const struct code *codes, size_t count, const char *at)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(at, codes[i].letters, 2) == 0)
            return codes[i].text;
    return NULL;
}
#define FIND_CODE(codes, at) find_code(codes, sizeof(codes) / sizeof(codes)[0], at)

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "6thread": the length, and where the letters begin; 0 if it is none. */
static size_t identifier(const char *at, const char **letters)
{
    size_t length = 0;
    while (is_digit(*at) && length < 100000)
        length = length * 10 + (size_t)(*at++ - '0');
    *letters = at;
    return strnlen(at, length) == length ? length : 0;
}

/* ---- skipping ---------------------------------------------------------------------------------------------------- */

/* A literal, "Lj4E" or "LN4bank5colorE2E" with its type: *at is after the L.  Other literals are not supported. */
static bool skip_literal(const char **at)
{
    if (**at == 'N') {
        ++*at;
        if (!skip_to_end(at))
            return false;
    } else if (**at < 'a' || **at > 'z') {
        return false;
    }
    *at += strcspn(*at, "E");
    return **at == 'E' && ++*at;
}

/* "S_", "S1_", "T_", "T0_", or two letters. */
static void skip_substitution(const char **at)
{
    const char *end = *at + 1;
    while (is_digit(*end) || (*end >= 'A' && *end <= 'Z'))
        end++;
    *at = *end == '_' ? end + 1 : (*at)[1] != '\0' ? *at + 2 : *at + 1;
}

/* Skips up to and including the E that closes the current level. */
static bool skip_to_end(const char **at)
{
    int open = 1;
    while (**at != '\0') {
        const char *letters;
        size_t length = identifier(*at, &letters);
        switch (**at) {
        case 'E':
            ++*at;
            if (--open == 0)
                return true;
            break;
        case 'I':
        case 'N':
        case 'J':
        case 'F':
        case 'X':
            open++;
            ++*at;
            break;
        case 'L':
            ++*at;
            if (!skip_literal(at))
                return false;
            break;
        case 'S':
        case 'T':
        case 'D':
            skip_substitution(at);
            break;
        default:
            if (is_digit(**at) && length == 0)
                return false;
            *at = length > 0 ? letters + length : *at + 1;
        }
    }
    return false;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static void add_part(struct buffer *name, const char *part, size_t length)
{
    if (length == strlen("__cxx11") && strncmp(part, "__cxx11", length) == 0)
        return; /* an inline namespace, which is not written in names */
    if (name->size > 0)
        buffer_add_string(name, "::");
    if (length >= 10 && strncmp(part, "_GLOBAL__N", 10) == 0)
        buffer_add_string(name, "(anonymous)");
    else
        buffer_add(name, part, length);
}

/* Constructors and destructors have the name of their class: the last part. */
static void add_structor(struct buffer *name, bool destructor)
{
    const char *last = buffer_text(name);
    for (const char *next = strstr(last, "::"); next != NULL; next = strstr(last, "::"))
        last = next + 2;
    char *copy = strdup(last);
    if (copy == NULL)
        return;
    buffer_add_string(name, destructor ? "::~" : "::");
    buffer_add_string(name, copy);
    free(copy);
}

/* "UlvE_", "UlvE0_": the first, the second lambda of a function; "Ut_": a type without a name. */
static bool parse_nameless(const char **at, struct buffer *name)
{
    bool lambda = (*at)[1] == 'l';
    *at += 2;
    if (lambda && !skip_to_end(at))
        return false;
    unsigned number = 1;
    if (is_digit(**at))
        number = 2 + (unsigned)strtoul(*at, (char **)at, 10);
    if (**at != '_')
        return false;
    ++*at;
    char text[32];
    int length = snprintf(text, sizeof text, lambda ? "{lambda#%u}" : "{unnamed#%u}", number);
    add_part(name, text, (size_t)length);
    if (lambda && strncmp(*at, "cl", 2) == 0)
        *at += 2; /* its call operator has the same name */
    return true;
}

/* One part of a name.  False if it is not supported. */
static bool parse_part(const char **at, struct buffer *name)
{
    const char *letters, *text;
    if (**at == 'L') /* internal linkage */
        ++*at;
    size_t length = identifier(*at, &letters);
    if (length > 0) {
        add_part(name, letters, length);
        *at = letters + length;
    } else if (strncmp(*at, "St", 2) == 0) {
        add_part(name, "std", 3);
        *at += 2;
    } else if (strncmp(*at, "Ul", 2) == 0 || strncmp(*at, "Ut", 2) == 0) {
        if (!parse_nameless(at, name))
            return false;
    } else if ((text = FIND_CODE(standard_codes, *at)) != NULL) {
        add_part(name, text, strlen(text));
        *at += 2;
    } else if ((text = FIND_CODE(operator_codes, *at)) != NULL) {
        add_part(name, "operator", strlen("operator"));
        buffer_add_string(name, text);
        *at += 2;
    } else if ((**at == 'C' || **at == 'D') && (*at)[1] >= '0' && (*at)[1] <= '5' && name->size > 0) {
        add_structor(name, **at == 'D');
        *at += 2;
    } else {
        return false;
    }
    while (**at == 'B') { /* ABI tags: "B5cxx11" */
        ++*at;
        length = identifier(*at, &letters);
        if (length == 0)
            return false;
        *at = letters + length;
    }
    if (**at != 'I')
        return true;
    ++*at;
    return skip_to_end(at);
}

/* N [qualifiers] parts E */
static bool parse_nested(const char **at, struct buffer *name)
{
    while (**at != '\0' && strchr("rVKRO", **at) != NULL)
        ++*at;
    while (**at != 'E')
        if (!parse_part(at, name))
            return false;
    ++*at;
    return name->size > 0;
}

/* Z function E name: something local to a function. */
static bool parse_local(const char **at, struct buffer *name, int depth)
{
    if (!parse_name(at, name, depth + 1) || !skip_to_end(at))
        return false;
    if (**at == 's') /* a string literal */
        return true;
    return parse_name(at, name, depth + 1);
}

static bool parse_name(const char **at, struct buffer *name, int depth)
{
    if (depth >= DEPTH)
        return false;
    if (**at == 'N') {
        ++*at;
        return parse_nested(at, name);
    }
    if (**at == 'Z') {
        ++*at;
        return parse_local(at, name, depth);
    }
    bool standard = strncmp(*at, "St", 2) == 0;
    return parse_part(at, name) && (!standard || **at == '\0' || parse_part(at, name));
}

char *demangle(const char *symbol)
{
    static const struct code special[] = {
        {"TV", "vtable of "}, {"TI", "type of "}, {"TS", "type name of "}, {"GV", "guard of "}, {"TT", "table of "}};
    if (strncmp(symbol, "_Z", 2) != 0 || strnlen(symbol, LONGEST + 1) > LONGEST)
        return NULL;
    const char *at = symbol + 2, *prefix = FIND_CODE(special, at);
    struct buffer name = {0}, result = {0};
    if (prefix != NULL)
        at += 2;
    if (!parse_name(&at, &name, 0) || name.size == 0) {
        buffer_free(&name);
        return NULL;
    }
    buffer_printf(&result, "%s%s", prefix != NULL ? prefix : "", buffer_text(&name));
    buffer_free(&name);
    return buffer_take(&result);
}
