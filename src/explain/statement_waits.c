/* SPDX-License-Identifier: MIT
 *
 * statement_waits.c - a deadlock in one sentence: the cycle of locks; the signal that woke no thread; who took the semaphore.
 */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "explain/statement_private.h"
#include "trace/events.h"

enum { MOST_SAID = 4 }; /* threads */

/* ---- locks ---------------------------------------------------------------------------------------------------------------- */

static const struct tale_wait *wait_of(const struct tale *tale, int32_t thread)
{
    for (size_t i = 0; i < tale->waits.count; i++)
        if ((int32_t)tale->waits.data[i].thread == thread)
            return &tale->waits.data[i];
    return NULL;
}

/* The length of the cycle of waits through the thread; 0: it is in none. */
static size_t cycle_length(const struct tale *tale, const struct tale_wait *start)
{
    const struct tale_wait *wait = start;
    for (size_t i = 1; i <= tale->waits.count && wait != NULL && wait->holder != TALE_NONE; i++) {
        if (wait->holder == (int32_t)start->thread)
            return i;
        wait = wait_of(tale, wait->holder);
    }
    return 0;
}

static const struct tale_bar *held_bar(const struct tale *tale, uint32_t thread, const char *object)
{
    for (size_t i = tale->bars.count; i-- > 0;) {
        const struct tale_bar *bar = &tale->bars.data[i];
        if (bar->thread == thread && bar->until == UINT32_MAX && (object == NULL || strcmp(bar->object, object) == 0))
            return bar;
    }
    return NULL;
}

/* "T1 holds a, locked at x.c:3, " */
static void say_held(struct statement *statement, const struct tale_bar *bar)
{
    buffer_printf(&statement->text, "holds %s, locked", bar->object);
    statement_add_place(statement, statement->tale->events.data[bar->from].place);
}

static void say_wait(struct statement *statement, const struct tale_wait *wait)
{
    if (wait->op == OP_JOIN && wait->holder != TALE_NONE)
        buffer_printf(&statement->text, "waits for the end of T%" PRId32, wait->holder);
    else if (strcmp(wait->object, "-") == 0)
        buffer_printf(&statement->text, "waits in %s", event_op_name(wait->op));
    else
        buffer_printf(&statement->text, "waits for %s%s", event_object_kind(wait->op), wait->object);
    statement_add_place(statement, wait->place);
}

/* "T1 holds a, locked at x.c:3, and waits for b at :4; T2 holds b, locked at :8, and waits for a at :9" */
static bool say_cycle(struct statement *statement)
{
    const struct tale *tale = statement->tale;
    for (size_t i = 0; i < tale->waits.count; i++) {
        const struct tale_wait *wait = &tale->waits.data[i];
        size_t length = cycle_length(tale, wait);
        if (length == 0)
            continue;
        const struct tale_wait *before = wait; /* waits for what this thread holds */
        for (size_t k = 1; k < length; k++)
            before = wait_of(tale, before->holder);
        for (size_t k = 0; k < length; k++, before = wait, wait = wait_of(tale, wait->holder)) {
            const struct tale_bar *bar = before->op != OP_JOIN ? held_bar(tale, wait->thread, before->object) : NULL;
            buffer_printf(&statement->text, "%sT%" PRIu32 " ", k > 0 ? "; " : "", wait->thread);
            if (bar != NULL) {
                say_held(statement, bar);
                buffer_add_string(&statement->text, ", and ");
            }
            say_wait(statement, wait);
        }
        return true;
    }
    return false;
}

/* ---- conditions ----------------------------------------------------------------------------------------------------------- */

static bool has_arrow_from(const struct tale *tale, uint32_t event)
{
    for (size_t i = 0; i < tale->arrows.count; i++)
        if (tale->arrows.data[i].from == event)
            return true;
    return false;
}

static bool is_signal(const struct tale_event *event)
{
    return event->op == OP_COND_SIGNAL || event->op == OP_COND_BROADCAST;
}

/* The last wait of the thread for the object; SIZE_MAX: none. */
static size_t last_wait(const struct tale *tale, uint32_t thread, const char *object)
{
    for (size_t i = tale->events.count; i-- > 0;) {
        const struct tale_event *event = &tale->events.data[i];
        if (event->thread == thread && event->op == OP_COND_WAIT && strcmp(event->object, object) == 0)
            return i;
    }
    return SIZE_MAX;
}

/* The last signal of the object before or after an event; SIZE_MAX: none. */
static size_t last_signal(const struct tale *tale, const char *object, size_t from, size_t until)
{
    for (size_t i = until; i-- > from;)
        if (is_signal(&tale->events.data[i]) && strcmp(tale->events.data[i].object, object) == 0)
            return i;
    return SIZE_MAX;
}

static void say_signal(struct statement *statement, const struct tale_event *signal)
{
    buffer_printf(&statement->text, "T%" PRIu32 "'s %s of %s", signal->thread, event_op_name(signal->op),
                  signal->object);
    statement_add_place(statement, signal->place);
}

/* What became of the signals that the thread waits for. */
static bool say_condition(struct statement *statement, const struct tale_wait *wait)
{
    const struct tale *tale = statement->tale;
    size_t began = last_wait(tale, wait->thread, wait->object);
    if (began == SIZE_MAX || tale->dropped > 0)
        return false;
    size_t after = last_signal(tale, wait->object, began + 1, tale->events.count);
    size_t before = last_signal(tale, wait->object, 0, began);
    if (after != SIZE_MAX) { /* it woke another thread */
        const struct tale_event *signal = &tale->events.data[after];
        say_signal(statement, signal);
        buffer_printf(&statement->text, " woke %s, not T%" PRIu32 ", which waits for it",
                      signal->value[0] == 'T' ? signal->value : "another thread", wait->thread);
        statement_add_place(statement, wait->place);
        buffer_add_string(&statement->text, "; there is no signal after it");
        return true;
    }
    if (before != SIZE_MAX && !has_arrow_from(tale, (uint32_t)before)) {
        say_signal(statement, &tale->events.data[before]);
        buffer_printf(&statement->text, " woke no thread: T%" PRIu32 " began to wait", wait->thread);
        statement_add_place(statement, tale->events.data[began].place);
        buffer_add_string(&statement->text, " after it");
        return true;
    }
    buffer_printf(&statement->text, "T%" PRIu32 " waits for %s", wait->thread, wait->object);
    statement_add_place(statement, wait->place);
    buffer_printf(&statement->text, ", and no thread signals it after that");
    return true;
}

/* ---- semaphores and others ------------------------------------------------------------------------------------------------ */

/* The last event by which the thread took a semaphore and did not post it after; SIZE_MAX: none. */
static size_t taken_semaphore(const struct tale *tale, uint32_t thread, const char *object)
{
    for (size_t i = tale->events.count; i-- > 0;) {
        const struct tale_event *event = &tale->events.data[i];
        if (event->thread != thread || strcmp(event->object, object) != 0 || (event->marks & TALE_BLOCKED) ||
            (event->flags & EVENT_FAILED))
            continue;
        if (event->op == OP_SEM_POST)
            return SIZE_MAX;
        if (event->op == OP_SEM_WAIT || event->op == OP_SEM_TRYWAIT)
            return i;
    }
    return SIZE_MAX;
}

/* What the thread has, of what other threads wait for. */
static void say_had(struct statement *statement, const struct tale_wait *mine)
{
    const struct tale *tale = statement->tale;
    for (size_t i = 0; i < tale->waits.count; i++) {
        const struct tale_wait *wait = &tale->waits.data[i];
        if (wait->thread == mine->thread || strcmp(wait->object, mine->object) == 0)
            continue;
        size_t taken = wait->op == OP_SEM_WAIT ? taken_semaphore(tale, mine->thread, wait->object) : SIZE_MAX;
        const struct tale_bar *bar = taken == SIZE_MAX ? held_bar(tale, mine->thread, wait->object) : NULL;
        if (taken != SIZE_MAX) {
            buffer_printf(&statement->text, "has taken %s", wait->object);
            statement_add_place(statement, tale->events.data[taken].place);
        } else if (bar != NULL) {
            say_held(statement, bar);
        } else {
            continue;
        }
        buffer_add_string(&statement->text, ", and ");
        return;
    }
}

static bool say_others(struct statement *statement)
{
    const struct tale *tale = statement->tale;
    size_t said = 0;
    for (size_t i = 0; i < tale->waits.count && said < MOST_SAID; i++) {
        const struct tale_wait *wait = &tale->waits.data[i];
        if (wait->op == OP_JOIN && tale->waits.count > 1)
            continue;
        buffer_printf(&statement->text, "%sT%" PRIu32 " ", said > 0 ? "; " : "", wait->thread);
        say_had(statement, wait);
        say_wait(statement, wait);
        said++;
    }
    return said > 0;
}

bool statement_say_waits(struct statement *statement)
{
    const struct tale *tale = statement->tale;
    if (say_cycle(statement))
        return true;
    for (size_t i = 0; i < tale->waits.count; i++)
        if (tale->waits.data[i].op == OP_COND_WAKE || tale->waits.data[i].op == OP_COND_WAIT)
            return say_condition(statement, &tale->waits.data[i]) || say_others(statement);
    return say_others(statement);
}
