/* SPDX-License-Identifier: MIT
 *
 * cause_decisive.c - the step of the failing run after which it could not pass any more.
 *
 * DESIGN
 *   The failing run is done again up to some step, and then goes on otherwise: another thread first, or at random.  If a beginning can
 *   still pass, every shorter one can.  So the longest beginning that passes is searched by halving; the step after it is the
 *   decisive one.  That it passes is proved by a run; that no longer one does is only as sure as the number of runs that
 *   were tried, which is said.
 *
 *   What happens only after that step is an effect of it: the message about an error, the exit status.  So a pattern may be named
 *   as cause only if it begins before, or with, the decisive step.  Those that have the decisive step in them, or where its task
 *   entered the critical section of theirs, come first.
 */
#include "direct/goal.h"
#include "explain/cause_private.h"
#include "util/hash.h"

enum { OTHERS = 3 }; /* attempts in which another thread goes on first */

uint32_t experiment_decisive_event(const struct experiment *experiment)
{
    const struct cause_decisive *decisive = &experiment->decisive;
    if (!decisive->known || experiment->all.count == 0)
        return EVENT_NONE;
    const struct execution *execution = &experiment->all.data[0].execution;
    struct event_range own = execution_task(execution, decisive->task);
    for (uint32_t i = 0; i < own.count; i++)
        if (execution_event(execution, own.data[i])->operation == decisive->operation)
            return own.data[i];
    return EVENT_NONE;
}

/* The task that goes on first: each other one in turn; WIRE_TASKS: any. */
static uint32_t first_task(const struct experiment *experiment, uint16_t task, unsigned attempt)
{
    unsigned others = 0;
    for (uint32_t other = 0; other < WIRE_TASKS && attempt < OTHERS; other++)
        if (other != task && experiment->task_operations[other] > 0 && others++ == attempt)
            return other;
    return WIRE_TASKS;
}

enum experiment_verdict experiment_run_from(struct experiment *experiment, uint32_t at, unsigned attempt)
{
    const struct event *event = execution_event(&experiment->all.data[0].execution, at);
    struct witness witness = {.task = event->task, .operation = event->operation, .address = event->address};
    uint32_t first = first_task(experiment, event->task, attempt);
    goal_steps prefix = {0};
    goal_prefix(experiment->schedule->steps.data, experiment->schedule->steps.count, &witness, 1, false, &prefix);
    if (first != WIRE_TASKS) {
        struct wire_step on = {.type = STEP_RUN, .task = (uint16_t)first, .until = UINT64_MAX};
        vector_push(&prefix, on);
    }
    enum wire_strategy strategy = first != WIRE_TASKS ? STRATEGY_ROUNDROBIN
                                  : attempt % 2 == 0  ? STRATEGY_RANDOM
                                                      : STRATEGY_POS;
    uint64_t seed = first != WIRE_TASKS ? 0 : hash_combine(hash_combine(experiment->seed, at), attempt);
    enum experiment_verdict verdict = experiment_run_plan(experiment, strategy, seed, prefix.data, prefix.count, NULL);
    vector_free(&prefix);
    return verdict;
}

/* The step, or where its task entered the critical section that it lies in. */
static uint32_t begin_of_step(const struct execution *execution, uint32_t at)
{
    execution_prepare(execution, EXECUTION_SECTIONS);
    const struct execution_section *section = execution_section_of(execution, at);
    return section != NULL ? section->first : at;
}

void experiment_compare_with_decisive(const struct experiment *experiment, struct cause_candidate *candidate)
{
    uint32_t decisive = experiment_decisive_event(experiment), first = EVENT_NONE;
    unsigned count = experiment_pattern(&candidate->instance).count;
    if (decisive == EVENT_NONE || !candidate->in_base)
        return;
    candidate->aside = true;
    for (unsigned i = 0; i < count; i++) {
        uint32_t at = candidate->at[i];
        if (at == EVENT_NONE)
            continue;
        uint32_t begin = begin_of_step(&experiment->all.data[0].execution, at);
        first = begin < first ? begin : first;
        if (begin <= decisive && decisive <= at && candidate->witnesses[i].task == experiment->decisive.task)
            candidate->aside = false;
    }
    candidate->refused |= first != EVENT_NONE && first > decisive;
}

/* ---- what is said of it ------------------------------------------------------------------------------------------------- */

static bool are_in_conflict(const struct event *a, const struct event *b)
{
    return a->task != b->task && a->address != 0 && a->address < b->address + b->size &&
           b->address < a->address + a->size && op_object(a->op) != ABOUT_THREAD && op_object(b->op) != ABOUT_THREAD &&
           (op_facts_of(a->op)->strong || op_facts_of(b->op)->strong);
}

/* The first event of another task after it that is in conflict with it. */
static const struct event *next_conflict(const struct experiment_run *run, uint32_t at)
{
    const struct event *event = execution_event(&run->execution, at);
    for (uint32_t i = at + 1; i < execution_count(&run->execution); i++)
        if (are_in_conflict(event, execution_event(&run->execution, i)))
            return execution_event(&run->execution, i);
    return NULL;
}

/* How far the task was from the operation when the run ended; 0: it had done it. */
static uint64_t distance_of(const struct execution *base, const struct event *other)
{
    struct event_range own = execution_task(base, other->task);
    uint64_t last = own.count > 0 ? execution_event(base, own.data[own.count - 1])->operation : 0;
    return other->operation > last ? other->operation - last : 0;
}

/* What was still to come, as a passing run has it, and is in conflict with an event of the task from `at` on: the nearest one, and the first event
   that it is in conflict with; only of tasks that had not come so far. */
static const struct event *coming_conflict(const struct experiment *experiment, uint32_t *at)
{
    const struct execution *base = &experiment->all.data[0].execution;
    const struct event *nearest = NULL;
    uint32_t task = execution_event(base, *at)->task, from = *at;
    for (size_t i = 0; i < experiment->all.count; i++) {
        const struct execution *execution = &experiment->all.data[i].execution;
        for (uint32_t k = 0; k < execution_count(execution) && !experiment->all.data[i].failing; k++) {
            const struct event *other = execution_event(execution, k);
            uint64_t distance = distance_of(base, other);
            if (distance == 0 || other->task == task || op_facts_of(other->op)->effect == EFFECT_FREE ||
                (nearest != NULL && distance_of(base, nearest) <= distance))
                continue;
            for (uint32_t e = from; e < execution_count(base); e++)
                if (execution_event(base, e)->task == task && are_in_conflict(execution_event(base, e), other)) {
                    nearest = other;
                    *at = e;
                    break;
                }
        }
    }
    return nearest;
}

static bool is_lock(const struct event *event)
{
    return op_facts_of(event->op)->effect == EFFECT_LOCK || op_facts_of(event->op)->effect == EFFECT_RDLOCK;
}

/* Where a critical section begins, what is in it says more: its first access that is in conflict with a later one. */
static uint32_t first_conflict_of_section(const struct experiment_run *run, uint32_t at)
{
    const struct execution *execution = &run->execution;
    execution_prepare(execution, EXECUTION_SECTIONS);
    const struct execution_section *section = execution_section_of(execution, at);
    uint32_t task = execution_event(execution, at)->task;
    for (uint32_t i = at; section != NULL && i < execution_count(execution) && i <= section->last; i++)
        if (execution_event(execution, i)->task == task && op_is_access(execution_event(execution, i)->op) &&
            next_conflict(run, i) != NULL)
            return i;
    return at;
}

/* The last event before `before` of another task that is in conflict with this one; EVENT_NONE: there is none. */
static uint32_t last_conflict(const struct execution *execution, const struct event *event, uint32_t before)
{
    for (uint32_t i = before; i-- > 0;)
        if (are_in_conflict(event, execution_event(execution, i)))
            return i;
    return EVENT_NONE;
}

/* The signal for which the wait of the task ended, if the write came after it. */
static uint32_t signal_before(const struct execution *execution, const struct event *woken, uint32_t write)
{
    for (uint32_t i = write; i-- > 0;) {
        const struct event *event = execution_event(execution, i);
        if (event->task == woken->task && event->op == OP_COND_WAIT)
            return EVENT_NONE;
        if (op_facts_of(event->op)->effect == EFFECT_SIGNAL && event->address == woken->address)
            return i;
    }
    return EVENT_NONE;
}

/* The end of a wait: something that its thread read next was written between the signal and that. */
static bool tell_wake(const struct experiment *experiment, const struct judged_run *told, uint32_t wake,
                      struct statement_facts *facts)
{
    const struct execution *execution = &experiment->all.data[0].execution;
    const struct event *woken = execution_event(execution, wake);
    for (uint32_t i = wake + 1; i < execution_count(execution); i++) {
        const struct event *read = execution_event(execution, i);
        if (read->task != woken->task || op_class(read->op) != CLASS_READ)
            continue;
        uint32_t write = last_conflict(execution, read, wake);
        uint32_t signal = write != EVENT_NONE ? signal_before(execution, woken, write) : EVENT_NONE;
        if (signal == EVENT_NONE)
            continue;
        facts->has_decisive = facts->has_other = facts->has_signal = true;
        experiment_describe(experiment, told, execution_event(execution, write), &facts->decisive);
        experiment_describe(experiment, told, woken, &facts->other);
        experiment_describe(experiment, told, execution_event(execution, signal), &facts->signal);
        return true;
    }
    return false;
}

void experiment_tell_decisive(const struct experiment *experiment, const struct judged_run *told,
                              struct statement_facts *facts)
{
    uint32_t at = experiment_decisive_event(experiment);
    if (at == EVENT_NONE)
        return;
    const struct experiment_run *base = &experiment->all.data[0];
    const struct event *event = execution_event(&base->execution, at);
    facts->before = experiment->decisive.before;
    facts->before_passed = experiment->decisive.before_passed;
    facts->after = experiment->decisive.after;
    if (event->op == OP_COND_WAKE && tell_wake(experiment, told, at, facts))
        return;
    if (is_lock(event))
        at = first_conflict_of_section(base, at);
    event = execution_event(&base->execution, at);
    if (event->address == 0 || op_facts_of(event->op)->effect == EFFECT_NONE)
        return;
    const struct event *other = next_conflict(base, at);
    bool coming = other == NULL;
    if (coming)
        other = coming_conflict(experiment, &at);
    facts->has_decisive = true;
    experiment_describe(experiment, told, execution_event(&base->execution, at), &facts->decisive);
    if (other == NULL)
        return;
    facts->has_other = true;
    experiment_describe(experiment, told, other, &facts->other);
    facts->other.coming = coming;
}
