/* SPDX-License-Identifier: MIT
 *
 * cause_rows.c - patterns that the observer does not know: which thread waits for which, what was freed before, and what is too far apart.
 *
 * DESIGN
 *   In a deadlock, a thread that waits and the one that holds what it waits for make patterns of their own, with <: "a took the lock before b came
 *   for it" says nothing of the moment when b waits, so it is in every passing run too in which the same order leads to nothing.
 *
 *   The observer forgets a block that is freed; what is used afterwards is known from the finding.
 *
 *   A third thread may come between the steps of a lost update.  Then << does not hold, and < is what all failing runs show.
 */
#include <string.h>

#include "explain/cause_private.h"
#include "pattern/match.h"
#include "util/stop.h"

enum { MOST_LOOSE = 16 }; /* triples that are made looser at a time */

/* ---- waits -------------------------------------------------------------------------------------------------------------- */

struct wait_edge {
    struct witness held, wanted;
    uint32_t held_site, wanted_site;
    uint8_t held_kind, wanted_kind;
    uint64_t address;
};

static enum access_kind acquiring_kind(const struct event *event)
{
    struct access accesses[EVENT_ACCESSES];
    unsigned count = event_accesses(event, 0, accesses);
    if (count == 0 ||
        (accesses[0].kind != ACCESS_LOCK && accesses[0].kind != ACCESS_RDLOCK && accesses[0].kind != ACCESS_ACQUIRE))
        return ACCESS_ANY;
    return (enum access_kind)accesses[0].kind;
}

/* One line of a deadlock as two steps; false if it is not about a lock that another thread took. */
static bool make_edge(struct experiment *experiment, const struct experiment_run *run, const struct wire_blocked *wait,
                      struct wait_edge *edge)
{
    struct event wanted = {.pc = wait->pc, .address = wait->address, .task = wait->task, .op = wait->op};
    *edge = (struct wait_edge){.address = wait->address, .wanted = {.task = wait->task, .operation = UINT64_MAX}};
    edge->wanted_kind = (uint8_t)acquiring_kind(&wanted);
    if (wait->holder == UINT16_MAX || wait->holder == wait->task || edge->wanted_kind == ACCESS_ANY)
        return false;
    site_map_find(experiment->site_map, &experiment->symbols->modules, experiment->symbols->symbols, &wanted, 1);
    edge->wanted_site = wanted.site;
    struct event_range own = execution_task(&run->execution, wait->holder);
    for (uint32_t i = own.count; i-- > 0;) {
        const struct event *event = execution_event(&run->execution, own.data[i]);
        enum access_kind kind = event->address == wait->address ? acquiring_kind(event) : ACCESS_ANY;
        if (kind == ACCESS_ANY)
            continue;
        edge->held = (struct witness){.task = event->task, .operation = event->operation, .address = event->address};
        edge->held_site = event->site;
        edge->held_kind = (uint8_t)kind;
        return true;
    }
    return false;
}

static void add_edge(struct experiment *experiment, unsigned number, const struct wait_edge *edge)
{
    struct instance pair = {
        .site = {edge->held_site, edge->wanted_site}, .kind = {edge->held_kind, edge->wanted_kind}, .row = ROW_WAIT};
    struct witness witnesses[PATTERN_STEPS] = {edge->held, edge->wanted};
    experiment_add_instance(experiment, number, &pair, witnesses);
}

static void add_cross(struct experiment *experiment, unsigned number, const struct wait_edge *x,
                      const struct wait_edge *y)
{
    struct instance cross = {.site = {x->held_site, y->held_site, x->wanted_site, y->wanted_site},
                             .kind = {x->held_kind, y->held_kind, x->wanted_kind, y->wanted_kind},
                             .row = ROW_CROSS};
    struct witness witnesses[PATTERN_STEPS] = {x->held, y->held, x->wanted, y->wanted};
    experiment_add_instance(experiment, number, &cross, witnesses);
}

static void add_waits(struct experiment *experiment, unsigned number)
{
    size_t count = experiment->all.data[number].waits.count;
    for (size_t i = 0; i < count; i++) {
        struct wait_edge x, y;
        if (!make_edge(experiment, &experiment->all.data[number], &experiment->all.data[number].waits.data[i], &x))
            continue;
        add_edge(experiment, number, &x);
        for (size_t k = 0; k < count; k++)
            if (k != i &&
                make_edge(experiment, &experiment->all.data[number], &experiment->all.data[number].waits.data[k], &y) &&
                x.held.task == y.wanted.task && y.held.task == x.wanted.task && x.address != y.address &&
                (x.held_site < y.held_site || (x.held_site == y.held_site && x.held.task < y.held.task)))
                add_cross(experiment, number, &x, &y);
    }
    experiment->all.data[number].waits.count = 0;
}

/* ---- used after it was freed -------------------------------------------------------------------------------------------- */

/* The last event is the use: the observer has forgotten the block by then. */
static void add_freed(struct experiment *experiment, unsigned number)
{
    const struct experiment_run *run = &experiment->all.data[number];
    uint32_t count = execution_count(&run->execution);
    if (count == 0 || (run->kind != KIND_USE_AFTER_FREE && run->kind != KIND_DOUBLE_FREE))
        return;
    uint32_t last = count - 1;
    const struct event *use = execution_event(&run->execution, last);
    unsigned access_count;
    const struct access *accesses = execution_accesses(&run->execution, last, &access_count);
    if (use->task != run->here.task || use->pc != run->here.pc || access_count == 0)
        return;
    for (uint32_t i = last; i-- > 0;) {
        const struct event *event = execution_event(&run->execution, i);
        if (event->op != OP_FREE || event->task == use->task || use->address < event->address ||
            use->address >= event->address + event->size)
            continue;
        struct instance freed = {
            .site = {event->site, use->site}, .kind = {ACCESS_FREE, accesses[0].kind}, .row = ROW_FREED};
        struct witness witnesses[PATTERN_STEPS] = {
            {.task = event->task, .operation = event->operation, .address = use->address},
            {.task = use->task, .operation = use->operation, .address = use->address}};
        experiment_add_instance(experiment, number, &freed, witnesses);
        return;
    }
}

void experiment_add_findings(struct experiment *experiment, unsigned number)
{
    if (experiment->all.data[number].waits.count > 0)
        add_waits(experiment, number);
    add_freed(experiment, number);
}

/* ---- what only the matcher finds ---------------------------------------------------------------------------------------- */

bool experiment_shows(const struct experiment *experiment, const struct experiment_run *run,
                      const struct pattern *pattern)
{
    return stop_requested() || /* nothing can be said */
           pattern_match(pattern, experiment->sites, &run->execution) != MATCH_NO;
}

/* The event may be the step; `first`: of the variable, NULL if this is it. */
static bool is_step(const struct execution *execution, const struct instance *instance, unsigned step, uint32_t at,
                    const struct event *first)
{
    const struct event *event = execution_event(execution, at);
    unsigned count;
    const struct access *accesses = execution_accesses(execution, at, &count);
    return event->site == instance->site[step] && count > 0 &&
           access_fits((enum access_kind)instance->kind[step], (enum access_kind)accesses[0].kind) &&
           (first == NULL ||
            ((event->task == first->task) == (step == 2) && event->address < first->address + first->size &&
             first->address < event->address + event->size));
}

/* The next event from `at` on that may be the step; the number of events if there is none. */
static uint32_t next_step(const struct execution *execution, const struct instance *instance, unsigned step,
                          uint32_t at, const struct event *first, uint64_t *work)
{
    uint32_t begin = at, count = execution_count(execution);
    while (at < count && !is_step(execution, instance, step, at, first))
        at++;
    *work += at - begin + 1;
    return at;
}

/* Where the run that is to be explained shows a loose triple; false: it does not, or it would take too long to find. */
static bool find_loose(const struct experiment *experiment, const struct instance *instance, struct witness *witnesses)
{
    enum { MOST_WORK = 4000000 }; /* events that are looked at: some 20 ms */
    const struct execution *execution = &experiment->all.data[0].execution;
    uint32_t count = execution_count(execution), at[3];
    uint64_t work = 0;
    for (at[0] = 0; at[0] < count && work < MOST_WORK; at[0]++) {
        at[0] = next_step(execution, instance, 0, at[0], NULL, &work);
        if (at[0] >= count)
            break;
        const struct event *first = execution_event(execution, at[0]);
        at[1] = next_step(execution, instance, 1, at[0] + 1, first, &work);
        at[2] = next_step(execution, instance, 2, at[1] + 1, first, &work);
        for (unsigned i = 0; i < 3 && at[2] < count; i++) {
            const struct event *event = execution_event(execution, at[i]);
            witnesses[i] =
                (struct witness){.task = event->task, .operation = event->operation, .address = event->address};
        }
        if (at[2] < count)
            return true;
    }
    return false;
}

/* Three steps that are in no passing run: the same with any distance between them is in more failing ones, perhaps in all. */
static void add_loose(struct experiment *experiment)
{
    size_t count = experiment->candidates.count;
    unsigned added = 0;
    for (size_t i = 0; i < count && added < MOST_LOOSE; i++) {
        const struct cause_candidate *candidate = &experiment->candidates.data[i];
        bool triple = candidate->instance.row < family_count && candidate->tier == TIER_TRIPLE;
        if (!triple || !cause_set_common(&candidate->seen, &experiment->verdicts.failing) ||
            cause_set_common(&candidate->seen, &experiment->verdicts.passing) ||
            cause_fits(candidate, &experiment->verdicts))
            continue;
        struct instance loose = candidate->instance;
        struct witness witnesses[PATTERN_STEPS] = {0};
        loose.row = ROW_LOOSE;
        added++;
        if (instances_has(&experiment->numbers, &loose))
            continue;
        size_t number = experiment_number(experiment, &loose);
        if (number != SIZE_MAX && find_loose(experiment, &loose, witnesses))
            experiment_place_in_base(experiment, &experiment->candidates.data[number], witnesses);
    }
}

/* Those of a finding are known for the failing runs. */
void experiment_match_own_rows(struct experiment *experiment)
{
    add_loose(experiment);
    for (size_t i = 0; i < experiment->candidates.count; i++) {
        struct cause_candidate *candidate = &experiment->candidates.data[i];
        if (candidate->instance.row < family_count)
            continue;
        struct pattern pattern = experiment_pattern(&candidate->instance);
        for (unsigned run = candidate->matched; run < experiment->all.count; run++) {
            bool failing = experiment->all.data[run].failing;
            if ((!failing || candidate->instance.row == ROW_LOOSE) &&
                experiment_shows(experiment, &experiment->all.data[run], &pattern))
                cause_set_add(&candidate->seen, run);
        }
        candidate->matched = (uint32_t)experiment->all.count;
    }
}
