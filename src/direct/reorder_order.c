/* SPDX-License-Identifier: MIT
 *
 * reorder_order.c - one order of the events of a run; see reorder.h.
 */
#include <string.h>

#include "direct/reorder_private.h"
#include "util/stop.h"

/* ---- what must be done --------------------------------------------------------------------------------------------- */

/* An access of the event hides one step from another that is to follow it at once. */
static bool hides(const struct reorderer *reorderer, const struct event_node *node, const struct access *from,
                  const struct access *to)
{
    for (uint32_t i = 0; i < node->access_count; i++) {
        const struct access *access = &reorderer->graph.accesses.data[node->access + i];
        if (access_overlap(access, from) && access_overlap(access, to) &&
            access_blocks((enum access_kind)from->kind, (enum access_kind)access->kind, (enum access_kind)to->kind))
            return true;
    }
    return false;
}

/* It would come between two steps of which only the first has been done. */
static bool comes_between(const struct reorderer *reorderer, uint32_t number)
{
    const struct sequence *sequence = reorderer->sequence;
    for (unsigned i = reorderer->steps_done; i < sequence->count; i++) {
        int before = sequence->before[i];
        if (before >= 0 && (unsigned)before < reorderer->steps_done && sequence->nodes[i] != number &&
            hides(reorderer, reorder_node(reorderer, number), &sequence->access[before], &sequence->access[i]))
            return true;
    }
    return false;
}

static bool is_allowed(const struct reorderer *reorderer, uint32_t number)
{
    const struct event_node *node = reorder_node(reorderer, number);
    return node->place < reorderer->actors.data[node->task].limit && !comes_between(reorderer, number);
}

/* The events of its task up to this one. */
static void want_up_to(struct reorderer *reorderer, const struct event_node *node)
{
    const struct event_graph *graph = &reorderer->graph;
    for (uint32_t place = node->place + 1; place-- > reorderer->actors.data[node->task].next;) {
        uint32_t number = graph->tasks.data[node->task].data[place];
        if (reorder_has(reorderer->wanted, number))
            return;
        reorder_put(reorderer->wanted, number);
        reorderer->blocked |= !is_allowed(reorderer, number);
        const struct event_node *own = reorder_node(reorderer, number);
        for (uint32_t i = 0; i < own->dependency_count; i++)
            if (!reorder_has(reorderer->done, graph->dependencies.data[own->dependency + i].node))
                vector_push(&reorderer->demanded, graph->dependencies.data[own->dependency + i].node);
    }
}

/* The event shall be done, and what must come before it.  What is not allowed yet is left out. */
static void demand(struct reorderer *reorderer, uint32_t number)
{
    vector_push(&reorderer->demanded, number);
    while (reorderer->demanded.count > 0) {
        uint32_t next = reorderer->demanded.data[--reorderer->demanded.count];
        if (is_allowed(reorderer, next))
            want_up_to(reorderer, reorder_node(reorderer, next));
    }
}

/* ---- doing it ------------------------------------------------------------------------------------------------------ */

/* The event that took the lock which keeps this one from being done; NODE_NONE. */
static uint32_t find_holder(const struct reorderer *reorderer, const struct event_node *node)
{
    if (node->lock_use != LOCK_TAKE && node->lock_use != LOCK_SHARE)
        return NODE_NONE;
    const struct node_hold *holds = reorderer->graph.holds.data;
    for (size_t i = 0; i < reorderer->actors.count; i++)
        for (uint32_t k = i != node->task ? reorderer->actors.data[i].holds : 0; k != 0; k = holds[k].others)
            if (holds[k].lock == node->lock &&
                (node->lock_use == LOCK_TAKE || reorder_node(reorderer, holds[k].node)->lock_use == LOCK_TAKE))
                return holds[k].node;
    return NODE_NONE;
}

static bool has_what_it_needs(const struct reorderer *reorderer, const struct event_node *node)
{
    for (uint32_t i = 0; i < node->dependency_count; i++) {
        struct node_dependency dependency = reorderer->graph.dependencies.data[node->dependency + i];
        if (!reorder_has(reorderer->done, dependency.node) &&
            (dependency.must || is_allowed(reorderer, dependency.node)))
            return false;
    }
    return true;
}

static void use_lock(struct reorderer *reorderer, const struct event_node *node, uint32_t number)
{
    struct event_graph *graph = &reorderer->graph;
    struct actor *actor = &reorderer->actors.data[node->task];
    if (node->lock_use == LOCK_GIVE)
        actor->holds = event_graph_let_go(graph, actor->holds, node->lock);
    if (node->lock_use != LOCK_TAKE && node->lock_use != LOCK_SHARE)
        return;
    vector_push(&graph->holds, ((struct node_hold){node->lock, number, actor->holds}));
    actor->holds = (uint32_t)graph->holds.count - 1;
}

/* Who has written what is there; NODE_NONE. */
static uint32_t writer_of(const struct reorderer *reorderer, uint32_t location)
{
    if (reorderer->written[location] == reorderer->orders)
        return reorderer->writers[location];
    const node_list *writes = &reorderer->graph.writes.data[location];
    uint32_t before = event_graph_count_before(writes, reorderer->began);
    return before > 0 ? writes->data[before - 1] : NODE_NONE;
}

static void write_piece(struct reorderer *reorderer, uint32_t location, uint32_t number)
{
    reorderer->writers[location] = number;
    reorderer->written[location] = reorderer->orders;
}

/* What the event reads of what `writer` wrote, or nobody; false: not known. */
static bool value_from(const struct reorderer *reorderer, const struct event_node *node, uint32_t writer,
                       uint64_t *value)
{
    uint32_t from = writer != NODE_NONE ? writer : event_graph_first_reader(&reorderer->graph, node);
    if (from == NODE_NONE || !node->valued || !reorder_node(reorderer, from)->valued)
        return false;
    const struct access *read = &reorderer->graph.accesses.data[node->access];
    const struct access *there = &reorderer->graph.accesses.data[reorder_node(reorderer, from)->access];
    *value = reorder_node(reorderer, from)->value;
    return read->lo == there->lo && read->hi == there->hi;
}

/* The event reads what `writer` wrote. */
static void read_piece(struct reorderer *reorderer, const struct event_node *node, const struct node_piece *piece,
                       uint32_t writer)
{
    struct actor *actor = &reorderer->actors.data[node->task];
    bool value_unknown = writer != NODE_NONE && reorder_has(reorderer->value_unknown, writer);
    if (writer == piece->writer && !value_unknown)
        return;
    uint64_t value;
    bool known = !value_unknown && value_from(reorderer, node, writer, &value);
    if (known && value == node->value)
        return;
    actor->read_differs = true;
    actor->path_unknown |= known ? !flow_is_same(&reorderer->flow, node->site, node->value, value)
                                 : !flow_is_straight(&reorderer->flow, node->site);
}

/* False: nobody knows whether its task comes to it. */
static bool do_node(struct reorderer *reorderer, uint32_t number)
{
    const struct event_node *node = reorder_node(reorderer, number);
    struct actor *actor = &reorderer->actors.data[node->task];
    if (actor->path_unknown)
        return false;
    reorderer->uncertain_reads += actor->path_uncertain;
    reorder_put(reorderer->done, number);
    vector_push(&reorderer->order, number);
    reorderer->work++;
    actor->next++;
    for (uint32_t i = 0; i < node->piece_count; i++) {
        const struct node_piece *piece = &reorderer->graph.pieces.data[node->piece + i];
        if (node->reads)
            read_piece(reorderer, node, piece, writer_of(reorderer, piece->location));
        if (node->writes)
            write_piece(reorderer, piece->location, number);
    }
    if (node->writes && actor->read_differs && !flow_is_constant(&reorderer->flow, node->site))
        reorder_put(reorderer->value_unknown, number);
    actor->path_uncertain =
        actor->read_differs && !flow_is_certain(&reorderer->flow, node->site, node->valued, node->value);
    use_lock(reorderer, node, number);
    return true;
}

/* What one look through the run came to. */
struct progress {
    bool path_unknown, any, left;
    uint32_t holder; /* of a lock that somebody needs; NODE_NONE */
};

/* Does what is wanted and can be done, in the order of the run. */
static struct progress look_through(struct reorderer *reorderer)
{
    struct progress progress = {.holder = NODE_NONE};
    for (uint32_t word = reorderer->began / 64; word <= reorderer->graph.all.count / 64; word++) {
        uint64_t bits = reorderer->wanted[word] & ~reorderer->done[word];
        for (; bits != 0; bits &= bits - 1) {
            uint32_t number = word * 64 + (uint32_t)__builtin_ctzll(bits);
            const struct event_node *node = reorder_node(reorderer, number);
            uint32_t holder = NODE_NONE;
            bool ready = node->place == reorderer->actors.data[node->task].next && has_what_it_needs(reorderer, node) &&
                         (holder = find_holder(reorderer, node)) == NODE_NONE;
            if (holder != NODE_NONE)
                progress.holder = holder;
            progress.left |= !ready;
            progress.any |= ready;
            if (ready && !do_node(reorderer, number)) {
                progress.path_unknown = true;
                return progress;
            }
        }
    }
    return progress;
}

/* All that is wanted.  False: it cannot be done. */
static bool do_wanted(struct reorderer *reorderer)
{
    for (;;) {
        if (reorderer->blocked || stop_requested())
            return false;
        struct progress progress = look_through(reorderer);
        if (progress.path_unknown)
            return false;
        if (!progress.left)
            return true;
        if (progress.holder != NODE_NONE) {
            uint32_t end = reorder_node(reorderer, progress.holder)->end;
            if (end == NODE_NONE || !is_allowed(reorderer, end))
                return false;
            progress.any |= !reorder_has(reorderer->wanted, end);
            demand(reorderer, end);
        }
        if (!progress.any)
            return false;
    }
}

/* ---- an order ------------------------------------------------------------------------------------------------------ */

/* The task may go as far as its next step, from the given one on. */
static void set_limit(struct reorderer *reorderer, const struct sequence *sequence, unsigned from, uint16_t task)
{
    struct actor *actor = &reorderer->actors.data[task];
    actor->limit = UINT32_MAX;
    for (unsigned i = sequence->count; i-- > from;) {
        const struct event_node *node = reorder_node(reorderer, sequence->nodes[i]);
        if (node->task == task)
            actor->limit = node->place;
    }
}

/* The run up to where the first of the steps' tasks enters the critical section of its step is left as it was. */
static uint32_t beginning_of(const struct reorderer *reorderer, const struct sequence *sequence)
{
    uint32_t first = UINT32_MAX;
    for (unsigned i = 0; i < sequence->count; i++) {
        const struct event_node *node = reorder_node(reorderer, sequence->nodes[i]);
        uint32_t section_entry = reorderer->graph.tasks.data[node->task].data[node->section_entry];
        first = section_entry < first ? section_entry : first;
    }
    return first;
}

static void restart(struct reorderer *reorderer, const struct sequence *sequence)
{
    struct event_graph *graph = &reorderer->graph;
    size_t words = graph->all.count / 64 + 1;
    uint32_t began = beginning_of(reorderer, sequence);
    memset(reorderer->done, 0, words * sizeof *reorderer->done);
    memset(reorderer->wanted, 0, words * sizeof *reorderer->wanted);
    memset(reorderer->value_unknown, 0, words * sizeof *reorderer->value_unknown);
    memset(reorderer->done, 0xff, began / 64 * sizeof *reorderer->done);
    reorderer->done[began / 64] = (1ull << began % 64) - 1;
    vector_clear(&reorderer->order);
    reorderer->began = began;
    reorderer->uncertain_reads = 0;
    reorderer->sequence = sequence;
    reorderer->steps_done = 0;
    reorderer->blocked = false;
    reorderer->orders++;
    graph->holds.count = reorderer->run_holds;
    for (size_t i = 0; i < reorderer->actors.count; i++) {
        struct actor *actor = &reorderer->actors.data[i];
        const node_list *own = &graph->tasks.data[i];
        actor->next = event_graph_count_before(own, began);
        actor->read_differs = actor->path_unknown = actor->path_uncertain = false;
        actor->holds = actor->next > 0 ? reorder_node(reorderer, own->data[actor->next - 1])->holds : 0;
        set_limit(reorderer, sequence, 0, (uint16_t)i);
    }
}

/* Brings the task of a step to the step's section entry, and has others do what is needed behind it. */
static bool bring_to_door(struct reorderer *reorderer, uint32_t step)
{
    const struct event_node *node = reorder_node(reorderer, step);
    const node_list *own = &reorderer->graph.tasks.data[node->task];
    uint32_t next = reorderer->actors.data[node->task].next;
    uint32_t section_entry = node->section_entry > next ? node->section_entry : next;
    if (section_entry > next)
        demand(reorderer, own->data[section_entry - 1]);
    for (uint32_t place = section_entry; place <= node->place; place++) {
        const struct event_node *inside = reorder_node(reorderer, own->data[place]);
        for (uint32_t i = 0; i < inside->dependency_count; i++)
            if (!reorder_has(reorderer->done, reorderer->graph.dependencies.data[inside->dependency + i].node))
                demand(reorderer, reorderer->graph.dependencies.data[inside->dependency + i].node);
    }
    return do_wanted(reorderer);
}

/* The step of the other task that is to be near when step i is done; NODE_NONE: its own task has the next one. */
static uint32_t step_to_come(const struct reorderer *reorderer, const struct sequence *sequence, unsigned i)
{
    uint16_t task = reorder_node(reorderer, sequence->nodes[i])->task;
    unsigned last = i == 0 ? sequence->count : i + 2;
    for (unsigned k = i + 1; k < last && k < sequence->count; k++)
        if (reorder_node(reorderer, sequence->nodes[k])->task != task)
            return sequence->nodes[k];
    return NODE_NONE;
}

/* The event done last follows another one at once: nothing that lies between hides one from the other, nor is it the same once more. */
static bool follows_at_once(const struct reorderer *reorderer, uint32_t first, const struct access *from,
                            const struct access *to)
{
    const struct event_node *own = reorder_node(reorderer, first);
    for (size_t at = reorderer->order.count - 1; at-- > 0 && reorderer->order.data[at] != first;) {
        const struct event_node *node = reorder_node(reorderer, reorderer->order.data[at]);
        const struct access *again =
            node->task == own->task && node->site == own->site
                ? event_graph_access(&reorderer->graph, reorderer->order.data[at], (enum access_kind)from->kind)
                : NULL;
        if (hides(reorderer, node, from, to) ||
            (again != NULL && access_overlap(again, from) && access_overlap(again, to)))
            return false;
    }
    return true;
}

/* early: the task of the next step is brought to its section entry before each. */
static bool make_order(struct reorderer *reorderer, const struct sequence *sequence, bool early)
{
    restart(reorderer, sequence);
    for (unsigned i = 0; i < sequence->count; i++) {
        const struct event_node *node = reorder_node(reorderer, sequence->nodes[i]);
        uint32_t other = early ? step_to_come(reorderer, sequence, i) : NODE_NONE;
        if (other != NODE_NONE && !bring_to_door(reorderer, other))
            return false;
        reorderer->actors.data[node->task].limit = node->place + 1;
        demand(reorderer, sequence->nodes[i]);
        if (!do_wanted(reorderer))
            return false;
        reorderer->uncertain_reads +=
            reorderer->actors.data[node->task].read_differs && !flow_is_fixed(&reorderer->flow, node->site);
        int before = sequence->before[i];
        if (before >= 0 &&
            !follows_at_once(reorderer, sequence->nodes[before], &sequence->access[before], &sequence->access[i]))
            return false;
        reorderer->steps_done = i + 1;
        set_limit(reorderer, sequence, i + 1, node->task);
    }
    return true;
}

bool reorder_try(struct reorderer *reorderer, const struct sequence *sequence)
{
    return make_order(reorderer, sequence, false) || make_order(reorderer, sequence, true);
}
