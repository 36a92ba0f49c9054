/* SPDX-License-Identifier: MIT
 *
 * conflicts.c - see conflicts.h.
 */
#include "analyze/conflicts.h"

#include <assert.h>

#include "analyze/layout.h"
#include "util/hash.h"

/* A class that does an operation, and what is alive then. */
struct presence {
    uint32_t class;
    struct set alive;
};

/* All presences of an operation.  Equal ones are one. */
struct phase {
    VECTOR(struct presence) all;
};

struct phases {
    const struct threads *threads;
    VECTOR(struct phase) all;
    struct table index;    /* by hash: 1 + number */
    struct table of_op;    /* operation → 1 + number */
    struct table parallel; /* two numbers → 1 no, 2 yes */
};

/* ---- phases --------------------------------------------------------------------------------------------------------- */

static bool sets_equal(const struct set *a, const struct set *b)
{
    for (uint32_t i = 0; a->count == b->count && i < a->count; i++)
        if (a->blocks[i].base != b->blocks[i].base || a->blocks[i].bits != b->blocks[i].bits)
            return false;
    return a->count == b->count;
}

static bool phases_equal(const struct phase *a, const struct phase *b)
{
    if (a->all.count != b->all.count)
        return false;
    for (size_t i = 0; i < a->all.count; i++)
        if (a->all.data[i].class != b->all.data[i].class || !sets_equal(&a->all.data[i].alive, &b->all.data[i].alive))
            return false;
    return true;
}

static uint64_t phase_hash(const struct phase *phase)
{
    uint64_t hash = phase->all.count;
    for (size_t i = 0; i < phase->all.count; i++) {
        const struct set *alive = &phase->all.data[i].alive;
        hash = hash_combine(hash, phase->all.data[i].class);
        for (uint32_t j = 0; j < alive->count; j++)
            hash = hash_combine(hash_combine(hash, alive->blocks[j].base), alive->blocks[j].bits);
    }
    return hash;
}

static void phase_free(struct phase *phase)
{
    for (size_t i = 0; i < phase->all.count; i++)
        set_free(&phase->all.data[i].alive);
    vector_free(&phase->all);
}

/* Takes the phase over. */
static uint32_t phase_number(struct phases *phases, struct phase *phase)
{
    uint64_t hash = phase_hash(phase);
    for (;; hash++) {
        uint64_t *known = table_put(&phases->index, hash);
        if (*known == 0) {
            vector_push(&phases->all, *phase);
            *known = phases->all.count;
            return (uint32_t)phases->all.count - 1;
        }
        if (phases_equal(&phases->all.data[*known - 1], phase)) {
            phase_free(phase);
            return (uint32_t)*known - 1;
        }
    }
}

/* The phase with one presence more. */
static uint32_t phase_extend(struct phases *phases, uint32_t number, uint32_t class, const struct set *alive)
{
    struct phase phase = {0};
    const struct phase *from = number != IR_NONE ? &phases->all.data[number] : NULL;
    for (size_t i = 0; from != NULL && i < from->all.count; i++) {
        struct presence copy = {from->all.data[i].class, {0}};
        set_copy(&copy.alive, &from->all.data[i].alive);
        vector_push(&phase.all, copy);
    }
    struct presence presence = {class, {0}};
    set_copy(&presence.alive, alive);
    vector_push(&phase.all, presence);
    return phase_number(phases, &phase);
}

static bool is_access(const struct phases *phases, const struct ir_op *op)
{
    return op->kind <= IR_ACQUIRE || (op->kind == IR_CALL && threads_calls_unseen(phases->threads, op->call));
}

struct noting {
    struct phases *phases;
    const struct ir_program *program;
};

static void note_presence(void *context, uint32_t class, uint32_t function, uint32_t op, const struct set *alive)
{
    struct noting *noting = context;
    (void)function;
    if (!is_access(noting->phases, &noting->program->ops.data[op]))
        return;
    uint64_t *of = table_put(&noting->phases->of_op, op);
    uint32_t number = phase_extend(noting->phases, *of != 0 ? (uint32_t)*of - 1 : IR_NONE, class, alive);
    *table_put(&noting->phases->of_op, op) = (uint64_t)number + 1;
}

static bool find_parallel(const struct phases *phases, uint32_t a, uint32_t b)
{
    const struct phase *first = &phases->all.data[a], *second = &phases->all.data[b];
    for (size_t i = 0; i < first->all.count; i++)
        for (size_t j = 0; j < second->all.count; j++) {
            const struct presence *x = &first->all.data[i], *y = &second->all.data[j];
            if (threads_parallel(phases->threads, x->class, &x->alive, y->class, &y->alive))
                return true;
        }
    return false;
}

static bool is_parallel(struct phases *phases, uint32_t a, uint32_t b)
{
    uint64_t key = (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a);
    uint64_t *known = table_put(&phases->parallel, key);
    if (*known == 0)
        *known = find_parallel(phases, a, b) ? 2 : 1;
    return *known == 2;
}

static void phases_free(struct phases *phases)
{
    for (size_t i = 0; i < phases->all.count; i++)
        phase_free(&phases->all.data[i]);
    vector_free(&phases->all);
    table_free(&phases->index);
    table_free(&phases->of_op);
    table_free(&phases->parallel);
    free(phases);
}

void conflicts_classes(const struct conflicts *conflicts, const struct conflict_access *access, struct set *classes)
{
    const struct phase *phase = &conflicts->phases->all.data[access->phase];
    for (size_t i = 0; i < phase->all.count; i++)
        set_add(classes, phase->all.data[i].class);
}

/* ---- escape --------------------------------------------------------------------------------------------------------- */

typedef VECTOR(uint32_t) object_list;

static void escape(struct conflicts *conflicts, const struct points *points, const struct set *spots, object_list *list)
{
    for (struct set_walk walk = {.set = spots}; set_next(&walk);) {
        uint32_t object = points_spot(points, walk.number).object;
        if (conflicts->escaped[object])
            continue;
        conflicts->escaped[object] = true;
        vector_push(list, object);
    }
}

static void find_escaped(struct conflicts *conflicts, const struct ir_program *program, const struct points *points)
{
    object_list list = {0};
    conflicts->escaped = memory_allocate(program->objects.count, sizeof(bool));
    for (uint32_t i = 0; i < program->objects.count; i++)
        if (program->objects.data[i].kind == OBJECT_GLOBAL || program->objects.data[i].kind == OBJECT_OUTSIDE) {
            conflicts->escaped[i] = true;
            vector_push(&list, i);
        }
    escape(conflicts, points, points_of(points, program->outside_node), &list);
    for (size_t i = 0; i < program->ops.count; i++) {
        const struct ir_op *op = &program->ops.data[i];
        if (op->kind != IR_CREATE)
            continue;
        const struct ir_call *call = &program->calls.data[op->call];
        for (uint32_t j = 0; j < call->args; j++)
            escape(conflicts, points, points_of(points, program->args.data[call->first + j]), &list);
        escape(conflicts, points, points_of(points, call->result), &list);
    }
    struct set content = {0};
    for (size_t at = 0; at < list.count; at++) {
        set_clear(&content);
        points_content(points, list.data[at], &content);
        escape(conflicts, points, &content, &list);
    }
    set_free(&content);
    vector_free(&list);
}

/* ---- accesses ------------------------------------------------------------------------------------------------------- */

struct finding {
    struct conflicts *conflicts;
    const struct ir_program *program;
    const struct points *points;
    const struct locks *locks;
    struct by_object {
        VECTOR(struct conflict_access) all;
    } * objects;
};

static bool can_be_shared(const struct finding *finding, uint32_t number)
{
    const struct ir_object *object = &finding->program->objects.data[number];
    return finding->conflicts->escaped[number] && object->kind != OBJECT_FUNCTION && object->kind != OBJECT_OUTSIDE;
}

static uint8_t kind_of(const struct ir_op *op)
{
    static const uint8_t kinds[IR_OP_KINDS] = {
        [IR_READ] = CONFLICT_READ,       [IR_WRITE] = CONFLICT_WRITE,     [IR_UPDATE] = CONFLICT_UPDATE,
        [IR_FREE] = CONFLICT_FREE,       [IR_LOCK] = CONFLICT_LOCK,       [IR_UNLOCK] = CONFLICT_UNLOCK,
        [IR_RDLOCK] = CONFLICT_RDLOCK,   [IR_RDUNLOCK] = CONFLICT_UNLOCK, [IR_TRYLOCK] = CONFLICT_TRY,
        [IR_WAIT] = CONFLICT_WAIT,       [IR_SIGNAL] = CONFLICT_SIGNAL,   [IR_POST] = CONFLICT_POST,
        [IR_ACQUIRE] = CONFLICT_ACQUIRE,
    };
    assert(op->kind <= IR_ACQUIRE);
    return kinds[op->kind];
}

/* Which bytes of the object an access at the spot is about. */
static void set_extent(const struct finding *finding, struct points_spot spot, const struct ir_op *op,
                       struct conflict_access *access)
{
    const struct ir_object *object = &finding->program->objects.data[spot.object];
    bool whole = points_is_collapsed(finding->points, spot.object) || op->kind == IR_FREE;
    access->exact = !whole && op->size != IR_UNKNOWN;
    if (whole || (!access->exact && layout_is_in_array(finding->program, object, spot.offset)))
        spot.offset = 0;
    access->lo = spot.offset;
    access->hi = access->exact && op->size <= UINT32_MAX ? spot.offset + op->size : IR_UNKNOWN;
}

static bool same_access(const struct finding *finding, const struct conflict_access *a, const struct conflict_access *b)
{
    const struct ir_place *x = &finding->program->places.data[finding->program->ops.data[a->op].place];
    const struct ir_place *y = &finding->program->places.data[finding->program->ops.data[b->op].place];
    return a->lo == b->lo && a->hi == b->hi && a->kind == b->kind && a->atomic == b->atomic && a->phase == b->phase &&
           x->file == y->file && x->line == y->line && x->function == y->function &&
           sets_equal(locks_held(finding->locks, a->op), locks_held(finding->locks, b->op));
}

static void add_access(struct finding *finding, uint32_t number, uint32_t phase, uint32_t pointer, uint8_t kind)
{
    const struct ir_op *op = &finding->program->ops.data[number];
    for (struct set_walk walk = {.set = points_of(finding->points, pointer)}; set_next(&walk);) {
        struct points_spot spot = points_spot(finding->points, walk.number);
        if (!can_be_shared(finding, spot.object))
            continue;
        struct conflict_access access = {.op = number, .phase = phase, .kind = kind, .atomic = op->flags & OP_ATOMIC};
        struct by_object *object = &finding->objects[spot.object];
        set_extent(finding, spot, op, &access);
        size_t count = object->all.count;
        if (access.lo < access.hi && (count == 0 || !same_access(finding, &object->all.data[count - 1], &access)))
            vector_push(&object->all, access);
    }
}

/* A library function that is called through a pointer may read and write what it is given. */
static void add_unseen_call(struct finding *finding, uint32_t number, uint32_t phase)
{
    const struct ir_call *call = &finding->program->calls.data[finding->program->ops.data[number].call];
    for (uint32_t i = 0; i < call->args; i++)
        add_access(finding, number, phase, finding->program->args.data[call->first + i], CONFLICT_FREE);
}

static bool is_escaping(const struct finding *finding, uint32_t pointer)
{
    for (struct set_walk walk = {.set = points_of(finding->points, pointer)}; set_next(&walk);)
        if (can_be_shared(finding, points_spot(finding->points, walk.number).object))
            return true;
    return false;
}

static void find_accesses(struct finding *finding)
{
    struct conflicts *conflicts = finding->conflicts;
    for (uint32_t number = 0; number < finding->program->ops.count; number++) {
        const struct ir_op *op = &finding->program->ops.data[number];
        const uint64_t *phase = table_get(&conflicts->phases->of_op, number);
        if (op->kind < IR_FREE)
            conflicts->all_accesses++;
        if (op->kind < IR_FREE && (phase == NULL || !is_escaping(finding, op->pointer)))
            conflicts->private_accesses++;
        if (phase == NULL)
            continue;
        if (op->kind == IR_CALL)
            add_unseen_call(finding, number, (uint32_t)*phase - 1);
        else
            add_access(finding, number, (uint32_t)*phase - 1, op->pointer, kind_of(op));
        if (op->kind == IR_WAIT)
            add_access(finding, number, (uint32_t)*phase - 1, op->second, CONFLICT_RETAKE);
    }
}

/* ---- pairs ---------------------------------------------------------------------------------------------------------- */

static uint8_t guard_of(const struct finding *finding, const struct conflict_access *a, const struct conflict_access *b)
{
    struct set common = {0};
    set_copy(&common, locks_held(finding->locks, a->op));
    set_intersect(&common, locks_held(finding->locks, b->op));
    uint8_t guard = set_is_empty(&common) ? GUARD_NONE : GUARD_MAYBE;
    for (struct set_walk walk = {.set = &common}; set_next(&walk);)
        if (locks_is_one(finding->locks, walk.number))
            guard = GUARD_LOCK;
    set_free(&common);
    return guard;
}

/* What two accesses to one object are to each other. */
enum conflict_relation conflicts_relation(uint8_t a, uint8_t b)
{
    enum { LOCKS = 1 << CONFLICT_LOCK | 1 << CONFLICT_RDLOCK | 1 << CONFLICT_TRY };
    unsigned kinds = 1u << a | 1u << b;
    if (a <= CONFLICT_FREE && b <= CONFLICT_FREE)
        return kinds == 1u << CONFLICT_READ  ? RELATION_NONE
               : kinds & 1u << CONFLICT_READ ? RELATION_RW
                                             : RELATION_WRITES;
    if (kinds == (1u << CONFLICT_WAIT | 1u << CONFLICT_SIGNAL))
        return RELATION_WN;
    if (kinds == 1u << CONFLICT_ACQUIRE || kinds == (1u << CONFLICT_ACQUIRE | 1u << CONFLICT_POST))
        return RELATION_SEMAPHORE;
    if (kinds == (1u << CONFLICT_TRY | 1u << CONFLICT_UNLOCK))
        return RELATION_MM;
    if (kinds == 1u << CONFLICT_RETAKE)
        return RELATION_WW;
    if (kinds & 1u << CONFLICT_RETAKE && kinds & LOCKS)
        return RELATION_WM;
    return (kinds & ~(unsigned)LOCKS) == 0 && kinds != 1u << CONFLICT_RDLOCK ? RELATION_MM : RELATION_NONE;
}

static bool is_pair(struct finding *finding, const struct conflict_access *a, const struct conflict_access *b)
{
    return conflicts_relation(a->kind, b->kind) != RELATION_NONE && a->lo < b->hi && b->lo < a->hi &&
           is_parallel(finding->conflicts->phases, a->phase, b->phase);
}

static void add_pair(struct finding *finding, struct conflict_variable *variable, uint32_t a, uint32_t b)
{
    struct conflicts *conflicts = finding->conflicts;
    const struct conflict_access *x = &conflicts->accesses.data[a], *y = &conflicts->accesses.data[b];
    struct conflict_pair pair = {a, b, (uint8_t)conflicts_relation(x->kind, y->kind), guard_of(finding, x, y),
                                 x->atomic && y->atomic};
    if (conflicts->pairs.count >= PAIRS_MOST) {
        variable->cut = true;
        return;
    }
    vector_push(&conflicts->pairs, pair);
    variable->pairs++;
}

/* The accesses from `first` on are those of one variable. */
static void add_variable(struct finding *finding, struct conflict_variable variable)
{
    struct conflicts *conflicts = finding->conflicts;
    variable.accesses = conflicts->accesses.count - variable.first;
    variable.first_pair = conflicts->pairs.count;
    variable.cut = variable.accesses * variable.accesses > PAIRS_OF_VARIABLE;
    bool found = false;
    for (size_t i = 0; i < variable.accesses && !(variable.cut && found); i++)
        for (size_t j = i; j < variable.accesses && !(variable.cut && found); j++) {
            uint32_t a = (uint32_t)(variable.first + i), b = (uint32_t)(variable.first + j);
            if (!is_pair(finding, &conflicts->accesses.data[a], &conflicts->accesses.data[b]))
                continue;
            found = true;
            conflicts->accesses.data[a].paired = conflicts->accesses.data[b].paired = true;
            if (!variable.cut)
                add_pair(finding, &variable, a, b);
        }
    if (found)
        vector_push(&conflicts->variables, variable);
    else
        conflicts->accesses.count = variable.first;
    for (size_t i = 0; found && variable.cut && i < variable.accesses; i++)
        conflicts->accesses.data[variable.first + i].paired = true;
}

static int compare_accesses(const void *first, const void *second)
{
    const struct conflict_access *a = first, *b = second;
    if (a->lo != b->lo)
        return a->lo < b->lo ? -1 : 1;
    if (a->hi != b->hi)
        return a->hi > b->hi ? -1 : 1;
    return a->op < b->op ? -1 : a->op > b->op;
}

/* Divides the accesses to an object where none goes across.  One with an extent that is not known divides nothing: it belongs to each
   part that it may reach. */
static void divide(struct finding *finding, uint32_t number)
{
    struct conflicts *conflicts = finding->conflicts;
    struct by_object *object = &finding->objects[number];
    if (object->all.count == 0)
        return;
    qsort(object->all.data, object->all.count, sizeof object->all.data[0], compare_accesses);
    bool open = false;
    struct conflict_variable variable = {.object = number};
    for (size_t i = 0; i <= object->all.count; i++) {
        const struct conflict_access *access = i < object->all.count ? &object->all.data[i] : NULL;
        if (open && (access == NULL || (access->hi != IR_UNKNOWN && access->lo >= variable.hi))) {
            for (size_t j = 0; j < object->all.count; j++)
                if (object->all.data[j].hi == IR_UNKNOWN && object->all.data[j].lo < variable.hi)
                    vector_push(&conflicts->accesses, object->all.data[j]);
            add_variable(finding, variable);
            open = false;
        }
        if (access == NULL || access->hi == IR_UNKNOWN)
            continue;
        if (!open)
            variable = (struct conflict_variable){
                .object = number, .lo = access->lo, .hi = access->hi, .first = conflicts->accesses.count};
        open = true;
        if (access->hi > variable.hi)
            variable.hi = access->hi;
        vector_push(&conflicts->accesses, *access);
    }
    variable = (struct conflict_variable){.object = number, .hi = IR_UNKNOWN, .first = conflicts->accesses.count};
    for (size_t j = 0; j < object->all.count; j++)
        if (object->all.data[j].hi == IR_UNKNOWN)
            vector_push(&conflicts->accesses, object->all.data[j]);
    add_variable(finding, variable);
}

void conflicts_find(struct conflicts *conflicts, const struct ir_program *program, const struct points *points,
                    const struct threads *threads, const struct locks *locks)
{
    *conflicts = (struct conflicts){0};
    conflicts->phases = memory_allocate(1, sizeof *conflicts->phases);
    conflicts->phases->threads = threads;
    struct noting noting = {conflicts->phases, program};
    for (uint32_t i = 0; i < threads_count(threads); i++)
        threads_each(threads, i, note_presence, &noting);
    find_escaped(conflicts, program, points);
    struct finding finding = {conflicts, program, points, locks, NULL};
    finding.objects = memory_allocate(program->objects.count, sizeof *finding.objects);
    find_accesses(&finding);
    for (uint32_t i = 0; i < program->objects.count; i++)
        divide(&finding, i);
    for (uint32_t i = 0; i < program->objects.count; i++)
        vector_free(&finding.objects[i].all);
    free(finding.objects);
}

void conflicts_free(struct conflicts *conflicts)
{
    vector_free(&conflicts->accesses);
    vector_free(&conflicts->variables);
    vector_free(&conflicts->pairs);
    free(conflicts->escaped);
    phases_free(conflicts->phases);
}

const char *conflicts_kind_name(uint8_t kind)
{
    static const char *const names[] = {
#define X(name, text) text,
        CONFLICT_NAMES(X)
#undef X
    };
    assert(kind < CONFLICT_KINDS);
    return names[kind];
}

const char *conflicts_relation_name(uint8_t relation)
{
    static const char *const names[] = {
#define X(name, text, what) text,
        CONFLICT_RELATIONS(X)
#undef X
    };
    assert(relation < RELATION_KINDS);
    return names[relation];
}
