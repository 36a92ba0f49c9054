/* SPDX-License-Identifier: MIT
 *
 * json_writer.c - JSON written directly into a buffer.
 */
#include "util/json_writer.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/utf8.h"

static void add_string(struct buffer *to, const char *text)
{
    assert(text != NULL);
    size_t size = strlen(text);
    buffer_add_char(to, '"');
    for (size_t i = 0, length; i < size; i += length) {
        uint32_t character = utf8_next(text + i, size - i, &length);
        if (character == '"' || character == '\\')
            buffer_printf(to, "\\%c", (char)character);
        else if (character == '\n')
            buffer_add_string(to, "\\n");
        else if (character == '\t')
            buffer_add_string(to, "\\t");
        else if (character < 0x20 || character == 0x7f || character == 0x2028 || character == 0x2029)
            buffer_printf(to, "\\u%04x", (unsigned)character);
        else
            utf8_add(to, character);
    }
    buffer_add_char(to, '"');
}

static void new_line(struct json_writer *json, int depth)
{
    if (json->indent == 0 || (json->flat > 0 && json->depth >= json->flat))
        return;
    buffer_add_char(json->to, '\n');
    for (int i = 0; i < depth * json->indent; i++)
        buffer_add_char(json->to, ' ');
}

/* Writes what comes before a value: comma, line, name. */
static void begin_value(struct json_writer *json, const char *name)
{
    assert(json->depth >= 0 && json->depth <= JSON_DEPTH);
    assert(name == NULL || json->depth > 0);
    assert(json->depth == 0 || (name != NULL) == (json->closing[json->depth - 1] == '}'));
    if (json->depth > 0) {
        bool spread = json->indent > 0 && (json->flat == 0 || json->depth < json->flat);
        if (json->filled[json->depth - 1])
            buffer_add_string(json->to, spread || json->indent == 0 ? "," : ", ");
        json->filled[json->depth - 1] = true;
        new_line(json, json->depth);
    }
    if (name != NULL) {
        add_string(json->to, name);
        buffer_add_string(json->to, json->indent > 0 ? ": " : ":");
    }
}

void json_begin(struct json_writer *json, const char *name, char kind)
{
    assert(kind == '{' || kind == '[');
    assert(json->depth < JSON_DEPTH);
    begin_value(json, name);
    buffer_add_char(json->to, kind);
    json->filled[json->depth] = false;
    json->closing[json->depth] = kind == '{' ? '}' : ']';
    json->depth++;
}

void json_end(struct json_writer *json)
{
    assert(json->depth > 0);
    if (json->filled[json->depth - 1])
        new_line(json, json->depth - 1);
    json->depth--;
    buffer_add_char(json->to, json->closing[json->depth]);
    if (json->depth == 0)
        buffer_add_char(json->to, '\n');
}

void json_text(struct json_writer *json, const char *name, const char *text)
{
    begin_value(json, name);
    if (text != NULL)
        add_string(json->to, text);
    else
        buffer_add_string(json->to, "null");
}

void json_textf(struct json_writer *json, const char *name, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    json_text(json, name, length >= 0 ? text : "");
    if (length >= 0)
        free(text);
}

void json_number(struct json_writer *json, const char *name, uint64_t value)
{
    begin_value(json, name);
    buffer_printf(json->to, "%" PRIu64, value);
}

void json_signed(struct json_writer *json, const char *name, int64_t value)
{
    begin_value(json, name);
    buffer_printf(json->to, "%" PRId64, value);
}

void json_fraction(struct json_writer *json, const char *name, double value)
{
    begin_value(json, name);
    if (isfinite(value))
        buffer_printf(json->to, "%.9g", value);
    else
        buffer_add_string(json->to, "null");
}

void json_truth(struct json_writer *json, const char *name, bool value)
{
    begin_value(json, name);
    buffer_add_string(json->to, value ? "true" : "false");
}

void json_nothing(struct json_writer *json, const char *name)
{
    begin_value(json, name);
    buffer_add_string(json->to, "null");
}
