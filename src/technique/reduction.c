/* SPDX-License-Identifier: MIT
 *
 * reduction.c - see reduction.h: levels, sleep sets, and what the next run does.
 */
#include "technique/reduction.h"

#include <assert.h>

/* ---- nodes --------------------------------------------------------------------------------------------------------------- */

struct reduction_node *reduction_node_new(const struct wire_transition *transition)
{
    struct reduction_node *node = memory_allocate(1, sizeof *node);
    node->transition = *transition;
    return node;
}

static void free_tree(struct reduction_node *node)
{
    while (node != NULL) {
        struct reduction_node *next = node->next;
        free_tree(node->child);
        free(node);
        node = next;
    }
}

bool reduction_same(const struct wire_transition *a, const struct wire_transition *b)
{
    return a->task == b->task && a->op == b->op && a->address == b->address && a->size == b->size &&
           a->address2 == b->address2 && a->size2 == b->size2;
}

/* ---- levels -------------------------------------------------------------------------------------------------------------- */

static struct reduction_level *level_at(struct reduction *reduction, size_t number)
{
    while (reduction->levels.count <= number)
        vector_push(&reduction->levels, (struct reduction_level){.tree = NULL});
    return &reduction->levels.data[number];
}

/* What is asleep after the transition of the level. */
static void pass_sleep(struct reduction *reduction, size_t number)
{
    level_at(reduction, number + 1);
    const struct reduction_level *from = &reduction->levels.data[number];
    struct reduction_level *to = &reduction->levels.data[number + 1];
    vector_clear(&to->sleep);
    for (size_t i = 0; i < from->sleep.count; i++)
        if (!transitions_depend(&from->sleep.data[i], &from->transition))
            vector_push(&to->sleep, from->sleep.data[i]);
}

static void clear_level(struct reduction_level *level)
{
    free_tree(level->tree);
    level->tree = NULL;
    vector_clear(&level->sleep);
    vector_clear(&level->direct);
}

/* ---- the next run ---------------------------------------------------------------------------------------------------------- */

/* The run goes into the first branch of the level's tree, down to its end. */
static void descend(struct reduction *reduction, size_t number)
{
    reduction->branch = number;
    for (struct reduction_level *level = level_at(reduction, number); level->tree != NULL;) {
        struct reduction_node *node = level->tree;
        level->tree = node->next;
        level->transition = node->transition;
        pass_sleep(reduction, number++);
        level = level_at(reduction, number);
        assert(level->tree == NULL);
        level->tree = node->child;
        free(node);
    }
    reduction->count = number;
}

static void back(struct reduction *reduction)
{
    for (size_t number = reduction->count + 1; number-- > 0;) {
        struct reduction_level *level = level_at(reduction, number);
        if (number < reduction->count)
            vector_push(&level->sleep, level->transition);
        if (level->tree != NULL) {
            descend(reduction, number);
            return;
        }
        clear_level(level);
    }
    reduction->count = 0;
    reduction->finished = true;
}

static void make_plan(struct reduction *reduction)
{
    vector_clear(&reduction->plan);
    reduction->asleep = 0;
    for (size_t i = 0; i < reduction->count; i++) {
        const struct wire_transition *transition = &reduction->levels.data[i].transition;
        vector_push(&reduction->plan, ((struct wire_choice){transition->task, transition->choice}));
    }
    const struct reduction_level *last = level_at(reduction, reduction->count);
    for (size_t i = 0; i < last->sleep.count; i++)
        vector_push(&reduction->plan, ((struct wire_choice){last->sleep.data[i].task, 0}));
    reduction->asleep = (uint32_t)last->sleep.count;
}

void reduction_plan(const struct reduction *reduction, struct wire_plan *plan)
{
    plan->asleep_count = reduction->asleep;
    plan->flags |= PLAN_TRANSITIONS | PLAN_SAME_HEAP;
    plan->flags &= ~(uint32_t)PLAN_ONLY_READ;
}

/* ---- a run has ended --------------------------------------------------------------------------------------------------------- */

static void begin_again(struct reduction *reduction)
{
    for (size_t i = 0; i < reduction->levels.count; i++)
        clear_level(&reduction->levels.data[i]);
    reduction->count = reduction->branch = 0;
    reduction->restarts += reduction->runs > 0;
    reduction->runs = reduction->failing = reduction->redundant = 0;
    reduction->moved = reduction->bounded = reduction->lost = reduction->outside = reduction->spun = false;
    reduction->waits = reduction->beyond = 0;
    reduction->finished = reduction->timed_conditions = reduction->outlives = false;
    reduction->unfinished = reduction->impossible = 0;
    reduction->ops[0] = reduction->ops[1] = 0;
    vector_clear(&reduction->passed);
    make_plan(reduction);
}

/* All other values of a choice are explored next to the first one, before anything else: then a task that is asleep is so for all of them. */
static void add_choices(struct reduction_level *level)
{
    struct wire_transition other = level->transition;
    for (uint16_t choice = other.choices; choice-- > 0;) {
        bool known = choice == level->transition.choice;
        other.choice = choice;
        for (size_t i = 0; i < level->sleep.count && !known; i++)
            known = reduction_same(&level->sleep.data[i], &other) && level->sleep.data[i].choice == choice;
        for (const struct reduction_node *node = level->tree; node != NULL && !known; node = node->next)
            known = reduction_same(&node->transition, &other) && node->transition.choice == choice;
        if (known)
            continue;
        struct reduction_node *node = reduction_node_new(&other);
        node->next = level->tree;
        level->tree = node;
    }
}

static void note(struct reduction *reduction, const struct wire_transition *transition)
{
    reduction->ops[transition->op / 64] |= (uint64_t)1 << (transition->op % 64);
    reduction->outside |= (transition->flags & TRANSITION_OUTSIDE) != 0;
    reduction->spun |= (transition->flags & TRANSITION_PASSED) != 0;
    reduction->outlives |= transition->op == OP_END && transition->task == 0;
    reduction->timed_conditions |= transition->op == OP_COND_WAKE && (transition->flags & TRANSITION_TIMED);
}

static void take_transitions(struct reduction *reduction, const struct wire_copy *copy)
{
    size_t planned = reduction->count, count = copy->result.transition_count;
    for (size_t i = 0; i < count; i++) {
        struct reduction_level *level = level_at(reduction, i);
        const struct wire_transition *done = &copy->transitions.data[i];
        if (i < planned && !reduction_same(&level->transition, done))
            reduction->moved = true;
        if (i < reduction->branch)
            continue;
        level->transition = *done;
        note(reduction, done);
        pass_sleep(reduction, i);
        add_choices(level_at(reduction, i));
    }
    reduction->moved |= count < planned;
    reduction->count = count;
}

static bool is_blocked(const struct wire_result *result)
{
    return result->failure > 0 && result->findings[result->failure - 1].kind == KIND_DEADLOCK;
}

static void add_passed(struct reduction *reduction, const struct wire_passed *passed)
{
    size_t i = 0;
    while (i < reduction->passed.count && reduction->passed.data[i].pc != passed->pc)
        i++;
    if (i == reduction->passed.count)
        vector_push(&reduction->passed, ((struct wire_passed){.pc = passed->pc}));
    reduction->passed.data[i].times += passed->times;
    reduction->passed.data[i].writes |= passed->writes;
}

static void count_run(struct reduction *reduction, const struct wire_result *result, bool failed)
{
    reduction->runs++;
    reduction->failing += failed;
    reduction->unfinished += !failed && result->end != END_EXIT;
    reduction->redundant += result->asleep > 0;
    reduction->lost |= (result->lost & LOST_TRANSITIONS) != 0;
    reduction->waits |= result->waits;
    reduction->beyond |= result->beyond;
    for (uint32_t i = 0; i < result->passed_count; i++)
        add_passed(reduction, &result->passed[i]);
}

/* Where all tasks are blocked, one may still wake up by itself: spuriously. */
static void add_spurious(struct reduction *reduction)
{
    struct reduction_level *last = level_at(reduction, reduction->count);
    for (size_t i = 0; i < reduction->pendings.count; i++) {
        const struct wire_transition *transition = &reduction->pendings.data[i].transition;
        bool asleep = false;
        for (size_t k = 0; k < last->sleep.count; k++)
            asleep |= last->sleep.data[k].task == transition->task;
        if ((transition->flags & TRANSITION_READY) && !asleep) {
            struct reduction_node *node = reduction_node_new(transition);
            node->next = last->tree;
            last->tree = node;
        }
    }
}

void reduction_look(struct reduction *reduction, const struct wire_copy *copy)
{
    if (copy->result.shared_sites == reduction->sites)
        return;
    reduction->sites = copy->result.shared_sites;
    begin_again(reduction);
}

void reduction_observe(struct reduction *reduction, const struct wire_copy *copy, bool failed)
{
    const struct wire_result *result = &copy->result;
    if (result->shared_sites != reduction->sites || reduction->finished) {
        reduction_look(reduction, copy);
        return;
    }
    if (result->end == END_DIVERGED) {
        reduction->impossible++;
        back(reduction);
        make_plan(reduction);
        return;
    }
    count_run(reduction, result, failed);
    take_transitions(reduction, copy);
    bool blocked = is_blocked(result);
    if (reduction->count > 0 && !blocked)
        reduction->levels.data[reduction->count - 1].transition.flags |= TRANSITION_ENDS;
    if (reduction->count > 0)
        pass_sleep(reduction, reduction->count - 1);
    reduction_order(reduction, copy->transitions.data + result->transition_count, result->pending_count);
    reduction_races(reduction);
    if (blocked)
        add_spurious(reduction);
    back(reduction);
    make_plan(reduction);
}

void reduction_free(struct reduction *reduction)
{
    reduction_order_free(reduction);
    for (size_t i = 0; i < reduction->levels.count; i++) {
        clear_level(&reduction->levels.data[i]);
        vector_free(&reduction->levels.data[i].sleep);
        vector_free(&reduction->levels.data[i].direct);
    }
    vector_free(&reduction->levels);
    vector_free(&reduction->plan);
    vector_free(&reduction->passed);
}
