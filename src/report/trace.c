/* SPDX-License-Identifier: MIT
 *
 * trace.c - the failures as Chrome trace events: opens in Perfetto (ui.perfetto.dev) and chrome://tracing.
 *
 * DESIGN
 *   A failure is a process, a thread a thread.  A tale has no times, only the order of its events: event n takes the
 *   microsecond from n to n + 1.
 *
 *     complete slices (X)     as long as a thread runs on; inside it each operation that is no plain access
 *     instants (i)            accesses of memory; the failure, over the whole process
 *     async slices (b, e)     a lock from the event that took it to the one that gave it back
 *     flows (s, f)            what orders two events of different threads: unlock → lock, create → start, …
 *
 *   Slices of one thread nest; an id belongs to one lock bar or flow in the whole file.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/formats.h"
#include "report/json_tale.h"
#include "report/text.h"
#include "trace/events.h"
#include "util/json_writer.h"

struct trace {
    struct json_writer json;
    const struct report_failure *failure;
    const struct tale *tale;
    uint64_t pid; /* from 1 */
    uint64_t id;  /* used last */
};

/* The members that all events have; the caller ends the object with json_end. */
static void begin_event(struct trace *trace, const char *phase, const char *name, const char *category, uint32_t thread)
{
    struct json_writer *json = &trace->json;
    json_begin(json, NULL, '{');
    json_text(json, "ph", phase);
    json_text(json, "name", name);
    if (category != NULL)
        json_text(json, "cat", category);
    json_number(json, "pid", trace->pid);
    json_number(json, "tid", (uint64_t)thread + 1); /* some readers treat 0 specially */
}

static void add_name(struct trace *trace, const char *kind, uint32_t thread, const char *name)
{
    begin_event(trace, "M", kind, NULL, thread);
    json_begin(&trace->json, "args", '{');
    json_text(&trace->json, "name", name);
    json_end(&trace->json);
    json_end(&trace->json);
}

static void add_names(struct trace *trace, const struct report_program *program)
{
    char *name = memory_format("%s %s%s: %s", program->name, trace->failure->name,
                               trace->failure->about.fixed ? " (fixed)" : "", report_headline(trace->failure));
    add_name(trace, "process_name", 0, name);
    free(name);
    for (uint32_t i = 0; i < trace->tale->threads.count; i++) {
        struct buffer text = {0};
        report_thread_name(trace->tale, i, &text);
        add_name(trace, "thread_name", i, buffer_text(&text));
        buffer_free(&text);
        begin_event(trace, "M", "thread_sort_index", NULL, i);
        json_begin(&trace->json, "args", '{');
        json_number(&trace->json, "sort_index", i);
        json_end(&trace->json);
        json_end(&trace->json);
    }
}

/* ---- events ---------------------------------------------------------------------------------------------------------------- */

static void add_arguments(struct trace *trace, const struct tale_event *event)
{
    struct json_writer *json = &trace->json;
    json_begin(json, "args", '{');
    if (event->place >= 0) {
        const struct tale_place *place = &trace->tale->places.data[event->place];
        json_text(json, "where", place->where);
        if (place->function[0] != '\0')
            json_text(json, "function", place->function);
        if (place->source != NULL)
            json_text(json, "source", place->source);
    }
    if (strcmp(event->object, "-") != 0)
        json_text(json, "object", event->object);
    if (event->value[0] != '\0')
        json_text(json, "value", event->value);
    json_number(json, "operation", event->operation);
    if (event->marks != 0)
        json_marks(json, "marks", event->marks);
    json_end(json);
}

static const char *category(const struct tale_event *event)
{
    if (event->marks & TALE_CAUSE)
        return "cause";
    if (event->marks & TALE_BLOCKED)
        return "blocked";
    enum wire_class class = op_class(event->op);
    return class == CLASS_READ || class == CLASS_WRITE ? "access" : class == CLASS_IO ? "io" : "sync";
}

static bool is_access(const struct tale_event *event)
{
    return op_is_access(event->op);
}

static void add_event(struct trace *trace, size_t index)
{
    const struct tale_event *event = &trace->tale->events.data[index];
    struct buffer text = {0};
    report_event_text(event, &text);
    bool instant = is_access(event);
    begin_event(trace, instant ? "i" : "X", buffer_text(&text), category(event), event->thread);
    json_number(&trace->json, "ts", index);
    if (instant)
        json_text(&trace->json, "s", "t");
    else
        json_number(&trace->json, "dur", 1);
    add_arguments(trace, event);
    json_end(&trace->json);
    buffer_free(&text);
}

/* The thread runs without a switch from event `from` to before `until`. */
static void add_turn(struct trace *trace, size_t from, size_t until)
{
    assert(from < until && until <= trace->tale->events.count);
    const struct tale_event *first = &trace->tale->events.data[from];
    struct buffer name = {0};
    bool waits = first->marks & TALE_BLOCKED;
    if (waits)
        buffer_add_string(&name, "waits to the end");
    else
        report_thread_name(trace->tale, first->thread, &name);
    begin_event(trace, "X", buffer_text(&name), "turn", first->thread);
    json_number(&trace->json, "ts", from);
    json_number(&trace->json, "dur", until - from);
    json_begin(&trace->json, "args", '{');
    if (first->marks & (TALE_SWITCH | TALE_PREEMPTION))
        json_text(&trace->json, "begins by", first->marks & TALE_PREEMPTION ? "preemption" : "switch");
    json_end(&trace->json);
    json_end(&trace->json);
    buffer_free(&name);
    for (size_t i = from; i < until; i++)
        add_event(trace, i);
}

static void add_turns(struct trace *trace)
{
    const struct tale *tale = trace->tale;
    for (size_t from = 0, until; from < tale->events.count; from = until) {
        const struct tale_event *first = &tale->events.data[from];
        for (until = from + 1; until < tale->events.count; until++) {
            const struct tale_event *next = &tale->events.data[until];
            if (next->thread != first->thread || ((next->marks ^ first->marks) & TALE_BLOCKED))
                break;
        }
        add_turn(trace, from, until);
    }
}

/* ---- what connects events -------------------------------------------------------------------------------------------------- */

static void add_bar_end(struct trace *trace, const struct tale_bar *bar, const char *phase, const char *name,
                        uint64_t at)
{
    begin_event(trace, phase, name, "lock", bar->thread);
    json_textf(&trace->json, "id", "0x%" PRIx64, trace->id);
    json_number(&trace->json, "ts", at);
    json_begin(&trace->json, "args", '{');
    struct buffer holder = {0};
    report_thread_name(trace->tale, bar->thread, &holder);
    json_text(&trace->json, "held by", buffer_text(&holder));
    json_truth(&trace->json, "shared", bar->shared);
    buffer_free(&holder);
    json_end(&trace->json);
    json_end(&trace->json);
}

static void add_bars(struct trace *trace)
{
    const struct tale *tale = trace->tale;
    for (size_t i = 0; i < tale->bars.count; i++) {
        const struct tale_bar *bar = &tale->bars.data[i];
        uint64_t end = bar->until != UINT32_MAX ? (uint64_t)bar->until + 1 : tale->events.count;
        char *name = memory_format("%s, T%" PRIu32, bar->object, bar->thread);
        trace->id++;
        add_bar_end(trace, bar, "b", name, bar->from);
        add_bar_end(trace, bar, "e", name, end);
        free(name);
    }
}

static void add_flow(struct trace *trace, const char *phase, uint32_t event)
{
    begin_event(trace, phase, "happens before", "order", trace->tale->events.data[event].thread);
    json_number(&trace->json, "id", trace->id);
    json_fraction(&trace->json, "ts", event + 0.5); /* inside the slice of its event */
    if (phase[0] == 'f')
        json_text(&trace->json, "bp", "e");
    json_end(&trace->json);
}

static void add_flows(struct trace *trace)
{
    for (size_t i = 0; i < trace->tale->arrows.count; i++) {
        trace->id++;
        add_flow(trace, "s", trace->tale->arrows.data[i].from);
        add_flow(trace, "f", trace->tale->arrows.data[i].to);
    }
}

/* At the event that failed, or at the end. */
static void add_failure(struct trace *trace)
{
    const struct tale *tale = trace->tale;
    size_t at = tale->events.count;
    for (size_t i = tale->events.count; i > 0; i--)
        if (tale->events.data[i - 1].marks & TALE_FAILURE) {
            at = i - 1;
            break;
        }
    char *name = memory_format("FAILED: %s", report_headline(trace->failure));
    begin_event(trace, "i", name, "failure", tale->failing_thread);
    json_number(&trace->json, "ts", at);
    json_text(&trace->json, "s", "p");
    json_end(&trace->json);
    free(name);
}

static void add_tale(struct trace *trace, const struct report_program *program)
{
    trace->pid++;
    add_names(trace, program);
    add_turns(trace);
    add_bars(trace);
    add_flows(trace);
    add_failure(trace);
}

void report_trace(const struct report *report, struct buffer *text)
{
    struct trace trace = {.json = {.to = text, .indent = 1, .flat = 3}};
    json_begin(&trace.json, NULL, '{');
    json_text(&trace.json, "displayTimeUnit", "ns");
    json_begin(&trace.json, "otherData", '{');
    json_text(&trace.json, "tool", "raddle " RADDLE_VERSION);
    json_text(&trace.json, "time", "one microsecond per event: the order is real, the times are not");
    json_end(&trace.json);
    json_begin(&trace.json, "traceEvents", '[');
    for (size_t i = 0; i < report->programs.count; i++) {
        const struct report_program *program = &report->programs.data[i];
        for (size_t k = 0; k < program->failures.count; k++) {
            trace.failure = &program->failures.data[k];
            trace.tale = &trace.failure->tale;
            if (trace.failure->has_tale)
                add_tale(&trace, program);
        }
    }
    json_end(&trace.json);
    json_end(&trace.json);
}
