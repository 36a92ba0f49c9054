/* SPDX-License-Identifier: MIT
 *
 * units.c - see units.h.
 */
#include "trace/units.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "util/hash.h"
#include "util/memory.h"

enum { KIND_NAMED = UINT32_MAX, CALLERS = 6 };

struct call_label {
    uint32_t function;
    uint32_t epoch;  /* increases where the call waits or signals */
    uint32_t depth;  /* on the stack, from 1; of a part of a function that of the function */
    bool known;      /* its function has been looked for */
    bool is_outside; /* threads are created or joined in it, or it is what its thread begins with */
};

struct block { /* of the heap, or memory that the program says is a set */
    uint64_t lo, size, elements, pc;
    uint32_t kind, number;
    bool is_named;
};

enum { SERVICE_WAITS = 1, SERVICE_LOOPS = 2, SERVICE = SERVICE_WAITS | SERVICE_LOOPS };

struct units_work {
    struct atomic_sets *sets;
    const struct wire_copy *copy;
    VECTOR(struct call_label) calls; /* by number of the call */
    struct ranges ranges;            /* of the memory that is allocated: index into blocks + 1 */
    VECTOR(struct block) blocks;
    size_t met;           /* of them, in this reading of the events */
    struct table unit_of; /* call and kind → the outermost one that is a unit, + 1 */
    struct table unit_number, set_number;
    struct table block_count;  /* by kind */
    struct table function_of;  /* pc → function + 1 */
    struct table is_own_place; /* pc → 1: no, 2: yes */
    struct table service;      /* function → SERVICE_*, of all runs */
    struct table taken;        /* call and place of a lock operation in it, of this run */
};

/* ---- calls --------------------------------------------------------------------------------------------------------- */

static const struct wire_call *call_at(const struct units_work *work, uint32_t call)
{
    return &work->copy->calls.data[call - 1];
}

static uint32_t function_at(struct units_work *work, uint64_t pc)
{
    uint64_t *known = table_put(&work->function_of, pc);
    if (*known == 0)
        *known = (uint64_t)atomic_sets_function_at(work->sets, pc - 1) + 1;
    return (uint32_t)*known - 1;
}

/* A call's function is the one that its inner calls and operations are in. */
static void see_calls(struct units_work *work, uint32_t call, uint64_t pc)
{
    while (call != 0) {
        struct call_label *label = &work->calls.data[call];
        if (label->known)
            return;
        label->known = true;
        label->function = function_at(work, pc);
        pc = call_at(work, call)->pc;
        call = call_at(work, call)->caller;
    }
}

static bool is_own_code(const struct units_work *work, uint32_t call)
{
    uint32_t function = work->calls.data[call].function;
    return function != 0 && !atomic_sets_function(work->sets, function)->is_library;
}

static void leave_out(struct units_work *work, uint32_t call)
{
    for (; call != 0 && !work->calls.data[call].is_outside; call = call_at(work, call)->caller)
        work->calls.data[call].is_outside = true;
}

/* Whether the call is made by code of the program itself that the compiler has put into a function of a library: what a thread
   begins with, as a lambda expression, is often inlined into the function that calls it. */
static bool is_called_by_own_code(struct units_work *work, uint32_t call)
{
    uint64_t pc = call_at(work, call)->pc;
    uint64_t *known = table_put(&work->is_own_place, pc);
    if (*known == 0)
        *known = 1 + (uint64_t)atomic_sets_is_own_place(work->sets, pc);
    return *known == 2;
}

/* The outermost function of the program itself, and depths. */
static void look_at_callers(struct units_work *work)
{
    size_t count = work->copy->calls.count;
    VECTOR(bool) inside = {0}; /* some call around it, or itself, is of the program itself */
    vector_reserve(&inside, count + 1);
    inside.data[0] = false;
    for (uint32_t call = 1; call <= count; call++) {
        const struct wire_call *wire = call_at(work, call);
        bool around = inside.data[wire->caller];
        bool own = !wire->part && is_own_code(work, call);
        inside.data[call] = around || own;
        work->calls.data[call].depth = work->calls.data[wire->caller].depth + !wire->part;
        if (own && !around && !is_called_by_own_code(work, call))
            work->calls.data[call].is_outside = true;
    }
    vector_free(&inside);
}

static bool is_thread_call(uint8_t op)
{
    return op == OP_CREATE || op == OP_JOIN || op == OP_TEAM_FORK;
}

static bool is_wait(const struct wire_event *event)
{
    return event->op == OP_COND_WAKE || event->op == OP_BARRIER_LEAVE || event->op == OP_FUTEX_WAIT ||
           event->op == OP_TASK_WAIT;
}

static bool takes_lock(const struct wire_event *event)
{
    return event->op == OP_MUTEX_LOCK || event->op == OP_MUTEX_TIMEDLOCK || event->op == OP_RWLOCK_WRLOCK ||
           event->op == OP_RWLOCK_RDLOCK || event->op == OP_SPIN_LOCK;
}

/* A function that waits, and comes to the same lock several times in one call, serves other threads in a loop: each round is a whole, the call is
   not. */
static void find_services(struct units_work *work, const struct wire_event *event)
{
    bool waits = is_wait(event) || event->op == OP_COND_WAIT || event->op == OP_SEM_WAIT || event->op == OP_SLEEP;
    if (!waits && !takes_lock(event))
        return;
    for (uint32_t call = event->call; call != 0; call = call_at(work, call)->caller) {
        bool loops = !waits && (*table_put(&work->taken, hash_combine(call, event->pc)))++ > 0;
        if ((waits || loops) && work->calls.data[call].function != 0)
            *table_put(&work->service, work->calls.data[call].function) |= waits ? SERVICE_WAITS : SERVICE_LOOPS;
    }
}

static bool is_service(const struct units_work *work, uint32_t function)
{
    const uint64_t *known = table_get(&work->service, function);
    return known != NULL && *known == SERVICE;
}

static void label_calls(struct units_work *work)
{
    vector_clear(&work->calls);
    vector_reserve(&work->calls, work->copy->calls.count + 1);
    work->calls.count = work->copy->calls.count + 1;
    memset(work->calls.data, 0, work->calls.count * sizeof *work->calls.data);
    for (size_t i = 0; i < work->copy->events.count; i++) {
        const struct wire_event *event = &work->copy->events.data[i];
        see_calls(work, event->call, event->pc);
        if (is_thread_call(event->op))
            leave_out(work, event->call);
        find_services(work, event);
    }
    look_at_callers(work);
}

/* The program waits for others, or tells them that they may go on: what is shared is as they may see it. */
static bool is_handover(const struct wire_event *event)
{
    return event->op == OP_COND_WAKE || event->op == OP_COND_SIGNAL || event->op == OP_COND_BROADCAST ||
           event->op == OP_BARRIER_LEAVE || event->op == OP_FUTEX_WAIT || event->op == OP_TASK_WAIT;
}

/* What comes after belongs to other units. */
static void end_units(struct units_work *work, const struct wire_event *event)
{
    if (event->unit != 0)
        work->calls.data[event->unit].epoch++;
    for (uint32_t call = event->call; call != 0; call = call_at(work, call)->caller)
        work->calls.data[call].epoch++;
}

/* The outermost call that is a unit for the sets of that kind; 0: none. */
static uint32_t outermost_unit(struct units_work *work, uint32_t call, uint32_t kind)
{
    if (call == 0)
        return 0;
    uint64_t key = (uint64_t)kind << 32 | call;
    const uint64_t *known = table_get(&work->unit_of, key);
    if (known != NULL)
        return (uint32_t)*known - 1;
    uint32_t found = 0;
    uint32_t asked = kind == KIND_NAMED ? 0 : kind;
    for (uint32_t at = call; at != 0; at = call_at(work, at)->caller) {
        const struct call_label *label = &work->calls.data[at];
        if (!label->is_outside && !is_service(work, label->function) &&
            atomic_sets_is_unit(work->sets, label->function, asked))
            found = at;
    }
    *table_put(&work->unit_of, key) = (uint64_t)found + 1;
    return found;
}

static uint32_t new_unit(struct units *units, const struct unit_label *label)
{
    vector_push(&units->units, *label);
    return (uint32_t)units->units.count;
}

/* The call that is the event's unit for sets of the kind; 0: none. */
static uint32_t unit_call(struct units_work *work, const struct wire_event *event, uint32_t kind)
{
    return event->unit != 0 ? event->unit : outermost_unit(work, event->call, kind);
}

static uint16_t unit_depth(const struct units_work *work, uint32_t call)
{
    if (call == 0 || call_at(work, call)->part)
        return call == 0 ? 0 : UNIT_MARKED;
    uint32_t depth = work->calls.data[call].depth;
    return depth < UNIT_MARKED ? (uint16_t)depth : 0;
}

static uint32_t unit_number(struct units *units, const struct wire_event *event, uint32_t call)
{
    struct units_work *work = units->work;
    if (call == 0)
        return new_unit(units, &(struct unit_label){.task = event->task});
    uint64_t *number = table_put(&work->unit_number, (uint64_t)work->calls.data[call].epoch << 32 | call);
    if (*number == 0) {
        uint32_t function =
            call_at(work, call)->part ? function_at(work, call_at(work, call)->pc) : work->calls.data[call].function;
        *number = new_unit(units, &(struct unit_label){call, function, event->task});
    }
    return (uint32_t)*number;
}

/* ---- memory -------------------------------------------------------------------------------------------------------- */

static void add_block(struct units_work *work, struct block block)
{
    if (block.size == 0 || block.lo + block.size < block.lo)
        return;
    if (work->met++ == work->blocks.count)
        vector_push(&work->blocks, block);
    ranges_put(&work->ranges, block.lo, block.lo + block.size, (uint32_t)work->met);
}

/* What happens to memory.  Blocks are numbered from 1 in this order; the events are read twice. */
static void see_memory(struct units_work *work, const struct wire_event *event)
{
    struct block block = {.lo = event->address, .size = event->size, .pc = event->pc};
    if (event->op == OP_ALLOC && !(event->flags & EVENT_FAILED)) {
        block.elements = event->value;
        add_block(work, block);
    } else if (event->op == OP_ATOMIC_SET) {
        block.is_named = true;
        add_block(work, block);
    }
}

static uint32_t block_of(const struct units_work *work, uint64_t address)
{
    uint32_t number = 0;
    return ranges_find(&work->ranges, address, &number) ? number : 0;
}

static bool is_member(const struct wire_event *event)
{
    return (event->op == OP_READ || event->op == OP_WRITE) && !(event->flags & EVENT_VOLATILE) && event->size > 0;
}

/* The first function that accesses a block, and has a pointer to a type of its size, tells its type. */
static void find_kind(struct units_work *work, const struct wire_event *event)
{
    uint32_t number = is_member(event) ? block_of(work, event->address) : 0;
    struct block *block = number != 0 ? &work->blocks.data[number - 1] : NULL;
    if (block == NULL || block->kind != 0 || block->is_named)
        return;
    uint32_t call = event->call;
    for (int i = 0; i < CALLERS && call != 0 && block->kind == 0; i++, call = call_at(work, call)->caller)
        block->kind =
            atomic_sets_kind_of_block(work->sets, work->calls.data[call].function, block->size, block->elements);
}

/* The types of blocks are known by the end of the run, so they are found before anything is labelled. */
static void find_kinds(struct units_work *work)
{
    vector_clear(&work->blocks);
    work->met = 0;
    for (size_t i = 0; i < work->copy->events.count; i++) {
        const struct wire_event *event = &work->copy->events.data[i];
        see_memory(work, event);
        find_kind(work, event);
    }
    ranges_free(&work->ranges);
    work->met = 0;
}

/* ---- sets ---------------------------------------------------------------------------------------------------------- */

static uint32_t new_set(struct units *units, const struct set_label *label)
{
    vector_push(&units->sets, *label);
    return (uint32_t)units->sets.count;
}

/* The element of the block that the address is in, as a set. */
static uint32_t block_set(struct units *units, uint32_t number, uint64_t address)
{
    struct units_work *work = units->work;
    const struct block *block = &work->blocks.data[number - 1];
    if (block->kind == 0 && !block->is_named)
        return 0;
    uint64_t size = block->is_named ? 0 : atomic_sets_kind(work->sets, block->kind)->size;
    uint64_t element = size > 0 && block->elements > 1 ? (address - block->lo) / size : 0;
    uint64_t *set = table_put(&work->set_number, hash_combine(number, element));
    if (*set == 0) {
        struct set_label label = {
            .kind = block->kind, .base = block->lo + element * size, .variable = "", .pc = block->pc};
        label.number = (uint32_t)++ * table_put(&work->block_count, block->kind);
        *set = new_set(units, &label);
    }
    return (uint32_t)*set;
}

static uint32_t place_set(struct units *units, const struct set_place *place)
{
    uint64_t *set = table_put(&units->work->set_number, hash_combine(hash_combine(place->kind, place->base), 1));
    if (*set == 0) {
        struct set_label label = {.kind = place->kind, .base = place->base, .variable = place->name};
        *set = new_set(units, &label);
    }
    return (uint32_t)*set;
}

/* 0: in none. */
static uint32_t set_of(struct units *units, const struct wire_event *event)
{
    struct units_work *work = units->work;
    struct set_place place;
    uint32_t block = block_of(work, event->address);
    bool is_access = event->op == OP_READ || event->op == OP_WRITE || op_object(event->op) == ABOUT_ATOMIC;
    if (block != 0 && (is_member(event) || (is_access && work->blocks.data[block - 1].is_named)))
        return block_set(units, block, event->address);
    if (block != 0 || !is_member(event))
        return 0;
    if (event->frame != 0)
        return atomic_sets_local(work->sets, &work->copy->result.frames[event->frame - 1], event->address, &place)
                   ? place_set(units, &place)
                   : 0;
    return atomic_sets_static(work->sets, event->address, &place) ? place_set(units, &place) : 0;
}

static uint32_t kind_of_set(const struct units *units, uint32_t set)
{
    uint32_t kind = units->sets.data[set - 1].kind;
    return kind != 0 ? kind : KIND_NAMED;
}

/* ---- labels -------------------------------------------------------------------------------------------------------- */

static void restart(struct units *units, struct atomic_sets *sets, const struct wire_copy *copy)
{
    if (units->work == NULL)
        units->work = memory_allocate(1, sizeof *units->work);
    struct units_work *work = units->work;
    if (work->sets != sets) {
        table_clear(&work->function_of);
        table_clear(&work->is_own_place);
        table_clear(&work->service);
    }
    work->sets = sets;
    work->copy = copy;
    vector_clear(&units->units);
    vector_clear(&units->sets);
    table_clear(&work->unit_of);
    table_clear(&work->taken);
    table_clear(&work->unit_number);
    table_clear(&work->set_number);
    table_clear(&work->block_count);
}

void units_label(struct units *units, struct atomic_sets *sets, const struct wire_copy *copy,
                 struct execution *execution)
{
    assert(execution_count(execution) == copy->events.count);
    restart(units, sets, copy);
    struct units_work *work = units->work;
    label_calls(work);
    find_kinds(work);
    for (uint32_t i = 0; i < copy->events.count; i++) {
        const struct wire_event *event = &copy->events.data[i];
        struct event *labelled = &execution->events.data[i];
        see_memory(work, event);
        if (is_handover(event))
            end_units(work, event);
        labelled->set = set_of(units, event);
        if (labelled->set == 0)
            continue;
        uint32_t call = unit_call(work, event, kind_of_set(units, labelled->set));
        labelled->unit = unit_number(units, event, call);
        labelled->unit_depth = unit_depth(work, call);
    }
    ranges_free(&work->ranges);
}

void units_free(struct units *units)
{
    struct units_work *work = units->work;
    vector_free(&units->units);
    vector_free(&units->sets);
    units->work = NULL;
    if (work == NULL)
        return;
    vector_free(&work->calls);
    vector_free(&work->blocks);
    ranges_free(&work->ranges);
    table_free(&work->unit_of);
    table_free(&work->unit_number);
    table_free(&work->set_number);
    table_free(&work->block_count);
    table_free(&work->function_of);
    table_free(&work->is_own_place);
    table_free(&work->service);
    table_free(&work->taken);
    free(work);
}
