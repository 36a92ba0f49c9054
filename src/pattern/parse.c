/* SPDX-License-Identifier: MIT
 *
 * parse.c - text → pattern: see pattern.h for the grammar.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pattern/family.h"
#include "pattern/pattern.h"

struct parser {
    const char *text, *at;
    struct sites *sites; /* NULL: sites are not allowed (the table of families) */
    struct pattern *pattern;
    struct error *error;
    char first_thread; /* '\0' until it is known */
};

static size_t column_of(const struct parser *parser)
{
    return (size_t)(parser->at - parser->text) + 1;
}

static bool fail(const struct parser *parser, const char *what)
{
    if (*parser->at == '\0')
        return error_set(parser->error, EXIT_USAGE, "%s, but the pattern ends here", what);
    return error_set(parser->error, EXIT_USAGE, "column %zu: %s", column_of(parser), what);
}

static void skip_space(struct parser *parser)
{
    while (isspace((unsigned char)*parser->at))
        parser->at++;
}

static bool skip_char(struct parser *parser, char c)
{
    if (*parser->at != c)
        return false;
    parser->at++;
    return true;
}

static bool parse_number(struct parser *parser, const char *what, uint32_t *number)
{
    uint64_t value = 0;
    const char *start = parser->at;
    for (; isdigit((unsigned char)*parser->at); parser->at++) {
        value = value * 10 + (uint64_t)(*parser->at - '0');
        if (value > UINT32_MAX)
            return fail(parser, "the number is too large");
    }
    if (value == 0) {
        parser->at = start;
        return fail(parser, what);
    }
    *number = (uint32_t)value;
    return true;
}

/* ---- a step ------------------------------------------------------------------------------------------------------ */

static bool parse_thread(struct parser *parser, struct pattern_step *step)
{
    char name = *parser->at;
    if ((name != 'a' && name != 'b') || parser->at[1] != ':')
        return fail(parser, "a step is expected, such as a:R(x)@bank.c:18 or b:W(x)@bank.c:25");
    if (parser->first_thread == '\0')
        parser->first_thread = name;
    step->thread = name != parser->first_thread;
    parser->at += 2;
    return true;
}

static bool parse_kind(struct parser *parser, struct pattern_step *step)
{
    size_t length = *parser->at == '*' ? 1 : 0;
    while (isalnum((unsigned char)parser->at[length]))
        length++;
    enum access_kind kind = access_kind_by_name(parser->at, length);
    if (length == 0 || kind == ACCESS_KIND_COUNT)
        return fail(parser,
                    "an operation is expected: R, W, U, free, lock, unlock, rdlock, rdunlock, acquire, release, "
                    "try, wait, signal, init, destroy or *");
    step->kind = (uint8_t)kind;
    parser->at += length;
    return true;
}

static bool parse_variable(struct parser *parser, struct pattern_step *step)
{
    if (!skip_char(parser, '('))
        return fail(parser, "( and a variable are expected after the operation");
    size_t length = strcspn(parser->at, " \t\n()<|");
    if (length == 0)
        return fail(parser, "a variable is expected between ( and )");
    if (length >= PATTERN_NAME)
        return fail(parser, "the name of the variable is too long: 31 characters at most");
    char(*names)[PATTERN_NAME] = parser->pattern->variables;
    unsigned i = 0;
    while (i < 2 && names[i][0] != '\0' && (strlen(names[i]) != length || memcmp(names[i], parser->at, length) != 0))
        i++;
    if (i == 2)
        return fail(parser, "this is a third variable: a pattern has at most two");
    memcpy(names[i], parser->at, length);
    step->variable = (uint8_t)i;
    parser->at += length;
    return skip_char(parser, ')') || fail(parser, ") is expected after the variable");
}

static bool parse_site(struct parser *parser, struct pattern_step *step)
{
    size_t length;
    if (parser->sites == NULL)
        return fail(parser, "no site is allowed here");
    step->site = sites_parse(parser->sites, parser->at, column_of(parser), &length, parser->error);
    parser->at += length;
    return step->site != SITE_ANY;
}

static bool parse_context(struct parser *parser, struct pattern_step *step)
{
    char *end = NULL;
    if (isxdigit((unsigned char)*parser->at))
        step->context = strtoull(parser->at, &end, 16);
    if (end == NULL || step->context == 0 || end - parser->at > 16)
        return fail(parser, "a hexadecimal context is expected after ~, such as ~1f3a");
    parser->at = end;
    return true;
}

static bool parse_step(struct parser *parser, struct pattern_step *step)
{
    if (!parse_thread(parser, step) || !parse_kind(parser, step) || !parse_variable(parser, step))
        return false;
    if (skip_char(parser, '@') && !parse_site(parser, step))
        return false;
    if (skip_char(parser, '~') && !parse_context(parser, step))
        return false;
    return !skip_char(parser, '*') ||
           parse_number(parser, "an occurrence from 1 is expected after *", &step->occurrence);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* What stands between two steps; fills in group, relation and window of the second. */
static bool parse_relation(struct parser *parser, const struct pattern_step *before, struct pattern_step *step)
{
    step->group = before->group;
    step->relation = before->relation;
    step->window = before->window;
    if (skip_char(parser, '|'))
        return true;
    if (!skip_char(parser, '<'))
        return fail(parser, "<, << or | is expected between two steps");
    step->group++;
    step->relation = skip_char(parser, '<') ? RELATION_IMMEDIATE : RELATION_BEFORE;
    step->window = 0;
    if (!skip_char(parser, '['))
        return true;
    if (!parse_number(parser, "a window from 1 is expected between [ and ]", &step->window))
        return false;
    return skip_char(parser, ']') || fail(parser, "] is expected after the window");
}

static bool parse_steps(struct parser *parser)
{
    struct pattern *pattern = parser->pattern;
    for (;;) {
        skip_space(parser);
        if (pattern->count > 0 && *parser->at == '\0')
            return true;
        if (pattern->count == PATTERN_STEPS)
            return fail(parser, "this would be a fifth step: a pattern has at most four");
        struct pattern_step step = {0};
        if (pattern->count > 0) {
            if (!parse_relation(parser, &pattern->steps[pattern->count - 1], &step))
                return false;
            skip_space(parser);
        }
        if (!parse_step(parser, &step))
            return false;
        pattern->steps[pattern->count++] = step;
    }
}

/* The rules of a family stand in for what is written; what is written may be weaker. */
static bool take_family(struct parser *parser, const char *name, size_t length)
{
    struct pattern *pattern = parser->pattern;
    bool known;
    const struct family *family = family_of_pattern(name, length, pattern, &known);
    if (!known)
        return error_set(parser->error, EXIT_USAGE,
                         "\"%.*s\" is no family of patterns: idiom.1 … 6, map.1 … 17, asset.1 … 11, race, atom",
                         (int)length, name);
    if (family == NULL) {
        unsigned row = 0;
        while (strlen(families[row].name) != length || memcmp(families[row].name, name, length) != 0)
            row++;
        return error_set(parser->error, EXIT_USAGE, "this is no %s: the steps of %s are %s", families[row].name,
                         families[row].name, families[row].shape);
    }
    const struct pattern *shape = family_shape(family_row(family));
    for (unsigned i = 0; i < pattern->count; i++)
        pattern->steps[i].relation = shape->steps[i].relation;
    pattern->family = family;
    return true;
}

bool pattern_parse(const char *text, struct sites *sites, struct pattern *pattern, struct error *error)
{
    *pattern = (struct pattern){0};
    struct parser parser = {.text = text, .at = text, .sites = sites, .pattern = pattern, .error = error};
    skip_space(&parser);
    if (*parser.at == '\0')
        return error_set(error, EXIT_USAGE,
                         "the pattern is empty: write for example a:R(x)@bank.c:18 < b:W(x)@bank.c:25");
    const char *family = parser.at;
    size_t length = strcspn(family, " \t\n:(");
    if (family[length] == ':' || family[length] == '(' || family[length] == '\0')
        length = 0;
    parser.at += length;
    if (!parse_steps(&parser) || !pattern_check(pattern, error))
        return false;
    return length == 0 || take_family(&parser, family, length);
}
