/* SPDX-License-Identifier: MIT
 *
 * points.c - see points.h.
 */
#include "analyze/points.h"

#include <assert.h>

#include "analyze/layout.h"
#include "util/hash.h"

enum {
    WORD = 8,                /* bytes of memory that are one node */
    PIECES = 16,             /* words that are moved one by one; more of them all at once */
    CALL = CONSTRAINT_KINDS, /* a constraint of our own: `to` is a call */
};

struct rule {
    uint8_t kind;
    uint32_t other; /* node, or call */
    int64_t a;
    uint64_t b;
};

struct point_node {
    uint32_t parent; /* of equal nodes; itself: it stands for them */
    struct set now, sent, handled;
    VECTOR(uint32_t) next; /* copies go there */
    VECTOR(struct rule) rules;
};

struct memory {               /* of an object */
    VECTOR(uint32_t) words;   /* nodes */
    uint32_t collect, spread; /* nodes that have all, or that go to all; 0: none yet */
    bool collapsed;
    uint32_t whole; /* the one node of a collapsed object */
};

struct points {
    struct ir_program *program;
    VECTOR(struct point_node) nodes;
    VECTOR(struct points_spot) spots;
    struct table spot_index, word_index, edges, connected;
    VECTOR(struct memory) memory;
    bool changed;
    uint32_t rounds;
    VECTOR(uint32_t) order; /* nodes, as the copies go */
    struct set empty;
};

static uint32_t find(const struct points *points, uint32_t node)
{
    struct point_node *nodes = points->nodes.data;
    while (nodes[node].parent != node) {
        nodes[node].parent = nodes[nodes[node].parent].parent;
        node = nodes[node].parent;
    }
    return node;
}

static uint32_t new_node(struct points *points)
{
    struct point_node node = {.parent = (uint32_t)points->nodes.count};
    vector_push(&points->nodes, node);
    return node.parent;
}

/* ---- copies --------------------------------------------------------------------------------------------------------- */

static void add_edge(struct points *points, uint32_t from, uint32_t to)
{
    from = find(points, from);
    to = find(points, to);
    if (from == to)
        return;
    uint64_t *known = table_put(&points->edges, (uint64_t)from << 32 | to);
    if (*known != 0)
        return;
    *known = 1;
    vector_push(&points->nodes.data[from].next, to);
    set_unite(&points->nodes.data[to].now, &points->nodes.data[from].sent);
    points->changed = true;
}

static void add_spot(struct points *points, uint32_t node, uint32_t spot)
{
    if (set_add(&points->nodes.data[find(points, node)].now, spot))
        points->changed = true;
}

/* ---- memory --------------------------------------------------------------------------------------------------------- */

static uint32_t spot_at(struct points *points, uint32_t object, uint64_t offset)
{
    if (points->memory.data[object].collapsed)
        offset = 0;
    uint64_t key = hash_combine(object, offset);
    for (;; key++) {
        uint64_t *known = table_get(&points->spot_index, key);
        if (known == NULL)
            break;
        const struct points_spot *spot = &points->spots.data[*known];
        if (spot->object == object && spot->offset == offset)
            return (uint32_t)*known;
    }
    struct points_spot spot = {object, offset};
    *table_put(&points->spot_index, key) = points->spots.count;
    vector_push(&points->spots, spot);
    return (uint32_t)points->spots.count - 1;
}

static void tie_word(struct points *points, uint32_t object, uint32_t word)
{
    if (points->memory.data[object].collect != 0)
        add_edge(points, word, points->memory.data[object].collect);
    if (points->memory.data[object].spread != 0)
        add_edge(points, points->memory.data[object].spread, word);
}

static uint32_t add_word(struct points *points, uint32_t object)
{
    uint32_t node = new_node(points);
    vector_push(&points->memory.data[object].words, node);
    tie_word(points, object, node);
    return node;
}

/* The node of the word that has the byte; IR_NONE: it is outside. */
static uint32_t word_at(struct points *points, uint32_t object, int64_t offset)
{
    struct memory *memory = &points->memory.data[object];
    if (memory->collapsed)
        return memory->whole;
    uint64_t byte = layout_canonical(points->program, &points->program->objects.data[object], offset);
    if (byte == IR_UNKNOWN)
        return IR_NONE;
    uint64_t key = hash_mix((uint64_t)object << 32 | byte / WORD);
    assert(byte / WORD <= UINT32_MAX);
    const uint64_t *known = table_get(&points->word_index, key); /* hash_mix is a bijection */
    if (known != NULL)
        return (uint32_t)*known;
    uint32_t node = add_word(points, object);
    *table_put(&points->word_index, key) = node;
    return node;
}

static void tie_both(struct points *points, uint32_t a, uint32_t b)
{
    add_edge(points, a, b);
    add_edge(points, b, a);
}

static void collapse(struct points *points, uint32_t object)
{
    if (points->memory.data[object].collapsed)
        return;
    uint32_t whole = add_word(points, object);
    struct memory *memory = &points->memory.data[object];
    memory->collapsed = true;
    memory->whole = whole;
    for (size_t i = 0; i < points->memory.data[object].words.count; i++)
        if (points->memory.data[object].words.data[i] != whole)
            tie_both(points, whole, points->memory.data[object].words.data[i]);
    points->changed = true;
}

static uint32_t collecting(struct points *points, uint32_t object)
{
    if (points->memory.data[object].collect == 0) {
        uint32_t node = new_node(points);
        points->memory.data[object].collect = node;
        for (size_t i = 0; i < points->memory.data[object].words.count; i++)
            add_edge(points, points->memory.data[object].words.data[i], node);
    }
    return points->memory.data[object].collect;
}

static uint32_t spreading(struct points *points, uint32_t object)
{
    if (points->memory.data[object].spread == 0) {
        uint32_t node = new_node(points);
        points->memory.data[object].spread = node;
        for (size_t i = 0; i < points->memory.data[object].words.count; i++)
            add_edge(points, node, points->memory.data[object].words.data[i]);
    }
    return points->memory.data[object].spread;
}

/* ---- rules ---------------------------------------------------------------------------------------------------------- */

static bool has_memory(const struct points *points, uint32_t object)
{
    return points->program->objects.data[object].kind != OBJECT_FUNCTION;
}

static void do_step(struct points *points, struct points_spot spot, const struct rule *rule)
{
    struct layout_steps steps;
    if (!points->memory.data[spot.object].collapsed) {
        layout_step(points->program, &points->program->objects.data[spot.object], spot.offset, rule->a, rule->b,
                    &steps);
        if (steps.collapse)
            collapse(points, spot.object);
        for (unsigned i = 0; !steps.collapse && i < steps.count; i++)
            add_spot(points, rule->other, spot_at(points, spot.object, steps.offsets[i]));
    }
    if (points->memory.data[spot.object].collapsed)
        add_spot(points, rule->other, spot_at(points, spot.object, 0));
}

static void do_word(struct points *points, uint32_t word, const struct rule *rule)
{
    if (word == IR_NONE)
        return;
    if (rule->kind == CONSTRAINT_LOAD)
        add_edge(points, word, rule->other);
    else
        add_edge(points, rule->other, word);
}

/* A load or a store of `a` bytes. */
static void do_access(struct points *points, struct points_spot spot, const struct rule *rule)
{
    if (!has_memory(points, spot.object))
        return;
    uint64_t size = (uint64_t)rule->a;
    if (size > PIECES * WORD) {
        if (rule->kind == CONSTRAINT_LOAD)
            add_edge(points, collecting(points, spot.object), rule->other);
        else
            add_edge(points, rule->other, spreading(points, spot.object));
        return;
    }
    uint32_t last = IR_NONE;
    for (uint64_t byte = 0; byte < size; byte += WORD) {
        do_word(points, last = word_at(points, spot.object, (int64_t)(spot.offset + byte)), rule);
    }
    uint32_t end = size > 1 ? word_at(points, spot.object, (int64_t)(spot.offset + size - 1)) : last;
    if (end != last)
        do_word(points, end, rule);
}

static uint32_t outside(const struct points *points)
{
    return points->program->outside_node;
}

static void tell_outside(struct points *points, const struct ir_call *call)
{
    for (uint32_t i = 0; i < call->args; i++) {
        uint32_t arg = points->program->args.data[call->first + i];
        if (arg != IR_NONE)
            add_edge(points, arg, outside(points));
    }
    if (call->result != IR_NONE)
        add_edge(points, outside(points), call->result);
}

static void connect(struct points *points, uint32_t number, uint32_t callee)
{
    const struct ir_call *call = &points->program->calls.data[number];
    const struct ir_function *function = &points->program->functions.data[callee];
    uint64_t *known = table_put(&points->connected, (uint64_t)number << 32 | callee);
    if (*known != 0)
        return;
    *known = 1;
    if (function->blocks == 0) {
        tell_outside(points, call);
        return;
    }
    for (uint32_t i = 0; i < call->args; i++) {
        uint32_t arg = points->program->args.data[call->first + i];
        if (arg != IR_NONE)
            add_edge(points, arg, i < function->params ? function->first_param + i : function->more);
    }
    if (call->result != IR_NONE)
        add_edge(points, function->result, call->result);
}

/* Libraries may call each function that they know, with whatever they know. */
static void call_from_outside(struct points *points, uint32_t callee)
{
    const struct ir_function *function = &points->program->functions.data[callee];
    if (function->blocks == 0)
        return;
    for (uint32_t i = 0; i < function->params; i++)
        add_edge(points, outside(points), function->first_param + i);
    add_edge(points, function->result, outside(points));
}

static void do_call(struct points *points, struct points_spot spot, const struct rule *rule)
{
    const struct ir_object *object = &points->program->objects.data[spot.object];
    if (object->kind == OBJECT_FUNCTION && rule->other != IR_NONE)
        connect(points, rule->other, object->function);
    else if (object->kind == OBJECT_FUNCTION)
        call_from_outside(points, object->function);
    else if (object->kind == OBJECT_OUTSIDE && rule->other != IR_NONE)
        tell_outside(points, &points->program->calls.data[rule->other]);
}

static void do_rule(struct points *points, struct points_spot spot, const struct rule *rule)
{
    switch (rule->kind) {
    case CONSTRAINT_OFFSET:
    case CONSTRAINT_STRIDE:
        do_step(points, spot, rule);
        break;
    case CONSTRAINT_LOAD:
    case CONSTRAINT_STORE:
        do_access(points, spot, rule);
        break;
    case CONSTRAINT_COLLECT:
        if (has_memory(points, spot.object))
            add_edge(points, collecting(points, spot.object), rule->other);
        break;
    case CONSTRAINT_SPREAD:
        if (has_memory(points, spot.object))
            add_edge(points, rule->other, spreading(points, spot.object));
        break;
    default:
        do_call(points, spot, rule);
    }
}

/* ---- rounds --------------------------------------------------------------------------------------------------------- */

static void do_node(struct points *points, uint32_t node)
{
    struct set fresh = {0};
    set_subtract(&fresh, &points->nodes.data[node].now, &points->nodes.data[node].handled);
    if (!set_is_empty(&fresh)) {
        set_unite(&points->nodes.data[node].handled, &fresh);
        size_t count = points->nodes.data[node].rules.count;
        for (size_t i = 0; i < count; i++) {
            struct rule rule = points->nodes.data[node].rules.data[i];
            for (struct set_walk walk = {.set = &fresh}; set_next(&walk);)
                do_rule(points, points->spots.data[walk.number], &rule);
        }
    }
    set_free(&fresh);
}

static void merge(struct points *points, uint32_t into, uint32_t node)
{
    struct point_node *a = &points->nodes.data[into], *b = &points->nodes.data[node];
    assert(into != node && a->parent == into && b->parent == node);
    b->parent = into;
    set_unite(&a->now, &b->now);
    set_clear(&a->sent);
    if (a->rules.count > 0 && b->rules.count > 0)
        set_intersect(&a->handled, &b->handled);
    else if (b->rules.count > 0)
        set_copy(&a->handled, &b->handled);
    vector_append(&a->next, b->next.data, b->next.count);
    vector_append(&a->rules, b->rules.data, b->rules.count);
    set_free(&b->now);
    set_free(&b->sent);
    set_free(&b->handled);
    vector_free(&b->next);
    vector_free(&b->rules);
}

struct visit {
    uint32_t node, next;
};

struct cycles { /* Tarjan's algorithm, without recursion */
    uint32_t *number, *low, counter;
    bool *open;
    VECTOR(uint32_t) stack;
    VECTOR(struct visit) calls;
};

static void enter(struct cycles *cycles, uint32_t node)
{
    cycles->number[node] = cycles->low[node] = ++cycles->counter;
    cycles->open[node] = true;
    vector_push(&cycles->stack, node);
    struct visit visit = {node, 0};
    vector_push(&cycles->calls, visit);
}

static void leave(struct points *points, struct cycles *cycles, uint32_t node)
{
    if (cycles->low[node] != cycles->number[node])
        return;
    for (uint32_t member = IR_NONE; member != node;) {
        member = cycles->stack.data[--cycles->stack.count];
        cycles->open[member] = false;
        if (member != node)
            merge(points, node, member);
    }
    vector_push(&points->order, node);
}

static void walk_from(struct points *points, struct cycles *cycles, uint32_t root)
{
    enter(cycles, root);
    while (cycles->calls.count > 0) {
        struct visit *visit = &cycles->calls.data[cycles->calls.count - 1];
        uint32_t node = visit->node;
        if (visit->next < points->nodes.data[node].next.count) {
            uint32_t to = find(points, points->nodes.data[node].next.data[visit->next++]);
            if (cycles->number[to] == 0)
                enter(cycles, to);
            else if (cycles->open[to] && cycles->number[to] < cycles->low[node])
                cycles->low[node] = cycles->number[to];
            continue;
        }
        cycles->calls.count--;
        uint32_t low = cycles->low[node];
        leave(points, cycles, node);
        if (cycles->calls.count > 0) {
            uint32_t caller = cycles->calls.data[cycles->calls.count - 1].node;
            if (low < cycles->low[caller])
                cycles->low[caller] = low;
        }
    }
}

/* Cycles become one node; `order` gets all nodes, each before those that copy to it. */
static void find_cycles(struct points *points)
{
    size_t count = points->nodes.count;
    struct cycles cycles = {.number = memory_allocate(count, sizeof(uint32_t)),
                            .low = memory_allocate(count, sizeof(uint32_t)),
                            .open = memory_allocate(count, sizeof(bool))};
    vector_clear(&points->order);
    for (uint32_t node = 0; node < count; node++)
        if (find(points, node) == node && cycles.number[node] == 0)
            walk_from(points, &cycles, node);
    free(cycles.number);
    free(cycles.low);
    free(cycles.open);
    vector_free(&cycles.stack);
    vector_free(&cycles.calls);
}

/* What is new goes along all copies.  `order` has the last ones first. */
static void send_all(struct points *points)
{
    struct set fresh = {0};
    for (size_t i = points->order.count; i-- > 0;) {
        struct point_node *node = &points->nodes.data[points->order.data[i]];
        set_subtract(&fresh, &node->now, &node->sent);
        if (set_is_empty(&fresh))
            continue;
        for (size_t j = 0; j < node->next.count; j++) {
            uint32_t to = find(points, node->next.data[j]);
            if (to != points->order.data[i])
                set_unite(&points->nodes.data[to].now, &fresh);
        }
        set_unite(&node->sent, &fresh);
    }
    set_free(&fresh);
}

static void solve(struct points *points)
{
    do {
        points->changed = false;
        points->rounds++;
        find_cycles(points);
        send_all(points);
        for (uint32_t node = 0; node < points->nodes.count; node++)
            if (points->nodes.data[node].parent == node && points->nodes.data[node].rules.count > 0)
                do_node(points, node);
    } while (points->changed);
}

/* ---- constraints of the program ------------------------------------------------------------------------------------- */

static void add_rule(struct points *points, uint32_t at, uint8_t kind, uint32_t other, int64_t a, uint64_t b)
{
    struct rule rule = {kind, other, a, b};
    vector_push(&points->nodes.data[at].rules, rule);
}

/* Word by word, or everything to everywhere. */
static void add_move(struct points *points, const struct ir_constraint *constraint)
{
    uint32_t between = new_node(points);
    if (constraint->a > PIECES * WORD) {
        add_rule(points, constraint->from, CONSTRAINT_COLLECT, between, 0, 0);
        add_rule(points, constraint->to, CONSTRAINT_SPREAD, between, 0, 0);
        return;
    }
    for (uint64_t byte = 0; byte < constraint->a; byte += WORD) {
        uint64_t size = constraint->a - byte < WORD ? constraint->a - byte : WORD;
        uint32_t from = new_node(points), to = new_node(points), value = new_node(points);
        add_rule(points, constraint->from, CONSTRAINT_OFFSET, from, (int64_t)byte, 0);
        add_rule(points, constraint->to, CONSTRAINT_OFFSET, to, (int64_t)byte, 0);
        add_rule(points, from, CONSTRAINT_LOAD, value, (int64_t)size, 0);
        add_rule(points, to, CONSTRAINT_STORE, value, (int64_t)size, 0);
    }
}

static void add_address(struct points *points, const struct ir_constraint *constraint)
{
    const struct ir_object *object = &points->program->objects.data[constraint->from];
    uint64_t offset = layout_canonical(points->program, object, (int64_t)constraint->a);
    if (offset == IR_UNKNOWN && !points->memory.data[constraint->from].collapsed && object->type == IR_NONE)
        collapse(points, constraint->from);
    if (offset != IR_UNKNOWN || points->memory.data[constraint->from].collapsed)
        add_spot(points, constraint->to, spot_at(points, constraint->from, offset));
}

static void add_constraint(struct points *points, const struct ir_constraint *constraint)
{
    switch (constraint->kind) {
    case CONSTRAINT_ADDRESS:
        add_address(points, constraint);
        break;
    case CONSTRAINT_COPY:
        add_edge(points, constraint->from, constraint->to);
        break;
    case CONSTRAINT_MOVE:
        add_move(points, constraint);
        break;
    case CONSTRAINT_STORE:
    case CONSTRAINT_SPREAD:
        add_rule(points, constraint->to, constraint->kind, constraint->from, (int64_t)constraint->a, constraint->b);
        break;
    default:
        add_rule(points, constraint->from, constraint->kind, constraint->to, (int64_t)constraint->a, constraint->b);
    }
}

struct points *points_solve(struct ir_program *program)
{
    struct points *points = memory_allocate(1, sizeof *points);
    points->program = program;
    for (uint32_t i = 0; i < program->nodes; i++)
        new_node(points);
    for (size_t i = 0; i < program->objects.count; i++) {
        struct memory memory = {0};
        vector_push(&points->memory, memory);
    }
    for (size_t i = 0; i < program->constraints.count; i++)
        add_constraint(points, &program->constraints.data[i]);
    for (uint32_t i = 0; i < program->calls.count; i++) {
        const struct ir_call *call = &program->calls.data[i];
        if (call->callee != IR_NONE)
            connect(points, i, call->callee);
        else if (call->pointer != IR_NONE)
            add_rule(points, call->pointer, CALL, i, 0, 0);
    }
    add_rule(points, outside(points), CALL, IR_NONE, 0, 0);
    solve(points);
    return points;
}

void points_free(struct points *points)
{
    for (size_t i = 0; i < points->nodes.count; i++) {
        struct point_node *node = &points->nodes.data[i];
        set_free(&node->now);
        set_free(&node->sent);
        set_free(&node->handled);
        vector_free(&node->next);
        vector_free(&node->rules);
    }
    for (size_t i = 0; i < points->memory.count; i++)
        vector_free(&points->memory.data[i].words);
    vector_free(&points->nodes);
    vector_free(&points->spots);
    vector_free(&points->memory);
    vector_free(&points->order);
    table_free(&points->spot_index);
    table_free(&points->word_index);
    table_free(&points->edges);
    table_free(&points->connected);
    free(points);
}

/* ---- answers -------------------------------------------------------------------------------------------------------- */

const struct set *points_of(const struct points *points, uint32_t node)
{
    return node != IR_NONE ? &points->nodes.data[find(points, node)].now : &points->empty;
}

uint32_t points_spot_count(const struct points *points)
{
    return (uint32_t)points->spots.count;
}

bool points_is_collapsed(const struct points *points, uint32_t object)
{
    return points->memory.data[object].collapsed;
}

struct points_spot points_spot(const struct points *points, uint32_t number)
{
    struct points_spot spot = points->spots.data[number];
    if (points->memory.data[spot.object].collapsed)
        spot.offset = 0;
    return spot;
}

void points_called(const struct points *points, uint32_t number, struct set *functions, bool *unseen)
{
    const struct ir_call *call = &points->program->calls.data[number];
    set_clear(functions);
    *unseen = false;
    if (call->callee != IR_NONE) {
        set_add(functions, call->callee);
        return;
    }
    for (struct set_walk walk = {.set = points_of(points, call->pointer)}; set_next(&walk);) {
        const struct ir_object *object = &points->program->objects.data[points->spots.data[walk.number].object];
        bool seen = object->kind == OBJECT_FUNCTION && points->program->functions.data[object->function].blocks > 0;
        if (seen)
            set_add(functions, object->function);
        else if (object->kind == OBJECT_FUNCTION || object->kind == OBJECT_OUTSIDE)
            *unseen = true;
    }
}

void points_content(const struct points *points, uint32_t object, struct set *spots)
{
    const struct memory *memory = &points->memory.data[object];
    for (size_t i = 0; i < memory->words.count; i++)
        set_unite(spots, points_of(points, memory->words.data[i]));
}

uint32_t points_rounds(const struct points *points)
{
    return points->rounds;
}
