/* SPDX-License-Identifier: MIT
 *
 * parse.c - reads a tale from JSON.  The file is not trusted: every index, order and length is checked, and control
 * characters are removed from texts (pool.h).  The format is described in json.c.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "tale/tale_private.h"
#include "trace/events.h"
#include "util/file.h"

enum { MARKS = 2 * TALE_END - 1, FLAGS = 255 };

struct tale_reader {
    struct tale *tale;
    const char *name; /* of the file */
    const json_t *root;
    json_int_t version; /* of the format */
    struct error *error;
    VECTOR(char *) strings;
};

/* ---- numbers and texts ---------------------------------------------------------------------------------------------------- */

static bool complain(struct tale_reader *reader, const char *list, size_t index, const char *what)
{
    return error_set(reader->error, EXIT_USAGE, "%s: entry %zu of '%s' %s; 'raddle explain --rebuild' makes a new one",
                     reader->name, index, list, what);
}

static bool read_number(struct tale_reader *reader, const char *name, uint64_t limit, uint64_t *number)
{
    const json_t *value = json_object_get(reader->root, name);
    json_int_t got = json_integer_value(value);
    if (!json_is_integer(value) || got < 0 || (uint64_t)got > limit)
        return error_set(reader->error, EXIT_USAGE,
                         "%s: '%s' is not a number in its range; "
                         "'raddle explain --rebuild' makes a new one",
                         reader->name, name);
    *number = (uint64_t)got;
    return true;
}

static bool read_small(struct tale_reader *reader, const char *name, uint32_t *number)
{
    uint64_t value;
    if (!read_number(reader, name, UINT32_MAX, &value))
        return false;
    *number = (uint32_t)value;
    return true;
}

static bool read_text(struct tale_reader *reader, const char *name, char **text)
{
    const char *value = json_string_value(json_object_get(reader->root, name));
    if (value == NULL)
        return error_set(reader->error, EXIT_USAGE,
                         "%s: '%s' is missing or not a text; "
                         "'raddle explain --rebuild' makes a new one",
                         reader->name, name);
    *text = tale_pool_text(reader->tale->pool, value);
    return true;
}

static int64_t last_of(size_t count)
{
    return (int64_t)count - 1;
}

/* Whether row[index] is a number from `low` to `high`. */
static bool take(const json_t *row, size_t index, int64_t low, int64_t high, int64_t *number)
{
    const json_t *value = json_array_get(row, index);
    *number = json_integer_value(value);
    return json_is_integer(value) && *number >= low && *number <= high;
}

static bool take_unsigned(const json_t *row, size_t index, int64_t high, uint32_t *number)
{
    int64_t value;
    bool good = take(row, index, 0, high, &value);
    *number = (uint32_t)value;
    return good;
}

/* An index below `count`, or TALE_NONE. */
static bool take_optional(const json_t *row, size_t index, size_t count, int32_t *number)
{
    int64_t value;
    bool good = take(row, index, TALE_NONE, (int64_t)count - 1, &value);
    *number = (int32_t)value;
    return good;
}

static bool take_string(struct tale_reader *reader, const json_t *row, size_t index, char **text)
{
    int64_t value;
    if (!take(row, index, 0, last_of(reader->strings.count), &value) || reader->strings.data == NULL)
        return false;
    *text = reader->strings.data[value];
    return true;
}

static bool take_op(struct tale_reader *reader, const json_t *row, size_t index, uint32_t *op)
{
    char *name;
    if (!take_string(reader, row, index, &name))
        return false;
    *op = event_op_by_name(name);
    return *op < WIRE_OP_COUNT;
}

static bool take_flag(const json_t *row, size_t index, bool *flag)
{
    int64_t value;
    bool good = take(row, index, 0, 1, &value);
    *flag = value != 0;
    return good;
}

/* ---- rows ----------------------------------------------------------------------------------------------------------------- */

static bool parse_place(struct tale_reader *reader, const json_t *row)
{
    struct tale_place place = {0};
    int64_t source;
    bool good = take_string(reader, row, 0, &place.function) && take_string(reader, row, 1, &place.file) &&
                take_unsigned(row, 2, UINT32_MAX, &place.line) && take_unsigned(row, 3, UINT32_MAX, &place.column) &&
                take_string(reader, row, 4, &place.where) && take_flag(row, 6, &place.application) &&
                take(row, 5, TALE_NONE, last_of(reader->strings.count), &source);
    if (good) {
        place.source = source >= 0 ? reader->strings.data[source] : NULL;
        vector_push(&reader->tale->places, place);
    }
    return good;
}

/* A parent comes before its children. */
static bool parse_thread(struct tale_reader *reader, const json_t *row)
{
    struct tale *tale = reader->tale;
    struct tale_thread thread = {0};
    int64_t operations;
    bool good = take_string(reader, row, 0, &thread.name) &&
                take_optional(row, 1, tale->threads.count, &thread.parent) &&
                take_optional(row, 2, tale->places.count, &thread.created) && take(row, 3, 0, INT64_MAX, &operations);
    if (good) {
        thread.operations = (uint64_t)operations;
        vector_push(&tale->threads, thread);
    }
    return good;
}

static bool follows(const struct tale *tale, const struct tale_event *event)
{
    const struct tale_event *last = tale->events.count > 0 ? &tale->events.data[tale->events.count - 1] : NULL;
    const uint32_t late = TALE_BLOCKED | TALE_END;
    return last == NULL || !(last->marks & late) || (event->marks & late);
}

static bool parse_event(struct tale_reader *reader, const json_t *row)
{
    struct tale *tale = reader->tale;
    struct tale_event event = {0};
    int64_t operation;
    bool good = take_unsigned(row, 0, last_of(tale->threads.count), &event.thread) &&
                take_op(reader, row, 1, &event.op) && take_unsigned(row, 2, FLAGS, &event.flags) &&
                take_unsigned(row, 3, MARKS, &event.marks) && take_unsigned(row, 4, UINT32_MAX, &event.size) &&
                take_optional(row, 5, tale->places.count, &event.place) && take(row, 6, 0, INT64_MAX, &operation) &&
                take_string(reader, row, 7, &event.object) && take_string(reader, row, 8, &event.value) &&
                follows(tale, &event);
    if (good) {
        event.operation = (uint64_t)operation;
        if (event.marks & TALE_PRIVATE)
            vector_push(&tale->privates, (uint32_t)tale->events.count);
        vector_push(&tale->events, event);
    }
    return good;
}

static bool parse_arrow(struct tale_reader *reader, const json_t *row)
{
    struct tale_arrow arrow;
    bool good = take_unsigned(row, 0, last_of(reader->tale->events.count), &arrow.from) &&
                take_unsigned(row, 1, last_of(reader->tale->events.count), &arrow.to) && arrow.from < arrow.to;
    if (good)
        vector_push(&reader->tale->arrows, arrow);
    return good;
}

static bool parse_bar(struct tale_reader *reader, const json_t *row)
{
    struct tale *tale = reader->tale;
    struct tale_bar bar = {0};
    int64_t until;
    bool good = take_unsigned(row, 0, last_of(tale->threads.count), &bar.thread) &&
                take_unsigned(row, 1, last_of(tale->events.count), &bar.from) &&
                take(row, 2, TALE_NONE, last_of(tale->events.count), &until) && take_flag(row, 3, &bar.shared) &&
                take_string(reader, row, 4, &bar.object) && (until == TALE_NONE || until >= (int64_t)bar.from);
    if (good) {
        bar.until = until == TALE_NONE ? UINT32_MAX : (uint32_t)until;
        vector_push(&tale->bars, bar);
    }
    return good;
}

static bool parse_stack(struct tale_reader *reader, const json_t *row)
{
    struct tale_stack stack = {0};
    const json_t *places = json_array_get(row, 1);
    bool good = take_unsigned(row, 0, last_of(reader->tale->threads.count), &stack.thread) && json_is_array(places);
    if (reader->version >= 2)
        good = good && take_string(reader, row, 2, &stack.title);
    else
        stack.title = tale_pool_text(reader->tale->pool, "");
    for (size_t i = 0; good && i < json_array_size(places); i++) {
        int64_t place;
        good = take(places, i, 0, last_of(reader->tale->places.count), &place);
        vector_push(&stack.places, (int32_t)place);
    }
    if (good)
        vector_push(&reader->tale->stacks, stack);
    else
        vector_free(&stack.places);
    return good;
}

static bool parse_wait(struct tale_reader *reader, const json_t *row)
{
    struct tale *tale = reader->tale;
    struct tale_wait wait = {0};
    bool good = take_unsigned(row, 0, last_of(tale->threads.count), &wait.thread) &&
                take_op(reader, row, 1, &wait.op) && take_optional(row, 2, tale->threads.count, &wait.holder) &&
                take_optional(row, 3, tale->places.count, &wait.place) && take_string(reader, row, 4, &wait.object);
    if (good)
        vector_push(&tale->waits, wait);
    return good;
}

/* ---- lists ---------------------------------------------------------------------------------------------------------------- */

/* Each row is an array of `width` entries that `parse` takes. */
static bool read_list(struct tale_reader *reader, const char *name, size_t width, size_t limit,
                      bool (*parse)(struct tale_reader *, const json_t *))
{
    const json_t *list = json_object_get(reader->root, name);
    if (!json_is_array(list) || json_array_size(list) > limit)
        return error_set(reader->error, EXIT_USAGE,
                         "%s: '%s' is missing, not a list, or too long; "
                         "'raddle explain --rebuild' makes a new one",
                         reader->name, name);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *row = json_array_get(list, i);
        if (!json_is_array(row) || json_array_size(row) != width || !parse(reader, row))
            return complain(reader, name, i, "is malformed");
    }
    return true;
}

static bool read_strings(struct tale_reader *reader)
{
    const json_t *list = json_object_get(reader->root, "strings");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (text == NULL)
            return complain(reader, "strings", i, "is not a text");
        vector_push(&reader->strings, tale_pool_text(reader->tale->pool, text));
    }
    return true;
}

static bool read_notes(struct tale_reader *reader)
{
    const json_t *list = json_object_get(reader->root, "notes");
    for (size_t i = 0; i < json_array_size(list); i++) {
        char *text;
        if (!take_string(reader, list, i, &text))
            return complain(reader, "notes", i, "is not a string");
        vector_push(&reader->tale->notes, text);
    }
    return true;
}

/* ---- the cause ------------------------------------------------------------------------------------------------------------ */

static char *optional_text(struct tale_reader *reader, const json_t *cause, const char *name)
{
    return tale_pool_text(reader->tale->pool, json_string_value(json_object_get(cause, name)));
}

static bool read_cause(struct tale_reader *reader)
{
    const json_t *root = reader->root, *cause = json_object_get(root, "cause");
    struct tale_cause *into = &reader->tale->cause;
    if (cause == NULL || json_is_null(cause))
        return true;
    if (!json_is_object(cause))
        return error_set(reader->error, EXIT_USAGE,
                         "%s: 'cause' is not an object; 'raddle explain --rebuild' makes a new one", reader->name);
    reader->root = cause; /* the readers above take members of `root` */
    into->statement = optional_text(reader, cause, "statement");
    into->pattern = optional_text(reader, cause, "pattern");
    into->second = optional_text(reader, cause, "second");
    into->family = optional_text(reader, cause, "family");
    into->either = json_is_true(json_object_get(cause, "either"));
    bool good = read_text(reader, "sentence", &into->sentence) &&
                read_number(reader, "failing_with", INT64_MAX, &into->failing_with) &&
                read_number(reader, "failing_without", INT64_MAX, &into->failing_without) &&
                read_number(reader, "passing_with", INT64_MAX, &into->passing_with) &&
                read_number(reader, "passing_without", INT64_MAX, &into->passing_without);
    reader->root = root;
    const json_t *events = json_object_get(cause, "events");
    for (size_t i = 0; good && i < json_array_size(events); i++) {
        uint32_t event;
        if (!take_unsigned(events, i, last_of(reader->tale->events.count), &event))
            return complain(reader, "cause.events", i, "is not an event");
        vector_push(&into->events, event);
    }
    return good;
}

/* ---- the whole ------------------------------------------------------------------------------------------------------------ */

static bool read_head(struct tale_reader *reader)
{
    const char *format = json_string_value(json_object_get(reader->root, "format"));
    const json_t *version = json_object_get(reader->root, "version");
    if (format == NULL || strcmp(format, TALE_FORMAT) != 0 || !json_is_integer(version))
        return error_set(reader->error, EXIT_USAGE, "%s is not the tale of a failure of raddle", reader->name);
    reader->version = json_integer_value(version);
    if (reader->version < 1 || reader->version > TALE_VERSION)
        return error_set(
            reader->error, EXIT_USAGE,
            "%s has version %lld of its format, this raddle reads up to version %d; 'raddle explain --rebuild' makes "
            "a new one",
            reader->name, (long long)reader->version, TALE_VERSION);
    struct tale *tale = reader->tale;
    return read_text(reader, "kind", &tale->kind) && read_text(reader, "site", &tale->site) &&
           read_text(reader, "text", &tale->text) && read_text(reader, "key", &tale->key) &&
           read_small(reader, "failing_thread", &tale->failing_thread) &&
           read_small(reader, "preemptions", &tale->preemptions) &&
           read_small(reader, "preemptions_found", &tale->preemptions_found) &&
           read_number(reader, "dropped", INT64_MAX, &tale->dropped) &&
           (json_object_get(reader->root, "head") == NULL || read_small(reader, "head", &tale->head));
}

static bool read_ends(struct tale_reader *reader)
{
    struct tale *tale = reader->tale;
    const json_t *place = json_object_get(reader->root, "place");
    json_int_t value = json_integer_value(place);
    bool good = json_is_integer(place) && value >= TALE_NONE && value <= last_of(tale->places.count);
    tale->place = (int32_t)value;
    if (!good || tale->failing_thread >= tale->threads.count)
        return error_set(reader->error, EXIT_USAGE,
                         "%s: 'failing_thread' or 'place' is missing; 'raddle explain --rebuild' makes a new one",
                         reader->name);
    return true;
}

static bool read_all(struct tale_reader *reader)
{
    return read_head(reader) && read_strings(reader) && read_list(reader, "places", 7, INT32_MAX, parse_place) &&
           read_list(reader, "threads", 4, WIRE_TASKS, parse_thread) && read_ends(reader) &&
           read_list(reader, "events", 9, TALE_EVENTS + WIRE_BLOCKED + WIRE_PRIVATES, parse_event) &&
           read_list(reader, "arrows", 2, INT32_MAX, parse_arrow) &&
           read_list(reader, "bars", 5, INT32_MAX, parse_bar) &&
           read_list(reader, "stacks", reader->version >= 2 ? 3 : 2, INT32_MAX, parse_stack) &&
           read_list(reader, "waits", 5, WIRE_TASKS, parse_wait) && read_notes(reader) && read_cause(reader);
}

bool tale_parse(struct tale *tale, const char *name, const char *text, size_t size, struct error *error)
{
    json_error_t problem;
    *tale = (struct tale){0};
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &problem);
    if (root == NULL)
        return error_set(error, EXIT_USAGE, "%s:%d: not JSON: %s; 'raddle explain --rebuild' makes a new one", name,
                         problem.line, problem.text);
    *tale = (struct tale){.pool = tale_pool_open()};
    struct tale_reader reader = {.tale = tale, .name = name, .root = root, .error = error};
    bool good = read_all(&reader);
    vector_free(&reader.strings);
    json_decref(root);
    if (!good)
        tale_free(tale);
    return good;
}

bool tale_read(struct tale *tale, const char *directory, struct error *error)
{
    char *path = file_join(directory, "tale.json");
    struct buffer text = {0};
    bool good =
        file_read(path, TALE_LIMIT, &text, error) && tale_parse(tale, path, buffer_text(&text), text.size, error);
    buffer_free(&text);
    free(path);
    return good;
}
