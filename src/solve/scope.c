/* SPDX-License-Identifier: MIT
 *
 * scope.c - see scope.h.
 */
#include "solve/scope.h"

struct closing {
    struct scope *scope;
    const struct rules *rules;
    const struct question *question;
    event_list must, may; /* events that were added, whose needs have not been looked at yet */
    event_list writes;
};

/* The last write of its task to the location before the event; EVENT_NONE. */
static uint32_t last_own_write(const struct rules *rules, uint32_t event, uint32_t location)
{
    const struct execution *execution = rules->execution;
    struct event_range all = execution_writes(execution, location);
    uint16_t task = execution_event(execution, event)->task;
    for (uint32_t i = event_range_count_before(all, event); i-- > 0;)
        if (execution_event(execution, all.data[i])->task == task)
            return all.data[i];
    return EVENT_NONE;
}

bool scope_may_find_unknown(const struct rules *rules, uint32_t event)
{
    uint32_t location = rules_location(rules, event);
    return location != UINT32_MAX && !rules->locations.data[location].initial_known &&
           last_own_write(rules, event, location) == EVENT_NONE;
}

bool scope_sources(const struct rules *rules, uint32_t event, uint64_t value, event_list *writes)
{
    const struct execution *execution = rules->execution;
    uint32_t location = rules_location(rules, event);
    assert(location != UINT32_MAX);
    struct event_range all = execution_writes(execution, location);
    uint16_t task = execution_event(execution, event)->task;
    uint32_t own_last = last_own_write(rules, event, location); /* earlier ones of its task are hidden by it */
    vector_clear(writes);
    for (uint32_t i = 0; i < all.count; i++) {
        uint64_t written;
        bool own = execution_event(execution, all.data[i])->task == task;
        if (own ? all.data[i] != own_last : all.data[i] == event)
            continue;
        if (rules_written(rules, all.data[i], &written) && written == value)
            vector_push(writes, all.data[i]);
    }
    const struct rule_location *facts = &rules->locations.data[location];
    return own_last == EVENT_NONE && facts->initial_known && facts->initial == value;
}

/* ---- closing ------------------------------------------------------------------------------------------------------ */

static void add(struct closing *closing, event_list *limits, event_list *added, uint32_t event)
{
    const struct execution *execution = closing->rules->execution;
    uint16_t task = execution_event(execution, event)->task;
    for (; limits->data[task] <= execution->place.data[event]; limits->data[task]++)
        vector_push(added, execution_event_at(execution, task, limits->data[task]));
}

static void add_may(struct closing *closing, uint32_t event)
{
    if (event != EVENT_NONE)
        add(closing, &closing->scope->may, &closing->may, event);
}

static void add_may_all(struct closing *closing, const event_list *events)
{
    for (size_t i = 0; i < events->count; i++)
        add_may(closing, events->data[i]);
}

static void close_must(struct closing *closing)
{
    while (closing->must.count > 0) {
        uint32_t event = closing->must.data[--closing->must.count], count;
        const struct rule_edge *edges = rules_edges(closing->rules, event, &count);
        for (uint32_t i = 0; i < count; i++)
            add(closing, &closing->scope->must, &closing->must, edges[i].before);
    }
}

/* What the read may find so that it is as it was. */
static void add_sources(struct closing *closing, uint32_t event)
{
    const struct rules *rules = closing->rules;
    uint64_t value;
    bool changed = closing->question->changed == event;
    if (changed && closing->question->change == CHANGE_BEGINNING)
        return;
    if (changed && closing->question->change == CHANGE_VALUE)
        value = closing->question->value;
    else if (!rules_read(rules, event, &value)) {
        uint32_t count;
        const struct execution_piece *pieces = execution_pieces(rules->execution, event, &count);
        for (uint32_t i = 0; i < count; i++)
            add_may(closing, pieces[i].writer);
        return;
    }
    scope_sources(rules, event, value, &closing->writes);
    add_may_all(closing, &closing->writes);
}

/* Sections that are begun must be able to end. */
static void add_sections(struct closing *closing, uint32_t lock, bool ended)
{
    const struct rule_lock *facts = &closing->rules->locks.data[lock];
    for (size_t i = 0; i < facts->sections.count; i++) {
        const struct rule_section *section = &facts->sections.data[i];
        if (!ended)
            add_may(closing, section->first);
        else if (scope_may(closing->scope, closing->rules, section->first))
            add_may(closing, section->last);
    }
}

static void add_needs(struct closing *closing, uint32_t event)
{
    const struct rules *rules = closing->rules;
    const struct rule_event *own = rules_event(rules, event);
    uint32_t count;
    const struct rule_edge *edges = rules_edges(rules, event, &count);
    for (uint32_t i = 0; i < count; i++)
        add_may(closing, edges[i].before);
    if (own->reads)
        add_sources(closing, event);
    if (own->role == ROLE_TAKES)
        add_sections(closing, own->object, true);
    if (own->role == ROLE_FAILS || (event == closing->question->changed &&
                                    closing->question->change == CHANGE_FINDS_NONE && own->role == ROLE_TAKES))
        add_sections(closing, own->object, false);
    if (own->role == ROLE_WAITS || own->role == ROLE_LOOKS ||
        (own->role == ROLE_FINDS_NONE && event == closing->question->changed))
        add_may_all(closing, &rules->semaphores.data[own->object].posts);
    if (own->role == ROLE_FINDS_NONE || own->role == ROLE_LOOKS ||
        (own->role == ROLE_WAITS && event == closing->question->changed))
        add_may_all(closing, &rules->semaphores.data[own->object].waits);
    if (rules->condition_of.data[event] != 0) {
        const struct rule_condition *condition = &rules->conditions.data[rules->condition_of.data[event] - 1];
        add_may_all(closing, &condition->signals);
        add_may_all(closing, &condition->broadcasts);
    }
}

static void begin(struct scope *scope, uint32_t tasks)
{
    vector_clear(&scope->must);
    vector_clear(&scope->may);
    for (uint32_t i = 0; i < tasks; i++) {
        vector_push(&scope->must, 0);
        vector_push(&scope->may, 0);
    }
}

static void add_all(struct closing *closing)
{
    const struct execution *execution = closing->rules->execution;
    for (uint32_t task = 0; task < execution_task_count(execution); task++)
        closing->scope->may.data[task] = execution_task(execution, (uint16_t)task).count;
}

/* Nothing of its task comes after the event that comes out otherwise. */
static void end_at_change(struct closing *closing)
{
    uint32_t changed = closing->question->changed;
    const struct execution *execution = closing->rules->execution;
    if (changed == EVENT_NONE)
        return;
    uint16_t task = execution_event(execution, changed)->task;
    if (closing->scope->may.data[task] > execution->place.data[changed] + 1)
        closing->scope->may.data[task] = execution->place.data[changed] + 1;
}

void scope_make(struct scope *scope, const struct rules *rules, const struct question *question)
{
    struct closing closing = {.scope = scope, .rules = rules, .question = question};
    uint32_t tasks = execution_task_count(rules->execution);
    begin(scope, tasks);
    for (size_t i = 0; i < question->needed.count; i++)
        add(&closing, &scope->must, &closing.must, question->needed.data[i]);
    if (question->changed != EVENT_NONE)
        add(&closing, &scope->must, &closing.must, question->changed);
    close_must(&closing);
    if (question->whole)
        add_all(&closing);
    for (uint32_t task = 0; task < tasks; task++)
        if (scope->must.data[task] > 0)
            add_may(&closing, execution_event_at(rules->execution, (uint16_t)task, scope->must.data[task] - 1));
    while (closing.may.count > 0)
        add_needs(&closing, closing.may.data[--closing.may.count]);
    end_at_change(&closing);
    scope->count = 0;
    for (uint32_t task = 0; task < tasks; task++)
        scope->count += scope->may.data[task];
    vector_free(&closing.must);
    vector_free(&closing.may);
    vector_free(&closing.writes);
}

void scope_free(struct scope *scope)
{
    vector_free(&scope->must);
    vector_free(&scope->may);
}

/* ---- size --------------------------------------------------------------------------------------------------------- */

static uint64_t pairs_of_lock(const struct scope *scope, const struct rules *rules, const struct rule_lock *lock)
{
    uint64_t count = 0;
    for (size_t i = 0; i < lock->sections.count; i++)
        count += scope_may(scope, rules, lock->sections.data[i].first);
    return count * count / 2;
}

static uint64_t writes_of(const struct scope *scope, const struct rules *rules, uint32_t location)
{
    struct event_range writes = execution_writes(rules->execution, location);
    uint64_t count = 0;
    for (uint32_t i = 0; i < writes.count; i++)
        count += scope_may(scope, rules, writes.data[i]);
    return count;
}

uint64_t scope_pairs(const struct scope *scope, const struct rules *rules)
{
    uint64_t pairs = 0;
    uint32_t count;
    event_list writes = {0}; /* by location */
    for (size_t i = 0; i < rules->locks.count; i++)
        pairs += pairs_of_lock(scope, rules, &rules->locks.data[i]);
    for (uint32_t i = 0; i < rules->locations.count; i++)
        vector_push(&writes, (uint32_t)writes_of(scope, rules, i));
    for (uint32_t event = 0; event < execution_count(rules->execution); event++) {
        if (!rules_event(rules, event)->reads || !scope_may(scope, rules, event))
            continue;
        const struct execution_piece *pieces = execution_pieces(rules->execution, event, &count);
        assert(count == 0 || writes.data != NULL);
        for (uint32_t i = 0; i < count; i++)
            pairs += writes.data[pieces[i].location];
    }
    vector_free(&writes);
    return pairs;
}
