/* SPDX-License-Identifier: MIT
 *
 * wide_value.c - see wide_value.h.
 *
 * DESIGN
 *   The 16 bytes are halved until a part is a whole variable, field or element.  Parts that are in none (padding) are left out; if
 *   nothing is known of the parts, both halves are printed.
 */
#include "trace/wide_value.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "trace/events.h"

enum { WIDE = 16 };

struct wide_text {
    struct objects *objects;
    uint64_t address;
    uint8_t bytes[WIDE];
    const char *whole; /* name of all of it */
    char *buffer;
    size_t used;
    unsigned fields;
};

bool wide_value_is_known(const struct wire_event *event)
{
    return event_is_access(event) && event->size == WIDE && (event->flags & EVENT_VALUE) &&
           !(event->flags & EVENT_PART);
}

static void add(struct wide_text *text, const char *part)
{
    size_t length = strlen(part);
    if (text->used + length + 2 > OBJECT_NAME) /* there is always room for the bracket */
        return;
    memcpy(text->buffer + text->used, part, length + 1);
    text->used += length;
}

static uint64_t number_at(const struct wide_text *text, uint32_t offset, uint32_t size)
{
    uint64_t number = 0;
    memcpy(&number, text->bytes + offset, size);
    return number;
}

/* The name of the field without that of the whole; "" if it is not a part of that. */
static const char *field_of(const struct wide_text *text, const char *name)
{
    size_t length = strlen(text->whole);
    if (strncmp(name, text->whole, length) != 0)
        return "";
    return name[length] == '.' ? name + length + 1 : name + length;
}

static void add_field(struct wide_text *text, const char *name, uint32_t offset, uint32_t size,
                      const struct variable *variable)
{
    char value[OBJECT_NAME];
    const char *field = field_of(text, name);
    add(text, text->fields++ == 0 ? "{" : ", ");
    if (field[0] != '\0' && field[0] != '+') {
        add(text, field);
        add(text, " = ");
    }
    add(text, objects_value(text->objects, number_at(text, offset, size), size, variable, value));
}

/* The fields in these bytes. */
static void add_parts(struct wide_text *text, uint32_t offset, uint32_t size)
{
    struct variable variable;
    char name[OBJECT_NAME];
    objects_name(text->objects, text->address + offset, size, name, &variable);
    if (variable.type != VALUE_UNKNOWN && variable.offset == 0 && !variable.partial) {
        add_field(text, name, offset, size, &variable);
        return;
    }
    for (uint32_t half = 0; size > 1 && half < 2; half++)
        add_parts(text, offset + half * size / 2, size / 2);
}

char *wide_value_text(struct objects *objects, const struct wire_event *event, char buffer[OBJECT_NAME])
{
    char name[OBJECT_NAME];
    struct variable variable;
    struct wide_text text = {.objects = objects, .address = event->address, .whole = name, .buffer = buffer};
    memcpy(text.bytes, &event->value, 8);
    memcpy(text.bytes + 8, &event->before, 8);
    buffer[0] = '\0';
    objects_name(objects, event->address, event->size, name, &variable);
    add_parts(&text, 0, WIDE / 2);
    add_parts(&text, WIDE / 2, WIDE / 2);
    if (text.fields == 0 && variable.partial == false && variable.type != VALUE_UNKNOWN)
        snprintf(buffer, OBJECT_NAME, event->before != 0 ? "0x%" PRIx64 "%016" PRIx64 : "0x%.0" PRIx64 "%" PRIx64,
                 event->before, event->value);
    else if (text.fields == 0)
        for (uint32_t half = 0; half < 2; half++)
            add_field(&text, "", half * WIDE / 2, WIDE / 2, NULL);
    if (text.fields > 0)
        add(&text, "}");
    return buffer;
}
