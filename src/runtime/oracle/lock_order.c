/* SPDX-License-Identifier: MIT
 *
 * lock_order.c - locks that two tasks take in both orders: one waits for b while it holds a, the other for a while it holds b.
 *
 * DESIGN
 *   The search finds the deadlock if it can happen.  If it cannot in this test, because both hold a third lock (a gate) or because
 *   the test runs the two one after the other, the two orders still occurred, and that is reported,
 *   with both stacks.  Only calls that wait without a limit count; a task that tries or waits with a time-out does not block.
 *   Shared holds of an rwlock do not exclude each other.
 *
 *   The graph has a node per lock and an edge per order that some task took, with at most two tasks for each.  When a lock is
 *   initialised, destroyed or its memory is freed, its node gets another generation, and the edges from before do not count.
 *   Nodes and edges are found by hash, so a lock that is held while many others are taken costs no more than one that is held alone.
 */
#include "runtime/oracle/lock_order.h"

#include "runtime/model/object.h"
#include "runtime/oracle/race.h"
#include "runtime/record.h"

enum { EDGES_MOST = 1 << 18, FIRST_BITS = 9, FIRST_HELD = 8, TASKS_PER_EDGE = 2 };

struct held_lock {
    uintptr_t lock, pc;
    uint32_t depth; /* of a recursive lock */
    bool shared;
};

struct held_locks {
    uint32_t count, room;
    struct held_lock *locks;
};

/* One task has waited for the edge's second lock while it held the first one. */
struct nesting {
    uintptr_t pc, held_pc; /* where it took the second lock, and the first */
    uint64_t operation;
    uint16_t task;
    uint8_t op;
    bool shared, held_shared;
    uint32_t held_count, stack_depth;
    const struct held_lock *held; /* all that it held */
    const uint64_t *stack;
};

struct entry { /* of a hash table: the beginning of a node or edge */
    struct entry *next;
    uint64_t hash;
};

struct entries {
    struct entry **buckets; /* NULL: it is empty */
    uint32_t bits, count;   /* 1 << bits buckets, at least one for each entry */
};

struct node {
    struct entry entry;
    uintptr_t address;
    uint32_t number; /* of the object: another one if memory was freed and used again */
    uint32_t generation;
};

struct edge {
    struct entry entry;
    struct node *from, *to;
    uint32_t generation, to_generation;
    uint32_t count;
    const struct nesting *nestings[TASKS_PER_EDGE];
};

static struct entries nodes, edges; /* empty: no lock was taken while another one was held */

/* ---- what a task holds ----------------------------------------------------------------------------------------------- */

static struct held_lock *find_held(const struct task *task, uintptr_t lock)
{
    struct held_locks *held = task->held_locks;
    for (uint32_t i = 0; held != NULL && i < held->count; i++)
        if (held->locks[i].lock == lock)
            return &held->locks[i];
    return NULL;
}

static void make_room(struct held_locks *held)
{
    struct held_lock *old = held->locks;
    uint32_t room = held->room;
    held->room = room == 0 ? FIRST_HELD : 2 * room;
    held->locks = rt_alloc(held->room * sizeof *held->locks);
    for (uint32_t i = 0; i < held->count; i++)
        held->locks[i] = old[i];
    if (old != NULL)
        rt_free(old, room * sizeof *old);
}

static void hold(struct task *self, uintptr_t lock, uintptr_t pc, bool shared)
{
    struct held_lock *known = find_held(self, lock);
    if (known != NULL) {
        known->depth++;
        return;
    }
    if (self->held_locks == NULL)
        self->held_locks = rt_alloc(sizeof *self->held_locks);
    struct held_locks *held = self->held_locks;
    if (held->count == held->room)
        make_room(held);
    held->locks[held->count++] = (struct held_lock){.lock = lock, .pc = pc, .depth = 1, .shared = shared};
}

static void drop_hold(struct held_locks *held, struct held_lock *entry)
{
    held->count--;
    for (uint32_t i = (uint32_t)(entry - held->locks); i < held->count; i++)
        held->locks[i] = held->locks[i + 1];
}

/* A lock may be unlocked by a task that did not take it. */
static void let_go(struct task *self, uintptr_t lock)
{
    struct task *holder = self;
    struct held_lock *entry = find_held(self, lock);
    for (uint32_t i = 0; entry == NULL && i < rt.task_count; i++) {
        holder = rt.tasks[i];
        entry = holder != NULL ? find_held(holder, lock) : NULL;
    }
    if (entry != NULL && --entry->depth == 0)
        drop_hold(holder->held_locks, entry);
}

/* ---- the graph ------------------------------------------------------------------------------------------------------- */

static struct entry **bucket(const struct entries *entries, uint64_t hash)
{
    return &entries->buckets[hash >> (64 - entries->bits)];
}

/* The first entry of those that may have this hash. */
static struct entry *first_entry(const struct entries *entries, uint64_t hash)
{
    return entries->buckets != NULL ? *bucket(entries, hash) : NULL;
}

static void link_entry(struct entries *entries, struct entry *entry)
{
    struct entry **link = bucket(entries, entry->hash);
    entry->next = *link;
    *link = entry;
}

/* Makes the table, or makes it twice as large. */
static void grow(struct entries *entries)
{
    struct entries old = *entries;
    uint32_t count = old.buckets != NULL ? 1u << old.bits : 0;
    entries->bits = old.buckets != NULL ? old.bits + 1 : FIRST_BITS;
    entries->buckets = rt_alloc(sizeof *entries->buckets << entries->bits);
    for (uint32_t i = 0; i < count; i++)
        for (struct entry *entry = old.buckets[i], *next; entry != NULL; entry = next) {
            next = entry->next;
            link_entry(entries, entry);
        }
    if (old.buckets != NULL)
        rt_free(old.buckets, count * sizeof *old.buckets);
}

static void add_entry(struct entries *entries, struct entry *entry, uint64_t hash)
{
    if (entries->buckets == NULL || entries->count >> entries->bits != 0)
        grow(entries);
    entries->count++;
    entry->hash = hash;
    link_entry(entries, entry);
}

static uint64_t hash_of(uintptr_t address)
{
    return address * 0x9e3779b97f4a7c15ull;
}

static struct node *find_node(uintptr_t address)
{
    struct entry *entry = first_entry(&nodes, hash_of(address));
    while (entry != NULL && ((struct node *)entry)->address != address)
        entry = entry->next;
    return (struct node *)entry;
}

static struct node *get_node(uintptr_t address, enum object_kind kind)
{
    struct node *node = find_node(address);
    const struct object *object = object_find(address, kind);
    uint32_t number = object != NULL ? object->number : 0;
    if (node == NULL) {
        node = rt_alloc(sizeof *node);
        *node = (struct node){.address = address, .number = number};
        add_entry(&nodes, &node->entry, hash_of(address));
    }
    node->generation += node->number != number;
    node->number = number;
    return node;
}

static uint64_t hash_of_order(const struct node *from, const struct node *to)
{
    return hash_of(rt_mix(from->address) ^ to->address);
}

/* Of any generation. */
static struct edge *find_old_edge(const struct node *from, const struct node *to)
{
    for (struct entry *entry = first_entry(&edges, hash_of_order(from, to)); entry != NULL; entry = entry->next) {
        struct edge *edge = (struct edge *)entry;
        if (edge->from == from && edge->to == to)
            return edge;
    }
    return NULL;
}

static bool is_current(const struct edge *edge)
{
    return edge->generation == edge->from->generation && edge->to_generation == edge->to->generation;
}

static struct edge *find_edge(const struct node *from, const struct node *to)
{
    struct edge *edge = find_old_edge(from, to);
    return edge != NULL && is_current(edge) ? edge : NULL;
}

static size_t size_of(const struct nesting *nesting)
{
    return sizeof *nesting + nesting->held_count * sizeof nesting->held[0] +
           nesting->stack_depth * sizeof nesting->stack[0];
}

/* A copy, with all that it refers to. */
static const struct nesting *keep(const struct nesting *nesting)
{
    struct nesting *kept = rt_alloc(size_of(nesting));
    struct held_lock *held = (struct held_lock *)(kept + 1);
    uint64_t *stack = (uint64_t *)(held + nesting->held_count);
    *kept = *nesting;
    kept->held = held;
    kept->stack = stack;
    for (uint32_t i = 0; i < nesting->held_count; i++)
        held[i] = nesting->held[i];
    for (uint32_t i = 0; i < nesting->stack_depth; i++)
        stack[i] = nesting->stack[i];
    return kept;
}

static void forget_nestings(struct edge *edge)
{
    while (edge->count > 0) {
        const struct nesting *nesting = edge->nestings[--edge->count];
        rt_free((void *)(uintptr_t)nesting, size_of(nesting));
    }
}

/* NULL: there are too many. */
static struct edge *get_edge(struct node *from, struct node *to)
{
    struct edge *edge = find_old_edge(from, to);
    if (edge == NULL && edges.count >= EDGES_MOST) {
        rt.wire->result.lost |= LOST_FINDINGS;
        return NULL;
    }
    if (edge == NULL) {
        edge = rt_alloc(sizeof *edge);
        *edge = (struct edge){.from = from, .to = to};
        add_entry(&edges, &edge->entry, hash_of_order(from, to));
    } else if (!is_current(edge)) {
        forget_nestings(edge);
    }
    edge->generation = from->generation;
    edge->to_generation = to->generation;
    return edge;
}

/* ---- inversions ------------------------------------------------------------------------------------------------------ */

/* A lock that both held all the time, so that the two could not overlap; 0: none. */
static uintptr_t gate_of(const struct nesting *a, const struct nesting *b, uintptr_t one, uintptr_t two)
{
    for (uint32_t i = 0; i < a->held_count; i++) {
        const struct held_lock *mine = &a->held[i];
        for (uint32_t k = 0; k < b->held_count && mine->lock != one && mine->lock != two; k++)
            if (b->held[k].lock == mine->lock && !(mine->shared && b->held[k].shared))
                return mine->lock;
    }
    return 0;
}

static bool excludes(bool shared, bool other_shared)
{
    return !(shared && other_shared);
}

/* Programs often lock in a function of their own, so the place alone does not distinguish two orders. */
static uintptr_t way_of(const struct nesting *nesting)
{
    uint64_t hash = 1;
    for (uint32_t i = 0; i < nesting->stack_depth; i++)
        hash = rt_mix(hash ^ nesting->stack[i]);
    return hash | 1;
}

static void report(struct task *self, const struct nesting *mine, const struct nesting *other, uintptr_t first,
                   uintptr_t second)
{
    if (!race_pair_is_new(way_of(mine), way_of(other)))
        return;
    struct wire_finding *finding =
        finding_add(self, KIND_LOCK_ORDER, mine->pc, second, "two locks are taken in both orders");
    finding->here.op = mine->op;
    finding->other = (struct wire_access){
        .task = other->task, .op = other->op, .pc = other->pc, .address = first, .operation = other->operation};
    finding->held_pc = mine->held_pc;
    finding->other_held_pc = other->held_pc;
    finding->gate = gate_of(mine, other, first, second);
    finding->other_stack_depth = other->stack_depth;
    for (uint32_t i = 0; i < other->stack_depth; i++)
        finding->other_stack[i] = other->stack[i];
}

static const struct nesting *find_inverse(const struct node *from, const struct node *to, const struct nesting *mine)
{
    const struct edge *inverse = find_edge(to, from);
    for (uint32_t i = 0; inverse != NULL && i < inverse->count; i++) {
        const struct nesting *other = inverse->nestings[i];
        if (other->task != mine->task && excludes(mine->held_shared, other->shared) &&
            excludes(mine->shared, other->held_shared))
            return other;
    }
    return NULL;
}

/* Whether the edge should have this task, too. */
static bool is_wanted(const struct edge *edge, const struct task *self)
{
    for (uint32_t i = 0; i < edge->count; i++)
        if (edge->nestings[i]->task == self->id)
            return false;
    return edge->count < TASKS_PER_EDGE;
}

static struct node *node_of(uintptr_t lock)
{
    static const enum object_kind kinds[] = {OBJECT_MUTEX, OBJECT_RWLOCK, OBJECT_SPIN};
    enum object_kind kind = OBJECT_MUTEX;
    for (uint32_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (object_find(lock, kinds[i]) != NULL)
            kind = kinds[i];
    return get_node(lock, kind);
}

/* At most once for each nesting: most are neither reported nor kept. */
static void set_stack(struct task *self, struct nesting *nesting)
{
    static uint64_t stack[WIRE_STACK]; /* not on the stack: leftover.c */
    if (nesting->stack != NULL)
        return;
    nesting->stack_depth = record_stack(self, nesting->pc, stack);
    nesting->stack = stack;
}

/* The task holds `before` and has waited for the lock of the nesting. */
static void follow(struct task *self, struct nesting *nesting, struct node *to, const struct held_lock *before)
{
    struct node *from = node_of(before->lock);
    nesting->held_pc = before->pc;
    nesting->held_shared = before->shared;
    const struct nesting *inverse = find_inverse(from, to, nesting);
    if (inverse != NULL) {
        set_stack(self, nesting);
        report(self, nesting, inverse, from->address, to->address);
    }
    struct edge *edge = get_edge(from, to);
    if (edge == NULL || !is_wanted(edge, self))
        return;
    set_stack(self, nesting);
    edge->nestings[edge->count++] = keep(nesting);
}

/* The task has waited for `object` without a limit, and holds it now. */
static void waited(struct task *self, const struct op *op, const struct object *object, bool shared)
{
    const struct held_locks *held = self->held_locks;
    if (held == NULL || held->count == 0 || find_held(self, object->address) != NULL)
        return;
    struct nesting nesting = {.pc = op->pc,
                              .operation = self->operations,
                              .task = (uint16_t)self->id,
                              .op = (uint8_t)op->kind,
                              .shared = shared,
                              .held = held->locks,
                              .held_count = held->count};
    struct node *to = get_node(object->address, object->kind);
    for (uint32_t i = 0; i < held->count; i++)
        follow(self, &nesting, to, &held->locks[i]);
}

static void acquired(struct task *self, const struct op *op, const struct object *object, bool shared)
{
    if (op->deadline == RT_NEVER)
        waited(self, op, object, shared);
    hold(self, object->address, op->pc, shared);
}

static void forget(uintptr_t lock)
{
    struct node *node = find_node(lock);
    if (node != NULL)
        node->generation++;
}

static bool is_lock(uint32_t kind)
{
    uint8_t object = op_facts[kind].object;
    return object == ABOUT_MUTEX || object == ABOUT_RWLOCK || object == ABOUT_SPIN;
}

static void lock_event(struct task *self, const struct op *op, bool failed, bool shared)
{
    switch ((enum op_effect)op_facts[op->kind].effect) {
    case EFFECT_LOCK:
    case EFFECT_RDLOCK:
        if (!failed && op_facts[op->kind].try)
            hold(self, op->address, op->pc, shared);
        else if (!failed)
            acquired(self, op, op->object, shared);
        break;
    case EFFECT_UNLOCK:
        if (!failed)
            let_go(self, op->address);
        break;
    case EFFECT_INIT:
    case EFFECT_DESTROY:
        forget(op->address);
        break;
    default:
        break;
    }
}

void lock_order_event(struct task *self, const struct op *op, uint64_t value, uint8_t flags)
{
    bool failed = flags & EVENT_FAILED, shared = flags & EVENT_READING;
    if (op->object == NULL || op->object->kind == OBJECT_FILE)
        return;
    if (op->kind == OP_COND_WAKE) { /* with any result, it has waited for the mutex */
        if (op->object2 != NULL && op->object2->mutex.owner == self) {
            waited(self, op, op->object2, false);
            hold(self, op->object2->address, op->pc, false);
        }
    } else if (op->kind == OP_COND_WAIT) {
        if (flags & EVENT_VALUE)
            let_go(self, value);
    } else if (is_lock(op->kind)) {
        lock_event(self, op, failed, shared);
    }
}
