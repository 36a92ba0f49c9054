/* SPDX-License-Identifier: MIT
 *
 * reorder_order.c - one order of the events of an execution; see reorder.c.
 */
#include <assert.h>
#include <string.h>

#include "direct/reorder_private.h"
#include "util/stop.h"

/* ---- what must be done --------------------------------------------------------------------------------------------- */

/* An access of the event hides one step from another that must follow it immediately. */
static bool hides(const struct reorderer *reorderer, uint32_t number, const struct access *from,
                  const struct access *to)
{
    unsigned count;
    const struct access *accesses = execution_accesses(reorderer->graph.execution, number, &count);
    for (unsigned i = 0; i < count; i++) {
        const struct access *access = &accesses[i];
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
            hides(reorderer, number, &sequence->access[before], &sequence->access[i]))
            return true;
    }
    return false;
}

/* Why the event may not come now; ORDER_FOUND: it may. */
static enum order_failure why_not_now(const struct reorderer *reorderer, uint32_t number)
{
    const struct event_node *node = reorder_node(reorderer, number);
    if (node->place >= reorderer->tasks.data[node->task].limit)
        return ORDER_STEP_LATER;
    return comes_between(reorderer, number) ? ORDER_BETWEEN : ORDER_FOUND;
}

static bool is_allowed(const struct reorderer *reorderer, uint32_t number)
{
    return why_not_now(reorderer, number) == ORDER_FOUND;
}

/* The events of its task up to this one. */
static void want_up_to(struct reorderer *reorderer, uint32_t last)
{
    const struct event_graph *graph = &reorderer->graph;
    uint16_t task = reorder_node(reorderer, last)->task;
    struct event_range own = execution_task(graph->execution, task);
    for (uint32_t place = reorder_node(reorderer, last)->place + 1; place-- > reorderer->tasks.data[task].next;) {
        uint32_t number = own.data[place];
        if (reorder_has(reorderer->wanted, number))
            return;
        reorder_put(reorderer->wanted, number);
        if (reorderer->blocked == ORDER_FOUND)
            reorderer->blocked = why_not_now(reorderer, number);
        const struct event_node *node = reorder_node(reorderer, number);
        for (uint32_t i = 0; i < node->dependency_count; i++)
            if (!reorder_has(reorderer->done, graph->dependencies.data[node->dependency + i].node))
                vector_push(&reorderer->demanded, graph->dependencies.data[node->dependency + i].node);
    }
}

/* The event must be done, and what must come before it.  What is not allowed yet is left out. */
static void demand(struct reorderer *reorderer, uint32_t number)
{
    vector_push(&reorderer->demanded, number);
    while (reorderer->demanded.count > 0) {
        uint32_t next = reorderer->demanded.data[--reorderer->demanded.count];
        if (is_allowed(reorderer, next))
            want_up_to(reorderer, next);
    }
}

/* ---- doing it ------------------------------------------------------------------------------------------------------ */

/* The event that took the lock which keeps this one from being done; NODE_NONE. */
static uint32_t find_holder(const struct reorderer *reorderer, uint32_t number)
{
    const struct event_node *node = reorder_node(reorderer, number);
    if (node->lock_use != LOCK_TAKE && node->lock_use != LOCK_SHARE)
        return NODE_NONE;
    const struct node_hold *holds = reorderer->graph.holds.data;
    for (size_t i = 0; i < reorderer->tasks.count; i++)
        for (uint32_t k = i != node->task ? reorderer->tasks.data[i].holds : 0; k != 0; k = holds[k].others)
            if (holds[k].lock == node->lock &&
                (node->lock_use == LOCK_TAKE || reorder_node(reorderer, holds[k].node)->lock_use == LOCK_TAKE))
                return holds[k].node;
    return NODE_NONE;
}

static bool are_dependencies_done(const struct reorderer *reorderer, const struct event_node *node)
{
    for (uint32_t i = 0; i < node->dependency_count; i++) {
        struct node_dependency dependency = reorderer->graph.dependencies.data[node->dependency + i];
        if (!reorder_has(reorderer->done, dependency.node) &&
            (dependency.must || is_allowed(reorderer, dependency.node)))
            return false;
    }
    return true;
}

static void use_lock(struct reorderer *reorderer, uint32_t number)
{
    const struct event_node *node = reorder_node(reorderer, number);
    struct event_graph *graph = &reorderer->graph;
    struct reorder_task *task = &reorderer->tasks.data[node->task];
    if (node->lock_use == LOCK_GIVE)
        task->holds = event_graph_release(graph, task->holds, node->lock);
    if (node->lock_use != LOCK_TAKE && node->lock_use != LOCK_SHARE)
        return;
    vector_push(&graph->holds, ((struct node_hold){node->lock, number, task->holds}));
    task->holds = (uint32_t)graph->holds.count - 1;
}

/* The event that wrote what is there; NODE_NONE. */
static uint32_t writer_of(const struct reorderer *reorderer, uint32_t location)
{
    if (reorderer->written[location] == reorderer->orders)
        return reorderer->writers[location];
    struct event_range writes = execution_writes(reorderer->graph.execution, location);
    uint32_t before = event_range_count_before(writes, reorderer->began);
    return before > 0 ? writes.data[before - 1] : NODE_NONE;
}

static void write_piece(struct reorderer *reorderer, uint32_t location, uint32_t number)
{
    reorderer->writers[location] = number;
    reorderer->written[location] = reorderer->orders;
}

static bool has_value(const struct event *event)
{
    return (event->flags & EVENT_VALUE) != 0;
}

/* What the event reads if `writer` wrote there last, or if the memory was not written; false: not known. */
static bool value_from(const struct reorderer *reorderer, uint32_t number, uint32_t writer, uint64_t *value)
{
    const struct execution *execution = reorderer->graph.execution;
    uint32_t from = writer != NODE_NONE ? writer : event_graph_first_reader(&reorderer->graph, number);
    if (from == NODE_NONE || !has_value(execution_event(execution, number)) ||
        !has_value(execution_event(execution, from)))
        return false;
    unsigned reads, others;
    const struct access *read = execution_accesses(execution, number, &reads);
    const struct access *there = execution_accesses(execution, from, &others);
    assert(reads == 1 && others == 1);
    *value = execution_event(execution, from)->value;
    return read->lo == there->lo && read->hi == there->hi;
}

/* The event reads what `writer` wrote. */
static void read_piece(struct reorderer *reorderer, uint32_t number, const struct execution_piece *piece,
                       uint32_t writer)
{
    const struct event *event = reorder_event(reorderer, number);
    struct reorder_task *task = &reorderer->tasks.data[event->task];
    bool value_unknown = writer != NODE_NONE && reorder_has(reorderer->value_unknown, writer);
    if (writer == piece->writer && !value_unknown)
        return;
    uint64_t value;
    bool known = !value_unknown && value_from(reorderer, number, writer, &value);
    if (known && value == event->value)
        return;
    task->read_differs = true;
    task->path_unknown |= known ? !flow_is_same(&reorderer->flow, event->site, event->value, value)
                                : !flow_is_straight(&reorderer->flow, event->site);
}

/* False: it is not known whether its task comes to it. */
static bool do_node(struct reorderer *reorderer, uint32_t number)
{
    const struct event_node *node = reorder_node(reorderer, number);
    const struct event *event = reorder_event(reorderer, number);
    struct reorder_task *task = &reorderer->tasks.data[event->task];
    assert(task->next == node->place && !reorder_has(reorderer->done, number));
    if (task->path_unknown)
        return false;
    reorderer->uncertain_reads += task->path_uncertain;
    reorder_put(reorderer->done, number);
    vector_push(&reorderer->order, number);
    reorderer->work++;
    task->next++;
    uint32_t count = 0;
    const struct execution_piece *pieces =
        node->reads || node->writes ? execution_pieces(reorderer->graph.execution, number, &count) : NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (node->reads)
            read_piece(reorderer, number, &pieces[i], writer_of(reorderer, pieces[i].location));
        if (node->writes)
            write_piece(reorderer, pieces[i].location, number);
    }
    if (node->writes && task->read_differs && !flow_is_constant(&reorderer->flow, event->site))
        reorder_put(reorderer->value_unknown, number);
    task->path_uncertain =
        task->read_differs && !flow_is_certain(&reorderer->flow, event->site, has_value(event), event->value);
    use_lock(reorderer, number);
    return true;
}

/* What one look through the run came to. */
struct progress {
    bool path_unknown, any, left;
    uint32_t holder; /* the event that took a lock which is needed; NODE_NONE */
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
            bool ready = node->place == reorderer->tasks.data[node->task].next &&
                         are_dependencies_done(reorderer, node) &&
                         (holder = find_holder(reorderer, number)) == NODE_NONE;
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

/* Why the event cannot be done: a dependency that may not come now; ORDER_CYCLE: it waits for one that may. */
static enum order_failure why_it_waits(const struct reorderer *reorderer, uint32_t number)
{
    const struct event_node *node = reorder_node(reorderer, number);
    for (uint32_t i = 0; i < node->dependency_count; i++) {
        uint32_t dependency = reorderer->graph.dependencies.data[node->dependency + i].node;
        if (reorder_has(reorderer->done, dependency))
            continue;
        enum order_failure failure = why_not_now(reorderer, dependency);
        if (failure != ORDER_FOUND)
            return failure;
    }
    return ORDER_CYCLE;
}

/* Why nothing that is wanted can be done. */
static enum order_failure why_stuck(const struct reorderer *reorderer)
{
    enum order_failure failure = ORDER_CYCLE;
    for (uint32_t word = reorderer->began / 64; word <= reorderer->graph.all.count / 64; word++) {
        uint64_t bits = reorderer->wanted[word] & ~reorderer->done[word];
        for (; bits != 0 && failure == ORDER_CYCLE; bits &= bits - 1)
            failure = why_it_waits(reorderer, word * 64 + (uint32_t)__builtin_ctzll(bits));
    }
    return failure;
}

/* All that is wanted.  Returns why it cannot be done, or ORDER_FOUND. */
static enum order_failure do_wanted(struct reorderer *reorderer)
{
    for (;;) {
        if (stop_requested())
            return ORDER_STOPPED;
        if (reorderer->blocked != ORDER_FOUND)
            return reorderer->blocked;
        struct progress progress = look_through(reorderer);
        if (progress.path_unknown)
            return ORDER_UNKNOWN_PATH;
        if (!progress.left)
            return ORDER_FOUND;
        if (progress.holder != NODE_NONE) {
            uint32_t end = reorder_node(reorderer, progress.holder)->end;
            if (end == NODE_NONE || !is_allowed(reorderer, end))
                return ORDER_LOCK;
            progress.any |= !reorder_has(reorderer->wanted, end);
            demand(reorderer, end);
        }
        if (!progress.any)
            return progress.holder != NODE_NONE ? ORDER_LOCK : why_stuck(reorderer);
    }
}

/* ---- an order ------------------------------------------------------------------------------------------------------ */

/* The task may go as far as its next step, from the given one on. */
static void set_limit(struct reorderer *reorderer, const struct sequence *sequence, unsigned from, uint16_t task)
{
    reorderer->tasks.data[task].limit = UINT32_MAX;
    for (unsigned i = sequence->count; i-- > from;)
        if (reorder_node(reorderer, sequence->nodes[i])->task == task)
            reorderer->tasks.data[task].limit = reorder_node(reorderer, sequence->nodes[i])->place;
}

/* The execution up to where the first of the steps' tasks enters the critical section of its step stays as it was. */
static uint32_t beginning_of(const struct reorderer *reorderer, const struct sequence *sequence)
{
    uint32_t first = UINT32_MAX;
    for (unsigned i = 0; i < sequence->count; i++) {
        const struct event_node *node = reorder_node(reorderer, sequence->nodes[i]);
        uint32_t section_entry = execution_event_at(reorderer->graph.execution, node->task, node->section_entry);
        assert(section_entry <= sequence->nodes[i]);
        first = section_entry < first ? section_entry : first;
    }
    return first;
}

static void restart(struct reorderer *reorderer, const struct sequence *sequence)
{
    struct event_graph *graph = &reorderer->graph;
    const struct execution *execution = graph->execution;
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
    reorderer->blocked = ORDER_FOUND;
    reorderer->orders++;
    assert(graph->holds.count >= reorderer->execution_holds);
    graph->holds.count = reorderer->execution_holds;
    for (size_t i = 0; i < reorderer->tasks.count; i++) {
        struct reorder_task *task = &reorderer->tasks.data[i];
        task->next = event_range_count_before(execution_task(execution, (uint16_t)i), began);
        task->read_differs = task->path_unknown = task->path_uncertain = false;
        task->holds = task->next > 0
                          ? reorder_node(reorderer, execution_event_at(execution, (uint16_t)i, task->next - 1))->holds
                          : 0;
        set_limit(reorderer, sequence, 0, (uint16_t)i);
    }
}

/* Brings the task of a step to the step's section entry, and has other tasks do what is needed after it. */
static enum order_failure bring_to_section(struct reorderer *reorderer, uint32_t step)
{
    const struct event_node *node = reorder_node(reorderer, step);
    const struct execution *execution = reorderer->graph.execution;
    uint32_t next = reorderer->tasks.data[node->task].next;
    uint32_t entry = node->section_entry > next ? node->section_entry : next;
    if (entry > next)
        demand(reorderer, execution_event_at(execution, node->task, entry - 1));
    for (uint32_t place = entry; place <= node->place; place++) {
        const struct event_node *inside = reorder_node(reorderer, execution_event_at(execution, node->task, place));
        for (uint32_t i = 0; i < inside->dependency_count; i++)
            if (!reorder_has(reorderer->done, reorderer->graph.dependencies.data[inside->dependency + i].node))
                demand(reorderer, reorderer->graph.dependencies.data[inside->dependency + i].node);
    }
    return do_wanted(reorderer);
}

/* The step of the other task that must be near when step i is done; NODE_NONE: its own task has the next one. */
static uint32_t step_to_come(const struct reorderer *reorderer, const struct sequence *sequence, unsigned i)
{
    uint16_t task = reorder_node(reorderer, sequence->nodes[i])->task;
    unsigned last = i == 0 ? sequence->count : i + 2;
    for (unsigned k = i + 1; k < last && k < sequence->count; k++)
        if (reorder_node(reorderer, sequence->nodes[k])->task != task)
            return sequence->nodes[k];
    return NODE_NONE;
}

/* The event done last follows `first` immediately: nothing between them hides one from the other, and the same access is not done
   again. */
static bool follows_immediately(const struct reorderer *reorderer, uint32_t first, const struct access *from,
                                const struct access *to)
{
    const struct event *own = reorder_event(reorderer, first);
    assert(reorderer->order.count > 0);
    for (size_t at = reorderer->order.count - 1; at-- > 0 && reorderer->order.data[at] != first;) {
        uint32_t number = reorderer->order.data[at];
        const struct event *event = reorder_event(reorderer, number);
        const struct access *again =
            event->task == own->task && event->site == own->site
                ? execution_find_access(reorderer->graph.execution, number, (enum access_kind)from->kind)
                : NULL;
        if (hides(reorderer, number, from, to) ||
            (again != NULL && access_overlap(again, from) && access_overlap(again, to)))
            return false;
    }
    return true;
}

static enum order_failure do_step(struct reorderer *reorderer, const struct sequence *sequence, unsigned i)
{
    uint32_t number = sequence->nodes[i];
    const struct event *event = reorder_event(reorderer, number);
    reorderer->tasks.data[event->task].limit = reorder_node(reorderer, number)->place + 1;
    demand(reorderer, number);
    enum order_failure failure = do_wanted(reorderer);
    if (failure != ORDER_FOUND)
        return failure;
    reorderer->uncertain_reads +=
        reorderer->tasks.data[event->task].read_differs && !flow_is_fixed(&reorderer->flow, event->site);
    int before = sequence->before[i];
    if (before >= 0 &&
        !follows_immediately(reorderer, sequence->nodes[before], &sequence->access[before], &sequence->access[i]))
        return ORDER_BETWEEN;
    return ORDER_FOUND;
}

/* early: the task of the next step is brought to its section entry before each. */
static enum order_failure make_order(struct reorderer *reorderer, const struct sequence *sequence, bool early)
{
    restart(reorderer, sequence);
    for (unsigned i = 0; i < sequence->count; i++) {
        uint32_t other = early ? step_to_come(reorderer, sequence, i) : NODE_NONE;
        enum order_failure failure = other != NODE_NONE ? bring_to_section(reorderer, other) : ORDER_FOUND;
        if (failure == ORDER_FOUND)
            failure = do_step(reorderer, sequence, i);
        if (failure != ORDER_FOUND)
            return failure;
        reorderer->steps_done = i + 1;
        set_limit(reorderer, sequence, i + 1, reorder_node(reorderer, sequence->nodes[i])->task);
    }
    return ORDER_FOUND;
}

bool reorder_try(struct reorderer *reorderer, const struct sequence *sequence)
{
    assert(sequence->count >= 2 && sequence->count <= PATTERN_STEPS);
    enum order_failure late = make_order(reorderer, sequence, false);
    if (late == ORDER_FOUND)
        return true;
    unsigned done = reorderer->steps_done;
    enum order_failure early = make_order(reorderer, sequence, true);
    if (early == ORDER_FOUND)
        return true;
    bool further = reorderer->steps_done > done;
    reorderer->failure = further ? early : late;
    reorderer->failed_after = further ? reorderer->steps_done : done;
    return false;
}
