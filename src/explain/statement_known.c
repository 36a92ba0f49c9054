/* SPDX-License-Identifier: MIT
 *
 * statement_known.c - what is known of a failing run where no pattern and no decisive step say it: an access that was interrupted half-way, an
 * update that was lost, a wait that ended early, a handler that wrote something.  These happened; whether they are the cause is not said.
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "explain/statement_private.h"
#include "trace/events.h"

static bool is_change(const struct tale_event *event)
{
    return op_is_access(event->op) && op_class(event->op) == CLASS_WRITE && !(event->flags & EVENT_FAILED);
}

static const char *noun_of(const struct tale_event *event)
{
    return is_change(event) ? "write" : "read";
}

/* One is the other, or a part of it. */
static bool is_about(const struct tale_event *a, const struct tale_event *b)
{
    size_t length = strlen(a->object), other = strlen(b->object);
    return strncmp(a->object, b->object, length < other ? length : other) == 0;
}

/* "T0 reads state at x.c:40 again and again, and it is 2: T1 wrote it last at :31" */
bool statement_say_hang(struct statement *statement)
{
    const struct tale *tale = statement->tale;
    const struct tale_event *read = NULL;
    for (size_t i = tale->events.count; i-- > 0;) {
        const struct tale_event *event = &tale->events.data[i];
        if (!op_is_access(event->op) || (event->marks & TALE_BLOCKED))
            continue;
        if (read == NULL && event->thread == tale->failing_thread && !is_change(event) && event->value[0] != '\0')
            read = event;
        if (read == NULL || !is_change(event) || strcmp(event->object, read->object) != 0)
            continue;
        if (event->thread == read->thread)
            return false;
        buffer_printf(&statement->text, "T%" PRIu32 " reads %s", read->thread, read->object);
        statement_add_place(statement, read->place);
        buffer_printf(&statement->text, " again and again, and it is %s: T%" PRIu32 " ", read->value, event->thread);
        statement_add_event(statement, event, read->object);
        buffer_add_string(&statement->text, ", and no thread writes it after that");
        return true;
    }
    return false;
}

/* "T2 read total at torn.c:14 in the middle of T1's write at :7" */
bool statement_say_torn(struct statement *statement)
{
    const struct tale *tale = statement->tale;
    for (size_t i = tale->events.count; i-- > 0;) {
        const struct tale_event *part = &tale->events.data[i];
        if (!(part->flags & EVENT_PART))
            continue;
        for (size_t k = i + 1; k < tale->events.count && tale->events.data[k].thread != part->thread; k++) {
            const struct tale_event *other = &tale->events.data[k];
            if (!op_is_access(other->op) || !is_about(part, other) || is_change(part) == is_change(other))
                continue;
            buffer_printf(&statement->text, "T%" PRIu32 " ", other->thread);
            statement_add_event(statement, other, NULL);
            buffer_printf(&statement->text, " in the middle of T%" PRIu32 "'s %s", part->thread, noun_of(part));
            statement_add_place(statement, part->place);
            return true;
        }
    }
    return false;
}

/* The last access of the object before `before`, by the thread or by others. */
static const struct tale_event *last_access(const struct tale *tale, size_t before, const struct tale_event *event,
                                            bool own)
{
    for (size_t i = before; i-- > 0;) {
        const struct tale_event *earlier = &tale->events.data[i];
        if (op_is_access(earlier->op) && strcmp(earlier->object, event->object) == 0 &&
            (earlier->thread == event->thread) == own && (own || is_change(earlier)))
            return earlier;
    }
    return NULL;
}

/* "T2 wrote hits at x.c:7 between T1's read at :7 and its write at :7" */
bool statement_say_lost(struct statement *statement)
{
    const struct tale *tale = statement->tale;
    for (size_t i = tale->events.count; i-- > 0;) {
        const struct tale_event *event = &tale->events.data[i];
        if (!(event->marks & TALE_LOST))
            continue;
        const struct tale_event *read = last_access(tale, i, event, true), *write = last_access(tale, i, event, false);
        if (read == NULL || write == NULL || is_change(read))
            continue;
        buffer_printf(&statement->text, "T%" PRIu32 " ", write->thread);
        statement_add_event(statement, write, NULL);
        buffer_printf(&statement->text, " between T%" PRIu32 "'s read", event->thread);
        statement_add_place(statement, read->place);
        buffer_add_string(&statement->text, " and its write");
        statement_add_place(statement, event->place);
        return true;
    }
    return false;
}

/* "A 5 s sleep of T0 at x.c:9 ended before T1 locked m at x.c:4" */
bool statement_say_early(struct statement *statement)
{
    const struct tale *tale = statement->tale;
    for (size_t i = 0; i < tale->notes.count; i++) {
        const char *note = tale->notes.data[i], *text = note + strlen(TALE_EARLY);
        if (strncmp(note, TALE_EARLY, strlen(TALE_EARLY)) != 0)
            continue;
        buffer_printf(&statement->text, "%c%s", toupper((unsigned char)text[0]), text[0] != '\0' ? text + 1 : "");
        return true;
    }
    return false;
}

/* "T1's handler h, for a signal of T0 at x.c:8, wrote flag at :6" */
bool statement_say_handler(struct statement *statement)
{
    const struct tale *tale = statement->tale;
    size_t handler = tale->events.count, change;
    while (handler-- > 0 && tale->events.data[handler].op != OP_HANDLER)
        continue;
    if (handler == SIZE_MAX)
        return false;
    const struct tale_event *began = &tale->events.data[handler];
    for (change = handler + 1; change < tale->events.count; change++)
        if (tale->events.data[change].thread == began->thread && is_change(&tale->events.data[change]))
            break;
    if (change == tale->events.count)
        return false;
    buffer_printf(&statement->text, "T%" PRIu32 "'s handler %s", began->thread, began->object);
    for (size_t i = 0; i < tale->arrows.count; i++) {
        const struct tale_event *sent = &tale->events.data[tale->arrows.data[i].from];
        if (tale->arrows.data[i].to != handler)
            continue;
        buffer_printf(&statement->text, ", for a signal of T%" PRIu32, sent->thread);
        statement_add_place(statement, sent->place);
        buffer_add_char(&statement->text, ',');
        break;
    }
    buffer_add_char(&statement->text, ' ');
    statement_add_event(statement, &tale->events.data[change], NULL);
    return true;
}
