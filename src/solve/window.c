/* SPDX-License-Identifier: MIT
 *
 * window.c - see window.h.
 */
#include "solve/window.h"

/* ---- what is carried ------------------------------------------------------------------------------------------------ */

struct held { /* a lock; taken several times: as often */
    uint64_t lock;
    uint16_t task;
    uint32_t event;
};

struct carrying {
    const struct execution *whole;
    uint32_t from;
    bool *carried; /* by event before the window */
    VECTOR(struct held) held;
    event_list waiting, arrived; /* by task: the event with which it began to wait, + 1; 0: it does not */
};

static void release(struct carrying *carrying, uint64_t lock, uint16_t task)
{
    for (size_t i = carrying->held.count; i-- > 0;)
        if (carrying->held.data[i].lock == lock && carrying->held.data[i].task == task) {
            memmove(&carrying->held.data[i], &carrying->held.data[i + 1],
                    (carrying->held.count - i - 1) * sizeof *carrying->held.data);
            carrying->held.count--;
            return;
        }
}

static void follow_locks(struct carrying *carrying, uint32_t number)
{
    unsigned count;
    const struct access *accesses = execution_accesses(carrying->whole, number, &count);
    uint16_t task = execution_event(carrying->whole, number)->task;
    for (unsigned i = 0; i < count; i++) {
        if (accesses[i].kind == ACCESS_LOCK || accesses[i].kind == ACCESS_RDLOCK)
            vector_push(&carrying->held, ((struct held){accesses[i].lo, task, number}));
        if (accesses[i].kind == ACCESS_UNLOCK || accesses[i].kind == ACCESS_RDUNLOCK)
            release(carrying, accesses[i].lo, task);
    }
}

static void follow_waits(struct carrying *carrying, uint32_t number)
{
    const struct event *event = execution_event(carrying->whole, number);
    assert(event->task < carrying->waiting.count && event->task < carrying->arrived.count);
    assert(carrying->waiting.data != NULL && carrying->arrived.data != NULL);
    if (event->op == OP_COND_WAIT || event->op == OP_COND_WAKE)
        carrying->waiting.data[event->task] = event->op == OP_COND_WAIT ? number + 1 : 0;
    if (event->op == OP_BARRIER_ARRIVE || event->op == OP_BARRIER_LEAVE)
        carrying->arrived.data[event->task] = event->op == OP_BARRIER_ARRIVE ? number + 1 : 0;
}

static void carry_writes(struct carrying *carrying, uint32_t to)
{
    uint32_t count;
    for (uint32_t event = carrying->from; event < to; event++) {
        const struct execution_piece *pieces = execution_pieces(carrying->whole, event, &count);
        for (uint32_t i = 0; i < count; i++) {
            struct event_range writes = execution_writes(carrying->whole, pieces[i].location);
            uint32_t before = event_range_count_before(writes, carrying->from);
            if (before > 0)
                carrying->carried[writes.data[before - 1]] = true;
        }
    }
}

static void carry(struct carrying *carrying, uint32_t to)
{
    uint32_t tasks = execution_task_count(carrying->whole);
    for (uint32_t task = 0; task < tasks; task++) {
        vector_push(&carrying->waiting, 0);
        vector_push(&carrying->arrived, 0);
    }
    for (uint32_t event = 0; event < carrying->from; event++) {
        follow_locks(carrying, event);
        follow_waits(carrying, event);
    }
    for (size_t i = 0; i < carrying->held.count; i++)
        carrying->carried[carrying->held.data[i].event] = true;
    for (uint32_t task = 0; task < tasks; task++) {
        if (carrying->waiting.data[task] != 0)
            carrying->carried[carrying->waiting.data[task] - 1] = true;
        if (carrying->arrived.data[task] != 0)
            carrying->carried[carrying->arrived.data[task] - 1] = true;
    }
    if (carrying->from > 0) /* what comes first is known to come first */
        carrying->carried[carrying->from - 1] = true;
    carry_writes(carrying, to);
}

/* ---- the schedule before it ----------------------------------------------------------------------------------------- */

/* The step in which the event was done. */
static size_t step_of(const struct execution *whole, uint32_t number)
{
    const struct event *event = execution_event(whole, number);
    size_t step = 0;
    while (step < whole->steps.count &&
           (whole->steps.data[step].type != STEP_RUN || whole->steps.data[step].task != event->task ||
            whole->steps.data[step].until <= event->operation))
        step++;
    return step;
}

static void write_before(struct window *window, const struct execution *whole, uint32_t from)
{
    vector_clear(&window->before);
    if (from == 0)
        return;
    size_t last = step_of(whole, from - 1);
    for (size_t i = 0; i < whole->steps.count && i <= last; i++)
        if (whole->steps.data[i].type == STEP_RUN)
            vector_push(&window->before, whole->steps.data[i]);
    const struct event *event = execution_event(whole, from - 1);
    if (last < whole->steps.count && event->op != OP_END)
        window->before.data[window->before.count - 1].until = event->operation + 1;
}

/* ---- the window ----------------------------------------------------------------------------------------------------- */

static void add_event(struct window *window, const struct execution *whole, uint32_t number)
{
    execution_add(&window->execution, execution_event(whole, number));
    vector_push(&window->original, number);
}

void window_make(struct window *window, const struct execution *whole, uint32_t from, uint32_t to)
{
    struct carrying carrying = {
        .whole = whole, .from = from, .carried = memory_allocate(from + 1, sizeof *carrying.carried)};
    assert(from <= to && to <= execution_count(whole));
    execution_prepare(whole, EXECUTION_READS_FROM);
    carry(&carrying, to);
    execution_clear(&window->execution);
    vector_clear(&window->original);
    for (uint32_t event = 0; event < to; event++)
        if (event >= from || carrying.carried[event])
            add_event(window, whole, event);
    window->carried = (uint32_t)window->original.count - (to - from);
    vector_append(&window->execution.stacks, whole->stacks.data, whole->stacks.count);
    execution_end(&window->execution);
    execution_copy_steps(&window->execution, whole);
    window->execution.operations = whole->operations;
    write_before(window, whole, from);
    free(carrying.carried);
    vector_free(&carrying.held);
    vector_free(&carrying.waiting);
    vector_free(&carrying.arrived);
}

void window_free(struct window *window)
{
    execution_free(&window->execution);
    vector_free(&window->original);
    vector_free(&window->before);
}

void window_write_steps(const struct window *window, const struct rules *rules, const struct answer *answer,
                        goal_steps *steps)
{
    vector_clear(steps);
    vector_append(steps, window->before.data, window->before.count);
    answer_append_steps(rules, answer, window->carried, steps);
}
