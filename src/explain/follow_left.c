/* SPDX-License-Identifier: MIT
 *
 * follow_left.c - how far an old schedule could be followed, and why not further.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "explain/follow_private.h"
#include "util/buffer.h"

/* The first old step that was not followed.  UINT32_MAX: all were followed. */
static uint32_t first_left(const struct follow_plan *plan, const struct wire_result *result)
{
    uint32_t left = plan->dropped;
    if (result->left == LEFT_NOT || result->diverged_step >= plan->origin.count)
        return left;
    uint32_t step = plan->origin.data[result->diverged_step];
    return step < left ? step : left;
}

/* Switches among the first `count` steps: all that run but the first. */
static uint32_t count_switches(const struct schedule *schedule, size_t count)
{
    assert(count <= schedule->steps.count);
    uint32_t runs = 0;
    for (size_t i = 0; i < count && i < schedule->steps.count; i++)
        runs += schedule->steps.data[i].type == STEP_RUN;
    return runs > 0 ? runs - 1 : 0;
}

uint32_t follow_reached(const struct follow *follow, const struct follow_plan *plan, const struct wire_result *result)
{
    uint32_t left = first_left(plan, result);
    const struct schedule *schedule = &follow->failure->schedule;
    return count_switches(schedule, left == UINT32_MAX ? schedule->steps.count : left);
}

/* ---- why -------------------------------------------------------------------------------------------------------------- */

static void add_place(struct buffer *text, const char *site)
{
    if (strcmp(site, "?") != 0 && strcmp(site, "-") != 0)
        buffer_printf(text, " %.*s", (int)follow_place_length(site), site);
}

/* The first new event of the task at or after the operation. */
static const struct event_line *event_from(const struct follow *follow, uint32_t task, uint64_t operation)
{
    if (task >= follow->now.thread_count)
        return NULL;
    const struct follow_thread *thread = &follow->now.threads[task];
    for (size_t i = 0; i < thread->lines.count; i++) {
        const struct event_line *line = &follow->now.log.lines[thread->lines.data[i]];
        if (line->operation >= operation)
            return line;
    }
    return NULL;
}

/* Whether the old run used the object. */
static bool was_there_before(const struct follow *follow, const struct event_line *event)
{
    uint64_t object = follow->now.items[event - follow->now.log.lines].object;
    for (uint32_t i = 0; i < follow->old.log.count; i++)
        if (follow->old.items[i].object == object)
            return true;
    return false;
}

static void add_waiting(const struct follow *follow, const struct event_line *event, struct buffer *text)
{
    if (event == NULL) {
        buffer_add_string(text, ": the thread has to wait for another one there");
        return;
    }
    add_place(text, event->site);
    if (event->op == OP_JOIN)
        buffer_printf(text, ": the thread waits for the end of %s", event->object);
    else if (op_class(event->op) == CLASS_ACQUIRE && event->op != OP_SEM_WAIT && event->op != OP_COND_WAKE)
        buffer_printf(text, ": the thread waits for lock %s", event->object);
    else
        buffer_printf(text, ": the thread waits (%s %s)", event_op_name(event->op), event->object);
    if (follow->has_old && !was_there_before(follow, event))
        buffer_add_string(text, ", which did not exist before");
}

/* The event of the old thread before which it should stop. */
static const struct event_line *old_stop(const struct follow *follow, const struct wire_step *step)
{
    if (!follow->has_old || step->task >= follow->old.thread_count)
        return NULL;
    const struct follow_thread *thread = &follow->old.threads[step->task];
    for (size_t i = 0; i < thread->lines.count; i++)
        if (follow->old.log.lines[thread->lines.data[i]].operation >= step->until)
            return &follow->old.log.lines[thread->lines.data[i]];
    return NULL;
}

static void add_reason(const struct follow *follow, const struct wire_step *step, const struct wire_result *result,
                       struct buffer *text)
{
    const struct event_line *event = event_from(follow, result->diverged_task, result->diverged_operation);
    const struct event_line *then = old_stop(follow, step);
    switch (result->left) {
    case LEFT_WAITS:
    case LEFT_STOPS:
        add_waiting(follow, event, text);
        return;
    case LEFT_MISSING:
        buffer_add_string(text, ": the thread does not exist yet");
        return;
    case LEFT_ENDED:
        buffer_add_string(text, ": the thread has ended already");
        return;
    case LEFT_ENDS_EARLY:
        buffer_add_string(text, ": the thread ended before it came");
        if (then != NULL)
            buffer_printf(text, " to what was %s %s at %.*s", event_op_name(then->op), then->object,
                          (int)follow_place_length(then->site), then->site);
        else
            buffer_add_string(text, " there");
        return;
    default:
        if (event != NULL)
            add_place(text, event->site);
        buffer_add_string(text, ": the thread is past it already");
    }
}

char *follow_left(const struct follow *follow, const struct follow_plan *plan, const struct wire_result *result)
{
    uint32_t left = first_left(plan, result);
    if (left == UINT32_MAX)
        return NULL;
    const struct wire_step *step = &follow->failure->schedule.steps.data[left];
    struct buffer text = {0};
    if (left == plan->dropped) {
        buffer_printf(&text, "T%u: the thread does not exist any more", step->task);
    } else {
        buffer_printf(&text, "T%u", result->diverged_task);
        add_reason(follow, step, result, &text);
    }
    return buffer_take(&text);
}
