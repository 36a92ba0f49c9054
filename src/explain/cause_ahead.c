/* SPDX-License-Identifier: MIT
 *
 * cause_ahead.c - what the threads of a failing run would have done next.
 *
 * DESIGN
 *   A failing run often ends before the other half of its cause: a value is read too early and the program dies; the write would
 *   have come next.  So for each thread that had not ended, what it would have done next counts as done after the end of the
 *   run.  What that is, a passing run tells in which the thread had done the same until there, with the same values if there is such a
 *   run.  Each thread is looked ahead for alone: the order of what two of them would have done is not known.
 */
#include "explain/cause_private.h"

/* The next event of the task in the program's code, at *at among the task's own or after it; NULL: there is none. */
static const struct event *next_of_task(const struct experiment_run *run, uint16_t task, uint32_t *at)
{
    struct event_range own = execution_task(&run->execution, task);
    while (*at < own.count) {
        const struct event *event = execution_event(&run->execution, own.data[(*at)++]);
        if (event->pc != 0)
            return event;
    }
    return NULL;
}

/* How much two runs of a thread must have in common, to expect that they go on in the same way. */
enum likeness { SAME_VALUES, SAME_OUTCOMES, SAME_PLACES, LIKENESS_COUNT };

static bool are_alike(const struct event *a, const struct event *b, enum likeness likeness)
{
    return a->pc == b->pc && a->op == b->op && (likeness == SAME_PLACES || a->flags == b->flags) &&
           (likeness != SAME_VALUES || !(a->flags & EVENT_VALUE) || a->value == b->value);
}

/* Where the other run goes on when the task has done all that it did in this one; EVENT_NONE: it did something else. */
static uint32_t where_it_goes_on(const struct experiment_run *run, const struct experiment_run *other, uint16_t task,
                                 enum likeness likeness)
{
    uint32_t here = 0, there = 0;
    for (;;) {
        const struct event *done = next_of_task(run, task, &here);
        if (done == NULL)
            return there;
        const struct event *same = next_of_task(other, task, &there);
        if (same == NULL || !are_alike(done, same, likeness))
            return EVENT_NONE;
    }
}

/* Adds what the task does in the other run from there on; returns how many events that are.  Of the thread that failed, only what it
   failed in. */
static unsigned read_ahead(const struct experiment_run *run, const struct experiment_run *other, uint16_t task,
                           uint32_t at, struct execution *ahead)
{
    unsigned most = task == run->here.task ? 1 : EXPERIMENT_AHEAD, count = 0;
    while (count < most) {
        const struct event *event = next_of_task(other, task, &at);
        if (event == NULL || (task == run->here.task && event->pc != run->here.pc))
            break;
        execution_add(ahead, event);
        count++;
    }
    return count;
}

static bool look_ahead(struct experiment *experiment, unsigned number, uint16_t task)
{
    const struct experiment_run *run = &experiment->all.data[number];
    unsigned count = 0;
    for (unsigned likeness = 0; likeness < LIKENESS_COUNT && count == 0; likeness++)
        for (size_t i = 0; i < experiment->all.count && count == 0; i++) {
            const struct experiment_run *other = &experiment->all.data[i];
            uint32_t at = other->failing ? EVENT_NONE : where_it_goes_on(run, other, task, likeness);
            if (at == EVENT_NONE)
                continue;
            execution_copy(&experiment->ahead, &run->execution);
            count = read_ahead(run, other, task, at, &experiment->ahead);
            execution_end(&experiment->ahead);
        }
    if (count > 0)
        experiment_observe(experiment, number, &experiment->ahead);
    return count > 0;
}

void experiment_look_ahead(struct experiment *experiment, unsigned number)
{
    size_t left = 0;
    for (size_t i = 0; i < experiment->all.data[number].open.count; i++) {
        uint16_t task = experiment->all.data[number].open.data[i];
        if (!look_ahead(experiment, number, task))
            experiment->all.data[number].open.data[left++] = task;
    }
    experiment->all.data[number].open.count = left;
}
