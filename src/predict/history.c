/* SPDX-License-Identifier: MIT
 *
 * history.c - see history.h.
 */
#include "predict/history.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

enum { PLACE_LIMIT = 32 };

bool entry_before(const struct access_entry *a, const struct access_entry *b)
{
    return a->task == b->task ? a->last < b->first : clock_before(a->clock, a->task, b->clock);
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

struct task_place *history_place(const struct history *history, enum access_space space, uint32_t location,
                                 uint16_t task)
{
    const struct site_cell *cell = &history->spaces[space].cells.data[location];
    for (size_t i = 0; i < cell->places.count; i++)
        if (cell->places.data[i].task == task)
            return &cell->places.data[i];
    return NULL;
}

static struct task_place *make_place(struct history *history, enum access_space space, uint32_t location, uint16_t task)
{
    struct task_place *place = history_place(history, space, location, task);
    if (place != NULL)
        return place;
    struct site_cell *cell = &history->spaces[space].cells.data[location];
    vector_push(&cell->places, (struct task_place){.task = task, .limit = PLACE_LIMIT});
    return &cell->places.data[cell->places.count - 1];
}

static void cell_made(void *owner, uint32_t location)
{
    struct history_space *space = owner;
    vector_reserve(&space->cells, (size_t)location + 1);
    while (space->cells.count <= location)
        space->cells.data[space->cells.count++] = (struct site_cell){0};
    space->cells.data[location] = (struct site_cell){0};
}

/* How a section remembers a location: with its life, since numbers are used again. */
static uint64_t touched_name(const struct history_space *space, uint32_t location)
{
    uint64_t life = space->locations.all.data[location].life & 0x7fffffff;
    return life << 33 | (uint64_t)location << 1 | space->space;
}

static void cell_split(void *owner, uint32_t location, uint32_t upper)
{
    struct history_space *space = owner;
    cell_made(space, upper);
    for (size_t i = 0; i < space->cells.data[location].places.count; i++) {
        const struct task_place *from = &space->cells.data[location].places.data[i];
        struct task_place *to = make_place(space->history, space->space, upper, from->task);
        to->any = from->any;
        to->strong = from->strong;
        to->limit = from->limit;
        vector_append(&to->weak, from->weak.data, from->weak.count);
        vector_append(&to->entries, from->entries.data, from->entries.count);
        struct lock_task *task = locksets_task(&space->history->locksets, from->task);
        for (size_t k = 0; k < task->sections.count; k++)
            if (from->any.number > task->sections.data[k].since)
                vector_push(&task->sections.data[k].touched, touched_name(space, upper));
    }
}

static void cell_dropped(void *owner, uint32_t location)
{
    struct history_space *space = owner;
    struct site_cell *cell = &space->cells.data[location];
    for (size_t i = 0; i < cell->places.count; i++) {
        vector_free(&cell->places.data[i].weak);
        vector_free(&cell->places.data[i].entries);
    }
    vector_free(&cell->places);
}

/* ---- entries ----------------------------------------------------------------------------------------------------- */

static void learn(struct history *history, uint32_t number)
{
    struct access_entry *entry = history_entry(history, number);
    if (!entry->waiting)
        vector_push(&history->fresh, number);
    entry->waiting = true;
}

static void add_bits(struct history *history, uint32_t number, uint64_t lock, uint8_t bits)
{
    struct access_entry *entry = history_entry(history, number);
    for (unsigned i = 0; i < entry->lock_count; i++) {
        if (entry->locks[i].lock != lock || (entry->locks[i].bits & bits) == bits)
            continue;
        entry->locks[i].bits |= bits;
        learn(history, number);
    }
}

static int compare_locks(const void *a, const void *b)
{
    uint64_t left = ((const struct lock_use *)a)->lock;
    uint64_t right = ((const struct lock_use *)b)->lock;
    return (left > right) - (left < right);
}

/* Whether the access is the first in the section, at one of its locations at least. */
static uint8_t first_bits(struct history *history, const struct access *access, uint16_t task,
                          const struct lock_section *section)
{
    uint8_t bits = 0;
    for (size_t i = 0; i < history->touched.count; i++) {
        const struct task_place *place = history_place(history, access->space, history->touched.data[i], task);
        if (place == NULL || place->any.number < section->since)
            bits |= FIRST_ANY;
        if (place == NULL || place->strong.number < section->since)
            bits |= FIRST_STRONG;
    }
    return bits;
}

static void fill_locks(struct history *history, const struct access *access, struct access_entry *entry)
{
    const struct lock_task *task = locksets_task(&history->locksets, entry->task);
    for (size_t i = 0; i < task->sections.count && entry->lock_count < ENTRY_LOCKS; i++) {
        const struct lock_section *section = &task->sections.data[i];
        if (access->space == SPACE_SYNC && section->lock == access->lo)
            continue; /* the inner part of a recursive lock */
        entry->locks[entry->lock_count++] =
            (struct lock_use){section->lock, first_bits(history, access, entry->task, section), section->shared};
    }
    qsort(entry->locks, entry->lock_count, sizeof *entry->locks, compare_locks);
}

static bool alike_but_clock(const struct access_entry *a, const struct access_entry *b)
{
    if (a->site != b->site || a->kind != b->kind || a->lo != b->lo || a->hi != b->hi || a->atomic != b->atomic ||
        a->lock_count != b->lock_count || a->set != b->set || (a->set != 0 && a->witness.context != b->witness.context))
        return false;
    for (unsigned i = 0; i < a->lock_count; i++)
        if (a->locks[i].lock != b->locks[i].lock || a->locks[i].shared != b->locks[i].shared)
            return false;
    return true;
}

static bool same_clock(const struct clock *a, const struct clock *b)
{
    return a == b || (a->count == b->count && memcmp(a->at, b->at, a->count * sizeof *a->at) == 0);
}

/* The entry that stands for such accesses; UINT32_MAX if there is none yet: then wanted->group is set if it has one. */
static uint32_t find_alike(struct history *history, struct access_entry *wanted, const struct task_place *place)
{
    uint32_t last = UINT32_MAX;
    unsigned clocks = 0;
    for (size_t i = 0; place != NULL && i < place->entries.count; i++) {
        const struct access_entry *entry = history_entry(history, place->entries.data[i]);
        if (!alike_but_clock(entry, wanted))
            continue;
        if (same_clock(entry->clock, wanted->clock))
            return place->entries.data[i];
        last = place->entries.data[i];
        wanted->group = entry->group;
        clocks++;
    }
    if (clocks < ENTRY_CLOCKS)
        return UINT32_MAX;
    assert(last != UINT32_MAX);
    struct access_entry *entry = history_entry(history, last);
    clock_release(entry->clock);
    entry->clock = clock_keep(wanted->clock);
    learn(history, last);
    return last;
}

/* Drops entries that can be part of no further prediction: all tasks know of the access, and of a strong one that came
   after it, so that every later access has the strong one between. */
static void clean_place(struct history *history, struct task_place *place)
{
    size_t kept = 0;
    const struct access_entry *newest = place->strong.number != 0 ? history_entry(history, place->strong.entry) : NULL;
    if (newest != NULL && !clocks_all_know(history->clocks, place->task, clock_at(newest->clock, place->task)))
        newest = NULL;
    for (size_t i = 0; i < place->entries.count; i++) {
        const struct access_entry *entry = history_entry(history, place->entries.data[i]);
        bool hidden = newest != NULL && entry != newest && entry->last < newest->last && newest->lo <= entry->lo &&
                      entry->hi <= newest->hi;
        if (!hidden)
            place->entries.data[kept++] = place->entries.data[i];
    }
    assert(kept <= place->entries.count);
    place->entries.count = kept;
    place->limit = 2 * kept > PLACE_LIMIT ? 2 * kept : PLACE_LIMIT;
}

static uint32_t append(struct history *history, const struct access_entry *entry)
{
    if (history->entries.count >= history->entry_most) {
        history->cut = true;
        return UINT32_MAX;
    }
    assert(history->touched.count > 0 && entry->lock_count <= ENTRY_LOCKS && entry->first <= entry->last);
    uint32_t number = (uint32_t)history->entries.count;
    vector_push(&history->entries, *entry);
    struct access_entry *added = history_entry(history, number);
    clock_keep(added->clock);
    added->alone = added->group == UINT32_MAX;
    if (added->alone)
        added->group = number;
    else
        history_entry(history, added->group)->alone = false;
    for (size_t i = 0; i < history->touched.count; i++) {
        struct task_place *place = make_place(history, entry->space, history->touched.data[i], entry->task);
        if (place->entries.count >= place->limit)
            clean_place(history, place);
        vector_push(&place->entries, number);
    }
    learn(history, number);
    return number;
}

uint32_t history_access(struct history *history, const struct event *event, const struct access *access,
                        uint32_t occurrence)
{
    struct access_entry entry = {.lo = access->lo,
                                 .hi = access->hi,
                                 .first = history->number,
                                 .last = history->number,
                                 .clock = clocks_now(history->clocks, event->task),
                                 .witness = {.operation = event->operation,
                                             .address = access->lo,
                                             .context = event->context,
                                             .occurrence = occurrence,
                                             .task = event->task,
                                             .unit_depth = event->unit_depth},
                                 .site = event->site,
                                 .unit = event->unit,
                                 .set = event->set,
                                 .task = event->task,
                                 .kind = access->kind,
                                 .space = access->space,
                                 .atomic = access->atomic,
                                 .group = UINT32_MAX};
    struct locations *locations = &history->spaces[access->space].locations;
    if (access->kind == ACCESS_FREE)
        locations_find(locations, access->lo, access->hi, &history->touched);
    else
        locations_touch(locations, access->lo, access->hi, &history->touched);
    if (history->touched.count == 0)
        return UINT32_MAX;
    assert(access->lo < access->hi && event->task == entry.task);
    fill_locks(history, access, &entry);
    const struct task_place *place = history_place(history, access->space, history->touched.data[0], event->task);
    uint32_t number = find_alike(history, &entry, place);
    if (number == UINT32_MAX)
        return append(history, &entry);
    history_entry(history, number)->last = history->number;
    for (unsigned i = 0; i < entry.lock_count; i++)
        add_bits(history, number, entry.locks[i].lock, entry.locks[i].bits);
    return number;
}

static void note_weak(struct task_place *place, uint64_t number, uint32_t entry)
{
    for (size_t i = 0; i < place->weak.count; i++) {
        if (place->weak.data[i].entry == entry) {
            place->weak.data[i].number = number;
            return;
        }
    }
    vector_push(&place->weak, (struct place_access){number, entry});
}

void history_commit(struct history *history, const struct access *access, uint16_t id, uint32_t entry)
{
    assert(entry < history->entries.count && history_entry(history, entry)->task == id);
    struct lock_task *task = locksets_task(&history->locksets, id);
    for (size_t i = 0; i < history->touched.count; i++) {
        struct task_place *place = make_place(history, access->space, history->touched.data[i], id);
        for (size_t k = 0; k < task->sections.count; k++)
            if (place->any.number < task->sections.data[k].since)
                vector_push(&task->sections.data[k].touched,
                            touched_name(&history->spaces[access->space], history->touched.data[i]));
        place->any = (struct place_access){history->number, entry};
        if (access_is_strong(access->kind)) {
            place->strong = place->any;
            vector_clear(&place->weak);
        } else {
            note_weak(place, history->number, entry);
        }
    }
}

/* ---- ends -------------------------------------------------------------------------------------------------------- */

static void place_section_ends(struct history *history, const struct task_place *place,
                               const struct lock_section *section)
{
    if (place->any.number > section->since)
        add_bits(history, place->any.entry, section->lock, LAST_ANY);
    if (place->strong.number > section->since)
        add_bits(history, place->strong.entry, section->lock, LAST_STRONG);
    for (size_t i = 0; i < place->weak.count; i++)
        if (place->weak.data[i].number > section->since)
            add_bits(history, place->weak.data[i].entry, section->lock, LAST_STRONG);
}

void history_section_ends(void *context, uint16_t task, struct lock_section *section)
{
    struct history *history = context;
    for (size_t i = 0; i < section->touched.count; i++) {
        uint64_t name = section->touched.data[i];
        enum access_space space = name & 1;
        uint32_t location = (uint32_t)(name >> 1);
        if (touched_name(&history->spaces[space], location) != name)
            continue; /* freed since */
        const struct task_place *place = history_place(history, space, location, task);
        if (place != NULL)
            place_section_ends(history, place, section);
    }
}

void history_void_lock(struct history *history, uint64_t lock)
{
    for (size_t i = 0; i < history->entries.count; i++) {
        struct access_entry *entry = &history->entries.data[i];
        for (unsigned k = 0; k < entry->lock_count; k++) {
            if (entry->locks[k].lock != lock || entry->locks[k].shared)
                continue;
            entry->locks[k].shared = true; /* as a read lock, which all may hold at once */
            learn(history, (uint32_t)i);
        }
    }
    for (size_t i = 0; i < history->locksets.tasks.count; i++)
        for (size_t k = 0; k < history->locksets.tasks.data[i].sections.count; k++)
            if (history->locksets.tasks.data[i].sections.data[k].lock == lock)
                history->locksets.tasks.data[i].sections.data[k].shared = true;
}

/* Sections that are open do not touch it any more. */
static void location_ends(struct history *history, enum access_space space, uint32_t location)
{
    const struct site_cell *cell = &history->spaces[space].cells.data[location];
    for (size_t i = 0; i < cell->places.count; i++) {
        const struct lock_task *task = locksets_task(&history->locksets, cell->places.data[i].task);
        for (size_t k = 0; k < task->sections.count; k++)
            place_section_ends(history, &cell->places.data[i], &task->sections.data[k]);
    }
}

void history_forget(struct history *history, uint64_t lo, uint64_t hi)
{
    struct locations *locations = &history->spaces[SPACE_DATA].locations;
    locations_find(locations, lo, hi, &history->touched);
    for (size_t i = 0; i < history->touched.count; i++)
        location_ends(history, SPACE_DATA, history->touched.data[i]);
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

void history_init(struct history *history, uint32_t entry_most)
{
    *history = (struct history){.clocks = clocks_new(), .entry_most = entry_most};
    for (unsigned i = 0; i < 2; i++) {
        struct history_space *space = &history->spaces[i];
        space->history = history;
        space->space = i;
        locations_init(&space->locations, (struct location_owner){cell_made, cell_split, cell_dropped, space});
    }
}

void history_free(struct history *history)
{
    for (size_t i = 0; i < history->entries.count; i++)
        clock_release(history->entries.data[i].clock);
    for (unsigned i = 0; i < 2; i++) {
        locations_free(&history->spaces[i].locations);
        vector_free(&history->spaces[i].cells);
    }
    clocks_free(history->clocks);
    locksets_free(&history->locksets);
    vector_free(&history->entries);
    vector_free(&history->fresh);
    vector_free(&history->touched);
    table_free(&history->occurrences);
}
