/* SPDX-License-Identifier: MIT
 *
 * predict.c - from events to predicted dependencies; see predict.h.
 */
#include "predict/predict.h"

#include <stdlib.h>
#include <string.h>

#include "pattern/observe.h"
#include "predict/predict_private.h"
#include "util/memory.h"

static const struct shape_case cases[CASE_COUNT] = {
    [CASE_SINGLE] = {2, {0, 1, 0, 0}, {0, 1, 0, 0}, false, true},
    [CASE_TRIPLE] = {3, {0, 1, 1, 0}, {0, 0, 0, 1}, false, true},
    [CASE_BACK_ONE] = {4, {0, 1, 1, 0}, {0, 0, 1, 1}, false, true},
    [CASE_BACK] = {4, {0, 1, 1, 0}, {0, 0, 1, 1}, false, false},
    [CASE_CROSS] = {4, {0, 1, 1, 0}, {0, 1, 0, 1}, false, false},
    [CASE_ALONG] = {4, {0, 1, 0, 1}, {0, 0, 1, 1}, false, false},
};

/* ---- found ------------------------------------------------------------------------------------------------------- */

static struct instance make_instance(const struct predictor *predictor, unsigned row,
                                     const uint32_t entries[PATTERN_STEPS], uint8_t order[PATTERN_STEPS])
{
    const struct pattern *shape = family_shape(row);
    struct instance instance = {.row = (uint8_t)row};
    for (unsigned i = 0; i < shape->count; i++) {
        const struct entry *entry = history_entry(&predictor->history, entries[i]);
        instance.site[i] = entry->site;
        instance.kind[i] = shape->steps[i].kind != ACCESS_ANY ? shape->steps[i].kind : entry->kind;
    }
    instance_canonical(&instance, order);
    return instance;
}

bool predict_knows(const struct predictor *predictor, unsigned row, const uint32_t entries[PATTERN_STEPS])
{
    uint8_t order[PATTERN_STEPS];
    struct instance instance = make_instance(predictor, row, entries, order);
    return instances_has(predictor->found, &instance);
}

void predict_report(struct predictor *predictor, unsigned row, const uint32_t entries[PATTERN_STEPS])
{
    uint8_t order[PATTERN_STEPS];
    struct instance instance = make_instance(predictor, row, entries, order);
    struct witness witnesses[PATTERN_STEPS] = {{0}};
    for (unsigned i = 0; i < family_shape(row)->count; i++)
        witnesses[i] = history_entry(&predictor->history, entries[order[i]])->witness;
    instances_add(predictor->found, &instance, witnesses);
}

/* ---- two accesses ------------------------------------------------------------------------------------------------ */

/* Taken by one task, a lock is not given back by another: these are no dependencies, though they are partners. */
static bool is_lock_to_unlock(enum access_kind from, enum access_kind to)
{
    return (from == ACCESS_LOCK || from == ACCESS_RDLOCK) && (to == ACCESS_UNLOCK || to == ACCESS_RDUNLOCK);
}

/* For each lock that both hold: calls are made with the uses of both.  False as soon as one is. */
static bool each_common_lock(const struct entry *a, const struct entry *b,
                             bool (*agrees)(const struct lock_use *, const struct lock_use *, uint8_t last,
                                            uint8_t first),
                             uint8_t last, uint8_t first)
{
    unsigned k = 0;
    for (unsigned i = 0; i < a->lock_count; i++) {
        while (k < b->lock_count && b->locks[k].lock < a->locks[i].lock)
            k++;
        if (k < b->lock_count && b->locks[k].lock == a->locks[i].lock && !(a->locks[i].shared && b->locks[k].shared) &&
            !agrees(&a->locks[i], &b->locks[k], last, first))
            return false;
    }
    return true;
}

static bool is_last_and_first(const struct lock_use *a, const struct lock_use *b, uint8_t last, uint8_t first)
{
    return (a->bits & last) && (b->bits & first);
}

static bool never(const struct lock_use *a, const struct lock_use *b, uint8_t last, uint8_t first)
{
    (void)a, (void)b, (void)last, (void)first;
    return false;
}

/* The mutual exclusion check. */
static bool locks_allow(const struct entry *a, const struct entry *b)
{
    bool strong = access_is_strong(a->kind) && access_is_strong(b->kind);
    return each_common_lock(a, b, is_last_and_first, strong ? LAST_ANY : LAST_STRONG,
                            strong ? FIRST_ANY : FIRST_STRONG);
}

/* c comes after the last access of a, and before the first of b, in every execution, and hides one from the other. */
static bool lies_between(const struct entry *a, const struct entry *c, const struct entry *b)
{
    if (!access_blocks(a->kind, c->kind, b->kind))
        return false;
    uint64_t lo = a->lo > b->lo ? a->lo : b->lo;
    uint64_t hi = a->hi < b->hi ? a->hi : b->hi;
    if (c->lo > lo || c->hi < hi)
        return false;
    bool after = c->task == a->task ? a->last < c->last : clock_before(a->clock, a->task, c->clock);
    bool before = c->task == b->task ? c->first < b->first : clock_before(c->clock, c->task, b->clock);
    return after && before;
}

/* For two that are ordered anyway. */
static bool always_hidden(const struct predictor *predictor, const struct site_cell *cell, const struct entry *a,
                          const struct entry *b)
{
    for (size_t i = 0; i < cell->places.count; i++) {
        const struct place *place = &cell->places.data[i];
        for (size_t k = 0; k < place->entries.count; k++) {
            const struct entry *c = history_entry(&predictor->history, place->entries.data[k]);
            if (c != a && c != b && lies_between(a, c, b))
                return true;
        }
    }
    return false;
}

static bool can_be_immediate(const struct predictor *predictor, const struct site_cell *cell, const struct entry *a,
                             const struct entry *b)
{
    if (!locks_allow(a, b))
        return false;
    return !entry_before(a, b) || !always_hidden(predictor, cell, a, b);
}

static void report_single(struct predictor *predictor, const uint32_t entries[PATTERN_STEPS], uint8_t relations)
{
    for (size_t i = 0; i < predictor->choices[CASE_SINGLE].count; i++) {
        const struct shape_choice *choice = &predictor->choices[CASE_SINGLE].data[i];
        const struct pattern *shape = family_shape(choice->row);
        bool fit = (int)choice->row == predictor->race_row ? (relations & PREDICTED_RACE) != 0
                                                           : (relations & 1 << choice->first) != 0;
        for (unsigned k = 0; k < 2; k++)
            fit = fit && access_fits(shape->steps[k].kind, history_entry(&predictor->history, entries[k])->kind);
        if (fit)
            predict_report(predictor, choice->row, entries);
    }
}

static bool can_race(const struct predictor *predictor, const struct entry *a, const struct entry *b)
{
    if (predictor->race_row < 0 || !access_is_data(a->kind) || (a->atomic && b->atomic))
        return false;
    return !entry_before(a, b) && !entry_before(b, a) && each_common_lock(a, b, never, 0, 0);
}

/* Whether `from` can come (immediately) before `to`. */
static void predict(struct predictor *predictor, const struct site_cell *cell, uint32_t from, uint32_t to)
{
    const struct entry *a = history_entry(&predictor->history, from);
    const struct entry *b = history_entry(&predictor->history, to);
    const uint64_t key = (uint64_t)a->group << 32 | b->group;
    const uint64_t *known = table_get(&predictor->prediction_index, key);
    uint8_t old = known != NULL ? predictor->predictions.data[*known - 1].relations : 0;
    if (old == predictor->complete || entry_before(b, a) || is_lock_to_unlock(a->kind, b->kind))
        return;
    uint8_t relations = predictor->nearest ? 1 << RELATION_BEFORE : 0;
    if (!(old & PREDICTED_RACE) && can_race(predictor, a, b))
        relations |= PREDICTED_RACE;
    if (!(old & 1 << RELATION_IMMEDIATE) && can_be_immediate(predictor, cell, a, b))
        relations |= 1 << RELATION_IMMEDIATE;
    relations &= (uint8_t)~old;
    if (relations == 0)
        return;
    uint64_t *index = table_put(&predictor->prediction_index, key);
    if (*index == 0) {
        vector_push(&predictor->predictions, (struct prediction){a->group, b->group, 0});
        *index = predictor->predictions.count;
    }
    predictor->predictions.data[*index - 1].relations |= relations;
    report_single(predictor, (const uint32_t[PATTERN_STEPS]){from, to}, relations);
}

/* With all entries of other tasks at one location. */
static void compare_at(struct predictor *predictor, uint32_t number, uint32_t location)
{
    const struct entry *entry = history_entry(&predictor->history, number);
    const struct site_cell *cell = &predictor->history.spaces[entry->space].cells.data[location];
    for (size_t i = 0; i < cell->places.count; i++) {
        const struct place *place = &cell->places.data[i];
        for (size_t k = 0; place->task != entry->task && k < place->entries.count; k++) {
            uint32_t other = place->entries.data[k];
            const struct entry *partner = history_entry(&predictor->history, other);
            if (!access_are_partners(entry->kind, partner->kind) || !entry_overlap(entry, partner))
                continue;
            predict(predictor, cell, number, other);
            predict(predictor, cell, other, number);
        }
    }
}

static void compare_fresh(struct predictor *predictor)
{
    struct history *history = &predictor->history;
    for (size_t i = 0; i < history->fresh.count; i++) {
        uint32_t number = history->fresh.data[i];
        struct entry *entry = history_entry(history, number);
        entry->waiting = false;
        locations_find(&history->spaces[entry->space].locations, entry->lo, entry->hi, &history->touched);
        for (size_t k = 0; k < history->touched.count; k++)
            compare_at(predictor, number, history->touched.data[k]);
    }
    vector_clear(&history->fresh);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static void feed_access(struct predictor *predictor, const struct event *event, const struct access *access,
                        uint32_t occurrence)
{
    struct history *history = &predictor->history;
    uint32_t entry = history_access(history, event, access, occurrence);
    if (entry != UINT32_MAX) {
        if (predictor->compounds)
            pairs_access(predictor, event, access, entry);
        history_commit(history, access, event->task, entry);
    }
}

/* Memory that goes: what was waiting for a later access to it is decided now. */
static void forget(struct predictor *predictor, uint64_t lo, uint64_t hi)
{
    history_forget(&predictor->history, lo, hi);
    compare_fresh(predictor);
    locations_drop(&predictor->history.spaces[SPACE_DATA].locations, lo, hi);
}

void predictor_feed(struct predictor *predictor, const struct event *event)
{
    struct history *history = &predictor->history;
    struct access accesses[EVENT_ACCESSES];
    uint64_t mutex = waits_event(&predictor->waits, event);
    unsigned count = event_accesses(event, mutex, accesses);
    bool locked = clocks_semaphore_locks(history->clocks, event->address);
    uint32_t occurrence = 0;
    history->number++;
    if (count > 0)
        occurrence = (uint32_t)++ * table_put(&history->occurrences, (uint64_t)event->task << 32 | event->site);
    clocks_before(history->clocks, event);
    if (locked && !clocks_semaphore_locks(history->clocks, event->address))
        history_void_lock(history, event->address);
    locksets_before(&history->locksets, history->clocks, event, mutex, history_section_ends, history);
    for (unsigned i = 0; i < count; i++)
        feed_access(predictor, event, &accesses[i], occurrence);
    compare_fresh(predictor);
    if (event->op == OP_FREE || event->op == OP_ALLOC)
        forget(predictor, event->address, event->address + event->size);
    locksets_after(&history->locksets, history->clocks, event, mutex, history->number);
    clocks_after(history->clocks, event);
}

void predictor_end(struct predictor *predictor)
{
    locksets_end(&predictor->history.locksets, history_section_ends, &predictor->history);
    compare_fresh(predictor);
    if (predictor->compounds)
        compound_join(predictor);
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

static void look_at_rows(struct predictor *predictor)
{
    predictor->race_row = -1;
    for (unsigned row = 0; row < family_count; row++) {
        const struct pattern *shape = family_shape(row);
        if (!(predictor->options.wanted >> row & 1))
            continue;
        bool immediate = false;
        for (unsigned i = 0; i < shape->count; i++)
            immediate |= shape->steps[i].relation == RELATION_IMMEDIATE;
        predictor->nearest |= !immediate;
        predictor->compounds |= shape->count > 2;
        if (families[row].flags & FAMILY_BRINK)
            predictor->race_row = (int)row;
    }
    predictor->complete = (uint8_t)(1 << RELATION_IMMEDIATE | (predictor->nearest ? 1 << RELATION_BEFORE : 0) |
                                    (predictor->race_row >= 0 ? PREDICTED_RACE : 0));
}

struct predictor *predictor_new(const struct predictor_options *options, struct instances *found)
{
    struct predictor *predictor = memory_allocate(1, sizeof *predictor);
    predictor->options = *options;
    if (options->window == 0)
        predictor->options.window = OBSERVE_WINDOW;
    if (options->entry_most == 0)
        predictor->options.entry_most = 1000000;
    if (options->pair_most == 0)
        predictor->options.pair_most = 4000000;
    predictor->found = found;
    history_init(&predictor->history, predictor->options.entry_most);
    look_at_rows(predictor);
    for (unsigned i = 0; i < CASE_COUNT; i++)
        shape_list(options->wanted, &cases[i], &predictor->choices[i]);
    return predictor;
}

void predictor_free(struct predictor *predictor)
{
    if (predictor == NULL)
        return;
    history_free(&predictor->history);
    waits_free(&predictor->waits);
    pairs_free(predictor);
    for (unsigned i = 0; i < CASE_COUNT; i++)
        vector_free(&predictor->choices[i]);
    vector_free(&predictor->predictions);
    table_free(&predictor->prediction_index);
    free(predictor);
}

uint64_t predictor_work(const struct predictor *predictor)
{
    return predictor->work;
}

bool predictor_is_cut(const struct predictor *predictor)
{
    return predictor->history.cut;
}

size_t predictor_memory(const struct predictor *predictor)
{
    const struct history *history = &predictor->history;
    size_t bytes = sizeof *predictor + history->entries.capacity * sizeof(struct entry) +
                   predictor->pairs.capacity * sizeof(struct pair) +
                   predictor->predictions.capacity * sizeof(struct prediction);
    const struct table *tables[] = {&predictor->prediction_index, &predictor->pair_keys, &predictor->pair_index,
                                    &history->occurrences};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        bytes += tables[i]->capacity * sizeof(struct table_entry);
    for (unsigned i = 0; i < 2; i++)
        for (size_t k = 0; k < history->spaces[i].cells.count; k++) {
            const struct site_cell *cell = &history->spaces[i].cells.data[k];
            bytes += sizeof *cell + cell->places.capacity * sizeof(struct place);
            for (size_t m = 0; m < cell->places.count; m++)
                bytes += cell->places.data[m].entries.capacity * sizeof(uint32_t) +
                         cell->places.data[m].weak.capacity * sizeof(struct place_access);
        }
    return bytes;
}
