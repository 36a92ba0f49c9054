/* SPDX-License-Identifier: MIT
 *
 * html_tale.c - the tale of a failure as data of the page.  Events are stored as columns of numbers, and texts by
 * number: a hundred thousand events take two megabytes, which a browser parses without a visible delay.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/html_private.h"
#include "report/text.h"
#include "util/hash.h"
#include "util/table.h"

enum { SHOWN = TALE_MATTERS | TALE_CAUSE | TALE_FAILURE | TALE_BLOCKED | TALE_RACE | TALE_FREED | TALE_LOST };

struct html_tale_writer {
    struct buffer *page;
    const struct tale *tale;
    VECTOR(uint32_t) shown; /* events that are in the page */
    uint32_t *position;     /* per event: its index in `shown`, or the index of the next event that is shown */
    bool *is_kept;
    struct table numbers; /* hash of a text → its number + 1 */
    VECTOR(char *) texts;
    struct buffer text; /* scratch: the text of one event */
};

/* ---- which events ----------------------------------------------------------------------------------------------------- */

static void choose_events(struct html_tale_writer *writer, bool whole)
{
    const struct tale *tale = writer->tale;
    size_t count = tale->events.count;
    writer->position = memory_allocate(count + 1, sizeof *writer->position);
    writer->is_kept = memory_allocate(count + 1, sizeof *writer->is_kept);
    for (size_t i = 0; i < count; i++) {
        writer->position[i] = (uint32_t)writer->shown.count;
        writer->is_kept[i] = whole || (tale->events.data[i].marks & SHOWN) != 0;
        if (writer->is_kept[i])
            vector_push(&writer->shown, (uint32_t)i);
    }
}

/* Switches are computed between shown events.  A preemption at an event that is not shown moves to the next shown
   event. */
static uint32_t marks_of(const struct html_tale_writer *writer, size_t place)
{
    assert(place < writer->shown.count);
    const struct tale_event *events = writer->tale->events.data;
    uint32_t event = writer->shown.data[place],
             marks = events[event].marks & ~(uint32_t)(TALE_SWITCH | TALE_PREEMPTION);
    uint32_t before = place > 0 ? writer->shown.data[place - 1] : event;
    if (events[before].thread == events[event].thread)
        return marks;
    for (uint32_t i = before + 1; i <= event; i++)
        marks |= events[i].marks & TALE_PREEMPTION;
    return marks | TALE_SWITCH;
}

/* ---- texts -------------------------------------------------------------------------------------------------------------- */

static size_t text_number(struct html_tale_writer *writer, const char *text)
{
    if (text == NULL)
        text = "";
    for (uint64_t hash = hash_string(text);; hash++) {
        uint64_t *number = table_put(&writer->numbers, hash);
        if (*number == 0) {
            vector_push(&writer->texts, memory_copy_string(text));
            *number = writer->texts.count;
        }
        if (strcmp(writer->texts.data[*number - 1], text) == 0)
            return *number - 1;
    }
}

static json_t *texts_of(const struct html_tale_writer *writer)
{
    json_t *list = json_array();
    for (size_t i = 0; i < writer->texts.count; i++)
        json_array_append_new(list, json_from_text(writer->texts.data[i]));
    return list;
}

/* ---- events ------------------------------------------------------------------------------------------------------------- */

enum column { THREAD, OP, MARKS, SIZE, PLACE, OPERATION, OBJECT, VALUE, TEXT, NUMBER, COLUMNS };
static const char *const column_names[COLUMNS] = {"thread",    "op",     "marks", "size", "place",
                                                  "operation", "object", "value", "text", "number"};

static int64_t cell(struct html_tale_writer *writer, enum column column, size_t place)
{
    const struct tale_event *event = &writer->tale->events.data[writer->shown.data[place]];
    switch (column) {
    case THREAD:
        return event->thread;
    case OP:
        return event->op;
    case MARKS:
        return marks_of(writer, place);
    case SIZE:
        return event->size;
    case PLACE:
        return event->place;
    case OPERATION:
        return (int64_t)event->operation;
    case OBJECT:
        return (int64_t)text_number(writer, event->object);
    case VALUE:
        return (int64_t)text_number(writer, event->value);
    case TEXT:
        buffer_clear(&writer->text);
        report_event_text(event, &writer->text);
        return (int64_t)text_number(writer, buffer_text(&writer->text));
    case NUMBER:
        return (int64_t)(tale_event_number(writer->tale, writer->shown.data[place]) + 1);
    case COLUMNS:
        break;
    }
    return 0;
}

static void add_events(struct html_tale_writer *writer)
{
    buffer_add_string(writer->page, "\"events\":{");
    for (enum column column = 0; column < COLUMNS; column++) {
        buffer_printf(writer->page, "%s\"%s\":[", column > 0 ? "," : "", column_names[column]);
        for (size_t i = 0; i < writer->shown.count; i++)
            buffer_printf(writer->page, "%s%" PRId64, i > 0 ? "," : "", cell(writer, column, i));
        buffer_add_char(writer->page, ']');
    }
    buffer_add_string(writer->page, "},\"arrows\":[");
    bool first = true;
    for (size_t i = 0; i < writer->tale->arrows.count; i++) {
        const struct tale_arrow *arrow = &writer->tale->arrows.data[i];
        if (!writer->is_kept[arrow->from] || !writer->is_kept[arrow->to])
            continue;
        buffer_printf(writer->page, "%s%" PRIu32 ",%" PRIu32, first ? "" : ",", writer->position[arrow->from],
                      writer->position[arrow->to]);
        first = false;
    }
    buffer_add_string(writer->page, "]");
}

/* thread, from, until (-1: to the end), shared, name */
static void add_bars(struct html_tale_writer *writer)
{
    bool first = true;
    buffer_add_string(writer->page, ",\"bars\":[");
    for (size_t i = 0; i < writer->tale->bars.count; i++) {
        const struct tale_bar *bar = &writer->tale->bars.data[i];
        int64_t from = writer->position[bar->from];
        int64_t until = bar->until == UINT32_MAX ? -1 : (int64_t)writer->position[bar->until];
        if (until >= 0 && until <= from)
            continue; /* no event of it is in the page */
        buffer_printf(writer->page, "%s[%" PRIu32 ",%" PRId64 ",%" PRId64 ",%d,%zu]", first ? "" : ",", bar->thread,
                      from, until, bar->shared, text_number(writer, bar->object));
        first = false;
    }
    buffer_add_string(writer->page, "]");
}

/* ---- everything else ---------------------------------------------------------------------------------------------------- */

static json_t *threads(const struct tale *tale)
{
    json_t *list = json_array();
    for (size_t i = 0; i < tale->threads.count; i++) {
        const struct tale_thread *thread = &tale->threads.data[i];
        json_array_append_new(list, json_pack("{s:o, s:i, s:i, s:o}", "name", json_from_text(thread->name), "parent",
                                              thread->parent, "created", thread->created, "operations",
                                              json_from_number(thread->operations)));
    }
    return list;
}

static json_t *places(const struct tale *tale)
{
    json_t *list = json_array();
    for (size_t i = 0; i < tale->places.count; i++) {
        const struct tale_place *place = &tale->places.data[i];
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "function", json_from_text(place->function), "file",
                            json_from_text(place->file), "line", json_from_number(place->line), "column",
                            json_from_number(place->column), "where", json_from_text(place->where), "source",
                            json_from_text(place->source), "application", place->application));
    }
    return list;
}

static json_t *stacks(const struct tale *tale)
{
    json_t *list = json_array();
    for (size_t i = 0; i < tale->stacks.count; i++) {
        const struct tale_stack *stack = &tale->stacks.data[i];
        json_t *frames = json_array();
        for (size_t k = 0; k < stack->places.count; k++)
            json_array_append_new(frames, json_integer(stack->places.data[k]));
        json_array_append_new(list, json_pack("{s:o, s:o, s:o}", "thread", json_from_number(stack->thread), "title",
                                              json_from_text(stack->title), "places", frames));
    }
    return list;
}

static json_t *waits(const struct tale *tale)
{
    json_t *list = json_array();
    for (size_t i = 0; i < tale->waits.count; i++) {
        const struct tale_wait *wait = &tale->waits.data[i];
        json_array_append_new(list, json_pack("{s:o, s:o, s:i, s:i, s:o}", "thread", json_from_number(wait->thread),
                                              "op", json_from_number(wait->op), "holder", wait->holder, "place",
                                              wait->place, "object", json_from_text(wait->object)));
    }
    return list;
}

static json_t *cause(const struct html_tale_writer *writer)
{
    const struct tale_cause *cause = &writer->tale->cause;
    json_t *steps = json_array();
    if (cause->sentence == NULL && cause->pattern == NULL)
        return json_decref(steps), json_null();
    for (size_t i = 0; i < cause->events.count; i++)
        if (writer->is_kept[cause->events.data[i]])
            json_array_append_new(steps, json_from_number(writer->position[cause->events.data[i]]));
    return json_pack("{s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "statement",
                     json_from_text(cause->statement), "pattern", json_from_text(cause->pattern), "second",
                     json_from_text(cause->second), "either", cause->either, "family", json_from_text(cause->family),
                     "sentence", json_from_text(cause->sentence), "failing_with", json_from_number(cause->failing_with),
                     "failing_without", json_from_number(cause->failing_without), "passing_with",
                     json_from_number(cause->passing_with), "passing_without", json_from_number(cause->passing_without),
                     "events", steps);
}

static json_t *notes(const struct tale *tale)
{
    json_t *list = json_array();
    for (size_t i = 0; i < tale->notes.count; i++)
        json_array_append_new(list, json_from_text(tale->notes.data[i]));
    return list;
}

static void add_member(struct buffer *page, const char *name, json_t *value)
{
    buffer_printf(page, ",\"%s\":", name);
    html_add_json(page, value);
}

void html_add_tale(struct buffer *page, const struct tale *tale, bool whole)
{
    struct html_tale_writer writer = {.page = page, .tale = tale};
    choose_events(&writer, whole);
    buffer_printf(page,
                  "{\"failing\":%" PRIu32 ",\"preemptions\":%" PRIu32 ",\"found\":%" PRIu32 ",\"dropped\":%" PRIu64,
                  tale->failing_thread, tale->preemptions, tale->preemptions_found, tale->dropped);
    buffer_printf(page, ",\"omitted\":%zu,", tale->events.count - writer.shown.count);
    add_events(&writer);
    add_bars(&writer);
    add_member(page, "threads", threads(tale));
    add_member(page, "places", places(tale));
    add_member(page, "stacks", stacks(tale));
    add_member(page, "waits", waits(tale));
    add_member(page, "notes", notes(tale));
    add_member(page, "cause", cause(&writer));
    add_member(page, "texts", texts_of(&writer));
    buffer_add_char(page, '}');
    vector_free(&writer.shown);
    for (size_t i = 0; i < writer.texts.count; i++)
        free(writer.texts.data[i]);
    vector_free(&writer.texts);
    buffer_free(&writer.text);
    table_free(&writer.numbers);
    free(writer.position);
    free(writer.is_kept);
}
