/* SPDX-License-Identifier: MIT
 *
 * text.c - an event as a line of text.
 */
#include <assert.h>
#include <string.h>

#include "tale/tale.h"
#include "trace/events.h"

/* Between the object and the value. */
static const char *separator(const struct tale_event *event)
{
    if ((event->flags & EVENT_FAILED) && !op_is_access(event->op))
        return ": ";
    if (event->op == OP_COND_SIGNAL)
        return " wakes ";
    return event->op == OP_COND_WAIT ? " with " : " = ";
}

void tale_add_text(const struct tale_event *event, struct buffer *text)
{
    assert(event->object != NULL && event->value != NULL);
    buffer_printf(text, "%-5s", event_op_name(event->op));
    if (event->op == OP_CREATE && !(event->flags & EVENT_FAILED)) {
        buffer_printf(text, " %s", event->value);
        if (strstr(event->object, "+0x") == NULL && strcmp(event->object, "-") != 0) /* the start routine has a name */
            buffer_printf(text, " %s", event->object);
        return;
    }
    if (strcmp(event->object, "-") != 0)
        buffer_printf(text, " %s", event->object);
    if (event->value[0] != '\0')
        buffer_printf(text, "%s%s", strcmp(event->object, "-") != 0 ? separator(event) : " ", event->value);
    if (event->op == OP_ATOMIC_CAS && (event->flags & EVENT_FAILED))
        buffer_add_string(text, " (failed)");
    if ((event->flags & EVENT_TIMEOUT) && event->op != OP_SLEEP)
        buffer_add_string(text, " (timed out)");
}
