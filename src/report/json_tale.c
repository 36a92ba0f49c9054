/* SPDX-License-Identifier: MIT
 *
 * json_tale.c - a tale as part of a JSON report.
 */
#include "report/json_tale.h"

#include <string.h>

#include "trace/events.h"

static const struct {
    uint32_t mark;
    const char *name;
} mark_names[] = {
    {TALE_SWITCH, "switch"},   {TALE_PREEMPTION, "preemption"}, {TALE_MATTERS, "matters"}, {TALE_CAUSE, "cause"},
    {TALE_FAILURE, "failure"}, {TALE_BLOCKED, "blocked"},       {TALE_RACE, "race"},       {TALE_FREED, "freed"},
    {TALE_LOST, "lost"},       {TALE_ITSELF, "itself"},         {TALE_PRIVATE, "private"}, {TALE_END, "end"},
};

void json_marks(struct json_writer *json, const char *name, uint32_t marks)
{
    json_begin(json, name, '[');
    for (size_t i = 0; i < sizeof mark_names / sizeof mark_names[0]; i++)
        if (marks & mark_names[i].mark)
            json_text(json, NULL, mark_names[i].name);
    json_end(json);
}

static void write_flags(struct json_writer *json, uint32_t flags)
{
    json_begin(json, "flags", '[');
    for (uint32_t i = 0; i < event_flag_count; i++)
        if (flags & event_flags[i].flag)
            json_text(json, NULL, event_flags[i].name);
    json_end(json);
}

/* An index, or null for TALE_NONE. */
static void write_index(struct json_writer *json, const char *name, int32_t index)
{
    if (index >= 0)
        json_number(json, name, (uint64_t)index);
    else
        json_nothing(json, name);
}

static void write_indices(struct json_writer *json, const char *name, const uint32_t *list, size_t count)
{
    json_begin(json, name, '[');
    for (size_t i = 0; i < count; i++)
        json_number(json, NULL, list[i]);
    json_end(json);
}

static void write_threads(struct json_writer *json, const struct tale *tale)
{
    json_begin(json, "threads", '[');
    for (size_t i = 0; i < tale->threads.count; i++) {
        const struct tale_thread *thread = &tale->threads.data[i];
        json_begin(json, NULL, '{');
        json_text(json, "name", thread->name);
        write_index(json, "parent", thread->parent);
        write_index(json, "created", thread->created);
        json_number(json, "operations", thread->operations);
        json_end(json);
    }
    json_end(json);
}

static void write_places(struct json_writer *json, const struct tale *tale)
{
    json_begin(json, "places", '[');
    for (size_t i = 0; i < tale->places.count; i++) {
        const struct tale_place *place = &tale->places.data[i];
        json_begin(json, NULL, '{');
        json_text(json, "function", place->function);
        json_text(json, "file", place->file);
        json_number(json, "line", place->line);
        json_number(json, "column", place->column);
        json_text(json, "where", place->where);
        json_text(json, "source", place->source);
        json_truth(json, "application", place->application);
        json_end(json);
    }
    json_end(json);
}

static void write_events(struct json_writer *json, const struct tale *tale)
{
    json_begin(json, "events", '[');
    for (size_t i = 0; i < tale->events.count; i++) {
        const struct tale_event *event = &tale->events.data[i];
        json_begin(json, NULL, '{');
        json_number(json, "thread", event->thread);
        json_text(json, "op", event_op_name(event->op));
        json_text(json, "object", strcmp(event->object, "-") != 0 ? event->object : NULL);
        json_text(json, "value", event->value[0] != '\0' ? event->value : NULL);
        struct buffer text = {0};
        tale_add_text(event, &text);
        json_text(json, "text", buffer_text(&text));
        buffer_free(&text);
        write_index(json, "place", event->place);
        json_number(json, "operation", event->operation);
        json_number(json, "size", event->size);
        write_flags(json, event->flags);
        json_marks(json, "marks", event->marks);
        json_end(json);
    }
    json_end(json);
}

static void write_links(struct json_writer *json, const struct tale *tale)
{
    json_begin(json, "arrows", '[');
    for (size_t i = 0; i < tale->arrows.count; i++)
        write_indices(json, NULL, (uint32_t[]){tale->arrows.data[i].from, tale->arrows.data[i].to}, 2);
    json_end(json);
    json_begin(json, "bars", '[');
    for (size_t i = 0; i < tale->bars.count; i++) {
        const struct tale_bar *bar = &tale->bars.data[i];
        json_begin(json, NULL, '{');
        json_number(json, "thread", bar->thread);
        json_text(json, "object", bar->object);
        json_number(json, "from", bar->from);
        if (bar->until != UINT32_MAX)
            json_number(json, "until", bar->until);
        else
            json_nothing(json, "until");
        json_truth(json, "shared", bar->shared);
        json_end(json);
    }
    json_end(json);
}

static void write_end(struct json_writer *json, const struct tale *tale)
{
    json_begin(json, "stacks", '[');
    for (size_t i = 0; i < tale->stacks.count; i++) {
        const struct tale_stack *stack = &tale->stacks.data[i];
        json_begin(json, NULL, '{');
        json_number(json, "thread", stack->thread);
        json_text(json, "title", stack->title);
        json_begin(json, "places", '[');
        for (size_t k = 0; k < stack->places.count; k++)
            write_index(json, NULL, stack->places.data[k]);
        json_end(json);
        json_end(json);
    }
    json_end(json);
    json_begin(json, "waits", '[');
    for (size_t i = 0; i < tale->waits.count; i++) {
        const struct tale_wait *wait = &tale->waits.data[i];
        json_begin(json, NULL, '{');
        json_number(json, "thread", wait->thread);
        json_text(json, "op", event_op_name(wait->op));
        json_text(json, "object", wait->object);
        write_index(json, "holder", wait->holder);
        write_index(json, "place", wait->place);
        json_end(json);
    }
    json_end(json);
    json_begin(json, "notes", '[');
    for (size_t i = 0; i < tale->notes.count; i++)
        json_text(json, NULL, tale->notes.data[i]);
    json_end(json);
}

static void write_cause(struct json_writer *json, const struct tale_cause *cause)
{
    if (cause->sentence == NULL && cause->pattern == NULL) {
        json_nothing(json, "cause");
        return;
    }
    json_begin(json, "cause", '{');
    json_text(json, "statement", cause->statement);
    json_text(json, "pattern", cause->pattern);
    json_text(json, "second", cause->second);
    json_truth(json, "either", cause->either);
    json_text(json, "family", cause->family);
    json_text(json, "sentence", cause->sentence);
    json_number(json, "failing_with", cause->failing_with);
    json_number(json, "failing_without", cause->failing_without);
    json_number(json, "passing_with", cause->passing_with);
    json_number(json, "passing_without", cause->passing_without);
    write_indices(json, "events", cause->events.data, cause->events.count);
    json_end(json);
}

void json_tale(struct json_writer *json, const char *name, const struct tale *tale)
{
    json_begin(json, name, '{');
    json_number(json, "failing_thread", tale->failing_thread);
    write_index(json, "place", tale->place);
    json_number(json, "preemptions", tale->preemptions);
    json_number(json, "preemptions_found", tale->preemptions_found);
    json_number(json, "dropped", tale->dropped);
    json_number(json, "head", tale->head);
    write_cause(json, &tale->cause);
    write_threads(json, tale);
    write_places(json, tale);
    write_events(json, tale);
    write_links(json, tale);
    write_end(json, tale);
    json_end(json);
}
