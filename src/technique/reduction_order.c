/* SPDX-License-Identifier: MIT
 *
 * reduction_order.c - which transitions of a run happen before which, by vector clocks.
 *
 * DESIGN
 *   A transition depends on few others.  They are found by keys: the word or the object that it is about.  The transitions of one key are a chain,
 *   from the last one back.  A chain need not be followed further than to one that is known to come before, and on which all
 *   others of the chain depend.
 */
#include <assert.h>

#include "technique/reduction.h"
#include "util/hash.h"

enum {
    SLOTS = 6,
    KEY_WIDE = 1, /* accesses to more than one word */
    KEY_MEMORY,   /* all accesses */
    KEY_TIMED,    /* waits that can end by time */
    KEY_CONDITION,
    KEY_CREATE,
    KEY_FILE,
    KEY_FIRST_OBJECT = 16,
};
#define NONE UINT32_MAX

struct slot {
    uint64_t key;
    uint32_t previous; /* level */
};
struct chain {
    uint64_t key;
    uint32_t last;
    uint32_t stamp;
};
struct reduction_index {
    VECTOR(struct slot) slots; /* SLOTS for each level */
    struct chain *chains;
    size_t chain_capacity; /* a power of two */
    size_t chain_count;
    uint32_t stamp;
    VECTOR(uint32_t) last_of; /* by task */
    VECTOR(uint32_t) found_of;
    uint32_t last_global;
    VECTOR(uint32_t) found;
};

/* ---- chains ------------------------------------------------------------------------------------------------------------ */

static void grow_chains(struct reduction_index *index)
{
    struct chain *old = index->chains;
    size_t capacity = index->chain_capacity;
    index->chain_capacity = capacity > 0 ? 2 * capacity : 256;
    index->chains = memory_allocate(index->chain_capacity, sizeof *index->chains);
    for (size_t i = 0; i < capacity; i++) {
        if (old[i].stamp != index->stamp)
            continue;
        size_t slot = hash_mix(old[i].key) & (index->chain_capacity - 1);
        while (index->chains[slot].stamp == index->stamp)
            slot = (slot + 1) & (index->chain_capacity - 1);
        index->chains[slot] = old[i];
    }
    free(old);
}

static struct chain *find_chain(struct reduction_index *index, uint64_t key)
{
    if (2 * index->chain_count >= index->chain_capacity)
        grow_chains(index);
    size_t slot = hash_mix(key) & (index->chain_capacity - 1);
    while (index->chains[slot].stamp == index->stamp && index->chains[slot].key != key)
        slot = (slot + 1) & (index->chain_capacity - 1);
    struct chain *chain = &index->chains[slot];
    if (chain->stamp != index->stamp) {
        *chain = (struct chain){.key = key, .last = NONE, .stamp = index->stamp};
        index->chain_count++;
    }
    return chain;
}

static uint32_t previous_in(const struct reduction_index *index, uint32_t level, uint64_t key)
{
    const struct slot *slots = &index->slots.data[(size_t)level * SLOTS];
    for (int i = 0; i < SLOTS && slots[i].key != 0; i++)
        if (slots[i].key == key)
            return slots[i].previous;
    return NONE;
}

/* The keys of a transition: its own chains, then those that it has to follow besides. */
struct keys {
    uint64_t own[SLOTS];
    int own_count;
    uint64_t others[SLOTS];
    int other_count;
};

static void own_key(struct keys *keys, uint64_t key)
{
    for (int i = 0; i < keys->own_count; i++)
        if (keys->own[i] == key)
            return;
    assert(keys->own_count < SLOTS);
    keys->own[keys->own_count++] = key;
}

static void other_key(struct keys *keys, uint64_t key)
{
    assert(keys->other_count < SLOTS);
    keys->others[keys->other_count++] = key;
}

static uint64_t object_key(uint64_t address)
{
    return KEY_FIRST_OBJECT + 2 * address;
}

/* False: the range is in more than one word. */
static bool word_key(struct keys *keys, uint64_t address, uint32_t size)
{
    if (size == 0)
        return true;
    if (address / 8 != (address + size - 1) / 8)
        return false;
    own_key(keys, KEY_FIRST_OBJECT + 2 * (address / 8) + 1);
    return true;
}

static void memory_keys(struct keys *keys, const struct wire_transition *transition)
{
    bool narrow = word_key(keys, transition->address, transition->size);
    narrow &= word_key(keys, transition->address2, transition->size2);
    own_key(keys, KEY_MEMORY);
    if (!narrow)
        own_key(keys, KEY_WIDE);
    other_key(keys, narrow ? KEY_WIDE : KEY_MEMORY);
}

static struct keys keys_of(const struct wire_transition *transition)
{
    struct keys keys = {.own_count = 0};
    enum op_object object = op_object(transition->op);
    if (transition->flags & TRANSITION_TIMED) {
        own_key(&keys, KEY_TIMED);
        other_key(&keys, KEY_CONDITION);
    }
    if (transition->flags & TRANSITION_ALONE)
        return keys;
    if (transition_is_memory(transition) || object == ABOUT_FUTEX || object == ABOUT_ONCE)
        memory_keys(&keys, transition);
    else if (object == ABOUT_FILE)
        own_key(&keys, KEY_FILE);
    else if (transition->op == OP_CREATE)
        own_key(&keys, KEY_CREATE);
    else if (object == ABOUT_THREAD && transition->address != 0)
        own_key(&keys, object_key(~transition->address));
    else if (object != ABOUT_THREAD && object != ABOUT_NONE && object != ABOUT_TIME)
        own_key(&keys, object_key(transition->address));
    if (transition->op == OP_JOIN)
        own_key(&keys, KEY_CREATE);
    if (object == ABOUT_COND && transition->address2 != 0)
        own_key(&keys, object_key(transition->address2));
    if (object == ABOUT_COND) {
        own_key(&keys, KEY_CONDITION);
        other_key(&keys, KEY_TIMED);
    }
    return keys;
}

static void enter(struct reduction_index *index, const struct wire_transition *transition, uint32_t level)
{
    struct slot *slots = &index->slots.data[(size_t)level * SLOTS];
    memset(slots, 0, SLOTS * sizeof *slots);
    index->last_of.data[transition->task] = level;
    if (transition_is_global(transition)) {
        index->last_global = level;
        return;
    }
    struct keys keys = keys_of(transition);
    for (int i = 0; i < keys.own_count; i++) {
        struct chain *chain = find_chain(index, keys.own[i]);
        slots[i] = (struct slot){keys.own[i], chain->last};
        chain->last = level;
    }
}

/* ---- what a transition depends on ------------------------------------------------------------------------------------------ */

/* All others of this chain that `later` depends on depend on `earlier`, too. */
static bool covers(const struct wire_transition *earlier, const struct wire_transition *later, uint64_t key)
{
    if (key < KEY_FIRST_OBJECT)
        return false;
    switch (op_object(earlier->op)) {
    case ABOUT_MEMORY:
    case ABOUT_ATOMIC:
        return transition_writes(earlier) && earlier->size2 == 0 && later->size2 == 0 &&
               earlier->address <= later->address && earlier->address + earlier->size >= later->address + later->size;
    case ABOUT_MUTEX:
    case ABOUT_SPIN:
    case ABOUT_ONCE:
        return true;
    case ABOUT_SEM:
        return earlier->op == OP_SEM_WAIT || earlier->op == OP_SEM_TRYWAIT;
    case ABOUT_RWLOCK:
        return op_effect(earlier->op) == EFFECT_LOCK;
    case ABOUT_COND:
        return key == object_key(earlier->address2) || op_effect(earlier->op) == EFFECT_SIGNAL ||
               op_effect(earlier->op) == EFFECT_WAIT;
    default:
        return false;
    }
}

/* It is never impossible: of each task only the last one matters, since the earlier ones come before that. */
static bool is_always_possible(const struct wire_transition *transition)
{
    return !(transition->flags & TRANSITION_BLOCKS) || (transition->flags & TRANSITION_TIMED);
}

static void follow(struct reduction *reduction, const struct wire_transition *transition, const uint32_t *before,
                   uint64_t key)
{
    struct reduction_index *index = reduction->index;
    bool last_only = is_always_possible(transition);
    for (uint32_t level = find_chain(index, key)->last; level != NONE; level = previous_in(index, level, key)) {
        const struct wire_transition *earlier = &reduction->levels.data[level].transition;
        if (index->last_global != NONE && level < index->last_global)
            return;
        bool ordered = before[earlier->task] > level;
        if (ordered && covers(earlier, transition, key))
            return;
        if (ordered || earlier->task == transition->task || !transitions_depend(earlier, transition))
            continue;
        uint32_t *found = &index->found_of.data[earlier->task];
        if (last_only && *found != NONE && *found >= level)
            continue;
        *found = *found == NONE || *found < level ? level : *found;
        vector_push(&index->found, level);
    }
}

static int last_first(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

static void sort_found(struct reduction_index *index)
{
    size_t count = index->found.count, kept = 0;
    if (count > 1)
        qsort(index->found.data, count, sizeof index->found.data[0], last_first);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || index->found.data[i] != index->found.data[i - 1])
            index->found.data[kept++] = index->found.data[i];
    index->found.count = kept;
}

/* Into index->found: the transitions that it depends on and that are not in `before`, the last first. */
static void find_direct(struct reduction *reduction, const struct wire_transition *transition, const uint32_t *before)
{
    struct reduction_index *index = reduction->index;
    vector_clear(&index->found);
    for (uint32_t task = 0; task < reduction->width; task++)
        index->found_of.data[task] = NONE;
    if (transition_is_global(transition)) {
        for (uint32_t task = 0; task < reduction->width; task++)
            if (task != transition->task && index->last_of.data[task] != NONE &&
                before[task] <= index->last_of.data[task])
                vector_push(&index->found, index->last_of.data[task]);
        sort_found(index);
        return;
    }
    struct keys keys = keys_of(transition);
    for (int i = 0; i < keys.own_count; i++)
        follow(reduction, transition, before, keys.own[i]);
    for (int i = 0; i < keys.other_count; i++)
        follow(reduction, transition, before, keys.others[i]);
    uint32_t global = index->last_global;
    if (global != NONE && before[reduction->levels.data[global].transition.task] <= global)
        vector_push(&index->found, global);
    sort_found(index);
}

/* ---- clocks ------------------------------------------------------------------------------------------------------------ */

static void join(uint32_t *clock, const uint32_t *other, uint32_t width)
{
    for (uint32_t i = 0; i < width; i++)
        if (clock[i] < other[i])
            clock[i] = other[i];
}

/* What has to come before it: what its task did before, and what made it possible. */
static void clock_before(const struct reduction *reduction, const struct wire_transition *transition, uint32_t *clock)
{
    uint32_t last = reduction->index->last_of.data[transition->task];
    memset(clock, 0, reduction->width * sizeof *clock);
    if (last != NONE)
        join(clock, reduction_clock(reduction, last), reduction->width);
    if (transition->enabler > 0 && !(transition->flags & TRANSITION_TIMED))
        join(clock, reduction_clock(reduction, transition->enabler - 1), reduction->width);
}

static void order_level(struct reduction *reduction, size_t level)
{
    struct reduction_level *own = &reduction->levels.data[level];
    const struct wire_transition *transition = &own->transition;
    uint32_t *before = reduction_before(reduction, level), *clock = reduction_clock(reduction, level);
    clock_before(reduction, transition, before);
    find_direct(reduction, transition, before);
    vector_clear(&own->direct);
    vector_append(&own->direct, reduction->index->found.data, reduction->index->found.count);
    memcpy(clock, before, reduction->width * sizeof *clock);
    for (size_t i = 0; i < own->direct.count; i++)
        join(clock, reduction_clock(reduction, own->direct.data[i]), reduction->width);
    if (transition->enabler > 0)
        join(clock, reduction_clock(reduction, transition->enabler - 1), reduction->width);
    clock[transition->task] = (uint32_t)level + 1;
}

static void order_pending(struct reduction *reduction, const struct wire_transition *transition)
{
    struct reduction_pending pending = {.transition = *transition,
                                        .before = memory_allocate(reduction->width, sizeof(uint32_t))};
    clock_before(reduction, transition, pending.before);
    find_direct(reduction, transition, pending.before);
    vector_append(&pending.direct, reduction->index->found.data, reduction->index->found.count);
    vector_push(&reduction->pendings, pending);
}

static void forget_pendings(struct reduction *reduction)
{
    for (size_t i = 0; i < reduction->pendings.count; i++) {
        vector_free(&reduction->pendings.data[i].direct);
        free(reduction->pendings.data[i].before);
    }
    vector_clear(&reduction->pendings);
}

static uint32_t task_count(const struct reduction *reduction, const struct wire_transition *pending,
                           size_t pending_count)
{
    uint32_t width = 1;
    for (size_t i = 0; i < reduction->count; i++)
        if (width <= reduction->levels.data[i].transition.task)
            width = reduction->levels.data[i].transition.task + 1u;
    for (size_t i = 0; i < pending_count; i++)
        if (width <= pending[i].task)
            width = pending[i].task + 1u;
    return width;
}

/* Room for the clocks; with another number of tasks all have to be made again. */
static void prepare_clocks(struct reduction *reduction, uint32_t width)
{
    size_t levels = reduction->count + 1;
    if (width <= reduction->width && levels <= reduction->clock_capacity)
        return;
    if (width > reduction->width)
        reduction->branch = 0;
    size_t capacity = reduction->clock_capacity >= levels ? reduction->clock_capacity : 2 * levels;
    reduction->width = width > reduction->width ? width : reduction->width;
    reduction->clock_capacity = capacity;
    reduction->clocks = memory_resize(reduction->clocks, capacity * reduction->width, sizeof *reduction->clocks);
    reduction->befores = memory_resize(reduction->befores, capacity * reduction->width, sizeof *reduction->befores);
}

static void prepare_index(struct reduction *reduction)
{
    if (reduction->index == NULL)
        reduction->index = memory_allocate(1, sizeof *reduction->index);
    struct reduction_index *index = reduction->index;
    index->stamp++;
    index->chain_count = 0;
    index->last_global = NONE;
    vector_reserve(&index->slots, (reduction->count + 1) * SLOTS);
    vector_reserve(&index->last_of, reduction->width);
    vector_reserve(&index->found_of, reduction->width);
    for (uint32_t i = 0; i < reduction->width; i++)
        index->last_of.data[i] = NONE;
}

void reduction_order(struct reduction *reduction, const struct wire_transition *pending, size_t pending_count)
{
    prepare_clocks(reduction, task_count(reduction, pending, pending_count));
    prepare_index(reduction);
    for (size_t level = 0; level < reduction->count; level++) {
        if (level >= reduction->branch)
            order_level(reduction, level);
        enter(reduction->index, &reduction->levels.data[level].transition, (uint32_t)level);
    }
    forget_pendings(reduction);
    for (size_t i = 0; i < pending_count; i++)
        if (pending[i].flags & TRANSITION_PENDING)
            order_pending(reduction, &pending[i]);
}

void reduction_order_free(struct reduction *reduction)
{
    forget_pendings(reduction);
    vector_free(&reduction->pendings);
    free(reduction->clocks);
    free(reduction->befores);
    if (reduction->index != NULL) {
        vector_free(&reduction->index->slots);
        vector_free(&reduction->index->last_of);
        vector_free(&reduction->index->found_of);
        vector_free(&reduction->index->found);
        free(reduction->index->chains);
        free(reduction->index);
    }
}
