/* SPDX-License-Identifier: MIT
 *
 * tuples.c - see tuples.h.
 */
#include "solve/tuples.h"

#include "pattern/family.h"

struct finder {
    const struct execution *execution;
    const struct site_events *sites;
    const struct pattern *pattern;
    uint32_t window;
    struct tuples *tuples;
    struct tuple chosen;
    uint64_t work;
};

void site_events_make(struct site_events *sites, const struct execution *execution)
{
    table_clear(&sites->last);
    vector_clear(&sites->alike);
    for (uint32_t i = 0; i < execution_count(execution); i++) {
        uint64_t *last = table_put(&sites->last, execution_event(execution, i)->site);
        vector_push(&sites->alike, *last != 0 ? (uint32_t)(*last - 1) : EVENT_NONE);
        *last = i + 1;
    }
}

void site_events_free(struct site_events *sites)
{
    table_free(&sites->last);
    vector_free(&sites->alike);
}

void tuples_free(struct tuples *tuples)
{
    vector_free(&tuples->all);
}

/* ---- finding -------------------------------------------------------------------------------------------------------- */

static const struct access *access_of(const struct finder *finder, unsigned step)
{
    return execution_find_access(finder->execution, finder->chosen.events[step],
                                 (enum access_kind)finder->pattern->steps[step].kind);
}

/* Between two steps of a task on one variable it does not access the variable. */
static bool is_uninterrupted(const struct finder *finder, unsigned first, unsigned second)
{
    const struct execution *execution = finder->execution;
    const struct access *to = access_of(finder, second);
    uint32_t from = finder->chosen.events[first], last = finder->chosen.events[second];
    uint16_t task = execution_event(execution, last)->task;
    for (uint32_t place = execution->place.data[from] + 1; place < execution->place.data[last]; place++) {
        unsigned count;
        const struct access *between =
            execution_accesses(execution, execution_event_at(execution, task, place), &count);
        for (unsigned i = 0; i < count; i++)
            if (access_overlap(&between[i], to))
                return false;
    }
    return true;
}

static bool has_flag(const struct finder *finder, enum family_flag flag)
{
    return finder->pattern->family != NULL && (finder->pattern->family->flags & (unsigned)flag) != 0;
}

/* What the family asks of each access, and of two. */
static bool fits_family(const struct finder *finder, unsigned step, const struct access *access)
{
    const struct event *event = execution_event(finder->execution, finder->chosen.events[step]);
    if (has_flag(finder, FAMILY_PLAIN) && (!access_is_data((enum access_kind)access->kind) ||
                                           (step > 0 && access->atomic && access_of(finder, step - 1)->atomic)))
        return false;
    if (!has_flag(finder, FAMILY_SET))
        return true;
    return event->unit != 0 && event->set != 0 &&
           event->set == execution_event(finder->execution, finder->chosen.events[0])->set;
}

static bool fits_thread(const struct finder *finder, unsigned first, unsigned second)
{
    const struct pattern_step *steps = finder->pattern->steps;
    const struct event *from = execution_event(finder->execution, finder->chosen.events[first]),
                       *to = execution_event(finder->execution, finder->chosen.events[second]);
    if ((steps[first].thread == steps[second].thread) != (from->task == to->task))
        return false;
    if (from->task != to->task)
        return true;
    if (has_flag(finder, FAMILY_UNIT) && from->unit != to->unit)
        return false;
    bool in_order =
        steps[first].group == steps[second].group || finder->chosen.events[first] < finder->chosen.events[second];
    uint64_t apart =
        from->operation > to->operation ? from->operation - to->operation : to->operation - from->operation;
    return in_order && apart <= finder->window && finder->chosen.events[first] != finder->chosen.events[second];
}

/* The event that was chosen last fits the others. */
static bool fits(const struct finder *finder, unsigned step)
{
    const struct pattern *pattern = finder->pattern;
    const struct access *access = access_of(finder, step);
    if (access == NULL || !fits_family(finder, step, access))
        return false;
    for (unsigned i = 0; i < step; i++)
        if (!fits_thread(finder, i, step) || access_overlap(access, access_of(finder, i)) !=
                                                 (pattern->steps[i].variable == pattern->steps[step].variable))
            return false;
    int mine = pattern_previous_of_thread(pattern, step);
    bool together = has_flag(finder, FAMILY_UNINTERRUPTED) && mine >= 0 && pattern->steps[step].thread == 0 &&
                    pattern->steps[mine].variable == pattern->steps[step].variable;
    return !together || is_uninterrupted(finder, (unsigned)mine, step);
}

static void find_from(struct finder *finder, unsigned step)
{
    enum { WORK_MOST = 200000 };
    if (step == finder->pattern->count) {
        if (finder->tuples->all.count < (finder->tuples->most != 0 ? finder->tuples->most : TUPLES_MOST))
            vector_push(&finder->tuples->all, finder->chosen);
        else
            finder->tuples->cut = true;
        return;
    }
    const uint64_t *last = table_get(&finder->sites->last, finder->pattern->steps[step].site);
    uint32_t event = last != NULL && *last != 0 ? (uint32_t)(*last - 1) : EVENT_NONE;
    for (; event != EVENT_NONE && event >= finder->tuples->done && !finder->tuples->cut;
         event = finder->sites->alike.data[event]) {
        finder->tuples->cut = ++finder->work > WORK_MOST;
        finder->chosen.events[step] = event;
        if (fits(finder, step))
            find_from(finder, step + 1);
    }
}

void tuples_find(const struct execution *execution, const struct site_events *sites, const struct pattern *pattern,
                 uint32_t window, struct tuples *tuples)
{
    struct finder finder = {
        .execution = execution, .sites = sites, .pattern = pattern, .window = window, .tuples = tuples};
    vector_clear(&tuples->all);
    tuples->cut = false;
    find_from(&finder, 0);
}

/* ---- the question ----------------------------------------------------------------------------------------------------- */

/* The task of the second step was about to do it when the first one was done. */
static void add_brink(const struct execution *execution, const struct question_order *order, struct question *question)
{
    uint32_t place = execution->place.data[order->second];
    uint16_t task = execution_event(execution, order->second)->task;
    if (place == 0 || execution_event(execution, order->first)->task == task)
        return;
    uint32_t before = execution_event_at(execution, task, place - 1);
    question_order(question, &(struct question_order){.first = before, .second = order->first});
}

bool tuple_question(const struct execution *execution, const struct pattern *pattern, const struct tuple *tuple,
                    struct question *question)
{
    for (unsigned i = 1; i < pattern->count; i++) {
        const struct pattern_step *step = &pattern->steps[i];
        int previous = step->relation == RELATION_IMMEDIATE ? pattern_previous_on_variable(pattern, i) : -1;
        for (unsigned k = 0; k < i; k++) {
            if (pattern->steps[k].group == step->group)
                continue;
            struct question_order order = {tuple->events[k], tuple->events[i], (int)k == previous, {0}, {0}};
            order.from = *execution_find_access(execution, order.first, (enum access_kind)pattern->steps[k].kind);
            order.to = *execution_find_access(execution, order.second, (enum access_kind)step->kind);
            if (execution_event(execution, order.first)->task == execution_event(execution, order.second)->task &&
                order.first > order.second)
                return false;
            question_order(question, &order);
            if (pattern->family != NULL && (pattern->family->flags & FAMILY_BRINK))
                add_brink(execution, &order, question);
        }
    }
    return true;
}
