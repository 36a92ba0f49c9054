/* SPDX-License-Identifier: MIT
 *
 * predict.c - the predictor by locksets and happens-before: from events to predicted dependencies.
 *
 * Maple: Yu, Narayanasamy, Pereira, Pokam, "Maple: A Coverage-Driven Testing Tool for Multithreaded Programs", OOPSLA
 * 2012, section 3.  A ⇒ B is predicted for two accesses of different tasks that are partners, if B does not happen before
 * A without mutexes, and for each lock that both hold, A is the last access in its critical section and B the first in
 * its own.  Compound idioms are two such predictions whose ends are close to each other in both tasks.
 *
 * Where we differ, and why:
 *   - "Last" and "first" are with respect to what hides one access from the other: for a read and a write only strong
 *     accesses count (access.h).  So everything that can happen is predicted, and not only most of it.
 *   - If A happens before B anyway, an access that always lies between forbids A ⇒ B.
 *   - A compound is predicted only if an order of its accesses, of the critical sections around them and of the accesses
 *     in between exists (order.c): this removes most infeasible compounds.
 *   - An access is put into the history at once; what is learned about it at the end of its critical section is added
 *     then.  Histories are condensed over critical sections, since only the first and last bits of a section matter.
 *   - All families of the table are predicted in this way, and races: concurrent without mutexes, and no common lock.
 *
 * The paper's four optimisations: accesses alike are one entry of the history; an entry is compared with others only when
 * it is new or something was learned about it; entries that can no longer be part of a prediction leave the history;
 * events are those of shared locations (the runtime records no others).
 *
 * Memory: locations × tasks × sites, and pairs of these within a window.  A bound on both can be given; when it is reached
 * the predictor goes on with what it has, and says so.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "pattern/observe.h"
#include "predict/predict_private.h"
#include "util/memory.h"
#include "util/stop.h"

static const struct shape_case cases[CASE_COUNT] = {
    [CASE_SINGLE] = {2, {0, 1, 0, 0}, {0, 1, 0, 0}, false, true},
    [CASE_TRIPLE] = {3, {0, 1, 1, 0}, {0, 0, 0, 1}, false, true},
    [CASE_BACK_ONE] = {4, {0, 1, 1, 0}, {0, 0, 1, 1}, false, true},
    [CASE_BACK] = {4, {0, 1, 1, 0}, {0, 0, 1, 1}, false, false},
    [CASE_CROSS] = {4, {0, 1, 1, 0}, {0, 1, 0, 1}, false, false},
    [CASE_ALONG] = {4, {0, 1, 0, 1}, {0, 0, 1, 1}, false, false},
};

/* ---- found ------------------------------------------------------------------------------------------------------- */

static struct instance make_instance(const struct prediction_state *state, unsigned row,
                                     const uint32_t entries[PATTERN_STEPS], uint8_t order[PATTERN_STEPS])
{
    const struct pattern *shape = family_shape(row);
    struct instance instance = {.row = (uint8_t)row};
    for (unsigned i = 0; i < shape->count; i++) {
        const struct access_entry *entry = history_entry(&state->history, entries[i]);
        instance.site[i] = entry->site;
        instance.kind[i] = shape->steps[i].kind != ACCESS_ANY ? shape->steps[i].kind : entry->kind;
    }
    instance_canonical(&instance, order);
    return instance;
}

bool predict_knows(const struct prediction_state *state, unsigned row, const uint32_t entries[PATTERN_STEPS])
{
    uint8_t order[PATTERN_STEPS];
    struct instance instance = make_instance(state, row, entries, order);
    return instances_has(state->found, &instance);
}

void predict_report(struct prediction_state *state, unsigned row, const uint32_t entries[PATTERN_STEPS])
{
    uint8_t order[PATTERN_STEPS];
    struct instance instance = make_instance(state, row, entries, order);
    struct witness witnesses[PATTERN_STEPS] = {{0}};
    for (unsigned i = 0; i < family_shape(row)->count; i++)
        witnesses[i] = history_entry(&state->history, entries[order[i]])->witness;
    instances_add(state->found, &instance, witnesses);
}

/* ---- two accesses ------------------------------------------------------------------------------------------------ */

/* Taken by one task, a lock is not given back by another: these are no dependencies, though they are partners. */
static bool is_lock_to_unlock(enum access_kind from, enum access_kind to)
{
    return (from == ACCESS_LOCK || from == ACCESS_RDLOCK) && (to == ACCESS_UNLOCK || to == ACCESS_RDUNLOCK);
}

/* For each lock that both hold: calls are made with the uses of both.  False as soon as one is. */
static bool each_common_lock(const struct access_entry *a, const struct access_entry *b,
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
static bool locks_allow(const struct access_entry *a, const struct access_entry *b)
{
    bool strong = access_is_strong(a->kind) && access_is_strong(b->kind);
    return each_common_lock(a, b, is_last_and_first, strong ? LAST_ANY : LAST_STRONG,
                            strong ? FIRST_ANY : FIRST_STRONG);
}

/* c comes after the last access of a, and before the first of b, in every execution, and hides one from the other. */
static bool lies_between(const struct access_entry *a, const struct access_entry *c, const struct access_entry *b)
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
static bool always_hidden(const struct prediction_state *state, const struct site_cell *cell,
                          const struct access_entry *a, const struct access_entry *b)
{
    for (size_t i = 0; i < cell->places.count; i++) {
        const struct task_place *place = &cell->places.data[i];
        for (size_t k = 0; k < place->entries.count; k++) {
            const struct access_entry *c = history_entry(&state->history, place->entries.data[k]);
            if (c != a && c != b && lies_between(a, c, b))
                return true;
        }
    }
    return false;
}

static bool can_be_immediate(const struct prediction_state *state, const struct site_cell *cell,
                             const struct access_entry *a, const struct access_entry *b)
{
    if (!locks_allow(a, b))
        return false;
    return !entry_before(a, b) || !always_hidden(state, cell, a, b);
}

static void report_single(struct prediction_state *state, const uint32_t entries[PATTERN_STEPS], uint8_t relations)
{
    for (size_t i = 0; i < state->choices[CASE_SINGLE].count; i++) {
        const struct shape_choice *choice = &state->choices[CASE_SINGLE].data[i];
        const struct pattern *shape = family_shape(choice->row);
        bool fit = (int)choice->row == state->race_row ? (relations & PREDICTED_RACE) != 0
                                                       : (relations & 1 << choice->first) != 0;
        for (unsigned k = 0; k < 2; k++)
            fit = fit && access_fits(shape->steps[k].kind, history_entry(&state->history, entries[k])->kind);
        if (fit)
            predict_report(state, choice->row, entries);
    }
}

static bool can_race(const struct prediction_state *state, const struct access_entry *a, const struct access_entry *b)
{
    if (state->race_row < 0 || !access_is_data(a->kind) || (a->atomic && b->atomic))
        return false;
    return !entry_before(a, b) && !entry_before(b, a) && each_common_lock(a, b, never, 0, 0);
}

/* Whether `from` can come (immediately) before `to`. */
static void predict(struct prediction_state *state, const struct site_cell *cell, uint32_t from, uint32_t to)
{
    const struct access_entry *a = history_entry(&state->history, from);
    const struct access_entry *b = history_entry(&state->history, to);
    const uint64_t key = (uint64_t)a->group << 32 | b->group;
    assert(a->task != b->task && a->space == b->space);
    const uint64_t *known = table_get(&state->prediction_index, key);
    uint8_t old = known != NULL ? state->predictions.data[*known - 1].relations : 0;
    if (old == state->complete || entry_before(b, a) || is_lock_to_unlock(a->kind, b->kind))
        return;
    uint8_t relations = state->nearest ? 1 << RELATION_BEFORE : 0;
    if (!(old & PREDICTED_RACE) && can_race(state, a, b))
        relations |= PREDICTED_RACE;
    if (!(old & 1 << RELATION_IMMEDIATE) && can_be_immediate(state, cell, a, b))
        relations |= 1 << RELATION_IMMEDIATE;
    relations &= (uint8_t)~old;
    if (relations == 0)
        return;
    uint64_t *index = table_put(&state->prediction_index, key);
    if (*index == 0) {
        vector_push(&state->predictions, (struct prediction){a->group, b->group, 0});
        *index = state->predictions.count;
    }
    state->predictions.data[*index - 1].relations |= relations;
    report_single(state, (const uint32_t[PATTERN_STEPS]){from, to}, relations);
}

/* With all entries of other tasks at one location. */
static void compare_at(struct prediction_state *state, uint32_t number, uint32_t location)
{
    const struct access_entry *entry = history_entry(&state->history, number);
    const struct site_cell *cell = &state->history.spaces[entry->space].cells.data[location];
    for (size_t i = 0; i < cell->places.count; i++) {
        const struct task_place *place = &cell->places.data[i];
        for (size_t k = 0; place->task != entry->task && k < place->entries.count; k++) {
            uint32_t other = place->entries.data[k];
            const struct access_entry *partner = history_entry(&state->history, other);
            state->compared++;
            if (!access_are_partners(entry->kind, partner->kind) || !entry_overlap(entry, partner))
                continue;
            predict(state, cell, number, other);
            predict(state, cell, other, number);
        }
    }
}

static void compare_fresh(struct prediction_state *state)
{
    struct history *history = &state->history;
    for (size_t i = 0; i < history->fresh.count; i++) {
        uint32_t number = history->fresh.data[i];
        struct access_entry *entry = history_entry(history, number);
        entry->waiting = false;
        locations_find(&history->spaces[entry->space].locations, entry->lo, entry->hi, &history->touched);
        for (size_t k = 0; k < history->touched.count; k++)
            compare_at(state, number, history->touched.data[k]);
    }
    vector_clear(&history->fresh);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static void feed_access(struct prediction_state *state, const struct event *event, const struct access *access,
                        uint32_t occurrence)
{
    struct history *history = &state->history;
    uint32_t entry = history_access(history, event, access, occurrence);
    if (entry != UINT32_MAX) {
        if (state->compounds)
            pairs_access(state, event, access, entry);
        history_commit(history, access, event->task, entry);
    }
}

/* Memory that goes: what was waiting for a later access to it is decided now. */
static void forget(struct prediction_state *state, uint64_t lo, uint64_t hi)
{
    history_forget(&state->history, lo, hi);
    compare_fresh(state);
    locations_drop(&state->history.spaces[SPACE_DATA].locations, lo, hi);
}

static uint64_t read_work(const struct prediction_state *state)
{
    enum { COMPARED_PER_WORK = 4 };
    return state->read * PREDICT_READ + state->compared / COMPARED_PER_WORK;
}

static bool may_read(struct prediction_state *state)
{
    if (state->options.read_most == 0 || read_work(state) < state->options.read_most)
        return true;
    state->history.cut = true;
    return false;
}

static void feed(void *context, const struct event *event, const struct access *accesses, unsigned count,
                 uint64_t mutex)
{
    struct prediction_state *state = context;
    struct history *history = &state->history;
    if (!may_read(state))
        return;
    state->read++;
    bool locked = clocks_semaphore_locks(history->clocks, event->address);
    uint32_t occurrence = 0;
    history->number++;
    if (count > 0 && !state->late)
        occurrence = (uint32_t)++ * table_put(&history->occurrences, (uint64_t)event->task << 32 | event->site);
    clocks_before(history->clocks, event);
    if (locked && !clocks_semaphore_locks(history->clocks, event->address))
        history_void_lock(history, event->address);
    locksets_before(&history->locksets, history->clocks, event, mutex, history_section_ends, history);
    for (unsigned i = 0; i < count; i++)
        feed_access(state, event, &accesses[i], occurrence);
    compare_fresh(state);
    if (event->op == OP_FREE || event->op == OP_ALLOC)
        forget(state, event->address, event->address + event->size);
    locksets_after(&history->locksets, history->clocks, event, mutex, history->number);
    clocks_after(history->clocks, event);
    assert(history->fresh.count == 0);
}

static void read_execution(struct prediction_state *state, const struct execution *execution)
{
    state->late = execution->begins_late;
    execution_each(execution, feed, state);
    locksets_end(&state->history.locksets, history_section_ends, &state->history);
    compare_fresh(state);
    if (state->compounds)
        compound_join(state);
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

static void look_at_rows(struct prediction_state *state)
{
    state->race_row = -1;
    for (unsigned row = 0; row < family_count; row++) {
        const struct pattern *shape = family_shape(row);
        if (!(state->options.wanted >> row & 1))
            continue;
        bool immediate = false;
        for (unsigned i = 0; i < shape->count; i++)
            immediate |= shape->steps[i].relation == RELATION_IMMEDIATE;
        state->nearest |= !immediate;
        state->compounds |= shape->count > 2;
        if (families[row].flags & FAMILY_BRINK)
            state->race_row = (int)row;
    }
    state->complete = (uint8_t)(1 << RELATION_IMMEDIATE | (state->nearest ? 1 << RELATION_BEFORE : 0) |
                                (state->race_row >= 0 ? PREDICTED_RACE : 0));
}

static struct prediction_state *state_new(const struct predictor_options *options, struct instances *found)
{
    struct prediction_state *state = memory_allocate(1, sizeof *state);
    state->options = *options;
    assert(found != NULL && !found->bare); /* witnesses are wanted */
    if (options->window == 0)
        state->options.window = OBSERVE_WINDOW;
    if (options->entry_most == 0)
        state->options.entry_most = 1000000;
    if (options->pair_most == 0)
        state->options.pair_most = 4000000;
    state->found = found;
    history_init(&state->history, state->options.entry_most);
    look_at_rows(state);
    for (unsigned i = 0; i < CASE_COUNT; i++)
        shape_list(options->wanted, &cases[i], &state->choices[i]);
    return state;
}

static void state_free(struct prediction_state *state)
{
    history_free(&state->history);
    pairs_free(state);
    for (unsigned i = 0; i < CASE_COUNT; i++)
        vector_free(&state->choices[i]);
    vector_free(&state->predictions);
    table_free(&state->prediction_index);
    free(state);
}

static size_t memory_of(const struct prediction_state *state)
{
    const struct history *history = &state->history;
    size_t bytes = sizeof *state + history->entries.capacity * sizeof(struct access_entry) +
                   state->pairs.capacity * sizeof(struct access_pair) +
                   state->predictions.capacity * sizeof(struct prediction);
    const struct table *tables[] = {&state->prediction_index, &state->pair_keys, &state->pair_index,
                                    &history->occurrences};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        bytes += tables[i]->capacity * sizeof(struct table_entry);
    for (unsigned i = 0; i < 2; i++)
        for (size_t k = 0; k < history->spaces[i].cells.count; k++) {
            const struct site_cell *cell = &history->spaces[i].cells.data[k];
            bytes += sizeof *cell + cell->places.capacity * sizeof(struct task_place);
            for (size_t m = 0; m < cell->places.count; m++)
                bytes += cell->places.data[m].entries.capacity * sizeof(uint32_t) +
                         cell->places.data[m].weak.capacity * sizeof(struct place_access);
        }
    return bytes;
}

static struct predictor_result predict_by_locksets(const struct execution *execution,
                                                   const struct predictor_options *options, struct instances *found)
{
    struct prediction_state *state = state_new(options, found);
    read_execution(state, execution);
    struct predictor_result result = {state->work, read_work(state), memory_of(state), state->history.cut};
    state_free(state);
    return result;
}

const struct predictor predictor_locksets = {"locksets", predict_by_locksets};
