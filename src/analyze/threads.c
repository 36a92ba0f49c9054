/* SPDX-License-Identifier: MIT
 *
 * threads.c - see threads.h.
 */
#include "analyze/threads.h"

#include <assert.h>

#include "analyze/dataflow.h"

struct called {
    struct set functions;
    bool unseen;
};

struct threads {
    const struct ir_program *program;
    const struct points *points;
    VECTOR(struct thread_class) classes;
    VECTOR(struct called) called; /* by call */
    struct table classes_of;      /* by creating operation: first class + 1; the next ones follow */
    struct dataflow flow;         /* of classes that are alive */
    bool *recursive;              /* by function */
    bool *unclear;                /* by creating operation: joins of its name do not count */
    struct table by_handle;       /* name of a thread → 1 + index into handles */
    VECTOR(struct set) handles;   /* creating operations */
};

/* ---- calls ---------------------------------------------------------------------------------------------------------- */

static void find_called(struct threads *threads)
{
    for (uint32_t i = 0; i < threads->program->calls.count; i++) {
        struct called called = {0};
        points_called(threads->points, i, &called.functions, &called.unseen);
        vector_push(&threads->called, called);
    }
}

const struct set *threads_called(const struct threads *threads, uint32_t call)
{
    return &threads->called.data[call].functions;
}

bool threads_calls_unseen(const struct threads *threads, uint32_t call)
{
    return threads->called.data[call].unseen;
}

/* Adds all that may be called from the functions in the set. */
static void close_calls(const struct threads *threads, struct set *functions)
{
    VECTOR(uint32_t) list = {0};
    for (struct set_walk walk = {.set = functions}; set_next(&walk);)
        vector_push(&list, walk.number);
    while (list.count > 0) {
        uint32_t first, end, function = list.data[--list.count];
        dataflow_ops(threads->program, function, &first, &end);
        for (uint32_t op = first; op < end; op++) {
            if (threads->program->ops.data[op].kind != IR_CALL)
                continue;
            const struct set *called = threads_called(threads, threads->program->ops.data[op].call);
            for (struct set_walk walk = {.set = called}; set_next(&walk);)
                if (set_add(functions, walk.number))
                    vector_push(&list, walk.number);
        }
    }
    vector_free(&list);
}

/* ---- classes -------------------------------------------------------------------------------------------------------- */

static uint32_t class_of(struct threads *threads, uint32_t create, uint32_t start)
{
    for (uint32_t i = 0; i < threads->classes.count; i++)
        if (threads->classes.data[i].create == create && threads->classes.data[i].start == start)
            return i;
    struct thread_class class = {.create = create, .start = start};
    set_add(&class.roots, start);
    set_add(&class.functions, start);
    close_calls(threads, &class.functions);
    vector_push(&threads->classes, class);
    return (uint32_t)threads->classes.count - 1;
}

static void add_first_classes(struct threads *threads)
{
    const struct ir_program *program = threads->program;
    struct thread_class main = {.create = IR_NONE, .start = program->main};
    struct thread_class outside = {.create = IR_NONE, .start = IR_NONE};
    for (uint32_t i = 0; i < program->functions.count; i++)
        if (program->functions.data[i].starts || program->functions.data[i].ends)
            set_add(&main.functions, i);
    if (program->main != IR_NONE)
        set_add(&main.functions, program->main);
    for (struct set_walk walk = {.set = points_of(threads->points, program->outside_node)}; set_next(&walk);) {
        uint32_t object = points_spot(threads->points, walk.number).object;
        if (program->objects.data[object].kind == OBJECT_FUNCTION &&
            program->functions.data[program->objects.data[object].function].blocks > 0)
            set_add(&outside.functions, program->objects.data[object].function);
    }
    set_copy(&main.roots, &main.functions);
    set_copy(&outside.roots, &outside.functions);
    close_calls(threads, &main.functions);
    close_calls(threads, &outside.functions);
    vector_push(&threads->classes, main);
    vector_push(&threads->classes, outside);
}

/* The classes that the class creates itself. */
static void add_children(struct threads *threads, uint32_t parent)
{
    struct set functions = {0};
    set_copy(&functions, &threads->classes.data[parent].functions);
    for (struct set_walk walk = {.set = &functions}; set_next(&walk);) {
        uint32_t first, end;
        dataflow_ops(threads->program, walk.number, &first, &end);
        for (uint32_t op = first; op < end; op++) {
            if (threads->program->ops.data[op].kind != IR_CREATE)
                continue;
            const struct set *starts = threads_called(threads, threads->program->ops.data[op].call);
            for (struct set_walk start = {.set = starts}; set_next(&start);) {
                uint32_t child = class_of(threads, op, start.number);
                set_add(&threads->classes.data[child].parents, parent);
                set_add(&threads->classes.data[parent].descendants, child);
            }
        }
    }
    set_free(&functions);
}

static void close_descendants(struct threads *threads)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < threads->classes.count; i++) {
            struct set all = {0};
            set_copy(&all, &threads->classes.data[i].descendants);
            for (struct set_walk walk = {.set = &all}; set_next(&walk);)
                changed |=
                    set_unite(&threads->classes.data[i].descendants, &threads->classes.data[walk.number].descendants);
            set_free(&all);
        }
    }
}

static void find_classes(struct threads *threads)
{
    add_first_classes(threads);
    for (uint32_t i = 0; i < threads->classes.count; i++)
        add_children(threads, i);
    close_descendants(threads);
}

/* ---- joins ---------------------------------------------------------------------------------------------------------- */

static uint64_t handle_key(const struct ir_op *op)
{
    return (uint64_t)op->handle << 32 | (uint32_t)op->handle_offset;
}

static void find_handles(struct threads *threads)
{
    for (uint32_t op = 0; op < threads->program->ops.count; op++) {
        const struct ir_op *create = &threads->program->ops.data[op];
        if (create->kind != IR_CREATE || create->handle == IR_NONE)
            continue;
        uint64_t *index = table_put(&threads->by_handle, handle_key(create));
        if (*index == 0) {
            struct set empty = {0};
            vector_push(&threads->handles, empty);
            *index = threads->handles.count;
        }
        set_add(&threads->handles.data[*index - 1], op);
    }
}

static void find_recursive(struct threads *threads)
{
    uint32_t count = (uint32_t)threads->program->functions.count;
    for (uint32_t function = 0; function < count; function++) {
        uint32_t first, end;
        bool creates = false;
        dataflow_ops(threads->program, function, &first, &end);
        for (uint32_t op = first; op < end; op++)
            creates |= threads->program->ops.data[op].kind == IR_CREATE;
        if (!creates) /* only these matter */
            continue;
        struct set called = {0};
        for (uint32_t op = first; op < end; op++)
            if (threads->program->ops.data[op].kind == IR_CALL)
                set_unite(&called, threads_called(threads, threads->program->ops.data[op].call));
        close_calls(threads, &called);
        threads->recursive[function] = set_has(&called, function);
        set_free(&called);
    }
}

static uint32_t function_of_call(const struct threads *threads, uint32_t op)
{
    return threads->program->calls.data[threads->program->ops.data[op].call].function;
}

/* The thread has one parent, which exists once: then what the parent joins is what it created. */
static bool has_one_parent(const struct threads *threads, const struct thread_class *class)
{
    if (set_size(&class->parents) != 1 || threads->recursive[function_of_call(threads, class->create)])
        return false;
    struct set_walk walk = {.set = &class->parents};
    set_next(&walk);
    uint32_t parent = walk.number;
    return parent != CLASS_OUTSIDE && !set_has(&threads->classes.data[parent].beside, parent);
}

/* All threads of the class have ended, and so have those that they created and that do not outlive them. */
static void add_ended(const struct threads *threads, uint32_t number, struct set *lost)
{
    const struct thread_class *class = &threads->classes.data[number];
    if (!has_one_parent(threads, class))
        return;
    set_add(lost, number);
    for (struct set_walk walk = {.set = &class->descendants}; set_next(&walk);) {
        struct set parents = {0}, own = {0};
        set_copy(&own, &class->descendants);
        set_add(&own, number);
        set_subtract(&parents, &threads->classes.data[walk.number].parents, &own);
        bool outlives = set_has(&threads->flow.summaries[class->start].gained, walk.number);
        if (set_is_empty(&parents) && !outlives)
            set_add(lost, walk.number);
        set_free(&parents);
        set_free(&own);
    }
}

static void add_ended_of(const struct threads *threads, uint32_t create, struct set *lost)
{
    for (uint32_t i = 0; i < threads->classes.count; i++)
        if (threads->classes.data[i].create == create)
            add_ended(threads, i, lost);
}

/* The end of a parallel region: all teams and tasks. */
static void add_teams(const struct threads *threads, struct set *lost)
{
    for (uint32_t i = 0; i < threads->classes.count; i++) {
        const struct thread_class *class = &threads->classes.data[i];
        if (class->create != IR_NONE && threads->program->ops.data[class->create].flags & OP_TEAM &&
            set_size(&class->parents) == 1)
            set_add(lost, i);
    }
}

static void find_lost(const struct threads *threads, const struct ir_op *op, struct set *lost)
{
    if (op->kind == IR_JOIN_ALL && op->flags & OP_TEAM) {
        add_teams(threads, lost);
    } else if (op->kind == IR_JOIN_ALL) {
        add_ended_of(threads, op->second, lost);
    } else if (op->kind == IR_JOIN && op->handle != IR_NONE) {
        const uint64_t *index = table_get(&threads->by_handle, handle_key(op));
        const struct set *creates = index != NULL ? &threads->handles.data[*index - 1] : NULL;
        bool clear = creates != NULL;
        for (struct set_walk walk = {.set = creates}; clear && set_next(&walk);)
            clear = !threads->unclear[walk.number];
        for (struct set_walk walk = {.set = creates}; clear && set_next(&walk);)
            add_ended_of(threads, walk.number, lost);
    }
}

/* ---- what is alive where -------------------------------------------------------------------------------------------- */

static void created_by(const struct threads *threads, uint32_t op, struct set *classes)
{
    for (uint32_t i = 0; i < threads->classes.count; i++)
        if (threads->classes.data[i].create == op) {
            set_add(classes, i);
            set_unite(classes, &threads->classes.data[i].descendants);
        }
}

static bool matters(const struct ir_op *op)
{
    return op->kind == IR_CREATE || op->kind == IR_JOIN || op->kind == IR_JOIN_ALL;
}

static void apply(void *context, uint32_t number, struct transfer *transfer)
{
    const struct threads *threads = context;
    const struct ir_op *op = &threads->program->ops.data[number];
    struct set classes = {0};
    if (op->kind == IR_CREATE) {
        created_by(threads, number, &classes);
        transfer_gain(transfer, &classes);
    } else if (op->kind == IR_JOIN && op->flags & OP_TWICE) {
        for (uint32_t i = CLASS_OUTSIDE + 1; i < threads->classes.count; i++)
            set_add(&classes, i);
        transfer_gain(transfer, &classes);
    } else {
        find_lost(threads, op, &classes);
        transfer_lose(transfer, &classes);
    }
    set_free(&classes);
}

static const struct set *called_by(void *context, uint32_t call, bool *unseen)
{
    const struct threads *threads = context;
    *unseen = threads_calls_unseen(threads, call);
    return threads_called(threads, call);
}

/* What is alive at the end of main is alive in what is called after it; libraries call at any time. */
static void enter_roots(const struct threads *threads, uint32_t number, struct dataflow_entries *entries)
{
    const struct thread_class *class = &threads->classes.data[number];
    struct transfer start = {.reached = true}, end = {.reached = true};
    set_unite(&end.gained, &class->descendants);
    for (struct set_walk walk = {.set = &class->roots}; set_next(&walk);) {
        bool late =
            number == CLASS_OUTSIDE || (number == CLASS_MAIN && threads->program->functions.data[walk.number].ends);
        dataflow_enter(&threads->flow, entries, walk.number, late ? &end : &start);
    }
    transfer_free(&end);
}

/* Nothing is ever alive that it created. */
static void visit_all(const struct threads *threads, uint32_t number, threads_visit *visit, void *context)
{
    static const struct set nothing;
    for (struct set_walk walk = {.set = &threads->classes.data[number].functions}; set_next(&walk);) {
        uint32_t first, end;
        dataflow_ops(threads->program, walk.number, &first, &end);
        for (uint32_t op = first; op < end; op++)
            visit(context, number, walk.number, op, &nothing);
    }
}

struct visiting {
    threads_visit *visit;
    void *context;
    uint32_t class;
};

static void visit_op(void *context, uint32_t function, uint32_t op, const struct set *alive)
{
    const struct visiting *visiting = context;
    visiting->visit(visiting->context, visiting->class, function, op, alive);
}

void threads_each(const struct threads *threads, uint32_t number, threads_visit *visit, void *context)
{
    struct visiting visiting = {visit, context, number};
    struct dataflow_entries entries;
    if (set_is_empty(&threads->classes.data[number].descendants)) {
        visit_all(threads, number, visit, context);
        return;
    }
    dataflow_entries_open(&threads->flow, &entries);
    enter_roots(threads, number, &entries);
    dataflow_entries_close(&threads->flow, &entries);
    for (uint32_t i = 0; i < threads->program->functions.count; i++)
        dataflow_each(&threads->flow, &entries, i, visit_op, &visiting);
    dataflow_entries_free(&threads->flow, &entries);
}

/* ---- what is beside what -------------------------------------------------------------------------------------------- */

static void put_beside(struct threads *threads, const struct set *some, const struct set *others)
{
    for (struct set_walk a = {.set = some}; set_next(&a);)
        for (struct set_walk b = {.set = others}; set_next(&b);) {
            set_add(&threads->classes.data[a.number].beside, b.number);
            set_add(&threads->classes.data[b.number].beside, a.number);
        }
}

static void note_creation(void *context, uint32_t parent, uint32_t function, uint32_t number, const struct set *alive)
{
    struct threads *threads = context;
    const struct ir_op *op = &threads->program->ops.data[number];
    (void)function;
    if (op->kind != IR_CREATE)
        return;
    struct set created = {0};
    created_by(threads, number, &created);
    put_beside(threads, &created, alive);
    if (op->flags & OP_TEAM || parent == CLASS_OUTSIDE)
        put_beside(threads, &created, &created);
    const uint64_t *index = op->handle != IR_NONE ? table_get(&threads->by_handle, handle_key(op)) : NULL;
    for (struct set_walk walk = {.set = index != NULL ? &threads->handles.data[*index - 1] : NULL};
         index != NULL && set_next(&walk);) {
        struct set named = {0};
        for (uint32_t i = 0; i < threads->classes.count; i++)
            if (threads->classes.data[i].create == walk.number)
                set_add(&named, i);
        threads->unclear[walk.number] |= set_meets(&named, alive);
        set_free(&named);
    }
    set_free(&created);
}

/* Several functions that one call may start are alternatives, unless the call is done again. */
static void close_beside(struct threads *threads)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < threads->classes.count; i++) {
            struct set own = {0};
            if (!set_has(&threads->classes.data[i].beside, i))
                continue;
            set_copy(&own, &threads->classes.data[i].descendants);
            set_add(&own, i);
            for (struct set_walk walk = {.set = &own}; set_next(&walk);)
                changed |= set_unite(&threads->classes.data[walk.number].beside, &own);
            set_free(&own);
        }
    }
}

static uint32_t count_beside(const struct threads *threads)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < threads->classes.count; i++)
        count += set_size(&threads->classes.data[i].beside);
    for (uint32_t i = 0; i < threads->program->ops.count; i++)
        count += threads->unclear[i];
    return count;
}

/* A join may turn out not to count; then more is alive elsewhere. */
static void find_beside(struct threads *threads)
{
    for (uint32_t before = IR_NONE; before != count_beside(threads);) {
        before = count_beside(threads);
        dataflow_summarise(&threads->flow);
        for (uint32_t i = 0; i < threads->classes.count; i++)
            threads_each(threads, i, note_creation, threads);
        close_beside(threads);
    }
}

struct threads *threads_find(const struct ir_program *program, const struct points *points)
{
    struct threads *threads = memory_allocate(1, sizeof *threads);
    threads->program = program;
    threads->points = points;
    threads->flow = (struct dataflow){.program = program, .matters = matters, .apply = apply, .called = called_by};
    threads->flow.context = threads;
    threads->recursive = memory_allocate(program->functions.count, sizeof *threads->recursive);
    threads->unclear = memory_allocate(program->ops.count, sizeof *threads->unclear);
    find_called(threads);
    find_classes(threads);
    find_handles(threads);
    find_recursive(threads);
    find_beside(threads);
    return threads;
}

void threads_free(struct threads *threads)
{
    for (size_t i = 0; i < threads->classes.count; i++) {
        set_free(&threads->classes.data[i].roots);
        set_free(&threads->classes.data[i].functions);
        set_free(&threads->classes.data[i].descendants);
        set_free(&threads->classes.data[i].beside);
        set_free(&threads->classes.data[i].parents);
    }
    for (size_t i = 0; i < threads->called.count; i++)
        set_free(&threads->called.data[i].functions);
    for (size_t i = 0; i < threads->handles.count; i++)
        set_free(&threads->handles.data[i]);
    dataflow_free(&threads->flow);
    vector_free(&threads->classes);
    vector_free(&threads->called);
    vector_free(&threads->handles);
    table_free(&threads->by_handle);
    free(threads->recursive);
    free(threads->unclear);
    free(threads);
}

/* ---- answers -------------------------------------------------------------------------------------------------------- */

uint32_t threads_count(const struct threads *threads)
{
    return (uint32_t)threads->classes.count;
}

const struct thread_class *threads_class(const struct threads *threads, uint32_t number)
{
    assert(number < threads->classes.count);
    return &threads->classes.data[number];
}

bool threads_parallel(const struct threads *threads, uint32_t a, const struct set *alive_a, uint32_t b,
                      const struct set *alive_b)
{
    if (a == CLASS_OUTSIDE || b == CLASS_OUTSIDE)
        return true;
    return set_has(&threads->classes.data[a].beside, b) || set_has(alive_a, b) || set_has(alive_b, a);
}
