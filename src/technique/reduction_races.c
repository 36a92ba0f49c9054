/* SPDX-License-Identifier: MIT
 *
 * reduction_races.c - the races of a run, and the sequences that reverse them, as branches of wakeup trees.
 */
#include <assert.h>

#include "technique/reduction.h"

enum { SECOND = -1 }; /* in place of a level: the second transition of the race */

/* A race, and the sequence that reverses it. */
struct reversal {
    struct reduction *reduction;
    size_t level; /* of the first */
    size_t from;  /* of the second; `count` if it is pending */
    const struct wire_transition *second;
    const uint32_t *before; /* what has to come before the second */
    const uint32_t *direct; /* what it depends on besides */
    size_t direct_count;
    VECTOR(int64_t) sequence; /* levels, then SECOND */
    VECTOR(int64_t) first_of; /* by task: the first one in the sequence; NOTHING */
    uint32_t *clock;          /* of the second, in its new place */
};
#define NOTHING INT64_MIN

static const struct wire_transition *transition_of(const struct reversal *reversal, int64_t entry)
{
    return entry == SECOND ? reversal->second : &reversal->reduction->levels.data[entry].transition;
}

/* ---- the sequence -------------------------------------------------------------------------------------------------------- */

static void find_firsts(struct reversal *reversal)
{
    uint32_t width = reversal->reduction->width;
    vector_reserve(&reversal->first_of, width);
    for (uint32_t task = 0; task < width; task++)
        reversal->first_of.data[task] = NOTHING;
    for (size_t i = reversal->sequence.count; i-- > 0;)
        reversal->first_of.data[transition_of(reversal, reversal->sequence.data[i])->task] = reversal->sequence.data[i];
}

static bool is_in_sequence(const struct reversal *reversal, size_t level)
{
    for (size_t i = 0; i < reversal->sequence.count; i++)
        if (reversal->sequence.data[i] == (int64_t)level)
            return true;
    return false;
}

/* All that does not come after the first. */
static void make_sequence(struct reversal *reversal)
{
    const struct reduction *reduction = reversal->reduction;
    vector_clear(&reversal->sequence);
    for (size_t k = reversal->level + 1; k < reduction->count; k++)
        if (!reduction_is_before(reduction, reversal->level, k))
            vector_push(&reversal->sequence, (int64_t)k);
}

static void remove_with_successors(struct reversal *reversal, size_t level)
{
    size_t kept = 0;
    for (size_t i = 0; i < reversal->sequence.count; i++)
        if (!reduction_is_before(reversal->reduction, level, (size_t)reversal->sequence.data[i]))
            reversal->sequence.data[kept++] = reversal->sequence.data[i];
    reversal->sequence.count = kept;
}

/* ---- can the second be done there? ----------------------------------------------------------------------------------------- */

/* The state of the second's object before the first: that is what the next one on the object found. */
static bool state_before(const struct reversal *reversal, uint32_t *state)
{
    const struct reduction *reduction = reversal->reduction;
    uint64_t object = transition_object(reversal->second);
    for (size_t k = reversal->level; k < reduction->count; k++) {
        const struct wire_transition *transition = &reduction->levels.data[k].transition;
        if (k == reversal->from || (transition_object(transition) == object && transition->op != OP_COND_SIGNAL &&
                                    transition->op != OP_COND_BROADCAST)) {
            *state = transition->state;
            return true;
        }
    }
    return false;
}

static bool is_on_object(const struct reversal *reversal, int64_t entry, enum wire_op op)
{
    const struct wire_transition *transition = transition_of(reversal, entry);
    return transition->op == op && transition->address == reversal->second->address;
}

static uint32_t posts(const struct reversal *reversal)
{
    uint32_t count = 0;
    for (size_t i = 0; i < reversal->sequence.count; i++)
        count += is_on_object(reversal, reversal->sequence.data[i], OP_SEM_POST);
    return count;
}

static bool takes_shared(const struct wire_transition *transition)
{
    return op_effect(transition->op) == EFFECT_RDLOCK;
}

/* Readers that are in the sequence, each with its place; one that does not leave has to come after the second. */
static bool drop_reader(struct reversal *reversal)
{
    for (size_t i = 0; i < reversal->sequence.count; i++) {
        size_t level = (size_t)reversal->sequence.data[i];
        const struct wire_transition *reader = transition_of(reversal, reversal->sequence.data[i]);
        if (!takes_shared(reader) || reader->address != reversal->second->address)
            continue;
        int depth = 1;
        for (size_t k = i + 1; k < reversal->sequence.count && depth > 0; k++) {
            const struct wire_transition *later = transition_of(reversal, reversal->sequence.data[k]);
            bool same = later->task == reader->task && later->address == reader->address;
            depth += same && takes_shared(later);
            depth -= same && later->op == OP_RWLOCK_UNLOCK;
        }
        if (depth > 0) {
            remove_with_successors(reversal, level);
            return true;
        }
    }
    return false;
}

/* A writer: all readers have left, those of before and those of the sequence. */
static bool readers_leave(struct reversal *reversal, uint32_t readers)
{
    while (drop_reader(reversal))
        continue;
    int64_t count = readers;
    for (size_t i = 0; i < reversal->sequence.count; i++) {
        count += is_on_object(reversal, reversal->sequence.data[i], OP_RWLOCK_RDLOCK);
        count += is_on_object(reversal, reversal->sequence.data[i], OP_RWLOCK_TRYRDLOCK);
        count -= is_on_object(reversal, reversal->sequence.data[i], OP_RWLOCK_UNLOCK);
    }
    return count == 0;
}

static bool has_ended(const struct reversal *reversal)
{
    const struct reduction *reduction = reversal->reduction;
    for (size_t k = 0; k < reduction->count; k++) {
        const struct wire_transition *transition = &reduction->levels.data[k].transition;
        if (transition->op == OP_END && transition->address == reversal->second->address)
            return k < reversal->level || is_in_sequence(reversal, k);
    }
    return false;
}

/* The second can be done after the sequence.  May take out of the sequence what prevents it and need not come before. */
static bool is_possible(struct reversal *reversal)
{
    const struct wire_transition *second = reversal->second;
    const struct reduction *reduction = reversal->reduction;
    uint32_t state = 0;
    if (second->flags & (TRANSITION_PASSED | TRANSITION_BARRIER)) /* BARRIER: nothing else could be done then */
        return false;
    if (!(second->flags & TRANSITION_BLOCKS) || (second->flags & TRANSITION_TIMED))
        return true;
    if (reduction->levels.data[reversal->level].transition.flags & TRANSITION_BARRIER)
        return false;
    if (second->op == OP_JOIN)
        return has_ended(reversal);
    if (op_object(second->op) == ABOUT_COND && second->enabler == 0)
        return false; /* it was not signalled */
    if (transition_object(second) == 0)
        return reversal->from < reduction->count || (second->flags & TRANSITION_READY);
    if (!state_before(reversal, &state))
        return second->flags & TRANSITION_READY;
    switch (op_object(second->op)) {
    case ABOUT_SEM:
        return state + posts(reversal) > 0;
    case ABOUT_RWLOCK:
        if (state & STATE_WRITER)
            return false;
        return takes_shared(second) || readers_leave(reversal, state);
    default:
        return state == 0 || state == second->task + 1u;
    }
}

/* ---- the wakeup tree --------------------------------------------------------------------------------------------------------- */

/* What comes before the second in its new place. */
static void order_second(struct reversal *reversal)
{
    const struct reduction *reduction = reversal->reduction;
    memcpy(reversal->clock, reversal->before, reduction->width * sizeof *reversal->clock);
    for (size_t i = 0; i < reversal->direct_count; i++) {
        uint32_t level = reversal->direct[i];
        if (level >= reversal->level && !is_in_sequence(reversal, level))
            continue;
        const uint32_t *clock = reduction_clock(reduction, level);
        for (uint32_t task = 0; task < reduction->width; task++)
            if (reversal->clock[task] < clock[task])
                reversal->clock[task] = clock[task];
    }
}

/* Nothing in the sequence has to come before this one. */
static bool is_initial(const struct reversal *reversal, int64_t entry)
{
    const struct reduction *reduction = reversal->reduction;
    const uint32_t *clock = entry == SECOND ? reversal->clock : reduction_clock(reduction, (size_t)entry);
    for (uint32_t task = 0; task < reduction->width; task++) {
        int64_t first = reversal->first_of.data[task];
        if (first != NOTHING && first != entry && first != SECOND && (int64_t)clock[task] > first)
            return false;
    }
    return true;
}

static bool is_independent(const struct reversal *reversal, const struct wire_transition *transition)
{
    for (size_t i = 0; i < reversal->sequence.count; i++)
        if (transitions_depend(transition_of(reversal, reversal->sequence.data[i]), transition))
            return false;
    return true;
}

enum begins { BEGINS_NOT, BEGINS_WITH, BEGINS_INDEPENDENT };

/* Whether the sequence can begin with it (a weak initial): it contains it, or is independent of it. */
static enum begins begins_with(const struct reversal *reversal, const struct wire_transition *transition)
{
    int64_t first = transition->task < reversal->reduction->width ? reversal->first_of.data[transition->task] : NOTHING;
    if (first == NOTHING)
        return is_independent(reversal, transition) ? BEGINS_INDEPENDENT : BEGINS_NOT;
    const struct wire_transition *own = transition_of(reversal, first);
    bool same_choice = own->choice == transition->choice || own->choices == 0 || transition->choices == 0;
    if (!same_choice || !is_initial(reversal, first))
        return BEGINS_NOT;
    reversal->reduction->moved |= !reduction_same(own, transition); /* the same one, in another run */
    return BEGINS_WITH;
}

static bool is_explored(const struct reversal *reversal)
{
    const struct reduction_level *level = &reversal->reduction->levels.data[reversal->level];
    for (size_t i = 0; i < level->sleep.count; i++)
        if (begins_with(reversal, &level->sleep.data[i]) != BEGINS_NOT)
            return true;
    return false;
}

static void remove_first(struct reversal *reversal, uint32_t task)
{
    size_t i = 0;
    while (transition_of(reversal, reversal->sequence.data[i])->task != task)
        i++;
    for (; i + 1 < reversal->sequence.count; i++)
        reversal->sequence.data[i] = reversal->sequence.data[i + 1];
    reversal->sequence.count--;
    find_firsts(reversal);
}

/* The sequence as a branch. */
static struct reduction_node *make_branch(const struct reversal *reversal)
{
    struct reduction_node *branch = NULL;
    for (size_t i = reversal->sequence.count; i-- > 0;) {
        struct reduction_node *node = reduction_node_new(transition_of(reversal, reversal->sequence.data[i]));
        node->child = branch;
        branch = node;
    }
    return branch;
}

/* Puts it into the tree, unless that has a branch that leads to the same. */
static void insert(struct reversal *reversal)
{
    struct reduction_node **link = &reversal->reduction->levels.data[reversal->level].tree;
    while (*link != NULL) {
        struct reduction_node *node = *link;
        enum begins begins = begins_with(reversal, &node->transition);
        if (begins == BEGINS_NOT) {
            link = &node->next;
            continue;
        }
        if (begins == BEGINS_WITH)
            remove_first(reversal, node->transition.task);
        if (node->child == NULL || reversal->sequence.count == 0)
            return;
        link = &node->child;
    }
    *link = make_branch(reversal);
}

/* ---- races ----------------------------------------------------------------------------------------------------------------- */

/* How often the task's wait at this place has ended early so far, if it is a wait. */
static bool is_bounded(const struct reversal *reversal)
{
    enum { EARLY_AT_MOST = 3 };
    const struct reduction *reduction = reversal->reduction;
    const struct wire_transition *second = reversal->second;
    uint32_t count = 0;
    if (!(second->flags & TRANSITION_TIMED))
        return false;
    for (size_t k = 0; k < reduction->count; k++) {
        const struct wire_transition *transition = &reduction->levels.data[k].transition;
        bool kept = k < reversal->level || (k > reversal->level && !reduction_is_before(reduction, reversal->level, k));
        count += kept && transition->task == second->task && transition->pc == second->pc &&
                 (transition->flags & TRANSITION_LATE);
    }
    return count >= EARLY_AT_MOST;
}

/* The race of the second with the transition of this level.  False: the second cannot come first. */
static bool reverse(struct reversal *reversal, size_t level)
{
    reversal->level = level;
    make_sequence(reversal);
    if (!is_possible(reversal))
        return false;
    if (is_bounded(reversal)) {
        reversal->reduction->bounded = true;
        return true;
    }
    order_second(reversal);
    vector_push(&reversal->sequence, SECOND);
    find_firsts(reversal);
    if (!is_explored(reversal))
        insert(reversal);
    return true;
}

/* The races of one transition: those with transitions that nothing else lies between. */
static void reverse_all(struct reversal *reversal, const uint32_t *direct, size_t count)
{
    VECTOR(uint32_t) done = {0};
    reversal->direct = direct;
    reversal->direct_count = count;
    for (size_t i = 0; i < count; i++) {
        bool between = false;
        for (size_t k = 0; k < done.count && !between; k++)
            between = reduction_is_before(reversal->reduction, direct[i], done.data[k]);
        if (!between && reverse(reversal, direct[i]))
            vector_push(&done, direct[i]);
    }
    vector_free(&done);
}

void reduction_races(struct reduction *reduction)
{
    struct reversal reversal = {.reduction = reduction, .clock = memory_allocate(reduction->width, sizeof(uint32_t))};
    for (size_t level = 0; level < reduction->count; level++) {
        const struct reduction_level *own = &reduction->levels.data[level];
        if (own->direct.count == 0)
            continue;
        reversal.from = level;
        struct wire_transition second = own->transition;
        second.choice = second.choices = 0; /* in its new place it may have others: they are added there */
        reversal.second = &second;
        reversal.before = reduction_before(reduction, level);
        reverse_all(&reversal, own->direct.data, own->direct.count);
    }
    for (size_t i = 0; i < reduction->pendings.count; i++) {
        const struct reduction_pending *pending = &reduction->pendings.data[i];
        reversal.from = reduction->count;
        reversal.second = &pending->transition;
        reversal.before = pending->before;
        reverse_all(&reversal, pending->direct.data, pending->direct.count);
    }
    vector_free(&reversal.sequence);
    vector_free(&reversal.first_of);
    free(reversal.clock);
}
