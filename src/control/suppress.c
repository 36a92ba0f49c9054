/* SPDX-License-Identifier: MIT
 *
 * suppress.c - see suppress.h.
 */
#include "control/suppress.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "trace/events.h"
#include "trace/headline.h"
#include "util/file.h"
#include "util/hash.h"
#include "util/table.h"

enum {
    FILE_LIMIT = 16 << 20,
    ANSWERS = 100000 /* kept at a time */
};

struct suppressions {
    char *name;
    struct buffer text;
    VECTOR(struct suppression) lines;
    struct table answers; /* what a finding is, by addresses → index of its line + 2; 1: none */
};

/* ---- reading -------------------------------------------------------------------------------------------------------- */

/* What is a warning unless the user wants it to be a failure; a bit per kind. */
static uint32_t all_kinds(void)
{
    uint32_t kinds = 0;
#define X(name, text, failure) kinds |= (failure) || KIND_##name == KIND_NONE ? 0 : 1u << KIND_##name;
    WIRE_KINDS(X)
#undef X
    return kinds;
}

static uint32_t kinds_by_name(const char *name, size_t length)
{
    uint32_t kinds = all_kinds();
    if (length == 1 && *name == '*')
        return kinds;
    for (unsigned kind = 1; kind < WIRE_KIND_COUNT; kind++)
        if ((kinds >> kind & 1) && strlen(event_kind_name(kind)) == length &&
            strncmp(event_kind_name(kind), name, length) == 0)
            return 1u << kind;
    return 0;
}

static void add_kind_names(struct buffer *text)
{
    for (unsigned kind = 1; kind < WIRE_KIND_COUNT; kind++)
        if (all_kinds() >> kind & 1)
            buffer_printf(text, "%s, ", event_kind_name(kind));
    buffer_add_string(text, "or * for all of them");
}

static bool refuse_kind(const struct suppressions *suppressions, uint32_t line, const char *text, size_t length,
                        struct error *error)
{
    struct buffer names = {0};
    add_kind_names(&names);
    error_set(error, EXIT_USAGE, "%s:%u: '%.*s' is no kind of warning; write kind:what, where the kind is %s",
              suppressions->name, line, (int)(length < 100 ? length : 100), text, buffer_text(&names));
    buffer_free(&names);
    return false;
}

/* `text` is one line without white space around it, not empty. */
static bool read_line(struct suppressions *suppressions, uint32_t line, const char *text, size_t length,
                      struct error *error)
{
    const char *colon = memchr(text, ':', length);
    size_t kind = colon != NULL ? (size_t)(colon - text) : length;
    uint32_t kinds = kinds_by_name(text, kind);
    if (memchr(text, '\0', length) != NULL)
        return error_set(error, EXIT_USAGE, "%s:%u: a zero byte: this is no text; write one kind:what per line",
                         suppressions->name, line);
    if (kinds == 0)
        return refuse_kind(suppressions, line, text, kind, error);
    if (colon == NULL || kind + 1 == length)
        return error_set(
            error, EXIT_USAGE,
            "%s:%u: '%.*s' does not say what; write kind:what, where what names a function, file or variable",
            suppressions->name, line, (int)(length < 100 ? length : 100), text);
    struct suppression entry = {.text = strndup(text, length), .kinds = kinds, .line = line};
    const char *what = entry.text + kind + 1;
    entry.what = what + strspn(what, " \t");
    vector_push(&suppressions->lines, entry);
    return true;
}

static bool read_lines(struct suppressions *suppressions, struct error *error)
{
    const char *at = buffer_text(&suppressions->text), *end = at + suppressions->text.size;
    for (uint32_t line = 1; at < end; line++) {
        const char *next = memchr(at, '\n', (size_t)(end - at)), *last = next != NULL ? next : end;
        while (at < last && isspace((unsigned char)*at))
            at++;
        while (last > at && isspace((unsigned char)last[-1]))
            last--;
        if (at < last && *at != '#' && !read_line(suppressions, line, at, (size_t)(last - at), error))
            return false;
        at = next != NULL ? next + 1 : end;
    }
    return true;
}

struct suppressions *suppress_parse(const char *name, const char *text, size_t size, struct error *error)
{
    struct suppressions *suppressions = memory_allocate(1, sizeof *suppressions);
    suppressions->name = memory_copy_string(name);
    buffer_add(&suppressions->text, text, size);
    if (read_lines(suppressions, error))
        return suppressions;
    suppress_close(suppressions);
    return NULL;
}

struct suppressions *suppress_open(const char *path, struct error *error)
{
    struct buffer text = {0};
    struct suppressions *suppressions = NULL;
    if (file_read(path, FILE_LIMIT, &text, error))
        suppressions = suppress_parse(path, buffer_text(&text), text.size, error);
    buffer_free(&text);
    return suppressions;
}

void suppress_close(struct suppressions *suppressions)
{
    if (suppressions == NULL)
        return;
    for (size_t i = 0; i < suppressions->lines.count; i++)
        free(suppressions->lines.data[i].text);
    vector_free(&suppressions->lines);
    table_free(&suppressions->answers);
    buffer_free(&suppressions->text);
    free(suppressions->name);
    free(suppressions);
}

/* ---- what there is -------------------------------------------------------------------------------------------------- */

const char *suppress_name(const struct suppressions *suppressions)
{
    return suppressions != NULL ? suppressions->name : "";
}

const char *suppress_text(const struct suppressions *suppressions)
{
    return suppressions != NULL ? buffer_text(&suppressions->text) : "";
}

size_t suppress_line_count(const struct suppressions *suppressions)
{
    return suppressions != NULL ? suppressions->lines.count : 0;
}

const struct suppression *suppress_line(const struct suppressions *suppressions, size_t index)
{
    assert(index < suppress_line_count(suppressions));
    return &suppressions->lines.data[index];
}

bool suppress_may(const struct suppressions *suppressions, uint32_t kinds)
{
    for (size_t i = 0; i < suppress_line_count(suppressions); i++)
        if (suppressions->lines.data[i].kinds & kinds)
            return true;
    return false;
}

void suppress_count(struct suppression *suppression)
{
    suppression->findings++;
}

/* ---- words ---------------------------------------------------------------------------------------------------------- */

static void add_word(struct suppress_words *words, const char *text, size_t length)
{
    if (length == 0)
        return;
    vector_push(&words->texts, strndup(text, length));
}

static void add_text(struct suppress_words *words, const char *text)
{
    if (text != NULL)
        add_word(words, text, strlen(text));
}

void suppress_add_place(struct suppress_words *words, const struct site *site)
{
    for (; site != NULL; site = site->caller) {
        add_text(words, site->function);
        add_text(words, site->where);
        add_text(words, site->file);
        add_text(words, site->path);
        if (site->file[0] != '\0')
            add_text(words, file_base_name(site->file));
    }
}

void suppress_add_variable(struct suppress_words *words, const char *name)
{
    size_t whole = strcspn(name, ".[+");
    add_text(words, name);
    if (name[whole] != '\0')
        add_word(words, name, whole);
}

void suppress_words_free(struct suppress_words *words)
{
    for (size_t i = 0; i < words->texts.count; i++)
        free(words->texts.data[i]);
    vector_free(&words->texts);
}

/* ---- asking --------------------------------------------------------------------------------------------------------- */

/* In a pattern * stands for any text and ? for one character. */
static bool matches(const char *pattern, const char *text)
{
    const char *star = NULL, *retry = NULL;
    while (*text != '\0') {
        if (*pattern == '*') {
            star = ++pattern;
            retry = text;
        } else if (*pattern == '?' || *pattern == *text) {
            pattern++;
            text++;
        } else if (star != NULL) {
            pattern = star;
            text = ++retry;
        } else {
            return false;
        }
    }
    return pattern[strspn(pattern, "*")] == '\0';
}

static bool matches_one(const struct suppression *suppression, const struct suppress_words *words)
{
    for (size_t i = 0; i < words->texts.count; i++)
        if (matches(suppression->what, words->texts.data[i]))
            return true;
    return false;
}

struct suppression *suppress_find(struct suppressions *suppressions, enum wire_kind kind,
                                  const struct suppress_words *words)
{
    for (size_t i = 0; i < suppress_line_count(suppressions); i++) {
        struct suppression *suppression = &suppressions->lines.data[i];
        if ((suppression->kinds >> kind & 1) && matches_one(suppression, words))
            return suppression;
    }
    return NULL;
}

/* ---- findings of runs ----------------------------------------------------------------------------------------------- */

/* The calls and the object of a violation of serializability: "account_copy on struct account, interrupted by account_credit". */
static void add_units(struct suppress_words *words, const char *text)
{
    static const char on[] = " on ", by[] = ", interrupted by ";
    const char *object = strstr(text, on), *other = strstr(text, by);
    if (object == NULL || other == NULL || other < object)
        return;
    char *first = memory_format("%.*s", (int)(object - text), text);
    object += strlen(on);
    char *set = memory_format("%.*s", (int)(other - object), object);
    add_text(words, first);
    add_text(words, set);
    add_text(words, other + strlen(by));
    free(first);
    free(set);
}

static void collect(struct suppress_words *words, struct symbols *symbols, const struct wire_copy *copy,
                    const struct wire_finding *finding)
{
    const struct site *site;
    for (uint32_t i = 0; (site = headline_frame(symbols, finding, i)) != NULL; i++)
        suppress_add_place(words, site);
    for (uint32_t i = 0; finding->other.pc != 0 && (site = headline_other_frame(symbols, finding, i)) != NULL; i++)
        suppress_add_place(words, site);
    for (uint32_t i = 0; i < finding->part_count && i < WIRE_PARTS; i++)
        suppress_add_place(words, symbols_site(symbols, finding->parts[i].pc));
    if (finding->kind == KIND_SERIALIZABILITY)
        add_units(words, finding->text);
    struct headline_names names;
    headline_names(symbols, &copy->result, finding, copy->events.data, (uint32_t)copy->events.count, &names);
    for (unsigned i = 0; i < names.count; i++)
        suppress_add_variable(words, names.names[i]);
}

static uint64_t answer_key(const struct wire_copy *copy, const struct wire_finding *finding)
{
    uint64_t key = hash_combine(failure_raw_place(finding), finding->here.address);
    return hash_combine(hash_combine(key, finding->other.address), copy->events.count > 0);
}

struct suppression *suppress_finding(struct suppressions *suppressions, struct symbols *symbols,
                                     const struct wire_copy *copy, const struct wire_finding *finding)
{
    if (finding->kind >= WIRE_KIND_COUNT || !suppress_may(suppressions, 1u << finding->kind))
        return NULL;
    if (suppressions->answers.count >= ANSWERS)
        table_clear(&suppressions->answers);
    uint64_t *answer = table_put(&suppressions->answers, answer_key(copy, finding));
    if (*answer == 0) {
        struct suppress_words words = {0};
        collect(&words, symbols, copy, finding);
        const struct suppression *found = suppress_find(suppressions, finding->kind, &words);
        *answer = found != NULL ? (uint64_t)(found - suppressions->lines.data) + 2 : 1;
        suppress_words_free(&words);
    }
    return *answer > 1 ? &suppressions->lines.data[*answer - 2] : NULL;
}
