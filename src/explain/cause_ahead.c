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

/* The next event of the task at *at or behind it; NULL: there is none. */
static const struct wire_event *next_of_task(const struct experiment_run *run, uint16_t task, size_t *at)
{
    for (; *at < run->events.count; ++*at)
        if (run->events.data[*at].task == task && run->events.data[*at].pc != 0)
            return &run->events.data[(*at)++];
    return NULL;
}

/* How much two runs of a thread must have in common, to expect that they go on in the same way. */
enum likeness { SAME_VALUES, SAME_OUTCOMES, SAME_PLACES, LIKENESS_COUNT };

static bool are_alike(const struct wire_event *a, const struct wire_event *b, enum likeness likeness)
{
    return a->pc == b->pc && a->op == b->op && (likeness == SAME_PLACES || a->flags == b->flags) &&
           (likeness != SAME_VALUES || !(a->flags & EVENT_VALUE) || a->value == b->value);
}

/* Where the other run goes on when the task has done all that it did in this one; SIZE_MAX: it did something else. */
static size_t where_it_goes_on(const struct experiment_run *run, const struct experiment_run *other, uint16_t task,
                               enum likeness likeness)
{
    size_t here = 0, there = 0;
    for (;;) {
        const struct wire_event *done = next_of_task(run, task, &here);
        if (done == NULL)
            return there;
        const struct wire_event *same = next_of_task(other, task, &there);
        if (same == NULL || !are_alike(done, same, likeness))
            return SIZE_MAX;
    }
}

struct ahead {
    VECTOR(struct wire_event) events;
    site_list sites;
};

/* Of the thread that failed, only what it failed in. */
static void read_ahead(const struct experiment_run *run, const struct experiment_run *other, uint16_t task, size_t at,
                       struct ahead *ahead)
{
    size_t most = task == run->here.task ? 1 : EXPERIMENT_AHEAD;
    while (ahead->events.count < most && next_of_task(other, task, &at) != NULL) {
        if (task == run->here.task && other->events.data[at - 1].pc != run->here.pc)
            return;
        vector_push(&ahead->events, other->events.data[at - 1]);
        vector_push(&ahead->sites, other->sites.data[at - 1]);
    }
}

static bool look_ahead(struct experiment *experiment, unsigned number, uint16_t task)
{
    struct ahead ahead = {0};
    const struct experiment_run *run = &experiment->all.data[number];
    for (unsigned likeness = 0; likeness < LIKENESS_COUNT; likeness++)
        for (size_t i = 0; i < experiment->all.count && ahead.events.count == 0; i++) {
            const struct experiment_run *other = &experiment->all.data[i];
            size_t at = other->failing ? SIZE_MAX : where_it_goes_on(run, other, task, likeness);
            if (at != SIZE_MAX)
                read_ahead(run, other, task, at, &ahead);
        }
    bool found = ahead.events.count > 0;
    if (found)
        experiment_observe(experiment, number, ahead.events.data, ahead.sites.data, ahead.events.count);
    vector_free(&ahead.events);
    vector_free(&ahead.sites);
    return found;
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
