/* SPDX-License-Identifier: MIT
 *
 * sarif_flow.c - the interleaving as a code flow of SARIF: a threadFlow per thread, whose steps are numbered in the order in which
 * they happened (executionOrder), and the call stacks at the end.
 *
 * Only the steps that matter are written, and of those the last SARIF_STEPS: viewers and services accept no more.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/sarif_private.h"
#include "report/text.h"
#include "trace/events.h"

enum { SARIF_STEPS = 2000, LOUD = TALE_CAUSE | TALE_FAILURE | TALE_RACE | TALE_FREED | TALE_LOST | TALE_BLOCKED };

struct code_flow {
    const struct tale *tale;
    uint32_t mask; /* steps with one of these marks are written; 0: all */
    size_t first;  /* events before this one are not written */
    size_t told;
    uint32_t *levels; /* number of locks that its thread holds, per event */
};

static bool is_told(const struct code_flow *flow, size_t event)
{
    return event >= flow->first && (flow->mask == 0 || (flow->tale->events.data[event].marks & flow->mask) != 0);
}

/* The slice if the tale has one, else all events. */
static void choose_steps(struct code_flow *flow)
{
    const struct tale *tale = flow->tale;
    for (size_t i = 0; i < tale->events.count && flow->mask == 0; i++)
        if (tale->events.data[i].marks & TALE_MATTERS)
            flow->mask = TALE_MATTERS | LOUD;
    size_t first = 0;
    for (size_t i = tale->events.count; i > 0 && flow->told < SARIF_STEPS; i--)
        if (is_told(flow, i - 1)) {
            flow->told++;
            first = i - 1;
        }
    flow->first = first;
}

/* How many locks its thread holds at each event: the acquire and the release themselves do not count. */
static void measure_levels(struct code_flow *flow)
{
    const struct tale *tale = flow->tale;
    size_t count = tale->events.count;
    uint32_t *taken = memory_allocate(count + 1, sizeof *taken), *given = memory_allocate(count + 1, sizeof *given);
    uint32_t *held = memory_allocate(tale->threads.count + 1, sizeof *held);
    flow->levels = memory_allocate(count + 1, sizeof *flow->levels);
    for (size_t i = 0; i < tale->bars.count; i++) {
        taken[tale->bars.data[i].from]++;
        if (tale->bars.data[i].until < count)
            given[tale->bars.data[i].until]++;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t *mine = &held[tale->events.data[i].thread];
        *mine -= given[i] < *mine ? given[i] : *mine;
        flow->levels[i] = *mine;
        *mine += taken[i];
    }
    free(taken);
    free(given);
    free(held);
}

/* ---- steps ---------------------------------------------------------------------------------------------------------------- */

static const char *noun_of(uint32_t op)
{
    bool lock = op_takes_lock(op) || op_effect(op) == EFFECT_UNLOCK || op == OP_COND_WAKE;
    return lock ? "lock" : "resource";
}

/* A verb and a noun from the list of the standard (3.38.8), or the name of the operation. */
static void write_kinds(struct json_writer *json, const struct tale_event *event)
{
    static const struct {
        uint32_t op;
        const char *verb, *noun;
    } special[] = {
        {OP_ALLOC, "acquire", "memory"}, {OP_FREE, "release", "memory"}, {OP_CREATE, "call", "function"},
        {OP_START, "enter", "function"}, {OP_END, "exit", "function"},   {OP_HANDLER, "enter", "handler"},
    };
    enum wire_class class = op_class(event->op);
    const char *verb = NULL, *noun = NULL;
    bool done = !(event->flags & EVENT_FAILED) && !(event->marks & TALE_BLOCKED);
    for (size_t i = 0; i < sizeof special / sizeof special[0] && noun == NULL; i++)
        if (special[i].op == event->op) {
            verb = special[i].verb;
            noun = special[i].noun;
        }
    if (noun == NULL && (class == CLASS_ACQUIRE || class == CLASS_RELEASE)) {
        verb = class == CLASS_ACQUIRE ? "acquire" : "release";
        noun = noun_of(event->op);
    } else if (noun == NULL && (class == CLASS_READ || class == CLASS_WRITE)) {
        verb = class == CLASS_WRITE ? "acquire" : NULL; /* the standard: an assignment */
        noun = "value";
    } else if (noun == NULL) {
        noun = event_op_name(event->op);
    }
    json_begin(json, "kinds", '[');
    if (verb != NULL && done)
        json_text(json, NULL, verb);
    json_text(json, NULL, noun);
    if (event->marks & TALE_FAILURE)
        json_text(json, NULL, "danger");
    else if (event->marks & LOUD)
        json_text(json, NULL, "caution");
    json_end(json);
}

/* The text of the step, with its marks in words. */
static char *describe(const struct tale_event *event)
{
    struct buffer text = {0};
    if (event->marks & TALE_BLOCKED)
        buffer_add_string(&text, "waits for ever: ");
    report_event_text(event, &text);
    if (event->marks & TALE_LOST)
        buffer_add_string(&text, " (lost update)");
    if (event->marks & TALE_FREED)
        buffer_add_string(&text, " (freed what is used later)");
    if (event->marks & TALE_PREEMPTION)
        buffer_add_string(&text, " (after a preemption)");
    return buffer_take(&text);
}

static void write_step(struct sarif *sarif, const struct report_failure *failure, const struct code_flow *flow,
                       size_t index)
{
    struct json_writer *json = &sarif->json;
    const struct tale_event *event = &flow->tale->events.data[index];
    char *message = describe(event);
    json_begin(json, NULL, '{');
    sarif_place(sarif, "location", failure, event->place, message, -1);
    write_kinds(json, event);
    if (strcmp(event->object, "-") != 0 && event->value[0] != '\0') {
        json_begin(json, "state", '{');
        sarif_message(json, event->object, event->value);
        json_end(json);
    }
    json_number(json, "nestingLevel", flow->levels[index]);
    json_number(json, "executionOrder", tale_event_number(flow->tale, index) + 1);
    json_text(json, "importance", event->marks & LOUD ? "essential" : "important");
    json_end(json);
    free(message);
}

static void write_thread(struct sarif *sarif, const struct report_failure *failure, const struct code_flow *flow,
                         uint32_t thread)
{
    struct json_writer *json = &sarif->json;
    bool begun = false;
    for (size_t i = flow->first; i < flow->tale->events.count; i++) {
        if (flow->tale->events.data[i].thread != thread || !is_told(flow, i))
            continue;
        if (!begun) {
            struct buffer name = {0};
            report_thread_name(flow->tale, thread, &name);
            json_begin(json, NULL, '{');
            json_textf(json, "id", "T%" PRIu32, thread);
            sarif_message(json, "message", buffer_text(&name));
            json_begin(json, "locations", '[');
            buffer_free(&name);
            begun = true;
        }
        write_step(sarif, failure, flow, i);
    }
    if (begun) {
        json_end(json);
        json_end(json);
    }
}

void sarif_write_flow(struct sarif *sarif, const struct report_failure *failure)
{
    struct code_flow flow = {.tale = &failure->tale};
    struct json_writer *json = &sarif->json;
    choose_steps(&flow);
    if (flow.told == 0)
        return;
    measure_levels(&flow);
    json_begin(json, "codeFlows", '[');
    json_begin(json, NULL, '{');
    char *message = memory_format("The interleaving: %zu step%s of %zu%s", flow.told, report_plural(flow.told),
                                  (size_t)(flow.tale->events.count + flow.tale->dropped),
                                  flow.told == SARIF_STEPS ? ", the last ones" : "");
    sarif_message(json, "message", message);
    free(message);
    json_begin(json, "threadFlows", '[');
    for (uint32_t i = 0; i < flow.tale->threads.count; i++)
        write_thread(sarif, failure, &flow, i);
    json_end(json);
    json_end(json);
    json_end(json);
    free(flow.levels);
}

void sarif_write_stacks(struct sarif *sarif, const struct report_failure *failure)
{
    const struct tale *tale = &failure->tale;
    struct json_writer *json = &sarif->json;
    if (tale->stacks.count == 0)
        return;
    json_begin(json, "stacks", '[');
    for (size_t i = 0; i < tale->stacks.count; i++) {
        const struct tale_stack *stack = &tale->stacks.data[i];
        struct buffer name = {0};
        report_thread_name(tale, stack->thread, &name);
        json_begin(json, NULL, '{');
        sarif_message(json, "message", buffer_text(&name));
        json_begin(json, "frames", '[');
        for (size_t k = 0; k < stack->places.count; k++) {
            json_begin(json, NULL, '{');
            sarif_place(sarif, "location", failure, stack->places.data[k], NULL, -1);
            json_number(json, "threadId", stack->thread);
            json_end(json);
        }
        json_end(json);
        json_end(json);
        buffer_free(&name);
    }
    json_end(json);
}
