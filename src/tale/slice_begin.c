/* SPDX-License-Identifier: MIT
 *
 * slice_begin.c - the first events of the backward walk: marked events, reads of the failing line, what threads wait
 * for, and the variables of the cause.
 */
#include <stdlib.h>
#include <string.h>

#include "tale/slice.h"
#include "trace/events.h"

/* Variables of the cause's pattern (the words in parentheses) count as shared, even if the other thread did not access
   them in this run. */
static void share_pattern(struct slice *slice, const char *pattern)
{
    while (pattern != NULL && (pattern = strchr(pattern, '(')) != NULL) {
        size_t length = strcspn(++pattern, ")");
        char *name = memory_format("%.*s", (int)length, pattern);
        *table_put(&slice->uses, (uint64_t)(uintptr_t)tale_pool_text(slice->tale->pool, name)) |=
            USE_SHARED | USE_WRITTEN | USE_CAUSE;
        free(name);
    }
}

static bool is_kind(const struct slice *slice, const char *kind)
{
    return strcmp(slice->tale->kind, kind) == 0;
}

/* The last access of the thread before its end, if other threads use the variable. */
static void want_last_access(struct slice *slice, size_t end)
{
    uint32_t last = slice->previous[end];
    if (last != UINT32_MAX && slice_is_access(&slice->tale->events.data[last]) &&
        slice_is_shared(slice, &slice->tale->events.data[last]))
        slice_want(slice, last);
}

/* What the failing thread read on the line that failed; if nothing, its last reads. */
static void begin_with_failure(struct slice *slice)
{
    const struct tale *tale = slice->tale;
    for (size_t i = tale->events.count; i-- > 0;) {
        const struct tale_event *event = &tale->events.data[i];
        if (!(event->marks & TALE_FAILURE))
            continue;
        int count = 0;
        if (event->marks & TALE_END)
            want_last_access(slice, i);
        bool here = slice_same_line(tale, event->place, tale->place);
        slice->failure = i;
        if ((event->marks & TALE_ITSELF) ||
            (slice_is_access(event) && (slice_is_shared(slice, event) || (here && slice_is_global(event))))) {
            slice_want(slice, i);
            count = here && slice_is_read(event);
        }
        count += slice_want_reads_of_line(slice, i, tale->place);
        if (count == 0)
            slice_want_last_reads(slice, i, 3);
        return;
    }
}

/* The last few operations of other threads on the object that a thread waits for: signals that came too early, posts,
   readers. */
static void begin_with_object(struct slice *slice, const struct tale_wait *wait)
{
    const struct tale *tale = slice->tale;
    int count = 0;
    for (size_t i = tale->events.count; i-- > 0 && count < 4;) {
        struct tale_event *event = &tale->events.data[i];
        if ((event->marks & TALE_BLOCKED) || event->object != wait->object || slice_is_access(event))
            continue;
        bool init = op_class(event->op) == CLASS_SYNC && strstr(event_op_name(event->op), "-init") != NULL;
        if (!init) {
            slice_want(slice, i);
            count++;
        }
    }
}

static void begin_with_wait(struct slice *slice, const struct tale_wait *wait)
{
    const struct tale *tale = slice->tale;
    if (wait->op == OP_JOIN)
        return;
    for (size_t i = 0; i < tale->bars.count; i++)
        if (tale->bars.data[i].until == UINT32_MAX &&
            (tale->bars.data[i].thread == wait->thread || tale->bars.data[i].object == wait->object))
            slice_want(slice, tale->bars.data[i].from);
    if (op_takes_lock(wait->op))
        return;
    begin_with_object(slice, wait);
    for (size_t i = tale->events.count; i-- > 0;)
        if (tale->events.data[i].thread == wait->thread && !(tale->events.data[i].marks & TALE_BLOCKED)) {
            slice_want_last_reads(slice, i, 2); /* the condition that it tested before the wait */
            return;
        }
}

/* Writes to the tested variables after the thread had tested them: the missed wake-up. */
static void begin_with_missed(struct slice *slice, size_t read)
{
    const struct tale *tale = slice->tale;
    const struct tale_event *event = &tale->events.data[read];
    for (size_t i = tale->events.count; i-- > read + 1;)
        if (slice_is_write(&tale->events.data[i]) && slice_same_object(&tale->events.data[i], event) &&
            tale->events.data[i].thread != event->thread) {
            slice_want(slice, i);
            return;
        }
}

static void begin_with_waits(struct slice *slice)
{
    const struct tale *tale = slice->tale;
    for (size_t i = 0; i < tale->waits.count && i < 8; i++)
        begin_with_wait(slice, &tale->waits.data[i]);
    size_t count = slice->pending.count;
    for (size_t i = 0; i < count; i++)
        if (slice_is_read(&tale->events.data[slice->pending.data[i]]))
            begin_with_missed(slice, slice->pending.data[i]);
}

/* A thread that only joins another one is not part of a deadlock. */
static bool is_idle_wait(const struct tale_event *event)
{
    return (event->marks & TALE_BLOCKED) && event->op == OP_JOIN;
}

static bool only_joins(const struct tale *tale)
{
    for (size_t i = 0; i < tale->waits.count; i++)
        if (tale->waits.data[i].op != OP_JOIN)
            return false;
    return true;
}

/* The last few accesses to the variables of the cause. */
static void begin_with_cause(struct slice *slice)
{
    const struct tale *tale = slice->tale;
    int count = 0;
    share_pattern(slice, tale->cause.pattern);
    share_pattern(slice, tale->cause.second);
    for (size_t i = tale->events.count; i-- > slice->first && count < 4 && tale->cause.events.count == 0;) {
        const uint64_t *use = table_get(&slice->uses, (uint64_t)(uintptr_t)tale->events.data[i].object);
        if (use == NULL || !(*use & USE_CAUSE) || !slice_is_access(&tale->events.data[i]))
            continue;
        slice_want(slice, i);
        count++;
    }
}

void slice_begin(struct slice *slice)
{
    const uint32_t given = TALE_CAUSE | TALE_RACE | TALE_FREED | TALE_BLOCKED | TALE_END;
    const struct tale *tale = slice->tale;
    for (size_t i = tale->events.count; i-- > 0;)
        if ((tale->events.data[i].marks & given) && (!is_idle_wait(&tale->events.data[i]) || only_joins(tale))) {
            if (tale->events.data[i].marks & TALE_BLOCKED)
                slice_show(slice, i);
            else
                slice_want(slice, i);
        }
    begin_with_cause(slice);
    if (is_kind(slice, "deadlock"))
        begin_with_waits(slice);
    else
        begin_with_failure(slice);
}
