/* SPDX-License-Identifier: MIT
 *
 * serializability.c - see serializability.h.
 *
 * DESIGN
 *   Two things are done for each access e of a unit p.
 *
 *   Patterns.  For each other unit q that has accessed the location, some of e's conflicts with it lead from q to p.  If a conflict from
 *   p to q is known, at this location or at another one, the two units are not serializable, and the kinds and the order of the three
 *   or four accesses say which pattern it is.  A unit whose last access came before p's first is passed over: no conflict leads from p to it.
 *
 *   Cycles.  The units are the nodes of a graph, and its edges lead from the last accesses that conflict with e to p.  Other conflicts
 *   follow from these.  An edge that closes a cycle is a violation; it is given as a cycle only if no pattern was found for the two units.
 *
 *   A cycle that is yet to be closed contains a unit that goes on.  So units that no unit that goes on leads to are forgotten: now and
 *   then all that are reached are marked, and the rest is dropped.
 */
#include "pattern/serializability.h"

#include <assert.h>

#include "util/hash.h"
#include "util/table.h"
#include "util/vector.h"

#define NONE UINT32_MAX

enum { READ, WRITE, KINDS };
enum { FIRST, LAST, ENDS };

struct touch { /* of one location by one unit: indices of accesses */
    uint32_t node;
    uint32_t access[KINDS][ENDS]; /* NONE: there is none */
};

struct place { /* a location */
    uint32_t location;
    VECTOR(struct touch) touches;
    uint32_t writer;          /* the last write; NONE */
    VECTOR(uint32_t) readers; /* since then, the last read of each unit */
};

struct edge { /* from a node to this one */
    uint32_t to;
    uint32_t from_access, to_access;
};

struct node { /* a unit */
    uint32_t unit;
    uint32_t first, last;   /* accesses, so far */
    uint32_t end;           /* its last access of all */
    uint32_t mark;          /* of the search that has come here last */
    uint32_t came_from;     /* that search: from this node, */
    uint32_t came_by;       /* by this one of its edges */
    VECTOR(struct edge) to; /* successors */
    VECTOR(uint32_t) places;
};

struct monitor {
    const struct unit_access *accesses;
    serializability_found *found;
    void *context;
    uint64_t work;
    size_t violations;
    uint32_t set;
    VECTOR(struct node) nodes;
    VECTOR(struct place) places;
    struct table node_of, place_of; /* unit, location → index + 1 */
    struct table ends;              /* unit → index of its last access in the set + 1 */
    struct table known;             /* hashes of violations */
    VECTOR(uint32_t) stack, order;  /* of searches; the accesses of the set */
    uint32_t mark;
    size_t size, swept; /* touches, and how many there were after the last sweep */
};

/* ---- what is known ------------------------------------------------------------------------------------------------- */

static uint32_t node_of(struct monitor *monitor, uint32_t access)
{
    uint32_t unit = monitor->accesses[access].unit;
    uint64_t *index = table_put(&monitor->node_of, unit);
    if (*index == 0) {
        uint64_t *end = table_get(&monitor->ends, unit);
        assert(end != NULL && *end > access);
        vector_push(&monitor->nodes,
                    (struct node){.unit = unit, .first = access, .last = access, .end = (uint32_t)*end - 1});
        *index = monitor->nodes.count;
    }
    return (uint32_t)*index - 1;
}

static uint32_t place_of(struct monitor *monitor, uint32_t location)
{
    uint64_t *index = table_put(&monitor->place_of, location);
    if (*index == 0) {
        vector_push(&monitor->places, (struct place){.location = location, .writer = NONE});
        *index = monitor->places.count;
    }
    return (uint32_t)*index - 1;
}

static struct touch *find_touch(struct monitor *monitor, struct place *place, uint32_t node)
{
    for (size_t i = place->touches.count; i-- > 0;) {
        monitor->work++;
        if (place->touches.data[i].node == node)
            return &place->touches.data[i];
    }
    return NULL;
}

static struct touch *add_touch(struct monitor *monitor, uint32_t index, uint32_t node)
{
    struct place *place = &monitor->places.data[index];
    vector_push(&place->touches, (struct touch){node, {{NONE, NONE}, {NONE, NONE}}});
    vector_push(&monitor->nodes.data[node].places, index);
    monitor->size++;
    return &place->touches.data[place->touches.count - 1];
}

static void remember(struct monitor *monitor, uint32_t index, uint32_t node, uint32_t access)
{
    struct touch *known = find_touch(monitor, &monitor->places.data[index], node);
    struct touch *touch = known != NULL ? known : add_touch(monitor, index, node);
    uint32_t *ends = touch->access[monitor->accesses[access].write ? WRITE : READ];
    if (ends[FIRST] == NONE)
        ends[FIRST] = access;
    ends[LAST] = access;
    monitor->nodes.data[node].last = access;
}

/* ---- patterns ------------------------------------------------------------------------------------------------------ */

static bool is_new(struct monitor *monitor, const struct violation *violation)
{
    uint64_t hash = hash_combine((uint64_t)violation->unit << 32 | violation->other, violation->pattern);
    for (unsigned i = 0; i < violation->count; i++)
        hash = hash_combine(hash, monitor->accesses[violation->accesses[i]].location);
    uint64_t *times = table_put(&monitor->known, hash);
    return (*times)++ == 0;
}

static void report(struct monitor *monitor, const struct violation *violation)
{
    if (!is_new(monitor, violation))
        return;
    monitor->violations++;
    if (monitor->found != NULL)
        monitor->found(monitor->context, violation);
}

/* u's first access, u' between, u's last one, at one location. */
static unsigned pattern_of_one(bool first, bool between, bool last)
{
    static const unsigned patterns[2][2][2] = {/* [first][between][last], true: write */
                                               {{0, 0}, {2, 1}},
                                               {{0, 3}, {4, 5}}};
    return patterns[first][between][last];
}

static bool find_patterns_of_one(struct monitor *monitor, const struct touch *own, const struct touch *other,
                                 uint32_t access)
{
    bool write = monitor->accesses[access].write, any = false;
    for (unsigned first = READ; own != NULL && first < KINDS; first++) {
        for (unsigned between = READ; between < KINDS; between++) {
            uint32_t a = own->access[first][FIRST], b = other->access[between][LAST];
            unsigned pattern = pattern_of_one(first == WRITE, between == WRITE, write);
            if (pattern == 0 || a == NONE || b == NONE || a >= b)
                continue;
            struct violation violation = {.pattern = pattern,
                                          .set = monitor->set,
                                          .unit = monitor->accesses[access].unit,
                                          .other = monitor->accesses[b].unit,
                                          .units = 2,
                                          .accesses = {a, b, access},
                                          .count = 3};
            report(monitor, &violation);
            any = true;
        }
    }
    return any;
}

/* Two conflicts at two locations: from `a` of p to `b` of q, and from `c` of q to `d` of p, the last of all. */
struct crossing {
    uint32_t a, b, c, d;
};

/* 0: none of the patterns. */
static unsigned pattern_of_two(const struct unit_access *accesses, const struct crossing *crossing)
{
    bool a = accesses[crossing->a].write, b = accesses[crossing->b].write;
    bool c = accesses[crossing->c].write, d = accesses[crossing->d].write;
    bool p_first = crossing->a < crossing->c;
    if (a && b && c && d)
        return p_first ? 6 : 7;
    if (a && !b && !c && d)
        return p_first ? 8 : 10;
    if (!a && b && c && !d)
        return p_first ? 9 : 11;
    return 0;
}

static void report_crossing(struct monitor *monitor, const struct crossing *crossing, unsigned pattern)
{
    const struct unit_access *accesses = monitor->accesses;
    bool p_first = crossing->a < crossing->c;
    bool b_first = crossing->b < crossing->c;
    uint32_t p = accesses[crossing->d].unit, q = accesses[crossing->c].unit;
    struct violation violation = {.pattern = pattern,
                                  .set = monitor->set,
                                  .unit = p_first ? p : q,
                                  .other = p_first ? q : p,
                                  .units = 2,
                                  .count = 4};
    uint32_t order[4] = {crossing->a, b_first ? crossing->b : crossing->c, b_first ? crossing->c : crossing->b,
                         crossing->d};
    if (!p_first) {
        order[0] = crossing->c;
        order[1] = crossing->a;
        order[2] = crossing->b;
    }
    memcpy(violation.accesses, order, sizeof order);
    report(monitor, &violation);
}

/* All ways to choose from the first and last accesses at the other location.  Returns whether any was a pattern. */
static bool cross(struct monitor *monitor, const struct touch *own, const struct touch *other, uint32_t before,
                  uint32_t access)
{
    bool any = false;
    for (unsigned i = 0; i < KINDS * ENDS * KINDS * ENDS; i++) {
        uint32_t a = own->access[i & 1][i >> 1 & 1], b = other->access[i >> 2 & 1][i >> 3];
        if (a == NONE || b == NONE || a >= b)
            continue;
        struct crossing crossing = {a, b, before, access};
        unsigned pattern = pattern_of_two(monitor->accesses, &crossing);
        monitor->work++;
        if (pattern == 0)
            continue;
        report_crossing(monitor, &crossing, pattern);
        any = true;
    }
    return any;
}

/* With the conflicts from p to q at all other locations. */
static bool find_patterns_of_two(struct monitor *monitor, uint32_t p, uint32_t q, uint32_t here,
                                 const struct touch *other, uint32_t access)
{
    bool any = false;
    for (size_t i = 0; i < monitor->nodes.data[p].places.count; i++) {
        uint32_t index = monitor->nodes.data[p].places.data[i];
        struct place *place = &monitor->places.data[index];
        const struct touch *own = index != here ? find_touch(monitor, place, p) : NULL;
        const struct touch *its = own != NULL ? find_touch(monitor, place, q) : NULL;
        for (unsigned k = 0; its != NULL && k < KINDS * ENDS; k++) {
            uint32_t before = other->access[k & 1][k >> 1];
            bool conflict = before != NONE && (monitor->accesses[before].write || monitor->accesses[access].write);
            any |= conflict && cross(monitor, own, its, before, access);
        }
    }
    return any;
}

/* Of the two units, where `access` is the last one. */
static bool find_patterns(struct monitor *monitor, uint32_t here, uint32_t p, const struct touch *other,
                          uint32_t access)
{
    monitor->work++;
    if (monitor->nodes.data[other->node].last < monitor->nodes.data[p].first)
        return false;
    const struct touch *own = find_touch(monitor, &monitor->places.data[here], p);
    bool one = find_patterns_of_one(monitor, own, other, access);
    return find_patterns_of_two(monitor, p, other->node, here, other, access) || one;
}

/* ---- cycles -------------------------------------------------------------------------------------------------------- */

static void visit(struct monitor *monitor, uint32_t index, uint32_t from, uint32_t by)
{
    struct node *node = &monitor->nodes.data[index];
    if (node->mark == monitor->mark)
        return;
    node->mark = monitor->mark;
    node->came_from = from;
    node->came_by = by;
    vector_push(&monitor->stack, index);
}

/* Marks all that `from` leads to, breadth first, until `to` is met.  NONE: all. */
static bool search(struct monitor *monitor, uint32_t to)
{
    for (size_t next = 0; next < monitor->stack.count; next++) {
        uint32_t index = monitor->stack.data[next];
        if (index == to)
            return true;
        for (size_t i = 0; i < monitor->nodes.data[index].to.count; i++) {
            monitor->work++;
            visit(monitor, monitor->nodes.data[index].to.data[i].to, index, (uint32_t)i);
        }
    }
    return false;
}

static bool leads_to(struct monitor *monitor, uint32_t from, uint32_t to)
{
    monitor->mark++;
    vector_clear(&monitor->stack);
    visit(monitor, from, NONE, 0);
    return search(monitor, to);
}

/* The way from p to q that was found, and back by the new edge from q to p. */
static void report_cycle(struct monitor *monitor, uint32_t q, uint32_t before, uint32_t access)
{
    struct violation violation = {.set = monitor->set,
                                  .unit = monitor->accesses[access].unit,
                                  .other = monitor->accesses[before].unit,
                                  .units = 1,
                                  .count = 2};
    uint32_t *at = &violation.accesses[SERIALIZABILITY_EVENTS];
    *--at = access;
    *--at = before;
    for (const struct node *node = &monitor->nodes.data[q]; node->came_from != NONE; violation.units++) {
        const struct node *from = &monitor->nodes.data[node->came_from];
        const struct edge *edge = &from->to.data[node->came_by];
        if (violation.count < SERIALIZABILITY_EVENTS) {
            *--at = edge->to_access;
            *--at = edge->from_access;
            violation.count += 2;
        }
        node = from;
    }
    memmove(violation.accesses, at, violation.count * sizeof *at);
    report(monitor, &violation);
}

static bool has_edge(const struct node *from, uint32_t to)
{
    for (size_t i = from->to.count; i-- > 0;)
        if (from->to.data[i].to == to)
            return true;
    return false;
}

/* A conflict of `before` with `access`, which comes immediately after it.  `known`: a pattern says already that p is in a cycle. */
static void add_edge(struct monitor *monitor, uint32_t before, uint32_t access, uint32_t p, bool known)
{
    const uint64_t *index = before != NONE ? table_get(&monitor->node_of, monitor->accesses[before].unit) : NULL;
    if (index == NULL) /* forgotten */
        return;
    uint32_t q = (uint32_t)*index - 1;
    if (q == p || has_edge(&monitor->nodes.data[q], p))
        return;
    if (!known && leads_to(monitor, p, q))
        report_cycle(monitor, q, before, access);
    vector_push(&monitor->nodes.data[q].to, (struct edge){p, before, access});
}

/* ---- one access ---------------------------------------------------------------------------------------------------- */

static bool find_all_patterns(struct monitor *monitor, uint32_t here, uint32_t p, uint32_t access)
{
    bool write = monitor->accesses[access].write, any = false;
    for (size_t i = 0; i < monitor->places.data[here].touches.count; i++) {
        struct touch other = monitor->places.data[here].touches.data[i];
        bool conflict = write || other.access[WRITE][FIRST] != NONE;
        if (other.node != p && conflict)
            any |= find_patterns(monitor, here, p, &other, access);
    }
    return any;
}

static void add_edges(struct monitor *monitor, const struct place *place, uint32_t p, uint32_t access, bool known)
{
    if (monitor->accesses[access].write)
        for (size_t i = 0; i < place->readers.count; i++)
            add_edge(monitor, place->readers.data[i], access, p, known);
    add_edge(monitor, place->writer, access, p, known);
}

static void note_access(struct monitor *monitor, struct place *place, uint32_t access)
{
    if (monitor->accesses[access].write) {
        place->writer = access;
        vector_clear(&place->readers);
        return;
    }
    for (size_t i = 0; i < place->readers.count; i++) {
        uint32_t *reader = &place->readers.data[i];
        if (monitor->accesses[*reader].unit == monitor->accesses[access].unit) {
            *reader = access;
            return;
        }
    }
    vector_push(&place->readers, access);
}

/* ---- forgetting ---------------------------------------------------------------------------------------------------- */

static void mark_reached(struct monitor *monitor, uint32_t access)
{
    monitor->mark++;
    vector_clear(&monitor->stack);
    for (uint32_t i = 0; i < monitor->nodes.count; i++)
        if (monitor->nodes.data[i].end > access)
            visit(monitor, i, NONE, 0);
    search(monitor, NONE);
}

static void drop_touches(struct monitor *monitor, struct place *place, const uint32_t *renumbered)
{
    size_t kept = 0;
    for (size_t i = 0; i < place->touches.count; i++) {
        struct touch touch = place->touches.data[i];
        touch.node = renumbered[touch.node];
        if (touch.node != NONE)
            place->touches.data[kept++] = touch;
    }
    place->touches.count = kept;
    monitor->size += kept;
}

static void drop_readers(struct monitor *monitor, struct place *place)
{
    size_t kept = 0;
    for (size_t i = 0; i < place->readers.count; i++)
        if (table_get(&monitor->node_of, monitor->accesses[place->readers.data[i]].unit) != NULL)
            place->readers.data[kept++] = place->readers.data[i];
    place->readers.count = kept;
}

/* Keeps the nodes that are marked; where each has gone is in `renumbered`.  All that a kept node leads to is kept. */
static void drop_nodes(struct monitor *monitor, uint32_t *renumbered)
{
    uint32_t kept = 0;
    table_clear(&monitor->node_of);
    for (uint32_t i = 0; i < monitor->nodes.count; i++) {
        struct node *node = &monitor->nodes.data[i];
        renumbered[i] = node->mark == monitor->mark ? kept++ : NONE;
        if (renumbered[i] != NONE) {
            *table_put(&monitor->node_of, node->unit) = kept;
            monitor->nodes.data[renumbered[i]] = *node;
        } else {
            vector_free(&node->to);
            vector_free(&node->places);
        }
    }
    monitor->nodes.count = kept;
    for (uint32_t i = 0; i < kept; i++)
        for (size_t k = 0; k < monitor->nodes.data[i].to.count; k++)
            monitor->nodes.data[i].to.data[k].to = renumbered[monitor->nodes.data[i].to.data[k].to];
}

static void sweep(struct monitor *monitor, uint32_t access)
{
    mark_reached(monitor, access);
    monitor->work += monitor->size;
    uint32_t *renumbered = memory_allocate(monitor->nodes.count, sizeof *renumbered);
    drop_nodes(monitor, renumbered);
    monitor->size = 0;
    for (size_t i = 0; i < monitor->places.count; i++) {
        drop_touches(monitor, &monitor->places.data[i], renumbered);
        drop_readers(monitor, &monitor->places.data[i]);
    }
    free(renumbered);
    monitor->swept = monitor->size;
}

/* ---- sets ---------------------------------------------------------------------------------------------------------- */

static void feed(struct monitor *monitor, uint32_t access)
{
    enum { SOME = 64 };
    monitor->work++;
    uint32_t p = node_of(monitor, access);
    uint32_t here = place_of(monitor, monitor->accesses[access].location);
    bool known = find_all_patterns(monitor, here, p, access);
    add_edges(monitor, &monitor->places.data[here], p, access, known);
    remember(monitor, here, p, access);
    note_access(monitor, &monitor->places.data[here], access);
    if (monitor->size > 2 * monitor->swept + SOME)
        sweep(monitor, access);
}

static void forget_set(struct monitor *monitor)
{
    for (size_t i = 0; i < monitor->nodes.count; i++) {
        vector_free(&monitor->nodes.data[i].to);
        vector_free(&monitor->nodes.data[i].places);
    }
    for (size_t i = 0; i < monitor->places.count; i++) {
        vector_free(&monitor->places.data[i].touches);
        vector_free(&monitor->places.data[i].readers);
    }
    vector_clear(&monitor->nodes);
    vector_clear(&monitor->places);
    table_clear(&monitor->node_of);
    table_clear(&monitor->place_of);
    table_clear(&monitor->ends);
    table_clear(&monitor->known);
    monitor->size = monitor->swept = 0;
}

static void check_set(struct monitor *monitor, const uint32_t *order, size_t count)
{
    monitor->set = monitor->accesses[order[0]].set;
    for (size_t i = 0; i < count; i++)
        *table_put(&monitor->ends, monitor->accesses[order[i]].unit) = (uint64_t)order[i] + 1;
    for (size_t i = 0; i < count; i++)
        feed(monitor, order[i]);
    forget_set(monitor);
}

static void monitor_free(struct monitor *monitor)
{
    vector_free(&monitor->nodes);
    vector_free(&monitor->places);
    table_free(&monitor->node_of);
    table_free(&monitor->place_of);
    table_free(&monitor->ends);
    table_free(&monitor->known);
    vector_free(&monitor->stack);
    vector_free(&monitor->order);
}

/* The accesses set by set, sets in the order of their first one; where each begins is in `begins`, with one more at the end. */
static size_t sort_by_set(const struct unit_access *accesses, size_t count, uint32_t *order, uint32_t *begins)
{
    struct table sets = {0};
    uint32_t *sizes = memory_allocate(count + 1, sizeof *sizes);
    size_t set_count = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t *set = table_put(&sets, accesses[i].set);
        if (*set == 0)
            *set = ++set_count;
        sizes[*set]++;
    }
    for (size_t i = 0; i < set_count; i++)
        begins[i + 1] = begins[i] + sizes[i + 1];
    for (size_t i = 0; i < set_count; i++)
        sizes[i] = begins[i];
    for (size_t i = 0; i < count; i++)
        order[sizes[*table_get(&sets, accesses[i].set) - 1]++] = (uint32_t)i;
    free(sizes);
    table_free(&sets);
    return set_count;
}

size_t serializability_check(const struct unit_access *accesses, size_t count, serializability_found *found,
                             void *context, uint64_t *work)
{
    struct monitor monitor = {.accesses = accesses, .found = found, .context = context};
    uint32_t *begins = memory_allocate(count + 1, sizeof *begins);
    vector_reserve(&monitor.order, count + 1);
    size_t sets = sort_by_set(accesses, count, monitor.order.data, begins);
    for (size_t i = 0; i < sets; i++)
        check_set(&monitor, monitor.order.data + begins[i], begins[i + 1] - begins[i]);
    free(begins);
    monitor_free(&monitor);
    if (work != NULL)
        *work += monitor.work;
    return monitor.violations;
}
