/* SPDX-License-Identifier: MIT
 *
 * order_walk.c - see order_walk.h.
 */
#include "solve/order_walk.h"

static bool are_edges_done(const struct order_walk *walk, uint32_t event)
{
    uint32_t count;
    const struct rule_edge *edges = rules_edges(walk->rules, event, &count);
    for (uint32_t i = 0; i < count; i++)
        if (!order_walk_is_done(walk, edges[i].before))
            return false;
    return true;
}

static bool is_taken(const struct order_walk *walk, uint32_t event, uint32_t lock)
{
    const struct rule_lock *facts = &walk->rules->locks.data[lock];
    const struct event *own = execution_event(walk->rules->execution, event);
    bool shared = op_effect(own->op) == EFFECT_RDLOCK;
    if (walk->got == lock + 1)
        return true;
    for (size_t i = 0; i < walk->open[lock].count; i++) {
        const struct rule_section *section = &facts->sections.data[walk->open[lock].data[i]];
        if (section->task != own->task && !(shared && section->shared))
            return true;
    }
    return false;
}

/* What the event wrote is what it writes now. */
static bool writes_same(const struct order_walk *walk, uint32_t event)
{
    const struct execution *execution = walk->rules->execution;
    uint16_t task = execution_event(execution, event)->task;
    bool last = walk->next[task] == execution->place.data[event] + 1;
    return event != walk->changed && !(last && walk->differs[task]);
}

static bool finds_same(const struct order_walk *walk, uint32_t event)
{
    const struct rules *rules = walk->rules;
    uint32_t location = rules_location(rules, event), count;
    uint64_t read, written;
    const struct execution_piece *pieces = execution_pieces(rules->execution, event, &count);
    bool same = true;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t writer = walk->writer[pieces[i].location];
        same &= writer == (pieces[i].writer != EVENT_NONE ? pieces[i].writer + 1 : 0);
        same &= writer == 0 || writes_same(walk, writer - 1);
    }
    if (location == UINT32_MAX || !rules_read(rules, event, &read))
        return same;
    uint32_t writer = walk->writer[location];
    if (writer != 0)
        return writes_same(walk, writer - 1) && rules_written(rules, writer - 1, &written) && written == read;
    return rules->locations.data[location].initial_known && rules->locations.data[location].initial == read;
}

bool order_walk_differs(const struct order_walk *walk, uint32_t event)
{
    return event == walk->changed || (rules_event(walk->rules, event)->reads && !finds_same(walk, event));
}

static bool can_synchronise(const struct order_walk *walk, uint32_t event)
{
    const struct rule_event *own = rules_event(walk->rules, event);
    if (event == walk->changed)
        return true;
    switch (own->role) {
    case ROLE_TAKES:
        return !is_taken(walk, event, own->object);
    case ROLE_FAILS:
        return is_taken(walk, event, own->object);
    case ROLE_WAITS:
        return walk->remaining[own->object] > 0;
    case ROLE_LOOKS:
        return (uint64_t)walk->remaining[own->object] == execution_event(walk->rules->execution, event)->value;
    case ROLE_FINDS_NONE:
        return walk->remaining[own->object] == 0;
    default:
        return true;
    }
}

bool order_walk_can(const struct order_walk *walk, uint32_t event)
{
    const struct execution *execution = walk->rules->execution;
    uint16_t task = execution_event(execution, event)->task;
    return walk->next[task] == execution->place.data[event] && !walk->differs[task] && are_edges_done(walk, event) &&
           can_synchronise(walk, event);
}

static void end_section(event_list *open, uint32_t section)
{
    for (size_t i = 0; i < open->count; i++)
        if (open->data[i] == section) {
            open->data[i] = open->data[--open->count];
            return;
        }
}

static void synchronise(struct order_walk *walk, uint32_t event)
{
    const struct rule_event *own = rules_event(walk->rules, event);
    bool changed = event == walk->changed;
    if (own->role == ROLE_TAKES && !changed)
        vector_push(&walk->open[own->object], own->section);
    if (own->role == ROLE_GIVES)
        end_section(&walk->open[own->object], own->section);
    if (own->role == ROLE_FAILS && changed)
        walk->got = own->object + 1;
    if (own->role == ROLE_POSTS)
        walk->remaining[own->object]++;
    if (changed ? own->role == ROLE_FINDS_NONE : own->role == ROLE_WAITS)
        walk->remaining[own->object]--;
}

static void write_memory(struct order_walk *walk, uint32_t event)
{
    uint32_t count;
    bool may_write = event == walk->changed && rules_updates(walk->rules, event);
    if (!rules_event(walk->rules, event)->writes && !may_write)
        return;
    const struct execution_piece *pieces = execution_pieces(walk->rules->execution, event, &count);
    for (uint32_t i = 0; i < count; i++)
        walk->writer[pieces[i].location] = event + 1;
}

void order_walk_do(struct order_walk *walk, uint32_t event)
{
    assert(order_walk_can(walk, event));
    uint16_t task = execution_event(walk->rules->execution, event)->task;
    synchronise(walk, event);
    walk->differs[task] = order_walk_differs(walk, event);
    walk->next[task]++;
    write_memory(walk, event);
}

void order_walk_begin(struct order_walk *walk, const struct rules *rules, uint32_t changed)
{
    uint32_t tasks = execution_task_count(rules->execution);
    *walk = (struct order_walk){.rules = rules, .changed = changed};
    walk->next = memory_allocate(tasks + 1, sizeof *walk->next);
    walk->differs = memory_allocate(tasks + 1, sizeof *walk->differs);
    walk->writer = memory_allocate(rules->locations.count + 1, sizeof *walk->writer);
    walk->remaining = memory_allocate(rules->semaphores.count + 1, sizeof *walk->remaining);
    walk->open = memory_allocate(rules->locks.count + 1, sizeof *walk->open);
    for (size_t i = 0; i < rules->semaphores.count; i++)
        walk->remaining[i] = (int32_t)rules->semaphores.data[i].initial;
}

void order_walk_end(struct order_walk *walk)
{
    for (size_t i = 0; i < walk->rules->locks.count; i++)
        vector_free(&walk->open[i]);
    free(walk->open);
    free(walk->next);
    free(walk->differs);
    free(walk->writer);
    free(walk->remaining);
}
