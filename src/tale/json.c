/* SPDX-License-Identifier: MIT
 *
 * json.c - a tale written as JSON.  Reading is in parse.c; both follow this description, which raddle-tale(5) gives at length.
 *
 *   "format": "raddle tale", "version": 2
 *   "kind", "site", "text", "key"           texts
 *   "failing_thread", "preemptions", "preemptions_found", "dropped", "head"    numbers
 *   "place"                                 place | -1
 *   "strings"  [text, …]                    "string" below is an index into this list
 *   "places"   [[function, file, line, column, where, source | -1, application 0|1], …]    strings and numbers
 *   "threads"  [[name, parent | -1, created at place | -1, operations], …]
 *   "events"   [[thread, op string, flags, marks, size, place | -1, operation, object string, value string], …]
 *   "arrows"   [[from event, to event], …]
 *   "bars"     [[thread, from event, until event | -1, shared 0|1, object string], …]
 *   "stacks"   [[thread, [place, …], title string], …]
 *   "waits"    [[thread, op string, holder thread | -1, place | -1, object string], …]
 *   "notes"    [string, …]
 *   "cause"    null | {"statement", "pattern", "second", "family", "sentence": text | null,
 *                      "failing_with", "failing_without", "passing_with", "passing_without": number, "events": [event, …]}
 */
#include <assert.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "tale/tale_private.h"
#include "trace/events.h"

struct tale_writer {
    const struct tale *tale;
    struct buffer *text;
    size_t ops[WIRE_OP_COUNT]; /* strings */
};

/* Texts of a tale are valid UTF-8, so JSON can represent all of them. */
static void add_text(struct buffer *text, const char *value)
{
    json_t *string = value != NULL ? json_string(value) : json_null();
    char *dumped = json_dumps(string, JSON_ENCODE_ANY);
    buffer_add_string(text, dumped != NULL ? dumped : "null");
    free(dumped);
    json_decref(string);
}

static void add_member(struct tale_writer *writer, const char *name, const char *value)
{
    buffer_printf(writer->text, ",\n\"%s\": ", name);
    add_text(writer->text, value);
}

static void add_number(struct tale_writer *writer, const char *name, uint64_t value)
{
    buffer_printf(writer->text, ",\n\"%s\": %" PRIu64, name, value);
}

static long string_of(const struct tale_writer *writer, const char *text)
{
    return text != NULL ? (long)tale_pool_number(writer->tale->pool, text) : TALE_NONE;
}

/* The separator before element `index`. */
static void next_row(struct tale_writer *writer, size_t index)
{
    assert(writer->text != NULL);
    buffer_add_string(writer->text, index == 0 ? "\n" : ",\n");
}

static void begin_list(struct tale_writer *writer, const char *name)
{
    buffer_printf(writer->text, ",\n\"%s\": [", name);
}

static void end_list(struct tale_writer *writer)
{
    buffer_add_char(writer->text, ']');
}

/* Names of operations are added to the pool, so that all strings are in one table. */
static void name_ops(struct tale_writer *writer)
{
    for (uint32_t op = 0; op < WIRE_OP_COUNT; op++)
        writer->ops[op] = tale_pool_number(writer->tale->pool, tale_pool_text(writer->tale->pool, event_op_name(op)));
}

static void add_tables(struct tale_writer *writer)
{
    const struct tale *tale = writer->tale;
    begin_list(writer, "strings");
    for (size_t i = 0; i < tale_pool_count(tale->pool); i++) {
        next_row(writer, i);
        add_text(writer->text, tale_pool_at(tale->pool, i));
    }
    end_list(writer);
    begin_list(writer, "places");
    for (size_t i = 0; i < tale->places.count; i++) {
        const struct tale_place *place = &tale->places.data[i];
        next_row(writer, i);
        buffer_printf(writer->text, "[%ld,%ld,%" PRIu32 ",%" PRIu32 ",%ld,%ld,%d]", string_of(writer, place->function),
                      string_of(writer, place->file), place->line, place->column, string_of(writer, place->where),
                      string_of(writer, place->source), place->application);
    }
    end_list(writer);
    begin_list(writer, "threads");
    for (size_t i = 0; i < tale->threads.count; i++) {
        const struct tale_thread *thread = &tale->threads.data[i];
        next_row(writer, i);
        buffer_printf(writer->text, "[%ld,%" PRId32 ",%" PRId32 ",%" PRIu64 "]", string_of(writer, thread->name),
                      thread->parent, thread->created, thread->operations);
    }
    end_list(writer);
}

static void add_events(struct tale_writer *writer)
{
    const struct tale *tale = writer->tale;
    begin_list(writer, "events");
    for (size_t i = 0; i < tale->events.count; i++) {
        const struct tale_event *event = &tale->events.data[i];
        next_row(writer, i);
        buffer_printf(writer->text,
                      "[%" PRIu32 ",%zu,%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRId32 ",%" PRIu64 ",%ld,%ld]",
                      event->thread, writer->ops[event->op], event->flags, event->marks, event->size, event->place,
                      event->operation, string_of(writer, event->object), string_of(writer, event->value));
    }
    end_list(writer);
}

static void add_links(struct tale_writer *writer)
{
    const struct tale *tale = writer->tale;
    begin_list(writer, "arrows");
    for (size_t i = 0; i < tale->arrows.count; i++) {
        next_row(writer, i);
        buffer_printf(writer->text, "[%" PRIu32 ",%" PRIu32 "]", tale->arrows.data[i].from, tale->arrows.data[i].to);
    }
    end_list(writer);
    begin_list(writer, "bars");
    for (size_t i = 0; i < tale->bars.count; i++) {
        const struct tale_bar *bar = &tale->bars.data[i];
        next_row(writer, i);
        buffer_printf(writer->text, "[%" PRIu32 ",%" PRIu32 ",%" PRId64 ",%d,%ld]", bar->thread, bar->from,
                      bar->until == UINT32_MAX ? TALE_NONE : (int64_t)bar->until, bar->shared,
                      string_of(writer, bar->object));
    }
    end_list(writer);
}

static void add_ends(struct tale_writer *writer)
{
    const struct tale *tale = writer->tale;
    begin_list(writer, "stacks");
    for (size_t i = 0; i < tale->stacks.count; i++) {
        const struct tale_stack *stack = &tale->stacks.data[i];
        next_row(writer, i);
        buffer_printf(writer->text, "[%" PRIu32 ",[", stack->thread);
        for (size_t k = 0; k < stack->places.count; k++)
            buffer_printf(writer->text, "%s%" PRId32, k > 0 ? "," : "", stack->places.data[k]);
        buffer_printf(writer->text, "],%ld]", string_of(writer, stack->title));
    }
    end_list(writer);
    begin_list(writer, "waits");
    for (size_t i = 0; i < tale->waits.count; i++) {
        const struct tale_wait *wait = &tale->waits.data[i];
        next_row(writer, i);
        buffer_printf(writer->text, "[%" PRIu32 ",%zu,%" PRId32 ",%" PRId32 ",%ld]", wait->thread,
                      writer->ops[wait->op], wait->holder, wait->place, string_of(writer, wait->object));
    }
    end_list(writer);
    begin_list(writer, "notes");
    for (size_t i = 0; i < tale->notes.count; i++)
        buffer_printf(writer->text, "%s%ld", i > 0 ? "," : "", string_of(writer, tale->notes.data[i]));
    end_list(writer);
}

static void add_cause(struct tale_writer *writer)
{
    const struct tale_cause *cause = &writer->tale->cause;
    if (cause->sentence == NULL) {
        buffer_add_string(writer->text, ",\n\"cause\": null");
        return;
    }
    buffer_add_string(writer->text, ",\n\"cause\": {\n\"statement\": ");
    add_text(writer->text, cause->statement);
    add_member(writer, "pattern", cause->pattern);
    add_member(writer, "second", cause->second);
    add_member(writer, "family", cause->family);
    add_member(writer, "sentence", cause->sentence);
    buffer_printf(writer->text, ",\n\"either\": %s", cause->either ? "true" : "false");
    add_number(writer, "failing_with", cause->failing_with);
    add_number(writer, "failing_without", cause->failing_without);
    add_number(writer, "passing_with", cause->passing_with);
    add_number(writer, "passing_without", cause->passing_without);
    begin_list(writer, "events");
    for (size_t i = 0; i < cause->events.count; i++)
        buffer_printf(writer->text, "%s%" PRIu32, i > 0 ? "," : "", cause->events.data[i]);
    buffer_add_string(writer->text, "]}");
}

void tale_write(const struct tale *tale, struct buffer *text)
{
    assert(tale->pool != NULL && text != NULL);
    struct tale_writer writer = {.tale = tale, .text = text};
    name_ops(&writer);
    buffer_printf(text, "{\"format\": \"%s\", \"version\": %d", TALE_FORMAT, TALE_VERSION);
    add_member(&writer, "kind", tale->kind);
    add_member(&writer, "site", tale->site);
    add_member(&writer, "text", tale->text);
    add_member(&writer, "key", tale->key);
    add_number(&writer, "failing_thread", tale->failing_thread);
    buffer_printf(text, ",\n\"place\": %" PRId32, tale->place);
    add_number(&writer, "preemptions", tale->preemptions);
    add_number(&writer, "preemptions_found", tale->preemptions_found);
    add_number(&writer, "dropped", tale->dropped);
    add_number(&writer, "head", tale->head);
    add_tables(&writer);
    add_events(&writer);
    add_links(&writer);
    add_ends(&writer);
    add_cause(&writer);
    buffer_add_string(text, "}\n");
}
