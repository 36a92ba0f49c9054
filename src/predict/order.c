/* SPDX-License-Identifier: MIT
 *
 * order.c - can these accesses of two tasks come in this order?
 *
 * DESIGN
 *   A graph of what must come before what: program order; the order that the row asks for; happens-before without mutexes;
 *   each critical section begins before and ends after what it holds; and accesses that lie between the two of a task and
 *   would hide one end of a dependency from the other come outside of that dependency.  Of two sections of one lock in
 *   different tasks, if anything in the first must come before anything in the second, all of it must.  No order exists
 *   if that makes a cycle.
 *
 *   Nodes are few; what can be reached from each is kept as bits, so that a cycle is seen as soon as it is made.
 */
#include "predict/predict_private.h"

enum { NODES = 64, SECTIONS = 2 * ENTRY_LOCKS };

struct order_section {
    uint64_t lock;
    bool shared;
    uint8_t begin, end; /* nodes */
};

struct graph {
    uint64_t reach[NODES];
    unsigned count;
    struct order_section sections[2][SECTIONS];
    unsigned section_count[2];
};

static unsigned add_node(struct graph *graph)
{
    graph->reach[graph->count] = 0;
    return graph->count++;
}

static bool reaches(const struct graph *graph, unsigned from, unsigned to)
{
    return graph->reach[from] >> to & 1;
}

static void add_edge(struct graph *graph, unsigned from, unsigned to)
{
    if (reaches(graph, from, to))
        return;
    uint64_t more = graph->reach[to] | (uint64_t)1 << to;
    for (unsigned i = 0; i < graph->count; i++)
        if (i == from || reaches(graph, i, from))
            graph->reach[i] |= more;
}

static bool has_cycle(const struct graph *graph)
{
    for (unsigned i = 0; i < graph->count; i++)
        if (reaches(graph, i, i))
            return true;
    return false;
}

/* ---- critical sections ------------------------------------------------------------------------------------------- */

/* Locks that only one of the tasks holds order nothing. */
static bool other_task_has(const struct history *history, const struct order_task *other, uint64_t lock)
{
    const uint32_t entries[2] = {other->first, other->second};
    for (unsigned i = 0; i < 2; i++) {
        const struct access_entry *entry = history_entry(history, entries[i]);
        for (unsigned k = 0; k < entry->lock_count; k++)
            if (entry->locks[k].lock == lock)
                return true;
    }
    return false;
}

static struct order_section *add_section(struct graph *graph, unsigned task, const struct lock_use *use)
{
    struct order_section *section = &graph->sections[task][graph->section_count[task]++];
    *section = (struct order_section){use->lock, use->shared, (uint8_t)add_node(graph), (uint8_t)add_node(graph)};
    add_edge(graph, section->begin, section->end);
    return section;
}

static void put_inside(struct graph *graph, const struct order_section *section, unsigned node)
{
    add_edge(graph, section->begin, node);
    add_edge(graph, node, section->end);
}

static bool is_held_through(const struct order_task *task, const struct access_entry *second, uint64_t lock)
{
    for (unsigned k = 0; task->pair != NULL && k < second->lock_count; k++)
        if (second->locks[k].lock == lock)
            return task->pair->through >> k & 1;
    return false;
}

static void add_sections(const struct history *history, const struct order_question *question, struct graph *graph,
                         unsigned index, const uint8_t node[END_COUNT])
{
    const struct order_task *task = &question->tasks[index];
    const struct order_task *other = &question->tasks[1 - index];
    const struct access_entry *first = history_entry(history, task->first);
    const struct access_entry *second = history_entry(history, task->second);
    bool two = task->pair != NULL;
    struct order_section *begun = graph->sections[index];
    for (unsigned i = 0; i < first->lock_count; i++) {
        const struct lock_use *use = &first->locks[i];
        if (!other_task_has(history, other, use->lock))
            continue;
        struct order_section *section = add_section(graph, index, use);
        put_inside(graph, section, node[task->first_end]);
        if (two && is_held_through(task, second, use->lock))
            put_inside(graph, section, node[task->second_end]);
        else if (two)
            add_edge(graph, section->end, node[task->second_end]);
    }
    unsigned of_first = graph->section_count[index];
    for (unsigned i = 0; two && i < second->lock_count; i++) {
        const struct lock_use *use = &second->locks[i];
        if (!other_task_has(history, other, use->lock) || (task->pair->through >> i & 1))
            continue;
        struct order_section *section = add_section(graph, index, use);
        put_inside(graph, section, node[task->second_end]);
        add_edge(graph, node[task->first_end], section->begin);
        for (unsigned k = 0; k < of_first; k++)
            if (begun[k].lock == use->lock)
                add_edge(graph, begun[k].end, section->begin);
    }
}

/* Sections of one lock come one after the other.  True if something new was learned. */
static bool order_sections(struct graph *graph)
{
    bool learned = false;
    for (unsigned i = 0; i < graph->section_count[0]; i++) {
        for (unsigned k = 0; k < graph->section_count[1]; k++) {
            const struct order_section *a = &graph->sections[0][i];
            const struct order_section *b = &graph->sections[1][k];
            if (a->lock != b->lock || (a->shared && b->shared))
                continue;
            if (reaches(graph, a->begin, b->end) && !reaches(graph, a->end, b->begin)) {
                add_edge(graph, a->end, b->begin);
                learned = true;
            }
            if (reaches(graph, b->begin, a->end) && !reaches(graph, b->end, a->begin)) {
                add_edge(graph, b->end, a->begin);
                learned = true;
            }
        }
    }
    return learned;
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

/* The other end of the dependency of `end`. */
static enum shape_end partner_of(enum shape_end end)
{
    return end ^ 1; /* A and B, C and D */
}

static bool is_source(enum shape_end end)
{
    return end == END_A || end == END_C;
}

static bool is_immediate(const struct shape_choice *choice, enum shape_end end)
{
    return (end == END_A || end == END_B ? choice->first : choice->second) == RELATION_IMMEDIATE;
}

static bool both_strong(const struct history *history, const struct order_question *question, enum shape_end end)
{
    return access_is_strong(history_entry(history, question->entries[end])->kind) &&
           access_is_strong(history_entry(history, question->entries[partner_of(end)])->kind);
}

/* Accesses between the two of a task that must not lie between the ends of a dependency. */
static void add_between(const struct history *history, const struct order_question *question, struct graph *graph,
                        unsigned index, const uint8_t node[END_COUNT])
{
    const struct order_task *task = &question->tasks[index];
    if (task->pair == NULL)
        return;
    enum shape_end first = task->first_end;
    enum shape_end second = task->second_end;
    unsigned first_bit = both_strong(history, question, first) ? PAIR_FIRST_ANY : PAIR_FIRST_STRONG;
    unsigned second_bit = both_strong(history, question, second) ? PAIR_SECOND_ANY : PAIR_SECOND_STRONG;
    if (is_source(first) && is_immediate(question->choice, first) && (task->pair->bits & first_bit)) {
        unsigned between = add_node(graph);
        add_edge(graph, node[first], between);
        add_edge(graph, between, node[second]);
        add_edge(graph, node[partner_of(first)], between);
    }
    if (!is_source(second) && is_immediate(question->choice, second) && (task->pair->bits & second_bit)) {
        unsigned between = add_node(graph);
        add_edge(graph, node[first], between);
        add_edge(graph, between, node[second]);
        add_edge(graph, between, node[partner_of(second)]);
    }
}

static void add_order(const struct order_question *question, struct graph *graph, const uint8_t node[END_COUNT])
{
    const struct pattern *shape = family_shape(question->choice->row);
    for (unsigned i = 0; i < shape->count; i++)
        for (unsigned k = 0; k < i; k++)
            if (shape->steps[k].group < shape->steps[i].group)
                add_edge(graph, node[question->choice->end[k]], node[question->choice->end[i]]);
}

static void add_happens_before(const struct history *history, const struct order_question *question,
                               struct graph *graph, const uint8_t node[END_COUNT])
{
    for (unsigned i = 0; i < END_COUNT; i++) {
        for (unsigned k = 0; k < END_COUNT; k++) {
            const struct access_entry *a = history_entry(history, question->entries[i]);
            const struct access_entry *b = history_entry(history, question->entries[k]);
            if (a->task != b->task && a->alone && b->alone && entry_before(a, b))
                add_edge(graph, node[i], node[k]);
        }
    }
}

bool order_exists(const struct history *history, const struct order_question *question)
{
    struct graph graph = {.count = 0};
    uint8_t node[END_COUNT] = {0, 1, 2, 3};
    bool triple = question->tasks[1].pair == NULL;
    if (triple)
        node[END_C] = END_B;
    for (unsigned i = 0; i < END_COUNT; i++)
        add_node(&graph);
    for (unsigned i = 0; i < 2; i++)
        if (question->tasks[i].pair != NULL)
            add_edge(&graph, node[question->tasks[i].first_end], node[question->tasks[i].second_end]);
    add_order(question, &graph, node);
    add_happens_before(history, question, &graph, node);
    for (unsigned i = 0; i < 2; i++) {
        add_sections(history, question, &graph, i, node);
        if (!triple)
            add_between(history, question, &graph, i, node);
    }
    while (!has_cycle(&graph) && order_sections(&graph))
        continue;
    return !has_cycle(&graph);
}
