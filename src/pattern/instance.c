/* SPDX-License-Identifier: MIT
 *
 * instance.c - see instance.h.
 */
#include "pattern/instance.h"

#include <assert.h>
#include <string.h>

#include "util/hash.h"

/* ---- one name ---------------------------------------------------------------------------------------------------- */

/* In a row whose first group has two steps, the threads and variables can be exchanged: which step takes the place of
   step i then.  Only such rows can have more than one name, since the first step is always a's on x. */
static bool exchanged(const struct pattern *shape, uint8_t order[PATTERN_STEPS])
{
    if (shape->steps[1].group != 0)
        return false;
    for (unsigned i = 0; i < shape->count; i++) {
        const struct pattern_step *step = &shape->steps[i];
        unsigned k = 0;
        while (k < shape->count &&
               (shape->steps[k].thread == step->thread || shape->steps[k].variable == step->variable ||
                shape->steps[k].group != step->group || shape->steps[k].kind != step->kind))
            k++;
        if (k == shape->count)
            return false;
        order[i] = (uint8_t)k;
    }
    return true;
}

bool instance_other_name(const struct instance *instance, struct instance *other, uint8_t order[PATTERN_STEPS])
{
    assert(instance->row < family_count);
    const struct pattern *shape = family_shape(instance->row);
    if (!exchanged(shape, order))
        return false;
    *other = *instance;
    for (unsigned i = 0; i < shape->count; i++) {
        other->site[i] = instance->site[order[i]];
        other->kind[i] = instance->kind[order[i]];
    }
    return true;
}

void instance_canonical(struct instance *instance, uint8_t order[PATTERN_STEPS])
{
    static const uint8_t identity[PATTERN_STEPS] = {0, 1, 2, 3};
    struct instance other;
    uint8_t other_order[PATTERN_STEPS];
    memcpy(order, identity, sizeof identity);
    if (!instance_other_name(instance, &other, other_order))
        return;
    int difference = memcmp(other.site, instance->site, sizeof other.site);
    if (difference == 0)
        difference = memcmp(other.kind, instance->kind, sizeof other.kind);
    if (difference < 0) {
        *instance = other;
        memcpy(order, other_order, sizeof identity);
    }
}

bool instance_equal(const struct instance *a, const struct instance *b)
{
    return a->row == b->row && memcmp(a->site, b->site, sizeof a->site) == 0 &&
           memcmp(a->kind, b->kind, sizeof a->kind) == 0;
}

struct pattern instance_pattern(const struct instance *instance)
{
    assert(instance->row < family_count);
    struct pattern pattern = *family_shape(instance->row);
    for (unsigned i = 0; i < pattern.count; i++) {
        pattern.steps[i].site = instance->site[i];
        pattern.steps[i].kind = instance->kind[i];
    }
    return pattern;
}

void instance_print(const struct instance *instance, const struct sites *sites, enum site_detail detail,
                    struct buffer *out)
{
    struct instance other;
    uint8_t order[PATTERN_STEPS];
    struct buffer texts[2] = {{0}, {0}};
    struct pattern pattern = instance_pattern(instance);
    pattern_print(&pattern, sites, detail, &texts[0]);
    const char *text = buffer_text(&texts[0]);
    if (instance_other_name(instance, &other, order)) {
        pattern = instance_pattern(&other);
        pattern_print(&pattern, sites, detail, &texts[1]);
        if (strcmp(buffer_text(&texts[1]), text) < 0)
            text = buffer_text(&texts[1]);
    }
    buffer_add_string(out, text);
    buffer_free(&texts[0]);
    buffer_free(&texts[1]);
}

/* ---- sets -------------------------------------------------------------------------------------------------------- */

/* The table maps hashes to numbers; of instances with the same hash, the later ones get the next free hash. */
static uint64_t first_hash(const struct instance *instance)
{
    uint64_t hash = hash_combine((uint64_t)instance->site[0] << 32 | instance->site[1],
                                 (uint64_t)instance->site[2] << 32 | instance->site[3]);
    uint32_t kinds;
    memcpy(&kinds, instance->kind, sizeof kinds);
    return hash_combine(hash, (uint64_t)kinds << 8 | instance->row);
}

size_t instances_find(const struct instances *instances, const struct instance *instance)
{
    const uint64_t *slot;
    for (uint64_t hash = first_hash(instance); (slot = table_get(&instances->index, hash)) != NULL; hash++)
        if (instance_equal(&instances->all.data[*slot - 1], instance))
            return *slot - 1;
    return SIZE_MAX;
}

bool instances_has(const struct instances *instances, const struct instance *instance)
{
    return instances_find(instances, instance) != SIZE_MAX;
}

bool instances_add(struct instances *instances, const struct instance *instance, const struct witness *witnesses)
{
    static const struct witness unknown[PATTERN_STEPS];
    uint64_t hash = first_hash(instance);
    uint64_t *slot;
    while (*(slot = table_put(&instances->index, hash)) != 0) {
        if (instance_equal(&instances->all.data[*slot - 1], instance))
            return false;
        hash++;
    }
    vector_push(&instances->all, *instance);
    *slot = instances->all.count;
    if (!instances->bare)
        vector_append(&instances->witnesses, witnesses != NULL ? witnesses : unknown, PATTERN_STEPS);
    return true;
}

size_t instances_count_of(const struct instances *instances, family_mask rows)
{
    size_t count = 0;
    for (size_t i = 0; i < instances->all.count; i++)
        count += (rows >> instances->all.data[i].row) & 1;
    return count;
}

void instances_clear(struct instances *instances)
{
    vector_clear(&instances->all);
    vector_clear(&instances->witnesses);
    table_clear(&instances->index);
}

void instances_free(struct instances *instances)
{
    vector_free(&instances->all);
    vector_free(&instances->witnesses);
    table_free(&instances->index);
}
