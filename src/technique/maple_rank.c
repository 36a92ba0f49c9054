/* SPDX-License-Identifier: MIT
 *
 * maple_rank.c - which target is next; see maple.h.
 */
#include <stdlib.h>
#include <string.h>

#include "technique/maple_private.h"
#include "util/file.h"
#include "util/hash.h"

/* ---- ranking ------------------------------------------------------------------------------------------------------ */

/* Kinds of targets, the most suspicious first; and how much of the beginning each gets: the n-th of a kind comes at place n × stride. */
enum suspicion { NEVER_IN_THIS_ORDER, TORN_APART, SECTIONS_TORN, CROSSED, ORDER_OF_LOCKS, OTHER, SUSPICIONS };
static const uint32_t strides[SUSPICIONS] = {1, 2, 2, 4, 5, 7};

static bool is_data(uint8_t kind)
{
    return access_is_data((enum access_kind)kind);
}

/* The accesses of a and b follow each other in the other order in some run. */
static bool other_order_seen(const struct maple *maple, const struct instance *instance)
{
    struct instance other = *instance;
    other.site[0] = instance->site[1];
    other.site[1] = instance->site[0];
    other.kind[0] = instance->kind[1];
    other.kind[1] = instance->kind[0];
    size_t number = coverage_find(maple->setup.coverage, &other);
    return number != SIZE_MAX && coverage_seen(maple->setup.coverage, number) > 0;
}

/* Three accesses a b a of one variable that no order of whole threads explains. */
static bool is_unserializable(uint8_t first, uint8_t between, uint8_t second)
{
    bool w1 = access_is_strong((enum access_kind)first), w2 = access_is_strong((enum access_kind)between),
         w3 = access_is_strong((enum access_kind)second);
    return w2 ? true : w1 && w3;
}

unsigned maple_suspicion(const struct maple *maple, const struct instance *instance)
{
    const struct pattern *shape = family_shape(instance->row);
    bool data = true;
    for (unsigned i = 0; i < shape->count; i++)
        data &= is_data(instance->kind[i]);
    if (shape->count == 2)
        return !data ? ORDER_OF_LOCKS : other_order_seen(maple, instance) ? NEVER_IN_THIS_ORDER : OTHER;
    bool one_variable = true;
    for (unsigned i = 0; i < shape->count; i++)
        one_variable &= shape->steps[i].variable == 0;
    if (one_variable && !data)
        return instance->kind[0] == ACCESS_UNLOCK && instance->kind[shape->count - 1] == ACCESS_LOCK ? SECTIONS_TORN
                                                                                                     : OTHER;
    if (one_variable)
        return is_unserializable(instance->kind[0], instance->kind[1], instance->kind[shape->count - 1]) ? TORN_APART
                                                                                                         : OTHER;
    return data ? CROSSED : OTHER;
}

/* How often each site is part of what was covered: rare ones are the ones that tests forget. */
static void count_sites(const struct maple *maple, struct table *uses)
{
    const struct coverage *coverage = maple->setup.coverage;
    for (size_t i = 0; i < coverage_instance_count(coverage); i++) {
        const struct instance *instance = coverage_instance(coverage, i);
        uint64_t seen = coverage_seen(coverage, i);
        for (unsigned k = 0; seen > 0 && k < PATTERN_STEPS && instance->site[k] != 0; k++)
            *table_put(uses, instance->site[k]) += seen;
    }
}

static uint64_t commonness(const struct table *uses, const struct instance *instance)
{
    uint64_t most = UINT64_MAX;
    for (unsigned i = 0; i < PATTERN_STEPS && instance->site[i] != 0; i++) {
        const uint64_t *count = table_get(uses, instance->site[i]);
        uint64_t own = count != NULL ? *count : 0;
        most = own < most ? own : most;
    }
    return most;
}

static bool is_in_libraries(const struct maple *maple, const struct instance *instance)
{
    if (maple->setup.program == NULL)
        return false;
    const char *program = file_base_name(maple->setup.program);
    const struct sites *sites = coverage_sites(maple->setup.coverage);
    for (unsigned i = 0; i < PATTERN_STEPS && instance->site[i] != 0; i++)
        if (strcmp(file_base_name(sites_get(sites, instance->site[i])->module), program) != 0)
            return true;
    return false;
}

static bool is_in_new_code(const struct maple *maple, const struct instance *instance)
{
    for (unsigned i = 0; maple->setup.is_new_site != NULL && i < PATTERN_STEPS && instance->site[i] != 0; i++)
        if (maple->setup.is_new_site(maple->setup.context, instance->site[i]))
            return true;
    return false;
}

typedef VECTOR(struct queued_target) entries;

/* New open instances get their ranks: by suspicion, and within it by commonness. */
static void rank_new(struct maple *maple)
{
    struct table uses = {0};
    entries kinds[SUSPICIONS] = {0};
    size_t cursor = maple->listed;
    struct coverage_open open;
    count_sites(maple, &uses);
    while (coverage_next_open(maple->setup.coverage, &cursor, &open)) {
        bool is_new = is_in_new_code(maple, open.instance);
        uint64_t common = is_new ? 0 : 1 + commonness(&uses, open.instance);
        maple_target(maple, open.number)->is_new_code = is_new;
        struct queued_target entry = {common * 64 + open.instance->row, open.number};
        if (is_in_libraries(maple, open.instance))
            entry.order += UINT64_MAX / 2;
        unsigned suspicion = maple_suspicion(maple, open.instance);
        vector_push(&kinds[suspicion], entry);
    }
    for (unsigned kind = 0; kind < SUSPICIONS; kind++) {
        if (kinds[kind].count > 0)
            qsort(kinds[kind].data, kinds[kind].count, sizeof *kinds[kind].data, maple_compare_entries);
        for (size_t i = 0; i < kinds[kind].count; i++) {
            struct maple_target *target = maple_target(maple, kinds[kind].data[i].number);
            uint64_t rank = maple->counts.attempts + (i + 1) * strides[kind]; /* none overtakes those that wait */
            if (kinds[kind].data[i].order >= UINT64_MAX / 2)
                rank += RANK_LIBRARIES;
            target->rank = rank < UINT32_MAX ? (uint32_t)rank : UINT32_MAX;
        }
        vector_free(&kinds[kind]);
    }
    table_free(&uses);
    maple->listed = coverage_instance_count(maple->setup.coverage);
}

/* ---- parts -------------------------------------------------------------------------------------------------------- */

/* A dependency that the instance consists of, as an instance of idiom.1 by itself, was tried in vain. */
static bool is_part_given_up(const struct maple *maple, const struct instance *whole, unsigned before, unsigned after)
{
    struct instance part = {.site = {whole->site[before], whole->site[after]},
                            .kind = {whole->kind[before], whole->kind[after]},
                            .row = maple->single_row};
    size_t number = coverage_find(maple->setup.coverage, &part);
    const struct target *target = targets_find(maple->targets, number); /* NULL also if there is no such instance */
    return target != NULL && coverage_seen(maple->setup.coverage, number) == 0 &&
           targets_is_given_up(maple->targets, target);
}

bool maple_is_hopeless(const struct maple *maple, const struct instance *instance)
{
    const struct pattern *shape = family_shape(instance->row);
    for (unsigned i = 0; shape->count > 2 && i < shape->count; i++) {
        int before = pattern_previous_on_variable(shape, i);
        if (shape->steps[i].relation == RELATION_IMMEDIATE && before >= 0 &&
            is_part_given_up(maple, instance, (unsigned)before, i))
            return true;
    }
    return false;
}

/* ---- odds ----------------------------------------------------------------------------------------------------------- */

/* Of two dependencies a pattern of four steps is made.  How often others with the same dependency were covered, and how often
   attempts at them failed, says how likely the next one is: what cannot happen, because of values or of a protocol that the
   predictor does not know, tends to have a part in common. */
struct odds {
    struct table covered, failed; /* by part_key() */
};

static uint64_t part_key(const struct instance *whole, unsigned before, unsigned after)
{
    return hash_combine((uint64_t)whole->site[before] << 32 | whole->site[after],
                        (uint64_t)whole->kind[before] << 8 | whole->kind[after]);
}

/* The dependencies that it consists of; how many there are. */
static unsigned list_parts(const struct instance *instance, uint64_t keys[PATTERN_STEPS])
{
    const struct pattern *shape = family_shape(instance->row);
    unsigned count = 0;
    for (unsigned i = 0; i < shape->count; i++) {
        int before = pattern_previous_on_variable(shape, i);
        if (shape->steps[i].relation == RELATION_IMMEDIATE && before >= 0)
            keys[count++] = part_key(instance, (unsigned)before, i);
    }
    return count;
}

static void count_parts(const struct maple *maple, struct odds *odds)
{
    const struct coverage *coverage = maple->setup.coverage;
    for (size_t i = 0; i < coverage_instance_count(coverage); i++) {
        uint64_t keys[PATTERN_STEPS];
        bool seen = coverage_seen(coverage, i) > 0;
        const struct target *target = targets_find(maple->targets, i);
        uint32_t lost = !seen && target != NULL ? target_tried(target) : 0;
        if (!seen && lost == 0)
            continue;
        unsigned count = list_parts(coverage_instance(coverage, i), keys);
        for (unsigned k = 0; k < count; k++)
            *table_put(seen ? &odds->covered : &odds->failed, keys[k]) += seen ? 1 : lost;
    }
}

static double count_at(const struct table *table, uint64_t key)
{
    const uint64_t *count = table_get(table, key);
    return count != NULL ? (double)*count : 0;
}

/* The chance that an attempt succeeds, as far as such things can be said: between 0 and 1. */
static double chance_of(const struct odds *odds, const struct instance *instance, uint32_t attempts)
{
    const double once_more = 0.6; /* less each time that it failed */
    uint64_t keys[PATTERN_STEPS];
    unsigned count = list_parts(instance, keys);
    double chance = 1;
    for (unsigned i = 0; i < count; i++) {
        double won = count_at(&odds->covered, keys[i]), lost = count_at(&odds->failed, keys[i]);
        chance *= (won + 0.5) / (won + lost + 1);
    }
    for (uint32_t i = 0; i < attempts; i++)
        chance *= once_more;
    return chance;
}

/* ---- the queue ------------------------------------------------------------------------------------------------------ */

/* At first: fewest attempts first; single dependencies get three for one. */
static uint64_t order_by_rank(struct maple *maple, const struct coverage_open *open, uint32_t tried)
{
    uint64_t round = open->instance->row == maple->single_row ? tried / 3 : tried;
    return round << 32 | maple_target(maple, open->number)->rank;
}

/* Then: the likeliest first; new code before that, libraries after it. */
static uint64_t order_by_odds(struct maple *maple, const struct odds *odds, const struct coverage_open *open,
                              uint32_t tried)
{
    const struct maple_target *target = maple_target(maple, open->number);
    const double whole = 1 << 30;
    uint64_t order = (uint64_t)(whole * (1 - chance_of(odds, open->instance, tried)));
    uint64_t kind = target->is_new_code ? 0 : target->rank < RANK_LIBRARIES ? 1 : 2;
    return kind << 32 | order;
}

/* All that is open and may be tried, in the order in which it will be. */
void maple_make_queue(struct maple *maple)
{
    struct odds odds = {0};
    struct coverage_open open;
    bool by_odds = maple->turns >= SETTLED;
    rank_new(maple);
    if (by_odds)
        count_parts(maple, &odds);
    vector_clear(&maple->queue);
    maple->next = 0;
    maple->queued = maple->turns;
    for (size_t cursor = 0; coverage_next_open(maple->setup.coverage, &cursor, &open);) {
        const struct target *target = targets_at(maple->targets, open.number);
        uint32_t tried = target_tried(target);
        if (!targets_may_try(maple->targets, target) || maple_is_hopeless(maple, open.instance))
            continue;
        uint64_t order = by_odds ? order_by_odds(maple, &odds, &open, tried) : order_by_rank(maple, &open, tried);
        if (target->impossible) /* in other runs; in this campaign's it may be possible */
            order += UINT64_MAX / 2;
        vector_push(&maple->queue, ((struct queued_target){order, open.number}));
    }
    if (maple->queue.count > 0)
        qsort(maple->queue.data, maple->queue.count, sizeof *maple->queue.data, maple_compare_entries);
    table_free(&odds.covered);
    table_free(&odds.failed);
}
