/* SPDX-License-Identifier: MIT
 *
 * slice_context.c - what is shown around the events of the backward walk: both sides of preemptions, locks that were held, waits that
 * ended by time, rounds of loops, where threads were created.
 */
#include <assert.h>
#include <stdlib.h>

#include "tale/slice.h"
#include "trace/events.h"
#include "util/hash.h"

enum {
    PREEMPTIONS = 12, /* with more of them only those that touch the slice are shown */
    ROUNDS = 1000,    /* most rounds of a loop of one statement that are shown */
    FEW_THREADS = 8,  /* if there are no more, the creation of all of them is shown */
    NEAR = 64,        /* events of a thread that are searched for its neighbours */
};

/* The next relevant event of the thread, from `index` on. */
static size_t next_relevant(const struct slice *slice, size_t index, uint32_t thread)
{
    const struct tale *tale = slice->tale;
    for (size_t i = index; i < tale->events.count && i < index + 4 * NEAR; i++)
        if (tale->events.data[i].thread == thread && slice_is_relevant(slice, &tale->events.data[i]))
            return i;
    return SIZE_MAX;
}

/* The last relevant event of the thread of `index` before it. */
static size_t last_relevant(const struct slice *slice, size_t index, bool access)
{
    int looked = 0;
    for (size_t i = index; i != UINT32_MAX && looked < NEAR; i = slice->previous[i], looked++) {
        const struct tale_event *event = &slice->tale->events.data[i];
        if (slice_is_relevant(slice, event) && (!access || slice_is_access(event)))
            return i;
    }
    return SIZE_MAX;
}

/* Shows three operations: the last one of the thread before the preemption, the first one of the other thread, and the
   next one of the thread after it. */
static void show_preemption(struct slice *slice, size_t index, bool always)
{
    const struct tale *tale = slice->tale;
    uint32_t interrupted = tale->events.data[index - 1].thread;
    size_t around[] = {last_relevant(slice, index - 1, false), last_relevant(slice, index - 1, true),
                       next_relevant(slice, index, tale->events.data[index].thread),
                       next_relevant(slice, index, interrupted)};
    enum { AROUND = sizeof around / sizeof around[0] };
    bool touches = always;
    for (size_t i = 0; i < AROUND; i++)
        touches = touches || (around[i] != SIZE_MAX && (tale->events.data[around[i]].marks & TALE_MATTERS));
    for (size_t i = 0; i < AROUND && touches; i++)
        if (around[i] != SIZE_MAX && !(tale->events.data[around[i]].marks & TALE_BLOCKED))
            slice_show(slice, around[i]);
}

static void show_preemptions(struct slice *slice)
{
    const struct tale *tale = slice->tale;
    size_t count = 0;
    for (size_t i = 1; i < tale->events.count; i++)
        count += (tale->events.data[i].marks & TALE_PREEMPTION) != 0;
    for (size_t i = 1; i < tale->events.count; i++)
        if (tale->events.data[i].marks & TALE_PREEMPTION)
            show_preemption(slice, i, count <= PREEMPTIONS);
}

/* Whether an access is shown while the lock is held. */
static bool covers_access(const struct slice *slice, const struct tale_bar *bar, const size_t *shown, size_t at_end)
{
    size_t until = bar->until != UINT32_MAX ? shown[bar->until] : at_end;
    return until != shown[bar->from] && slice_is_shared(slice, &slice->tale->events.data[bar->from]) &&
           bar->from >= slice->first;
}

/* Shows where locks were taken and released: those that were held around shown accesses and that other threads use, too; and of a
   lock of which one end is shown, the other one. */
static void show_locks(struct slice *slice)
{
    const struct tale *tale = slice->tale;
    size_t *shown =
        memory_allocate(tale->events.count + 1, sizeof *shown); /* shown accesses before each event, per thread */
    size_t *count = memory_allocate(tale->threads.count, sizeof *count);
    for (size_t i = 0; i < tale->events.count; i++) {
        const struct tale_event *event = &tale->events.data[i];
        shown[i] = count[event->thread];
        count[event->thread] +=
            (event->marks & TALE_MATTERS) && !op_takes_lock(event->op) && op_effect(event->op) != EFFECT_UNLOCK;
    }
    for (size_t i = 0; i < tale->bars.count; i++) {
        const struct tale_bar *bar = &tale->bars.data[i];
        bool ends = bar->until != UINT32_MAX;
        bool half = ((tale->events.data[bar->from].marks | (ends ? tale->events.data[bar->until].marks : 0)) &
                     TALE_MATTERS) != 0;
        if (!half && !covers_access(slice, bar, shown, count[bar->thread]))
            continue;
        slice_show(slice, bar->from);
        if (ends)
            slice_show(slice, bar->until);
    }
    free(shown);
    free(count);
}

/* For a wait that took the shown lock at its end: its beginning and the operation that ended it. */
static void explain_wakes(struct slice *slice)
{
    const struct tale *tale = slice->tale;
    for (size_t i = 0; i < tale->events.count; i++)
        if (tale->events.data[i].op == OP_COND_WAKE && (tale->events.data[i].marks & TALE_MATTERS))
            slice_want_wait(slice, i);
}

static uint64_t statement_of(const struct tale_event *event)
{
    uint64_t key = hash_combine((uint64_t)event->thread << 32 | event->op, (uint64_t)(uint32_t)event->place);
    return hash_combine(key, (uint64_t)(uintptr_t)event->object);
}

/* Shows the rounds of a loop of one statement before the event, up to one that is shown already. */
static void show_rounds(struct slice *slice, size_t index)
{
    const struct tale *tale = slice->tale;
    uint64_t statement = statement_of(&tale->events.data[index]);
    int rounds = 0;
    for (uint32_t i = slice->previous[index]; i != UINT32_MAX && rounds < ROUNDS; i = slice->previous[i], rounds++) {
        if (statement_of(&tale->events.data[i]) != statement || (tale->events.data[i].marks & TALE_MATTERS))
            return;
        slice_show(slice, i);
    }
}

/* A statement of a loop that is shown more than once is shown for all iterations: the picture then says how many. */
static void show_loops(struct slice *slice)
{
    struct table shown = {0}; /* statement → number of times */
    struct tale *tale = slice->tale;
    for (size_t i = slice->first; i < tale->events.count; i++)
        if ((tale->events.data[i].marks & TALE_MATTERS) && slice_is_access(&tale->events.data[i]))
            ++*table_put(&shown, statement_of(&tale->events.data[i]));
    for (size_t i = slice->first; i < tale->events.count; i++) {
        const uint64_t *times = table_get(&shown, statement_of(&tale->events.data[i]));
        if (times != NULL && *times > 1)
            slice_show(slice, i);
    }
    for (size_t i = tale->events.count; i-- > slice->first;)
        if ((tale->events.data[i].marks & (TALE_MATTERS | TALE_END)) == TALE_MATTERS &&
            slice_is_access(&tale->events.data[i]))
            show_rounds(slice, i);
    table_free(&shown);
}

/* Which threads have an event in the slice; the caller frees it. */
static bool *threads_that_appear(const struct tale *tale)
{
    bool *appears = memory_allocate(tale->threads.count, sizeof *appears);
    for (size_t i = 0; i < tale->events.count; i++)
        appears[tale->events.data[i].thread] |= (tale->events.data[i].marks & TALE_MATTERS) != 0;
    appears[tale->failing_thread] = true;
    return appears;
}

/* Sleeps, and waits that ended by time: the last ones of each thread that appears. */
static void show_times(struct slice *slice)
{
    enum { TIMES = 2 };
    struct tale *tale = slice->tale;
    bool *appears = threads_that_appear(tale);
    uint8_t *count = memory_allocate(tale->threads.count, sizeof *count);
    for (size_t i = tale->events.count; i-- > slice->first;) {
        const struct tale_event *event = &tale->events.data[i];
        bool over = event->op == OP_SLEEP || ((event->flags & EVENT_TIMEOUT) && !slice_is_access(event));
        if (!over || !appears[event->thread] || count[event->thread] == TIMES)
            continue;
        count[event->thread]++;
        slice_want(slice, i);
        if (event->op == OP_COND_WAKE)
            slice_want_wait(slice, i);
    }
    free(count);
    free(appears);
}

/* What the failing thread waited for last: the wait, in several rounds of a loop, and what ended it. */
static void show_last_wait(struct slice *slice)
{
    enum { WAITS = 4 };
    const struct tale *tale = slice->tale;
    const struct tale_event *last = NULL;
    int rounds = 0;
    for (size_t i = tale->events.count; i-- > slice->first;) {
        const struct tale_event *event = &tale->events.data[i];
        bool waits = event->op == OP_COND_WAKE || event->op == OP_SEM_WAIT || event->op == OP_BARRIER_LEAVE;
        if (event->thread != tale->failing_thread || !waits || (event->marks & TALE_BLOCKED) ||
            !slice_is_shared(slice, event) || (last != NULL && statement_of(last) != statement_of(event)))
            continue;
        last = event;
        slice_show(slice, i);
        for (size_t k = 0; k < tale->arrows.count; k++)
            if (tale->arrows.data[k].to == i)
                slice_show(slice, tale->arrows.data[k].from);
        if (++rounds == WAITS)
            return;
    }
}

/* The handler that each thread that appears ran last, and what sent the signal: a signal that the program takes itself does not end it. */
static void show_handlers(struct slice *slice)
{
    const struct tale *tale = slice->tale;
    bool *appears = threads_that_appear(tale);
    for (size_t i = tale->events.count; i-- > slice->first;) {
        if (tale->events.data[i].op != OP_HANDLER || !appears[tale->events.data[i].thread])
            continue;
        appears[tale->events.data[i].thread] = false;
        slice_want(slice, i);
        for (size_t k = 0; k < tale->arrows.count; k++)
            if (tale->arrows.data[k].to == i)
                slice_want(slice, tale->arrows.data[k].from);
    }
    free(appears);
}

/* Shows where the threads that appear were created and joined. */
static void show_threads(struct slice *slice)
{
    struct tale *tale = slice->tale;
    bool *appears = threads_that_appear(tale);
    for (size_t i = 0; i < tale->stacks.count; i++)
        appears[tale->stacks.data[i].thread] = true;
    for (size_t i = 0; i < tale->events.count; i++) {
        struct tale_event *event = &tale->events.data[i];
        const char *name = event->op == OP_CREATE ? event->value : event->op == OP_JOIN ? event->object : "";
        unsigned long thread = name[0] == 'T' ? strtoul(name + 1, NULL, 10) : 0;
        bool few = tale->threads.count <= FEW_THREADS && event->op == OP_CREATE;
        if (thread > 0 && thread < tale->threads.count && (few || appears[thread]) && !(event->marks & TALE_BLOCKED))
            slice_show(slice, i);
    }
    free(appears);
}

void slice_add_context(struct slice *slice)
{
    show_handlers(slice);
    show_times(slice);
    slice_explain(slice);
    show_last_wait(slice);
    show_preemptions(slice);
    show_loops(slice);
    show_locks(slice);
    explain_wakes(slice);
}

void slice_end_context(struct slice *slice)
{
    show_locks(slice); /* of accesses that explain the waits */
    show_threads(slice);
}
