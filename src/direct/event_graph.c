/* SPDX-License-Identifier: MIT
 *
 * events.c - see events.h.
 */
#include "direct/event_graph.h"

#include <stdlib.h>
#include <string.h>

#include "predict/clock.h"
#include "trace/location.h"
#include "trace/waits.h"
#include "util/memory.h"
#include "util/stop.h"

struct actor {                /* a task, as far as the run has been read */
    VECTOR(uint32_t) moments; /* of its events, by its own clock */
    uint32_t holds;           /* locks, in `holds` */
    struct clock *clock;      /* at its last event */
    uint32_t waits;           /* its last wait for a condition variable, while it waits; NODE_NONE */
};

struct reader {
    struct event_graph *graph;
    VECTOR(struct actor) actors;
    struct locations locations;
    location_list touched;
    struct table objects; /* address → the last event that used it, + 1 */
    struct waits waits;
    struct clocks *clocks;
};

/* The number that the event being read will have. */
static uint32_t number_now(const struct reader *reader)
{
    return (uint32_t)reader->graph->all.count;
}

static void see_task(struct reader *reader, uint16_t task)
{
    while (reader->actors.count <= task) {
        vector_push(&reader->actors, ((struct actor){.waits = NODE_NONE}));
        vector_push(&reader->graph->tasks, ((node_list){0}));
    }
}

/* ---- needs --------------------------------------------------------------------------------------------------------- */

static void add_need(struct reader *reader, struct event_node *node, uint32_t dependency, bool must)
{
    if (dependency == NODE_NONE || reader->graph->all.data[dependency].task == node->task)
        return;
    vector_push(&reader->graph->dependencies, ((struct node_dependency){dependency, must}));
    node->dependency_count++;
}

/* What the task has learned of others since its last event. */
static void need_others(struct reader *reader, struct event_node *node)
{
    struct actor *actor = &reader->actors.data[node->task];
    struct clock *clock = clocks_now(reader->clocks, node->task);
    if (clock == actor->clock)
        return;
    for (uint16_t i = 0; i < clock->count && i < reader->actors.count; i++) {
        uint32_t moment = clock_at(clock, i);
        if (i == node->task || (actor->clock != NULL && clock_at(actor->clock, i) >= moment))
            continue;
        const struct actor *other = &reader->actors.data[i];
        size_t last = other->moments.count;
        while (last > 0 && other->moments.data[last - 1] > moment)
            last--;
        if (last > 0)
            add_need(reader, node, reader->graph->tasks.data[i].data[last - 1], true);
    }
    clock_release(actor->clock);
    actor->clock = clock_keep(clock);
}

/* A signal that woke somebody must find him waiting. */
static void need_waiters(struct reader *reader, struct event_node *node, const struct event *event)
{
    if (event->op == OP_COND_SIGNAL && (event->flags & EVENT_VALUE) && event->value < reader->actors.count)
        add_need(reader, node, reader->actors.data[event->value].waits, true);
    for (size_t i = 0; event->op == OP_COND_BROADCAST && i < reader->actors.count; i++)
        add_need(reader, node, reader->actors.data[i].waits, true);
}

static void note_wait(struct reader *reader, const struct event *event)
{
    if (event->op == OP_COND_WAIT)
        reader->actors.data[event->task].waits = number_now(reader);
    else if (event->op == OP_COND_WAKE)
        reader->actors.data[event->task].waits = NODE_NONE;
}

/* ---- accesses ------------------------------------------------------------------------------------------------------ */

uint32_t event_graph_let_go(struct event_graph *graph, uint32_t holds, uint64_t lock)
{
    const struct node_hold hold = graph->holds.data[holds];
    if (holds == 0 || hold.lock == lock)
        return hold.others;
    struct node_hold kept = {hold.lock, hold.node, event_graph_let_go(graph, hold.others, lock)};
    if (kept.others == hold.others) /* it was not there */
        return holds;
    vector_push(&graph->holds, kept);
    return (uint32_t)graph->holds.count - 1;
}

static void take_lock(struct reader *reader, struct event_node *node, enum lock_use use, uint64_t lock)
{
    struct actor *actor = &reader->actors.data[node->task];
    node->lock_use = (uint8_t)use;
    node->lock = lock;
    vector_push(&reader->graph->holds, ((struct node_hold){lock, number_now(reader), actor->holds}));
    actor->holds = (uint32_t)reader->graph->holds.count - 1;
}

static void give_lock(struct reader *reader, struct event_node *node, uint64_t lock)
{
    struct actor *actor = &reader->actors.data[node->task];
    node->lock_use = LOCK_GIVE;
    node->lock = lock;
    uint32_t hold = actor->holds;
    while (hold != 0 && reader->graph->holds.data[hold].lock != lock)
        hold = reader->graph->holds.data[hold].others;
    if (hold != 0)
        reader->graph->all.data[reader->graph->holds.data[hold].node].end = number_now(reader);
    actor->holds = event_graph_let_go(reader->graph, actor->holds, lock);
}

static void use_object(struct reader *reader, struct event_node *node, const struct access *access)
{
    switch (access->kind) {
    case ACCESS_LOCK:
        take_lock(reader, node, LOCK_TAKE, access->lo);
        break;
    case ACCESS_RDLOCK:
        take_lock(reader, node, LOCK_SHARE, access->lo);
        break;
    case ACCESS_UNLOCK:
    case ACCESS_RDUNLOCK:
        give_lock(reader, node, access->lo);
        break;
    default:
        break;
    }
    uint64_t *last = table_put(&reader->objects, access->lo);
    bool in_order = access->kind == ACCESS_TRY || access->kind == ACCESS_ACQUIRE || access->kind == ACCESS_INIT ||
                    access->kind == ACCESS_DESTROY;
    if (in_order && *last != 0)
        add_need(reader, node, (uint32_t)(*last - 1), true);
    if (access->kind != ACCESS_TRY)
        *last = number_now(reader) + 1;
}

static void use_memory(struct reader *reader, struct event_node *node, const struct access *access)
{
    uint32_t before = NODE_NONE;
    node->writes = access_is_strong((enum access_kind)access->kind);
    node->reads = access->kind == ACCESS_READ || access->kind == ACCESS_UPDATE;
    locations_find(&reader->locations, access->lo, access->hi, &reader->touched);
    for (size_t i = 0; i < reader->touched.count; i++) {
        uint32_t location = reader->touched.data[i];
        node_list *writes = &reader->graph->writes.data[location];
        uint32_t writer = writes->count > 0 ? writes->data[writes->count - 1] : NODE_NONE;
        vector_push(&reader->graph->pieces, ((struct node_piece){location, writer}));
        node->piece_count++;
        if (node->reads && writer != before)
            add_need(reader, node, writer, false);
        before = writer;
        if (node->reads && writer == NODE_NONE && reader->graph->first_reads.data[location] == NODE_NONE)
            reader->graph->first_reads.data[location] = number_now(reader);
        if (node->writes)
            vector_push(writes, number_now(reader));
    }
}

/* ---- reading ------------------------------------------------------------------------------------------------------- */

static uint32_t door_of(const struct reader *reader, const struct event_node *node)
{
    uint32_t first = NODE_NONE;
    for (uint32_t hold = node->holds; hold != 0; hold = reader->graph->holds.data[hold].others)
        first = reader->graph->holds.data[hold].node;
    return first < number_now(reader) ? reader->graph->all.data[first].place : node->place;
}

static void read_event(struct reader *reader, const struct event *event)
{
    struct event_graph *graph = reader->graph;
    struct access accesses[EVENT_ACCESSES];
    unsigned accessed = event_accesses(event, waits_event(&reader->waits, event), accesses);
    see_task(reader, event->task);
    uint64_t *last = table_put(&graph->sites, event->site);
    struct event_node node = {.operation = event->operation,
                              .value = event->value,
                              .site = event->site,
                              .alike = *last != 0 ? (uint32_t)(*last - 1) : NODE_NONE,
                              .place = (uint32_t)graph->tasks.data[event->task].count,
                              .end = NODE_NONE,
                              .dependency = (uint32_t)graph->dependencies.count,
                              .piece = (uint32_t)graph->pieces.count,
                              .access = (uint32_t)graph->accesses.count,
                              .access_count = accessed,
                              .task = event->task,
                              .valued = (event->flags & EVENT_VALUE) != 0};
    *last = number_now(reader) + 1;
    vector_append(&graph->accesses, accesses, accessed);
    clocks_before(reader->clocks, event);
    need_others(reader, &node);
    need_waiters(reader, &node, event);
    vector_push(&reader->actors.data[event->task].moments,
                clock_at(clocks_now(reader->clocks, event->task), event->task));
    clocks_after(reader->clocks, event);
    for (unsigned i = 0; i < accessed; i++) {
        if (accesses[i].space == SPACE_DATA)
            use_memory(reader, &node, &accesses[i]);
        else
            use_object(reader, &node, &accesses[i]);
    }
    note_wait(reader, event);
    node.holds = reader->actors.data[event->task].holds;
    node.section_entry = door_of(reader, &node);
    vector_push(&graph->tasks.data[event->task], number_now(reader));
    vector_push(&graph->all, node);
}

static void nothing_to_do(void *owner, uint32_t location)
{
    (void)owner;
    (void)location;
}

static void nothing_to_split(void *owner, uint32_t location, uint32_t upper)
{
    (void)owner;
    (void)location;
    (void)upper;
}

/* All locations, before anything is said of one. */
static void divide_memory(struct reader *reader, const struct wire_event *events, size_t count)
{
    locations_init(&reader->locations, (struct location_owner){nothing_to_do, nothing_to_split, nothing_to_do, NULL});
    for (size_t i = 0; i < count; i++) {
        struct event event = event_from_wire(&events[i], 0);
        struct access accesses[EVENT_ACCESSES];
        if (event_accesses(&event, 0, accesses) > 0 && accesses[0].space == SPACE_DATA)
            locations_touch(&reader->locations, accesses[0].lo, accesses[0].hi, &reader->touched);
    }
    while (reader->graph->writes.count < reader->locations.all.count) {
        vector_push(&reader->graph->writes, ((node_list){0}));
        vector_push(&reader->graph->first_reads, NODE_NONE);
    }
}

static void reader_free(struct reader *reader)
{
    for (size_t i = 0; i < reader->actors.count; i++) {
        vector_free(&reader->actors.data[i].moments);
        clock_release(reader->actors.data[i].clock);
    }
    vector_free(&reader->actors);
    locations_free(&reader->locations);
    vector_free(&reader->touched);
    table_free(&reader->objects);
    waits_free(&reader->waits);
    clocks_free(reader->clocks);
}

/* ---- sections ------------------------------------------------------------------------------------------------------ */

static void copy_needs(const struct event_graph *graph, const struct event_node *node, uint32_t before, bool own,
                       dependency_list *dependencies)
{
    for (uint32_t i = 0; i < node->dependency_count; i++) {
        struct node_dependency dependency = graph->dependencies.data[node->dependency + i];
        dependency.must &= own;
        if (dependency.node < before)
            vector_push(dependencies, dependency);
    }
}

static void need_before_sections(struct event_graph *graph)
{
    dependency_list dependencies = {0};
    node_list first = {0};
    for (uint32_t i = 0; i < graph->all.count; i++) {
        const struct event_node *node = &graph->all.data[i];
        const node_list *own = &graph->tasks.data[node->task];
        vector_push(&first, (uint32_t)dependencies.count);
        copy_needs(graph, node, i, true, &dependencies);
        if (node->end != NODE_NONE)
            for (uint32_t place = node->place + 1; own->data[place] < node->end; place++)
                copy_needs(graph, &graph->all.data[own->data[place]], i, false, &dependencies);
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

void event_graph_make(struct event_graph *graph, const struct wire_event *events, const uint32_t *sites, size_t count)
{
    struct reader reader = {.graph = graph};
    event_graph_free(graph);
    vector_push(&graph->holds, ((struct node_hold){0}));
    reader.clocks = clocks_new();
    divide_memory(&reader, events, count);
    for (size_t i = 0; i < count && !stop_requested(); i++) {
        struct event event = event_from_wire(&events[i], sites[i]);
        read_event(&reader, &event);
    }
    reader_free(&reader);
    need_before_sections(graph);
}

void event_graph_free(struct event_graph *graph)
{
    for (size_t i = 0; i < graph->tasks.count; i++)
        vector_free(&graph->tasks.data[i]);
    vector_free(&graph->all);
    vector_free(&graph->dependencies);
    vector_free(&graph->pieces);
    vector_free(&graph->accesses);
    for (size_t i = 0; i < graph->writes.count; i++)
        vector_free(&graph->writes.data[i]);
    vector_free(&graph->holds);
    vector_free(&graph->writes);
    vector_free(&graph->first_reads);
    vector_free(&graph->tasks);
    table_free(&graph->sites);
    *graph = (struct event_graph){0};
}

uint32_t event_graph_first_reader(const struct event_graph *graph, const struct event_node *node)
{
    return node->piece_count == 1 ? graph->first_reads.data[graph->pieces.data[node->piece].location] : NODE_NONE;
}

uint32_t event_graph_count_before(const node_list *list, uint32_t number)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->data[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low;
}

const struct access *event_graph_access(const struct event_graph *graph, uint32_t number, enum access_kind kind)
{
    const struct event_node *node = &graph->all.data[number];
    for (uint32_t i = 0; i < node->access_count; i++)
        if (access_fits(kind, (enum access_kind)graph->accesses.data[node->access + i].kind))
            return &graph->accesses.data[node->access + i];
    return NULL;
}
