/* SPDX-License-Identifier: MIT
 *
 * pairs.c - accesses of one task that are close to each other ("local pairs", Maple 3.6.1): a rolling window per task.
 *
 * Of an entry that comes again while the task holds the same locks, only the last access stays in the window: it is closer,
 * and nothing else about the pair would be different that matters.
 *
 * A loop over an array makes as many pairs of the same two sites as there are pairs of elements.  Of many, a part is enough;
 * but it must be about the same elements in all tasks, or nothing would fit together: the addresses decide.
 */
#include "predict/predict_private.h"

#include <assert.h>

#include "util/hash.h"

enum { PAIRS_PER_WORK = 8 }; /* pairs that cost as much as a combination of dependencies */
enum { TABLE_COMPARED = 4 }; /* what the tables of a pair cost, in comparisons of entries */
enum { PAIRS_ALIKE = 64 };   /* of two sites: all of them up to this number, then every second, every fourth … */

static recent_list *window_of(struct prediction_state *state, uint16_t task)
{
    while (state->windows.count <= task)
        vector_push(&state->windows, (recent_list){0});
    return &state->windows.data[task];
}

/* Locks that are held since before the first access. */
static uint8_t locks_through(struct prediction_state *state, const struct access_entry *second, uint64_t first_number)
{
    const struct lock_task *task = locksets_task(&state->history.locksets, second->task);
    uint8_t through = 0;
    for (size_t i = 0; i < task->sections.count && task->sections.data[i].since < first_number; i++)
        for (unsigned k = 0; k < second->lock_count; k++)
            if (second->locks[k].lock == task->sections.data[i].lock)
                through |= (uint8_t)(1u << k);
    return through;
}

/* What lay between, at the bytes of the first. */
static uint8_t first_bits(struct prediction_state *state, const struct recent *first, uint16_t task)
{
    if (first->location == UINT32_MAX)
        return 0;
    const struct access_entry *entry = history_entry(&state->history, first->entry);
    const struct location *now = &state->history.spaces[first->space].locations.all.data[first->location];
    if (now->life != first->life || now->lo != entry->lo || now->hi != entry->hi)
        return 0; /* freed, or split */
    const struct task_place *place = history_place(&state->history, first->space, first->location, task);
    if (place == NULL)
        return 0;
    return (uint8_t)((place->any.number > first->number ? PAIR_FIRST_ANY : 0) |
                     (place->strong.number > first->number ? PAIR_FIRST_STRONG : 0));
}

/* What lay between, at every byte of the second; and whether the first was the access before it. */
static uint8_t second_bits(struct prediction_state *state, enum access_space space, uint16_t task,
                           uint64_t first_number)
{
    const location_list *touched = &state->history.touched;
    uint8_t all = PAIR_SECOND_ANY | PAIR_SECOND_STRONG;
    uint8_t next = 0;
    for (size_t i = 0; i < touched->count; i++) {
        const struct task_place *place = history_place(&state->history, space, touched->data[i], task);
        if (place == NULL || place->any.number <= first_number)
            all &= (uint8_t)~PAIR_SECOND_ANY;
        if (place == NULL || place->strong.number <= first_number)
            all &= (uint8_t)~PAIR_SECOND_STRONG;
        if (place != NULL && place->any.number == first_number)
            next = PAIR_NEXT;
    }
    return all | next;
}

/* One of enough of its kind. */
static bool is_left_out(struct prediction_state *state, const struct access_pair *pair)
{
    const struct access_entry *a = history_entry(&state->history, pair->first);
    const struct access_entry *b = history_entry(&state->history, pair->second);
    uint64_t kinds = (uint64_t)a->kind << 8 | b->kind;
    uint64_t *count = table_put(&state->pair_kinds, hash_combine((uint64_t)a->site << 32 | b->site, kinds));
    uint64_t mask = 0;
    for (uint64_t many = *count / PAIRS_ALIKE; many > 0; many >>= 1)
        mask = mask << 1 | 1;
    if ((hash_combine(pair->first, pair->second) & mask) != 0) /* not by address: that is chance */
        return true;
    ++*count;
    return false;
}

static void add_pair(struct prediction_state *state, const struct access_pair *pair)
{
    enum { ENTRY_BITS = 25 };
    uint64_t key = (uint64_t)pair->first << (64 - ENTRY_BITS) | (uint64_t)pair->second << (64 - 2 * ENTRY_BITS) |
                   (uint64_t)pair->through << 6 | pair->bits;
    uint64_t *recently = &state->pair_cache[hash_mix(key) % PAIR_CACHE];
    if (*recently == key)
        return;
    *recently = key;
    state->compared += TABLE_COMPARED;
    if (table_get(&state->pair_keys, key) != NULL || is_left_out(state, pair))
        return;
    if (state->pairs.count >= state->options.pair_most) {
        state->history.cut = true;
        return;
    }
    *table_put(&state->pair_keys, key) = 1;
    uint64_t *chain = table_put(&state->pair_index, (uint64_t)pair->first << 32 | pair->second);
    vector_push(&state->pairs, *pair);
    state->pairs.data[state->pairs.count - 1].next = (uint32_t)*chain;
    *chain = state->pairs.count;
}

/* Takes out what has left the window, and what the new access stands for as well. */
static void clean_window(const struct prediction_state *state, recent_list *window, const struct recent *fresh)
{
    size_t kept = 0;
    for (size_t i = 0; i < window->count; i++) {
        const struct recent *old = &window->data[i];
        bool gone = old->operation + state->options.window < fresh->operation;
        bool again = old->entry == fresh->entry && old->lock_changes == fresh->lock_changes && old->unit == fresh->unit;
        if (!gone && !again)
            window->data[kept++] = *old;
    }
    assert(kept <= window->count);
    window->count = kept;
}

void pairs_access(struct prediction_state *state, const struct event *event, const struct access *access,
                  uint32_t entry)
{
    struct history *history = &state->history;
    recent_list *window = window_of(state, event->task);
    const struct access_entry *second = history_entry(history, entry);
    assert(second->task == event->task && history->touched.count > 0);
    if (state->options.work_most != 0 && state->work > state->options.work_most / 2) {
        history->cut = true; /* the other half is for putting together those that there are */
        return;
    }
    state->work += window->count / PAIRS_PER_WORK + 1;
    for (size_t i = 0; i < window->count; i++) {
        const struct recent *first = &window->data[i];
        if (first->operation + state->options.window < event->operation || first->number == history->number)
            continue;
        struct access_pair pair = {.first = history_entry(history, first->entry)->group, .second = second->group};
        pair.through = locks_through(state, second, first->number);
        pair.bits = first_bits(state, first, event->task) |
                    second_bits(state, access->space, event->task, first->number) |
                    (first->unit == event->unit ? PAIR_UNIT : 0);
        add_pair(state, &pair);
    }
    struct recent fresh = {.number = history->number,
                           .operation = event->operation,
                           .lock_changes = locksets_task(&history->locksets, event->task)->changes,
                           .entry = entry,
                           .location = history->touched.count == 1 ? history->touched.data[0] : UINT32_MAX,
                           .unit = event->unit,
                           .space = access->space};
    fresh.life = history->spaces[access->space].locations.all.data[history->touched.data[0]].life;
    clean_window(state, window, &fresh);
    vector_push(window, fresh);
}

const struct access_pair *pairs_find(const struct prediction_state *state, uint32_t first, uint32_t second)
{
    const uint64_t *index = table_get(&state->pair_index, (uint64_t)first << 32 | second);
    assert(index == NULL || (*index > 0 && *index <= state->pairs.count));
    return index != NULL ? &state->pairs.data[*index - 1] : NULL;
}

void pairs_free(struct prediction_state *state)
{
    for (size_t i = 0; i < state->windows.count; i++)
        vector_free(&state->windows.data[i]);
    vector_free(&state->windows);
    vector_free(&state->pairs);
    table_free(&state->pair_keys);
    table_free(&state->pair_kinds);
    table_free(&state->pair_index);
}
