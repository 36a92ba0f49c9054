/* SPDX-License-Identifier: MIT
 *
 * event_graph.c - see event_graph.h.
 */
#include "direct/event_graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "predict/clock_edges.h"
#include "util/memory.h"
#include "util/stop.h"

struct builder_task { /* a task, as far as the execution has been read */
    uint32_t holds;   /* locks, in `holds` */
    uint32_t waits;   /* its last wait for a condition variable, while it waits; NODE_NONE */
};

struct graph_builder {
    struct event_graph *graph;
    const struct execution *execution;
    VECTOR(struct builder_task) tasks;
    struct table objects; /* address → the last event that used it, + 1 */
    struct clock_edges clocks;
    struct event_node *node; /* that is being read */
};

/* The number of the event that is being read. */
static uint32_t number_now(const struct graph_builder *builder)
{
    return (uint32_t)builder->graph->all.count;
}

/* ---- dependencies -------------------------------------------------------------------------------------------------- */

static void add_dependency(struct graph_builder *builder, struct event_node *node, uint32_t on, bool must)
{
    if (on == NODE_NONE)
        return;
    assert(on < number_now(builder));
    if (builder->graph->all.data[on].task == node->task)
        return;
    vector_push(&builder->graph->dependencies, ((struct node_dependency){on, must}));
    node->dependency_count++;
}

static void depend_on_other(void *context, uint16_t task, uint32_t place)
{
    struct graph_builder *builder = context;
    add_dependency(builder, builder->node, execution_event_at(builder->execution, task, place), true);
}

/* A signal that woke a task must find it waiting. */
static void depend_on_waiters(struct graph_builder *builder, struct event_node *node, const struct event *event)
{
    if (event->op == OP_COND_SIGNAL && (event->flags & EVENT_VALUE) && event->value < builder->tasks.count)
        add_dependency(builder, node, builder->tasks.data[event->value].waits, true);
    for (size_t i = 0; event->op == OP_COND_BROADCAST && i < builder->tasks.count; i++)
        add_dependency(builder, node, builder->tasks.data[i].waits, true);
}

static void note_wait(struct graph_builder *builder, const struct event *event)
{
    if (event->op == OP_COND_WAIT)
        builder->tasks.data[event->task].waits = number_now(builder);
    else if (event->op == OP_COND_WAKE)
        builder->tasks.data[event->task].waits = NODE_NONE;
}

/* ---- accesses ------------------------------------------------------------------------------------------------------ */

uint32_t event_graph_release(struct event_graph *graph, uint32_t holds, uint64_t lock)
{
    assert(holds < graph->holds.count);
    const struct node_hold hold = graph->holds.data[holds];
    if (holds == 0 || hold.lock == lock)
        return hold.others;
    struct node_hold kept = {hold.lock, hold.node, event_graph_release(graph, hold.others, lock)};
    if (kept.others == hold.others) /* it was not there */
        return holds;
    vector_push(&graph->holds, kept);
    return (uint32_t)graph->holds.count - 1;
}

static void take_lock(struct graph_builder *builder, struct event_node *node, uint16_t task, enum lock_use use,
                      uint64_t lock)
{
    struct builder_task *own = &builder->tasks.data[task];
    node->lock_use = (uint8_t)use;
    node->lock = lock;
    vector_push(&builder->graph->holds, ((struct node_hold){lock, number_now(builder), own->holds}));
    own->holds = (uint32_t)builder->graph->holds.count - 1;
}

static void give_lock(struct graph_builder *builder, struct event_node *node, uint16_t task, uint64_t lock)
{
    struct builder_task *own = &builder->tasks.data[task];
    const struct node_hold *holds = builder->graph->holds.data;
    node->lock_use = LOCK_GIVE;
    node->lock = lock;
    uint32_t hold = own->holds;
    while (hold != 0 && holds[hold].lock != lock)
        hold = holds[hold].others;
    if (hold != 0)
        builder->graph->all.data[holds[hold].node].end = number_now(builder);
    own->holds = event_graph_release(builder->graph, own->holds, lock);
}

static void use_object(struct graph_builder *builder, struct event_node *node, uint16_t task,
                       const struct access *access)
{
    switch (access->kind) {
    case ACCESS_LOCK:
        take_lock(builder, node, task, LOCK_TAKE, access->lo);
        break;
    case ACCESS_RDLOCK:
        take_lock(builder, node, task, LOCK_SHARE, access->lo);
        break;
    case ACCESS_UNLOCK:
    case ACCESS_RDUNLOCK:
        give_lock(builder, node, task, access->lo);
        break;
    default:
        break;
    }
    uint64_t *last = table_put(&builder->objects, access->lo);
    bool in_order = access->kind == ACCESS_TRY || access->kind == ACCESS_ACQUIRE || access->kind == ACCESS_INIT ||
                    access->kind == ACCESS_DESTROY;
    if (in_order && *last != 0)
        add_dependency(builder, node, (uint32_t)(*last - 1), true);
    if (access->kind != ACCESS_TRY)
        *last = number_now(builder) + 1;
}

static void use_memory(struct graph_builder *builder, struct event_node *node, const struct access *access)
{
    uint32_t before = NODE_NONE, count, number = number_now(builder);
    const struct execution_piece *pieces = execution_pieces(builder->execution, number, &count);
    node->writes = access_is_strong((enum access_kind)access->kind);
    node->reads = access->kind == ACCESS_READ || access->kind == ACCESS_UPDATE;
    for (uint32_t i = 0; node->reads && i < count; i++) {
        uint32_t *first = &builder->graph->first_reads.data[pieces[i].location];
        if (pieces[i].writer != before)
            add_dependency(builder, node, pieces[i].writer, false);
        before = pieces[i].writer;
        if (pieces[i].writer == NODE_NONE && *first == NODE_NONE)
            *first = number;
    }
}

/* ---- reading ------------------------------------------------------------------------------------------------------- */

static uint32_t section_entry_of(const struct graph_builder *builder, const struct event_node *node)
{
    uint32_t first = number_now(builder);
    for (uint32_t hold = node->holds; hold != 0; hold = builder->graph->holds.data[hold].others)
        first = builder->graph->holds.data[hold].node;
    return builder->execution->place.data[first];
}

static void read_event(struct graph_builder *builder, const struct event *event)
{
    struct event_graph *graph = builder->graph;
    uint32_t number = number_now(builder);
    unsigned count;
    const struct access *accesses = execution_accesses(builder->execution, number, &count);
    uint64_t *last = table_put(&graph->sites, event->site);
    struct event_node node = {.alike = *last != 0 ? (uint32_t)(*last - 1) : NODE_NONE,
                              .end = NODE_NONE,
                              .place = builder->execution->place.data[number],
                              .task = event->task,
                              .dependency = (uint32_t)graph->dependencies.count};
    *last = number + 1;
    builder->node = &node;
    clock_edges_event(&builder->clocks, event, depend_on_other, builder);
    builder->node = NULL;
    depend_on_waiters(builder, &node, event);
    for (unsigned i = 0; i < count; i++) {
        if (accesses[i].space == SPACE_DATA)
            use_memory(builder, &node, &accesses[i]);
        else
            use_object(builder, &node, event->task, &accesses[i]);
    }
    note_wait(builder, event);
    node.holds = builder->tasks.data[event->task].holds;
    node.section_entry = section_entry_of(builder, &node);
    vector_push(&graph->all, node);
}

static void builder_free(struct graph_builder *builder)
{
    vector_free(&builder->tasks);
    table_free(&builder->objects);
    clock_edges_close(&builder->clocks);
}

/* ---- sections ------------------------------------------------------------------------------------------------------ */

static void copy_dependencies(const struct event_graph *graph, const struct event_node *node, uint32_t before, bool own,
                              dependency_list *dependencies)
{
    for (uint32_t i = 0; i < node->dependency_count; i++) {
        struct node_dependency dependency = graph->dependencies.data[node->dependency + i];
        dependency.must &= own;
        if (dependency.node < before)
            vector_push(dependencies, dependency);
    }
}

/* What the events of a section depend on, its first event depends on. */
static void depend_before_sections(struct event_graph *graph)
{
    dependency_list dependencies = {0};
    event_list first = {0};
    const struct execution *execution = graph->execution;
    for (uint32_t i = 0; i < graph->all.count; i++) {
        const struct event_node *node = &graph->all.data[i];
        vector_push(&first, (uint32_t)dependencies.count);
        copy_dependencies(graph, node, i, true, &dependencies);
        uint32_t last = node->end != NODE_NONE ? graph->all.data[node->end].place : node->place + 1;
        for (uint32_t place = node->place + 1; place < last; place++)
            copy_dependencies(graph, &graph->all.data[execution_event_at(execution, node->task, place)], i, false,
                              &dependencies);
    }
    vector_push(&first, (uint32_t)dependencies.count);
    for (size_t i = 0; i < graph->all.count; i++) {
        graph->all.data[i].dependency = first.data[i];
        graph->all.data[i].dependency_count = first.data[i + 1] - first.data[i];
    }
    vector_free(&graph->dependencies);
    graph->dependencies = dependencies;
    vector_free(&first);
}

/* ---- life ---------------------------------------------------------------------------------------------------------- */

/* Keeps the memory. */
static void clear(struct event_graph *graph)
{
    vector_clear(&graph->all);
    vector_clear(&graph->dependencies);
    vector_clear(&graph->holds);
    vector_clear(&graph->first_reads);
    table_clear(&graph->sites);
}

void event_graph_make(struct event_graph *graph, const struct execution *execution)
{
    struct graph_builder builder = {.graph = graph, .execution = execution};
    clock_edges_open(&builder.clocks, execution_task_count(execution));
    clear(graph);
    graph->execution = execution;
    vector_push(&graph->holds, ((struct node_hold){0}));
    execution_prepare(execution, EXECUTION_READS_FROM);
    for (uint32_t i = 0; i < execution_location_count(execution); i++)
        vector_push(&graph->first_reads, NODE_NONE);
    for (uint32_t i = 0; i < execution_task_count(execution); i++)
        vector_push(&builder.tasks, ((struct builder_task){.waits = NODE_NONE}));
    for (uint32_t i = 0; i < execution_count(execution) && !stop_requested(); i++)
        read_event(&builder, execution_event(execution, i));
    builder_free(&builder);
    if (graph->all.count < execution_count(execution))
        clear(graph);
    else
        depend_before_sections(graph);
    assert(graph->all.count == execution_count(execution) || stop_requested());
}

void event_graph_free(struct event_graph *graph)
{
    vector_free(&graph->all);
    vector_free(&graph->dependencies);
    vector_free(&graph->holds);
    vector_free(&graph->first_reads);
    table_free(&graph->sites);
    *graph = (struct event_graph){0};
}

uint32_t event_graph_first_reader(const struct event_graph *graph, uint32_t node)
{
    uint32_t count;
    const struct execution_piece *pieces = execution_pieces(graph->execution, node, &count);
    return count == 1 ? graph->first_reads.data[pieces[0].location] : NODE_NONE;
}
