/* SPDX-License-Identifier: MIT
 *
 * witness.c - see witness.h.
 */
#include "direct/witness.h"

#include <assert.h>

enum { MOST_TRIED = 256 }; /* occurrences of a first step that are looked at */

static uint64_t key_of(uint16_t task, uint32_t site)
{
    return (uint64_t)task << 32 | site;
}

void witness_index_make(struct witness_index *index, const struct execution *execution)
{
    witness_index_free(index);
    index->execution = execution;
    for (uint32_t i = 0; i < execution_count(execution); i++) {
        const struct event *event = execution_event(execution, i);
        if (event->site == SITE_ANY)
            continue;
        uint64_t *entry = table_put(&index->lists, key_of(event->task, event->site));
        if (*entry == 0) {
            vector_push(&index->events, ((event_list){0}));
            *entry = index->events.count;
        }
        vector_push(&index->events.data[*entry - 1], i);
    }
    execution_prepare(execution, EXECUTION_SECTIONS);
}

void witness_index_free(struct witness_index *index)
{
    for (size_t i = 0; i < index->events.count; i++)
        vector_free(&index->events.data[i]);
    vector_free(&index->events);
    table_free(&index->lists);
}

/* The events of the task at the site. */
static struct event_range events_of(const struct witness_index *index, uint16_t task, uint32_t site)
{
    const uint64_t *entry = table_get(&index->lists, key_of(task, site));
    if (entry == NULL)
        return (struct event_range){0};
    const event_list *list = &index->events.data[*entry - 1];
    return (struct event_range){list->data, (uint32_t)list->count};
}

/* 0: any address. */
static bool is_at(const struct event *event, uint64_t address)
{
    bool waits = event->op == OP_COND_WAIT || event->op == OP_COND_WAKE;
    uint64_t end = event->address + (event->size != 0 ? event->size : 1);
    return address == 0 || (address >= event->address && address < end) || address == (waits ? event->value : 0);
}

/* Of an event with so many of its task and site before it; 0, any, if these are not all. */
static uint32_t occurrence_of(const struct execution *execution, uint32_t before)
{
    return execution->begins_late ? 0 : before + 1;
}

/* Steps of one unit of work, in the calling contexts that were predicted. */
static bool is_in_unit(const struct event *from, const struct event *to, const struct witness *first,
                       const struct witness *second)
{
    return from->unit == to->unit && from->context == first->context && to->context == second->context;
}

/* The closest pair: an execution of the first site and the next one of the second after it, each at its address (0: any).
   False: there is none. */
static bool pair_up(const struct witness_index *index, const struct instance *instance, unsigned first, unsigned second,
                    const uint64_t addresses[PATTERN_STEPS], struct witness *witnesses)
{
    uint16_t task = witnesses[first].task;
    bool units = (families[instance->row].flags & FAMILY_SET) != 0;
    struct event_range before = events_of(index, task, instance->site[first]),
                       after = events_of(index, task, instance->site[second]);
    uint64_t best = UINT64_MAX;
    for (uint32_t i = 0, j = 0, looked = 0; i < before.count && looked < MOST_TRIED; i++) {
        const struct event *from = execution_event(index->execution, before.data[i]), *to = NULL;
        if (!is_at(from, addresses[first]))
            continue;
        looked++;
        while (j < after.count && execution_event(index->execution, after.data[j])->operation <= from->operation)
            j++;
        uint32_t k = j;
        for (; k < after.count; k++) {
            to = execution_event(index->execution, after.data[k]);
            if (is_at(to, addresses[second]) && (!units || is_in_unit(from, to, &witnesses[first], &witnesses[second])))
                break;
        }
        if (k == after.count)
            continue;
        uint64_t distance = to->operation - from->operation;
        if (distance >= best)
            continue;
        best = distance;
        witnesses[first].operation = from->operation;
        witnesses[first].unit_depth = witnesses[second].unit_depth = from->unit_depth;
        witnesses[first].occurrence = occurrence_of(index->execution, i);
        witnesses[second].operation = to->operation;
        witnesses[second].occurrence = occurrence_of(index->execution, k);
        witnesses[second].task = task;
    }
    return best != UINT64_MAX;
}

void witness_refine(const struct witness_index *index, const struct instance *instance,
                    struct witness witnesses[PATTERN_STEPS])
{
    assert(index->execution != NULL && instance->row < family_count);
    const struct pattern *shape = family_shape(instance->row);
    const uint64_t anywhere[PATTERN_STEPS] = {0};
    uint64_t there[PATTERN_STEPS];
    for (unsigned i = 0; i < PATTERN_STEPS; i++)
        there[i] = witnesses[i].address;
    for (unsigned i = 0; i < shape->count; i++) {
        int before = pattern_previous_of_thread(shape, i);
        if (before >= 0 && !pair_up(index, instance, (unsigned)before, i, there, witnesses))
            pair_up(index, instance, (unsigned)before, i, anywhere, witnesses);
    }
    for (unsigned i = 0; i < shape->count; i++)
        witnesses[i].section_entry =
            execution_section_entry(index->execution, witnesses[i].task, witnesses[i].operation);
}
