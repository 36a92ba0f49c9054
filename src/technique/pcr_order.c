/* SPDX-License-Identifier: MIT
 *
 * pcr_order.c - see pcr_order.h.
 */
#include "technique/pcr_order.h"

#include <assert.h>
#include <stdlib.h>

#include "technique/pcr_values.h"

static uint16_t task_of(const struct pcr_order *order, uint32_t event)
{
    return execution_event(order->rules->execution, event)->task;
}

static void know(const struct pcr_order *order, event_list *clocks, uint32_t event, uint32_t before)
{
    for (uint32_t task = 0; task < order->tasks; task++) {
        uint32_t *own = &clocks->data[event * order->tasks + task];
        uint32_t known = clocks->data[before * order->tasks + task];
        *own = known > *own ? known : *own;
    }
}

static int compare_held(const void *left, const void *right)
{
    const struct pcr_held *a = left, *b = right;
    if (a->event != b->event)
        return a->event < b->event ? -1 : 1;
    return a->lock < b->lock ? -1 : a->lock > b->lock;
}

static void hold(struct pcr_order *order, uint32_t lock, uint32_t number)
{
    const struct execution *execution = order->rules->execution;
    const struct rule_section *section = &order->rules->locks.data[lock].sections.data[number];
    struct event_range own = execution_task(execution, section->task);
    uint32_t place = execution->place.data[section->first];
    uint32_t end = section->last != EVENT_NONE ? execution->place.data[section->last] : own.count - 1;
    assert(own.data != NULL && end < own.count);
    for (; place <= end; place++)
        vector_push(&order->held, ((struct pcr_held){own.data[place], lock, number, section->shared}));
}

static void make_held(struct pcr_order *order)
{
    const struct rules *rules = order->rules;
    for (size_t lock = 0; lock < rules->locks.count; lock++)
        for (size_t i = 0; i < rules->locks.data[lock].sections.count; i++)
            hold(order, (uint32_t)lock, (uint32_t)i);
    if (order->held.count > 0)
        qsort(order->held.data, order->held.count, sizeof *order->held.data, compare_held);
    size_t at = 0;
    for (uint32_t event = 0; event <= execution_count(order->rules->execution); event++) {
        while (at < order->held.count && order->held.data[at].event < event)
            at++;
        vector_push(&order->first_held, (uint32_t)at);
    }
}

static const struct pcr_held *held_with(const struct pcr_order *order, uint32_t event, uint32_t lock)
{
    for (uint32_t i = order->first_held.data[event]; i < order->first_held.data[event + 1]; i++)
        if (order->held.data[i].lock == lock)
            return &order->held.data[i];
    return NULL;
}

bool pcr_order_are_together(const struct pcr_order *order, uint32_t one, uint32_t two, uint32_t other)
{
    for (uint32_t i = order->first_held.data[one]; i < order->first_held.data[one + 1]; i++) {
        const struct pcr_held *held = &order->held.data[i], *same = held_with(order, two, held->lock);
        const struct pcr_held *outside = held_with(order, other, held->lock);
        if (same != NULL && same->section == held->section && outside != NULL && !(held->shared && outside->shared))
            return true;
    }
    return false;
}

/* The only event from which the read can have what it found; EVENT_NONE: there are others. */
static uint32_t only_writer(const struct pcr_order *order, uint32_t event)
{
    const struct rules *rules = order->rules;
    uint32_t location = rules_location(rules, event), count;
    if (location == UINT32_MAX || !rules_event(rules, event)->reads)
        return EVENT_NONE;
    uint32_t writer = execution_pieces(rules->execution, event, &count)[0].writer;
    uint64_t value = pcr_value_read(rules, event, location);
    if (writer == EVENT_NONE || pcr_value_written(rules, EVENT_NONE, location) == value ||
        !rules->locations.data[location].initial_known)
        return EVENT_NONE;
    struct event_range all = execution_writes(rules->execution, location);
    for (uint32_t i = 0; i < all.count; i++)
        if (all.data[i] != writer && pcr_value_written(rules, all.data[i], location) == value)
            return EVENT_NONE;
    return writer;
}

/* The end of the critical section around `first` that one around `second`, of another task, must come after; `first` if there is none. */
static uint32_t end_of_section(const struct pcr_order *order, uint32_t first, uint32_t second)
{
    uint32_t end = first;
    for (uint32_t i = order->first_held.data[first]; i < order->first_held.data[first + 1]; i++) {
        const struct pcr_held *held = &order->held.data[i], *other = held_with(order, second, held->lock);
        uint32_t last = order->rules->locks.data[held->lock].sections.data[held->section].last;
        if (other != NULL && !(held->shared && other->shared) && last != EVENT_NONE && last > end && last < second)
            end = last;
    }
    return end;
}

static void know_after(const struct pcr_order *order, event_list *clocks, uint32_t event, uint32_t before)
{
    if (task_of(order, event) != task_of(order, before))
        know(order, clocks, event, end_of_section(order, before, event));
}

static void know_edges(const struct pcr_order *order, event_list *clocks, uint32_t event)
{
    uint32_t count;
    const struct rule_edge *edges = rules_edges(order->rules, event, &count);
    for (uint32_t i = 0; i < count; i++)
        know_after(order, clocks, event, edges[i].before);
}

static void know_writers(struct pcr_order *order, uint32_t event, uint32_t read)
{
    uint32_t count;
    if (!rules_event(order->rules, read)->reads)
        return;
    const struct execution_piece *pieces = execution_pieces(order->rules->execution, read, &count);
    for (uint32_t i = 0; i < count; i++)
        if (pieces[i].writer != EVENT_NONE && pieces[i].location != order->asked_about)
            know_after(order, &order->likely, event, pieces[i].writer);
}

/* What must come before each event: the events of its task, edges, and what an earlier read of its task must have found. */
static void make_clocks(struct pcr_order *order, event_list *clocks, bool likely)
{
    const struct execution *execution = order->rules->execution;
    vector_clear(clocks);
    for (uint32_t event = 0; event < execution_count(execution); event++) {
        uint16_t task = task_of(order, event);
        uint32_t place = execution->place.data[event];
        for (uint32_t i = 0; i < order->tasks; i++)
            vector_push(clocks, 0);
        if (place > 0) {
            uint32_t previous = execution_event_at(execution, task, place - 1);
            know(order, clocks, event, previous);
            if (likely)
                know_writers(order, event, previous);
            else if (order->only_writer.data[previous] != EVENT_NONE)
                know_after(order, clocks, event, order->only_writer.data[previous]);
        }
        know_edges(order, clocks, event);
        clocks->data[event * order->tasks + task] = place + 1;
    }
}

static void find_only_writers(struct pcr_order *order)
{
    for (uint32_t event = 0; event < execution_count(order->rules->execution); event++)
        vector_push(&order->only_writer, only_writer(order, event));
}

bool pcr_order_precedes(const struct pcr_order *order, enum pcr_certainty certainty, uint32_t first, uint32_t second)
{
    const event_list *clocks = certainty == PCR_CERTAIN ? &order->clocks : &order->likely;
    uint32_t known = clocks->data[second * order->tasks + task_of(order, first)];
    return first != second && order->rules->execution->place.data[first] < known;
}

uint32_t pcr_order_brink(const struct pcr_order *order, uint32_t first, uint32_t second)
{
    const struct execution *execution = order->rules->execution;
    for (uint32_t i = order->first_held.data[second]; i < order->first_held.data[second + 1]; i++) {
        const struct pcr_held *held = &order->held.data[i];
        uint32_t begin = order->rules->locks.data[held->lock].sections.data[held->section].first;
        uint32_t place = execution->place.data[begin];
        if (held_with(order, first, held->lock) != NULL && place > 0)
            return execution_event_at(execution, task_of(order, second), place - 1);
    }
    return EVENT_NONE;
}

void pcr_order_ask_about(struct pcr_order *order, uint32_t location)
{
    order->asked_about = location;
    make_clocks(order, &order->likely, true);
}

void pcr_order_make(struct pcr_order *order, const struct rules *rules)
{
    order->rules = rules;
    order->tasks = execution_task_count(rules->execution);
    make_held(order);
    find_only_writers(order);
    make_clocks(order, &order->clocks, false);
}

void pcr_order_free(struct pcr_order *order)
{
    vector_free(&order->clocks);
    vector_free(&order->likely);
    vector_free(&order->only_writer);
    vector_free(&order->held);
    vector_free(&order->first_held);
}
