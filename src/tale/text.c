/* SPDX-License-Identifier: MIT
 *
 * text.c - an event as a line of text.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tale/tale.h"
#include "trace/events.h"

/* Between the object and the value. */
static const char *separator(const struct tale_event *event)
{
    if ((event->flags & EVENT_FAILED) && !op_is_access(event->op))
        return ": ";
    return event->op == OP_COND_WAIT ? " with " : " = ";
}

/* Which threads a signal woke.  False: the event is none, or it failed. */
static bool add_woken(const struct tale_event *event, struct buffer *text)
{
    if ((event->op != OP_COND_SIGNAL && event->op != OP_COND_BROADCAST) || (event->flags & EVENT_FAILED))
        return false;
    unsigned long count = strtoul(event->value, NULL, 10);
    if (event->value[0] == '\0' || strcmp(event->value, "0") == 0)
        buffer_add_string(text, " (no waiter)");
    else if (event->op == OP_COND_SIGNAL)
        buffer_printf(text, " wakes %s", event->value);
    else
        buffer_printf(text, " wakes %lu thread%s", count, count == 1 ? "" : "s");
    return true;
}

void tale_add_text(const struct tale_event *event, struct buffer *text)
{
    assert(event->object != NULL && event->value != NULL);
    if ((event->marks & TALE_END) && event->op == OP_NONE) { /* the text of the line */
        buffer_add_string(text, event->object);
        return;
    }
    if ((event->marks & TALE_BLOCKED) && event->op == OP_COND_WAKE) { /* the wait that has begun goes on */
        buffer_printf(text, "waits for %s", event->object);
        return;
    }
    buffer_printf(text, "%-5s", event_op_name(event->op));
    if (event->op == OP_CREATE && !(event->flags & EVENT_FAILED)) {
        buffer_printf(text, " %s", event->value);
        if (strstr(event->object, "+0x") == NULL && strcmp(event->object, "-") != 0) /* the start routine has a name */
            buffer_printf(text, " %s", event->object);
        return;
    }
    if (strcmp(event->object, "-") != 0)
        buffer_printf(text, " %s", event->object);
    if (add_woken(event, text))
        return;
    if (event->value[0] != '\0')
        buffer_printf(text, "%s%s", strcmp(event->object, "-") != 0 ? separator(event) : " ", event->value);
    if (event->op == OP_ATOMIC_CAS && (event->flags & EVENT_FAILED))
        buffer_add_string(text, " (failed)");
    if ((event->flags & EVENT_TIMEOUT) && event->op != OP_SLEEP)
        buffer_add_string(text, " (timed out)");
}
