/* SPDX-License-Identifier: MIT
 *
 * site_text.c - sites as text: see site.h for the grammar.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pattern/site.h"
#include "util/buffer.h"

/* ---- print ------------------------------------------------------------------------------------------------------- */

static bool is_plain(int c)
{
    return isalnum((unsigned char)c) || (c != '\0' && strchr("_./-$", c) != NULL);
}

static void print_name(const char *name, struct buffer *out)
{
    bool plain = *name != '\0';
    for (const char *c = name; *c != '\0'; c++)
        plain = plain && is_plain(*c);
    if (plain) {
        buffer_add_string(out, name);
        return;
    }
    buffer_add_char(out, '"');
    for (const char *c = name; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            buffer_add_char(out, '\\');
        buffer_add_char(out, *c);
    }
    buffer_add_char(out, '"');
}

void sites_print(const struct sites *sites, uint32_t site, enum site_detail detail, struct buffer *out)
{
    const struct site_key *key = sites_get(sites, site);
    bool full = detail == SITE_FULL;
    if (*key->module != '\0' && (full || (key->by_offset && *key->function == '\0'))) {
        print_name(key->module, out);
        buffer_add_char(out, '!');
    }
    if (key->by_offset) {
        if (*key->function != '\0')
            print_name(key->function, out);
        buffer_printf(out, "+0x%" PRIx64, key->offset);
    } else {
        if (full && *key->function != '\0') {
            print_name(key->function, out);
            buffer_add_char(out, '@');
        }
        print_name(key->file, out);
        buffer_printf(out, ":%" PRIu32, key->line);
        if (full && key->column != 0)
            buffer_printf(out, ":%" PRIu32, key->column);
    }
    if (key->ordinal > 1 || (full && key->ordinal == 1))
        buffer_printf(out, "#%" PRIu32, key->ordinal);
}

/* ---- read -------------------------------------------------------------------------------------------------------- */

struct site_parser {
    const char *text, *at;
    size_t column; /* of text */
    struct error *error;
};

static bool fail(const struct site_parser *reader, const char *what)
{
    return error_set(reader->error, EXIT_USAGE, "column %zu: %s", reader->column + (size_t)(reader->at - reader->text),
                     what);
}

static bool read_quoted(struct site_parser *reader, struct buffer *name)
{
    for (reader->at++; *reader->at != '"'; reader->at++) {
        if (*reader->at == '\\' && reader->at[1] != '\0')
            reader->at++;
        if (*reader->at == '\0')
            return fail(reader, "the quoted name has no end: \" is missing");
        buffer_add_char(name, *reader->at);
    }
    reader->at++;
    return name->size > 0 || fail(reader, "the name in quotes is empty");
}

/* A name, or nothing. */
static bool read_name(struct site_parser *reader, struct buffer *name)
{
    buffer_clear(name);
    if (*reader->at == '"')
        return read_quoted(reader, name);
    while (is_plain(*reader->at))
        buffer_add_char(name, *reader->at++);
    return true;
}

static bool read_number(struct site_parser *reader, const char *what, uint32_t *number)
{
    uint64_t value = 0;
    if (!isdigit((unsigned char)*reader->at))
        return fail(reader, what);
    for (; isdigit((unsigned char)*reader->at); reader->at++) {
        value = value * 10 + (uint64_t)(*reader->at - '0');
        if (value > UINT32_MAX)
            return fail(reader, "the number is too large");
    }
    if (value == 0)
        return fail(reader, what);
    *number = (uint32_t)value;
    return true;
}

static bool read_offset(struct site_parser *reader, struct site_key *key)
{
    key->by_offset = true;
    reader->at++;
    if (reader->at[0] != '0' || reader->at[1] != 'x' || !isxdigit((unsigned char)reader->at[2]))
        return fail(reader, "an offset such as 0x1c is expected after +");
    const char *digits = reader->at + 2;
    char *end;
    key->offset = strtoull(digits, &end, 16);
    if (end - digits > 16)
        return fail(reader, "the offset is too large");
    reader->at = end;
    return true;
}

static bool read_lines(struct site_parser *reader, struct site_key *key)
{
    reader->at++;
    if (!read_number(reader, "a line number from 1 is expected after the file", &key->line))
        return false;
    if (*reader->at != ':')
        return true;
    reader->at++;
    return read_number(reader, "a column number from 1 is expected after the line", &key->column);
}

/* Up to three names, told apart by what follows them. */
static bool read_site(struct site_parser *reader, struct site_key *key, struct buffer names[3])
{
    if (!read_name(reader, &names[0]))
        return false;
    if (*reader->at == '!') {
        if (names[0].size == 0)
            return fail(reader, "a module is expected before !");
        key->module = buffer_text(&names[0]);
        reader->at++;
        if (!read_name(reader, &names[1]))
            return false;
    } else {
        struct buffer swap = names[1];
        names[1] = names[0];
        names[0] = swap;
    }
    if (*reader->at == '+') {
        key->function = buffer_text(&names[1]);
        return read_offset(reader, key);
    }
    struct buffer *file = &names[1];
    if (*reader->at == '@') {
        if (names[1].size == 0)
            return fail(reader, "a function is expected before @");
        key->function = buffer_text(&names[1]);
        reader->at++;
        file = &names[2];
        if (!read_name(reader, file))
            return false;
    }
    if (file->size == 0)
        return fail(reader, "a site such as bank.c:18 is expected");
    key->file = buffer_text(file);
    if (*reader->at != ':')
        return fail(reader, "a line is expected after the file, as in bank.c:18");
    return read_lines(reader, key);
}

uint32_t sites_parse(struct sites *sites, const char *text, size_t column, size_t *length, struct error *error)
{
    struct site_parser reader = {.text = text, .at = text, .column = column, .error = error};
    struct site_key key = {0};
    struct buffer names[3] = {{0}, {0}, {0}};
    bool good = read_site(&reader, &key, names);
    if (good && *reader.at == '#') {
        reader.at++;
        good = read_number(&reader, "an ordinal from 1 is expected after #", &key.ordinal);
    }
    uint32_t site = good ? sites_add(sites, &key) : SITE_ANY;
    *length = (size_t)(reader.at - text);
    for (unsigned i = 0; i < 3; i++)
        buffer_free(&names[i]);
    return site;
}
