/* SPDX-License-Identifier: MIT
 *
 * follow_translate.c - matches threads and operations of the old and the new run, and translates the schedule.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain/follow_private.h"

/* ---- matching --------------------------------------------------------------------------------------------------------- */

static void match_thread(struct follow *follow, uint32_t old, uint32_t now)
{
    assert(old < follow->old.thread_count && now < follow->now.thread_count);
    const struct follow_thread *a = &follow->old.threads[old], *b = &follow->now.threads[now];
    struct align_item *left = memory_allocate(a->lines.count + 1, sizeof *left);
    struct align_item *right = memory_allocate(b->lines.count + 1, sizeof *right);
    int32_t *match = memory_allocate(a->lines.count + 1, sizeof *match);
    for (size_t i = 0; i < a->lines.count; i++)
        left[i] = follow->old.items[a->lines.data[i]];
    for (size_t i = 0; i < b->lines.count; i++)
        right[i] = follow->now.items[b->lines.data[i]];
    align_sequences(left, a->lines.count, right, b->lines.count, 0, match);
    for (size_t i = 0; i < a->lines.count; i++)
        if (match[i] != ALIGN_NONE)
            follow->partner[a->lines.data[i]] = (int32_t)b->lines.data[match[i]];
    free(left);
    free(right);
    free(match);
}

static bool is_taken(const struct follow *follow, uint32_t now)
{
    assert(now < follow->now.thread_count);
    for (uint32_t i = 0; i < follow->old.thread_count; i++)
        if (follow->threads[i] == (int32_t)now)
            return true;
    return false;
}

/* Matches threads whose creations were matched, starting with main. */
static void match_family(struct follow *follow, uint32_t old, uint32_t now)
{
    if (follow->threads[old] != ALIGN_NONE || is_taken(follow, now))
        return;
    follow->threads[old] = (int32_t)now;
    match_thread(follow, old, now);
    const struct follow_thread *thread = &follow->old.threads[old];
    for (size_t i = 0; i < thread->lines.count; i++) {
        uint32_t line = thread->lines.data[i];
        uint32_t child = follow_child(&follow->old.log.lines[line]);
        if (child == WIRE_TASKS || follow->partner[line] == ALIGN_NONE)
            continue;
        uint32_t partner = follow_child(&follow->now.log.lines[follow->partner[line]]);
        if (partner != WIRE_TASKS)
            match_family(follow, child, partner);
    }
}

/* Matches threads that are now created elsewhere: by their start routine, in order. */
static void match_orphans(struct follow *follow)
{
    for (uint32_t i = 0; i < follow->old.log.count; i++) {
        uint32_t child = follow_child(&follow->old.log.lines[i]);
        if (child == WIRE_TASKS || follow->threads[child] != ALIGN_NONE)
            continue;
        for (uint32_t j = 0; j < follow->now.log.count; j++) {
            uint32_t candidate = follow_child(&follow->now.log.lines[j]);
            if (candidate != WIRE_TASKS && !is_taken(follow, candidate) &&
                strcmp(follow->old.log.lines[i].object, follow->now.log.lines[j].object) == 0) {
                match_family(follow, child, candidate);
                break;
            }
        }
    }
}

void follow_match(struct follow *follow)
{
    free(follow->partner);
    follow->partner = memory_allocate((size_t)follow->old.log.count + 1, sizeof *follow->partner);
    for (uint32_t i = 0; i < follow->old.log.count; i++)
        follow->partner[i] = ALIGN_NONE;
    for (uint32_t i = 0; i < WIRE_TASKS; i++)
        follow->threads[i] = ALIGN_NONE;
    if (follow->old.thread_count == 0 || follow->now.thread_count == 0)
        return;
    match_family(follow, 0, 0);
    match_orphans(follow);
}

/* ---- translating ------------------------------------------------------------------------------------------------------ */

/* Index of the thread's first event that is not before the operation. */
static size_t find_operation(const struct follow_log *log, const struct follow_thread *thread, uint64_t operation)
{
    assert(thread->lines.count == 0 || thread->lines.data[thread->lines.count - 1] < log->log.count);
    size_t low = 0, high = thread->lines.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (log->log.lines[thread->lines.data[middle]].operation < operation)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low <= thread->lines.count);
    return low;
}

/* The operation of the thread's next event after the partner of the last matched event before the step.  UINT64_MAX:
   there is none. */
static uint64_t behind_partner(const struct follow *follow, const struct wire_step *step, size_t next)
{
    const struct follow_thread *then = &follow->old.threads[step->task];
    const struct follow_thread *thread = &follow->now.threads[follow->threads[step->task]];
    while (next > 0 && follow->partner[then->lines.data[next - 1]] == ALIGN_NONE)
        next--;
    if (next == 0)
        return thread->lines.count > 0 ? follow->now.log.lines[thread->lines.data[0]].operation : UINT64_MAX;
    const struct event_line *before = &follow->now.log.lines[follow->partner[then->lines.data[next - 1]]];
    size_t i = find_operation(&follow->now, thread, before->operation + 1);
    if (i < thread->lines.count)
        return follow->now.log.lines[thread->lines.data[i]].operation;
    /* The new run has no later event: the same number of operations further as in the old run. */
    const struct event_line *old = &follow->old.log.lines[then->lines.data[next - 1]];
    return step->value == 0 ? UINT64_MAX : before->operation + (step->until - old->operation);
}

static struct wire_step translate_step(const struct follow *follow, const struct wire_step *step)
{
    assert(step->task < follow->old.thread_count && follow->threads[step->task] != ALIGN_NONE);
    struct wire_step translated = *step;
    const struct follow_thread *thread = &follow->old.threads[step->task];
    translated.task = (uint16_t)follow->threads[step->task];
    if (step->until == UINT64_MAX)
        return translated;
    size_t next = find_operation(&follow->old, thread, step->until);
    int32_t partner = next < thread->lines.count ? follow->partner[thread->lines.data[next]] : ALIGN_NONE;
    if (partner != ALIGN_NONE)
        translated.until = follow->now.log.lines[partner].operation;
    else
        translated.until = behind_partner(follow, step, next);
    if (translated.until == UINT64_MAX && step->type == STEP_RUN)
        translated.value = STEP_AS_FAR;
    return translated;
}

/* Whether the thread waited there until the end.  In the new run it will wait by itself after its last event. */
static bool waits_for_good(const struct follow *follow, const struct wire_step *step)
{
    const struct follow_thread *thread = &follow->old.threads[step->task];
    return step->type == STEP_RUN && step->until != UINT64_MAX && step->value == 0 &&
           find_operation(&follow->old, thread, step->until) == thread->lines.count;
}

static void add_waiting(const struct follow *follow, const struct wire_step *step, uint32_t origin,
                        struct follow_plan *plan)
{
    assert(step->type == STEP_RUN && follow->threads[step->task] != ALIGN_NONE);
    const struct follow_thread *thread = &follow->old.threads[step->task];
    struct wire_step far = {.type = STEP_RUN, .value = STEP_AS_FAR, .until = UINT64_MAX}, last = far;
    last.task = far.task = (uint16_t)follow->threads[step->task];
    int32_t partner =
        thread->lines.count > 0 ? follow->partner[thread->lines.data[thread->lines.count - 1]] : ALIGN_NONE;
    if (partner != ALIGN_NONE) {
        last.value = STEP_AT_LEAST;
        last.until = follow->now.log.lines[partner].operation + 1;
        vector_push(&plan->steps, last);
        vector_push(&plan->origin, origin);
    }
    vector_push(&plan->steps, far);
    vector_push(&plan->origin, origin);
}

/* A thread in a sleep or timed wait is woken only at the beginning of a step, so one more step is added for each such
   wait inside a step. */
static void add_wakes(const struct follow *follow, const struct wire_step *step, uint64_t from, uint32_t origin,
                      struct follow_plan *plan)
{
    assert(step->type == STEP_RUN && step->task < follow->old.thread_count);
    const struct follow_thread *thread = &follow->old.threads[step->task];
    for (size_t i = find_operation(&follow->old, thread, from); i < thread->lines.count; i++) {
        uint32_t index = thread->lines.data[i];
        const struct event_line *line = &follow->old.log.lines[index];
        if (line->operation >= step->until)
            break;
        if ((line->op != OP_SLEEP && !(line->flags & EVENT_TIMEOUT)) || follow->partner[index] == ALIGN_NONE)
            continue;
        struct wire_step wake = {.type = STEP_RUN,
                                 .task = (uint16_t)follow->threads[step->task],
                                 .value = STEP_AT_LEAST,
                                 .until = follow->now.log.lines[follow->partner[index]].operation};
        vector_push(&plan->steps, wake);
        vector_push(&plan->origin, origin);
    }
}

static void translate_steps(const struct follow *follow, struct follow_plan *plan, enum wire_step_type type)
{
    const struct schedule *schedule = &follow->failure->schedule;
    uint64_t *from =
        memory_allocate(WIRE_TASKS, sizeof *from); /* per thread: the operations that are already covered */
    for (size_t i = 0; i < schedule->steps.count; i++) {
        const struct wire_step *step = &schedule->steps.data[i];
        if (step->type != type)
            continue;
        bool known = follow->has_old && step->task < follow->old.thread_count;
        if (follow->has_old && (!known || follow->threads[step->task] == ALIGN_NONE)) {
            if (type == STEP_RUN && plan->dropped == UINT32_MAX)
                plan->dropped = (uint32_t)i;
            continue;
        }
        if (known && type == STEP_RUN)
            add_wakes(follow, step, from[step->task], (uint32_t)i, plan);
        from[step->task] = step->until;
        if (known && waits_for_good(follow, step)) {
            add_waiting(follow, step, (uint32_t)i, plan);
            continue;
        }
        vector_push(&plan->steps, known ? translate_step(follow, step) : *step);
        vector_push(&plan->origin, (uint32_t)i);
    }
    free(from);
}

void follow_translate(const struct follow *follow, struct follow_plan *plan)
{
    vector_clear(&plan->steps);
    vector_clear(&plan->origin);
    plan->dropped = UINT32_MAX;
    translate_steps(follow, plan, STEP_RUN);
    translate_steps(follow, plan, STEP_CHOICE);
    assert(plan->steps.count == plan->origin.count);
}

void follow_plan_free(struct follow_plan *plan)
{
    vector_free(&plan->steps);
    vector_free(&plan->origin);
}

/* ---- lines ------------------------------------------------------------------------------------------------------------ */

struct moved {
    uint32_t old, now; /* lines; 0: none */
};

/* "bank.c:18:7" in this file → 18, else 0. */
static uint32_t line_in(const char *site, const char *file, size_t length)
{
    unsigned line;
    return strncmp(site, file, length) == 0 && sscanf(site + length, ":%u", &line) == 1 ? line : 0;
}

/* Lines between two lines that moved by the same distance moved with them. */
uint32_t follow_line(const struct follow *follow, const char *file, size_t file_length, uint32_t line)
{
    assert(file != NULL);
    struct moved below = {0}, above = {0};
    for (uint32_t i = 0; i < follow->old.log.count; i++) {
        if (follow->partner == NULL || follow->partner[i] == ALIGN_NONE)
            continue;
        struct moved moved = {line_in(follow->old.log.lines[i].site, file, file_length),
                              line_in(follow->now.log.lines[follow->partner[i]].site, file, file_length)};
        if (moved.old == 0 || moved.now == 0)
            continue;
        if (moved.old == line)
            return moved.now;
        if (moved.old < line && moved.old > below.old)
            below = moved;
        if (moved.old > line && (above.old == 0 || moved.old < above.old))
            above = moved;
    }
    if (below.old != 0 && above.old != 0 && below.now - below.old != above.now - above.old) {
        uint32_t after = line - below.old, before = above.old - line;
        if (2 * after > before && 2 * before > after)
            return 0; /* something was changed between the two: it is not clear to which it belongs */
        *(after < before ? &above : &below) = (struct moved){0};
    }
    if (below.old == 0 && above.old == 0)
        return 0;
    return below.old != 0 ? line + below.now - below.old : line + above.now - above.old;
}
