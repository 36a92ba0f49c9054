/* SPDX-License-Identifier: MIT
 *
 * cause_violation.c - see cause_violation.h.
 */
#include "explain/cause_violation.h"

#include <stdlib.h>
#include <string.h>

#include "pattern/pattern.h"
#include "util/memory.h"

struct violation_steps {
    const struct tale_event *events[WIRE_PARTS];
    unsigned count;
    const char *objects[2]; /* of the variables; NULL: there is none */
};

/* SIZE_MAX: it is not in the tale. */
static size_t find_event(const struct tale *tale, const struct wire_access *part)
{
    for (size_t i = 0; i < tale->events.count; i++) {
        const struct tale_event *event = &tale->events.data[i];
        if (event->thread == part->task && event->operation == part->operation && event->op == part->op &&
            !(event->marks & (TALE_PRIVATE | TALE_BLOCKED | TALE_END)))
            return i;
    }
    return SIZE_MAX;
}

static bool take_steps(const struct tale *tale, const struct wire_finding *finding, struct violation_steps *steps,
                       struct tale_cause *cause)
{
    for (uint32_t i = 0; i < finding->part_count && i < WIRE_PARTS; i++) {
        size_t at = find_event(tale, &finding->parts[i]);
        if (at == SIZE_MAX)
            return false;
        steps->events[steps->count++] = &tale->events.data[at];
        vector_push(&cause->events, (uint32_t)tale_event_number(tale, at));
    }
    return steps->count > 1;
}

/* 0 or 1; 2: the pattern has a third one. */
static unsigned variable_of(struct violation_steps *steps, const char *object)
{
    for (unsigned i = 0; i < 2; i++) {
        if (steps->objects[i] == NULL)
            steps->objects[i] = object;
        if (strcmp(steps->objects[i], object) == 0)
            return i;
    }
    return 2;
}

static char letter_of(const struct tale_event *event)
{
    if (op_class(event->op) == CLASS_READ)
        return 'R';
    return event->op == OP_WRITE || event->op == OP_ATOMIC_STORE ? 'W' : 'U';
}

/* The language of patterns has two threads and two variables. */
static char *pattern_of(const struct tale *tale, struct violation_steps *steps)
{
    static const char *const plain[] = {"x", "y"};
    struct buffer text = {0};
    bool fits = steps->count <= PATTERN_STEPS;
    uint32_t second = UINT32_MAX;
    for (unsigned i = 0; i < steps->count && fits; i++) {
        const struct tale_event *event = steps->events[i];
        bool is_second = event->thread != steps->events[0]->thread;
        unsigned variable = variable_of(steps, event->object);
        if (is_second && second == UINT32_MAX)
            second = event->thread;
        fits = variable < 2 && (!is_second || event->thread == second);
        bool named = strlen(event->object) < PATTERN_NAME && strpbrk(event->object, " \t\n()<|-?") == NULL;
        buffer_printf(&text, "%s%c:%c(%s)", i > 0 ? " < " : "", is_second ? 'b' : 'a', letter_of(event),
                      named ? event->object : plain[variable & 1]);
        if (event->place != TALE_NONE && tale->places.data[event->place].line > 0)
            buffer_printf(&text, "@%s", tale->places.data[event->place].where);
    }
    char *pattern = fits ? memory_copy_string(buffer_text(&text)) : NULL;
    buffer_free(&text);
    return pattern;
}

void cause_of_violation(const struct tale *tale, const struct wire_finding *finding, struct tale_cause *cause)
{
    struct violation_steps steps = {0};
    *cause = (struct tale_cause){.failing_with = 1};
    if (take_steps(tale, finding, &steps, cause))
        cause->pattern = pattern_of(tale, &steps);
    if (cause->pattern != NULL && finding->pattern > 0)
        cause->family = memory_format("asset.%u", finding->pattern);
    cause->sentence =
        memory_copy_string("one call after the other, in either order, they could not read and leave the same");
}
