/* SPDX-License-Identifier: MIT
 *
 * locks.c - see locks.h.
 */
#include "analyze/locks.h"

#include "analyze/dataflow.h"
#include "analyze/layout.h"

struct locks {
    const struct ir_program *program;
    const struct points *points;
    const struct threads *threads;
    struct dataflow flow;
    struct table by_op;      /* 1 + index into sets */
    VECTOR(struct set) sets; /* the last one is used again while it stays the same */
    VECTOR(struct lock_edge) edges;
    struct set empty;
};

/* The one spot that the operation is about; IR_NONE. */
static uint32_t lock_of(const struct locks *locks, uint32_t node)
{
    const struct set *spots = points_of(locks->points, node);
    struct set_walk walk = {.set = spots};
    return set_size(spots) == 1 && set_next(&walk) ? walk.number : IR_NONE;
}

static bool matters(const struct ir_op *op)
{
    return op->kind == IR_LOCK || op->kind == IR_RDLOCK || op->kind == IR_UNLOCK || op->kind == IR_RDUNLOCK ||
           (op->kind == IR_JOIN && op->flags & OP_TWICE);
}

static void apply(void *context, uint32_t number, struct transfer *transfer)
{
    const struct locks *locks = context;
    const struct ir_op *op = &locks->program->ops.data[number];
    struct set all = {0};
    if (op->kind == IR_JOIN) {
        set_copy(&all, &transfer->gained);
        transfer_lose(transfer, &all);
    } else if (op->kind == IR_UNLOCK || op->kind == IR_RDUNLOCK) {
        transfer_lose(transfer, points_of(locks->points, op->pointer));
    } else if (lock_of(locks, op->pointer) != IR_NONE) {
        set_add(&all, lock_of(locks, op->pointer));
        transfer_gain(transfer, &all);
    }
    set_free(&all);
}

static const struct set *called_by(void *context, uint32_t call, bool *unseen)
{
    const struct locks *locks = context;
    *unseen = threads_calls_unseen(locks->threads, call);
    return threads_called(locks->threads, call);
}

static bool is_equal(const struct set *a, const struct set *b)
{
    struct set more = {0};
    set_subtract(&more, a, b);
    bool equal = set_is_empty(&more) && set_size(a) == set_size(b);
    set_free(&more);
    return equal;
}

static void note_held(struct locks *locks, uint32_t op, const struct set *held)
{
    size_t count = locks->sets.count;
    if (set_is_empty(held))
        return;
    if (count == 0 || !is_equal(&locks->sets.data[count - 1], held)) {
        struct set copy = {0};
        set_copy(&copy, held);
        vector_push(&locks->sets, copy);
        count++;
    }
    *table_put(&locks->by_op, op) = count;
}

static void visit_op(void *context, uint32_t function, uint32_t number, const struct set *held)
{
    struct locks *locks = context;
    const struct ir_op *op = &locks->program->ops.data[number];
    (void)function;
    note_held(locks, number, held);
    if (op->kind != IR_LOCK && op->kind != IR_RDLOCK)
        return;
    uint32_t taken = lock_of(locks, op->pointer);
    for (struct set_walk walk = {.set = held}; taken != IR_NONE && set_next(&walk);) {
        struct lock_edge edge = {walk.number, taken, number};
        if (walk.number != taken)
            vector_push(&locks->edges, edge);
    }
}

struct locks *locks_find(const struct ir_program *program, const struct points *points, const struct threads *threads)
{
    struct locks *locks = memory_allocate(1, sizeof *locks);
    locks->program = program;
    locks->points = points;
    locks->threads = threads;
    locks->flow = (struct dataflow){.program = program, .must = true, .matters = matters, .apply = apply};
    locks->flow.called = called_by;
    locks->flow.context = locks;
    dataflow_summarise(&locks->flow);
    struct dataflow_entries entries;
    const struct transfer start = {.reached = true};
    dataflow_entries_open(&locks->flow, &entries);
    for (uint32_t i = 0; i < threads_count(threads); i++) {
        const struct thread_class *class = threads_class(threads, i);
        if (i > CLASS_OUTSIDE)
            dataflow_enter(&locks->flow, &entries, class->start, &start);
        for (struct set_walk walk = {.set = i <= CLASS_OUTSIDE ? &class->roots : NULL};
             i <= CLASS_OUTSIDE && set_next(&walk);)
            dataflow_enter(&locks->flow, &entries, walk.number, &start);
    }
    dataflow_entries_close(&locks->flow, &entries);
    for (uint32_t i = 0; i < program->functions.count; i++)
        dataflow_each(&locks->flow, &entries, i, visit_op, locks);
    dataflow_entries_free(&locks->flow, &entries);
    return locks;
}

void locks_free(struct locks *locks)
{
    dataflow_free(&locks->flow);
    for (size_t i = 0; i < locks->sets.count; i++)
        set_free(&locks->sets.data[i]);
    vector_free(&locks->sets);
    vector_free(&locks->edges);
    table_free(&locks->by_op);
    free(locks);
}

const struct set *locks_held(const struct locks *locks, uint32_t op)
{
    const uint64_t *index = table_get(&locks->by_op, op);
    return index != NULL ? &locks->sets.data[*index - 1] : &locks->empty;
}

bool locks_is_one(const struct locks *locks, uint32_t number)
{
    struct points_spot spot = points_spot(locks->points, number);
    const struct ir_object *object = &locks->program->objects.data[spot.object];
    return object->kind == OBJECT_GLOBAL && !points_is_collapsed(locks->points, spot.object) &&
           !layout_is_in_array(locks->program, object, spot.offset);
}

const struct lock_edge *locks_edges(const struct locks *locks, size_t *count)
{
    *count = locks->edges.count;
    return locks->edges.data;
}
