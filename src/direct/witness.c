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
        vector_push(&index->places.data[*entry - 1].operations, events[i].operation);
    }
    doors_make(&index->doors, events, count);
}

void witness_index_free(struct witness_index *index)
{
    for (size_t i = 0; i < index->places.count; i++)
        vector_free(&index->places.data[i].operations);
    vector_free(&index->places);
    table_free(&index->lists);
    doors_free(&index->doors);
}

struct list {
    const uint64_t *operations;
    size_t count;
};

static struct list list_of(const struct witness_index *index, uint16_t task, uint32_t site)
{
    const uint64_t *entry = table_get(&index->lists, key_of(task, site));
    if (entry == NULL)
        return (struct list){0};
    return (struct list){index->places.data[*entry - 1].operations.data,
                         index->places.data[*entry - 1].operations.count};
}

/* The closest pair: an execution of the first site and the next one of the second after it. */
static void pair_up(const struct witness_index *index, const struct instance *instance, unsigned first, unsigned second,
                    struct witness *witnesses)
{
    uint16_t task = witnesses[first].task;
    struct list before = list_of(index, task, instance->site[first]),
                after = list_of(index, task, instance->site[second]);
    uint64_t best = UINT64_MAX;
    for (size_t i = 0, j = 0; i < before.count && i < MOST_TRIED; i++) {
        while (j < after.count && after.operations[j] <= before.operations[i])
            j++;
        if (j == after.count)
            return;
        uint64_t distance = after.operations[j] - before.operations[i];
        if (distance >= best)
            continue;
        best = distance;
        witnesses[first].operation = before.operations[i];
        witnesses[first].occurrence = (uint32_t)i + 1;
        witnesses[second].operation = after.operations[j];
        witnesses[second].occurrence = (uint32_t)j + 1;
        witnesses[second].task = task;
    }
}

void witness_refine(const struct witness_index *index, const struct instance *instance,
                    struct witness witnesses[PATTERN_STEPS])
{
    const struct pattern *shape = family_shape(instance->row);
    for (unsigned i = 0; i < shape->count; i++) {
        int before = pattern_previous_of_thread(shape, i);
        if (before >= 0)
            pair_up(index, instance, (unsigned)before, i, witnesses);
    }
    for (unsigned i = 0; i < shape->count; i++)
        witnesses[i].door = doors_find(&index->doors, witnesses[i].task, witnesses[i].operation);
}
