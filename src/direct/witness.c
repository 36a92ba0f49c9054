/* SPDX-License-Identifier: MIT
 *
 * witness.c - see witness.h.
 */
#include "direct/witness.h"

#include <string.h>

enum { MOST_TRIED = 256 }; /* occurrences of a first step that are looked at */

static uint64_t key_of(uint16_t task, uint32_t site)
{
    return (uint64_t)task << 32 | site;
}

static struct witness_place place_of(const struct wire_event *event)
{
    bool waits = event->op == OP_COND_WAIT || event->op == OP_COND_WAKE;
    return (struct witness_place){.operation = event->operation,
                                  .lo = event->address,
                                  .hi = event->address + (event->size != 0 ? event->size : 1),
                                  .mutex = waits ? event->value : 0};
}

void witness_index_make(struct witness_index *index, const struct wire_event *events, const uint32_t *sites,
                        size_t count)
{
    witness_index_free(index);
    for (size_t i = 0; i < count; i++) {
        if (sites[i] == SITE_ANY)
            continue;
        uint64_t *entry = table_put(&index->lists, key_of(events[i].task, sites[i]));
        if (*entry == 0) {
            vector_reserve(&index->places, index->places.count + 1);
            memset(&index->places.data[index->places.count], 0, sizeof *index->places.data);
            *entry = ++index->places.count;
        }
        vector_push(&index->places.data[*entry - 1].all, place_of(&events[i]));
    }
    section_entries_make(&index->entries, events, count);
}

void witness_index_free(struct witness_index *index)
{
    for (size_t i = 0; i < index->places.count; i++)
        vector_free(&index->places.data[i].all);
    vector_free(&index->places);
    table_free(&index->lists);
    section_entries_free(&index->entries);
}

struct list {
    const struct witness_place *places;
    size_t count;
};

static struct list list_of(const struct witness_index *index, uint16_t task, uint32_t site)
{
    const uint64_t *entry = table_get(&index->lists, key_of(task, site));
    if (entry == NULL)
        return (struct list){0};
    return (struct list){index->places.data[*entry - 1].all.data, index->places.data[*entry - 1].all.count};
}

static bool is_there(const struct witness_place *place, uint64_t address)
{
    return address == 0 || (address >= place->lo && address < place->hi) || address == place->mutex;
}

/* The closest pair: an execution of the first site and the next one of the second after it, each at its address (0: any).
   False: there is none. */
static bool pair_up(const struct witness_index *index, const struct instance *instance, unsigned first, unsigned second,
                    const uint64_t addresses[PATTERN_STEPS], struct witness *witnesses)
{
    uint16_t task = witnesses[first].task;
    struct list before = list_of(index, task, instance->site[first]),
                after = list_of(index, task, instance->site[second]);
    uint64_t best = UINT64_MAX;
    for (size_t i = 0, j = 0, looked = 0; i < before.count && looked < MOST_TRIED; i++) {
        if (!is_there(&before.places[i], addresses[first]))
            continue;
        looked++;
        while (j < after.count && (after.places[j].operation <= before.places[i].operation ||
                                   !is_there(&after.places[j], addresses[second])))
            j++;
        if (j == after.count)
            break;
        uint64_t distance = after.places[j].operation - before.places[i].operation;
        if (distance >= best)
            continue;
        best = distance;
        witnesses[first].operation = before.places[i].operation;
        witnesses[first].occurrence = (uint32_t)i + 1;
        witnesses[second].operation = after.places[j].operation;
        witnesses[second].occurrence = (uint32_t)j + 1;
        witnesses[second].task = task;
    }
    return best != UINT64_MAX;
}

void witness_refine(const struct witness_index *index, const struct instance *instance,
                    struct witness witnesses[PATTERN_STEPS])
{
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
        witnesses[i].section_entry = section_entries_find(&index->entries, witnesses[i].task, witnesses[i].operation);
}
