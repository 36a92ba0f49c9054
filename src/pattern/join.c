/* SPDX-License-Identifier: MIT
 *
 * join.c - from dependencies to instances: each alone, and with earlier ones between the same two tasks.
 *
 * DESIGN
 *   e2 = C→D is fresh: D is the event of now.  e1 = A→B is from the log.  If e1 goes from D's task to C's, A and D are of
 *   one task and B and C of the other (idioms 2 to 5); if it goes the same way as e2, A and C are of one task (idiom 6).
 *
 *   Most combinations have been reported long ago.  So dependencies are numbered by sites and kinds, and for two numbers
 *   it is remembered of which cases nothing new can come: then the whole chain of dependencies with the first number is
 *   passed over, or looked at only for the cases that are left.  Two numbers of which nothing at all is left have a bit of their own.
 */
#include <stdlib.h>
#include <string.h>

#include "pattern/observe_private.h"
#include "util/hash.h"
#include "util/memory.h"
#include "util/stop.h"

/* In combinations that were only looked at. */
enum { REPORT_WORK = 8, FOUND_WORK = 100, TABLE_WORK = 6, EDGE_WORK = 32, CELLS_PER_WORK = 2 };
enum { LOG_LIMIT = 256 }; /* a log is not looked through before it is so long */
/* With a bound on the work: so many dependencies like each other are joined, with so many chains, and so many dependencies of each. */
enum { LATE_ALIKE = 8, LATE_CHAINS = 16, LATE_EDGES = 4 };

/* ---- what a combination is --------------------------------------------------------------------------------------- */

/* A and D are of task 0 in the first cases, A and C in the last ones. */
static const struct shape_case cases[JOIN_CASES] = {
    [JOIN_PAIR] = {2, {0, 1, 0, 0}, {0, 1, 0, 0}, true, true},
    [JOIN_TRIPLE] = {3, {0, 1, 1, 0}, {0, 1, 1, 2}, true, true},
    [JOIN_ABCD_ONE] = {4, {0, 1, 1, 0}, {0, 1, 2, 3}, true, true},
    [JOIN_ABCD] = {4, {0, 1, 1, 0}, {0, 1, 2, 3}, true, false},
    [JOIN_ACBD] = {4, {0, 1, 1, 0}, {0, 2, 1, 3}, true, false},
    [JOIN_CABD] = {4, {0, 1, 1, 0}, {1, 2, 0, 3}, true, false},
    [JOIN_SAME_ABCD] = {4, {0, 1, 0, 1}, {0, 1, 2, 3}, true, false},
    [JOIN_SAME_ACBD] = {4, {0, 1, 0, 1}, {0, 2, 1, 3}, true, false},
};

static const struct access_record *record_at(const struct dependency_edge *e1, const struct dependency_edge *e2,
                                             enum shape_end end)
{
    switch (end) {
    case END_A:
        return &e1->from;
    case END_B:
        return &e1->to;
    case END_C:
        return &e2->from;
    default:
        return &e2->to;
    }
}

static bool kinds_fit(const struct shape_choice *choice, const struct dependency_edge *e1,
                      const struct dependency_edge *e2)
{
    const struct pattern *shape = family_shape(choice->row);
    for (unsigned i = 0; i < shape->count; i++)
        if (!access_fits(shape->steps[i].kind, record_at(e1, e2, choice->end[i])->kind))
            return false;
    return true;
}

/* Units of work and atomic sets. */
static bool units_fit(const struct shape_choice *choice, unsigned flags, const struct dependency_edge *e1,
                      const struct dependency_edge *e2)
{
    const struct pattern *shape = family_shape(choice->row);
    const struct access_record *first = record_at(e1, e2, choice->end[0]);
    for (unsigned i = 0; i < shape->count; i++) {
        const struct access_record *record = record_at(e1, e2, choice->end[i]);
        int before = pattern_previous_of_thread(shape, i);
        if (before >= 0 && record_at(e1, e2, choice->end[before])->unit != record->unit)
            return false;
        if ((flags & FAMILY_SET) && (record->unit == 0 || record->set == 0 || record->set != first->set))
            return false;
    }
    return true;
}

/* All conditions that hold for some accesses from these sites, and not for others. */
static bool accesses_fit(const struct shape_choice *choice, const struct dependency_edge *e1,
                         const struct dependency_edge *e2)
{
    unsigned flags = families[choice->row].flags;
    if (!(e1->relations & 1 << choice->first) || (e2 != e1 && !(e2->relations & 1 << choice->second)))
        return false;
    if ((flags & FAMILY_UNINTERRUPTED) && e2->previous != e1->from.number)
        return false;
    if ((flags & FAMILY_BRINK) && !e1->brink)
        return false;
    if ((flags & FAMILY_PLAIN) && (!access_is_data(e1->from.kind) || (e1->from.atomic && e1->to.atomic)))
        return false;
    return !(flags & FAMILY_UNIT) || units_fit(choice, flags, e1, e2);
}

static struct instance make_instance(const struct shape_choice *choice, const struct dependency_edge *e1,
                                     const struct dependency_edge *e2)
{
    const struct pattern *shape = family_shape(choice->row);
    struct instance instance = {.row = choice->row};
    for (unsigned i = 0; i < shape->count; i++) {
        const struct access_record *record = record_at(e1, e2, choice->end[i]);
        instance.site[i] = record->site;
        instance.kind[i] = shape->steps[i].kind != ACCESS_ANY ? shape->steps[i].kind : record->kind;
    }
    return instance;
}

static void add_instance(struct observer *observer, const struct shape_choice *choice, struct instance *instance,
                         const uint8_t order[PATTERN_STEPS], const struct dependency_edge *e1,
                         const struct dependency_edge *e2)
{
    struct witness witnesses[PATTERN_STEPS] = {{0}};
    for (unsigned i = 0; i < family_shape(choice->row)->count; i++) {
        const struct access_record *record = record_at(e1, e2, choice->end[order[i]]);
        witnesses[i] = (struct witness){.operation = record->operation,
                                        .address = record->lo,
                                        .context = record->context,
                                        .occurrence = record->occurrence,
                                        .task = record->task};
    }
    instances_add(observer->found, instance, witnesses);
    observer->work += FOUND_WORK;
}

/* Reports what the two are an instance of.  False: nothing new can ever come of these sites in this case. */
static bool report(struct observer *observer, enum join_case join_case, const struct dependency_edge *e1,
                   const struct dependency_edge *e2)
{
    bool open = false;
    observer->work += REPORT_WORK;
    for (size_t i = 0; i < observer->choices[join_case].count; i++) {
        const struct shape_choice *choice = &observer->choices[join_case].data[i];
        if (!kinds_fit(choice, e1, e2))
            continue;
        struct instance instance = make_instance(choice, e1, e2);
        uint8_t order[PATTERN_STEPS];
        instance_canonical(&instance, order);
        if (instances_has(observer->found, &instance))
            continue;
        if (accesses_fit(choice, e1, e2))
            add_instance(observer, choice, &instance, order, e1, e2);
        else
            open = true;
    }
    return open;
}

/* `done` is what is remembered of the two static numbers, and changed. */
static void combine(struct observer *observer, enum join_case join_case, const struct dependency_edge *e1,
                    const struct dependency_edge *e2, uint64_t *done)
{
    if (!(*done >> join_case & 1) && !report(observer, join_case, e1, e2))
        *done |= 1u << join_case;
}

/* ---- the log ----------------------------------------------------------------------------------------------------- */

static struct edge_log *find_log(struct observer *observer, uint16_t to, uint16_t from)
{
    const uint64_t *index = table_get(&observer->log_index, (uint64_t)to << 16 | from);
    return index != NULL ? &observer->logs.data[*index - 1] : NULL;
}

static struct edge_log *make_log(struct observer *observer, uint16_t to, uint16_t from)
{
    uint64_t *index = table_put(&observer->log_index, (uint64_t)to << 16 | from);
    if (*index == 0) {
        uint32_t often = observer->options.log_limit;
        vector_push(&observer->logs, (struct edge_log){.limit = often != 0 ? often : LOG_LIMIT});
        *index = observer->logs.count;
    }
    return &observer->logs.data[*index - 1];
}

typedef VECTOR(uint64_t) operation_list;

static void note_operation(operation_list *list, const struct access_record *record, uint16_t task)
{
    if (record->number != 0 && record->task == task)
        vector_push(list, record->operation);
}

static int compare_operations(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* The operations of all remembered accesses of a task: what later dependencies from it can begin with. */
static void list_operations(const struct observer *observer, uint16_t task, operation_list *list)
{
    for (unsigned s = 0; s < 2; s++) {
        const struct memory_space *space = &observer->spaces[s];
        for (size_t i = 0; i < space->cells.count; i++) {
            const struct location_cell *cell = &space->cells.data[i];
            note_operation(list, &cell->strong, task);
            for (size_t k = 0; k < cell->weak.count; k++)
                note_operation(list, &cell->weak.data[k], task);
            for (size_t k = 0; k < cell->seen.count; k++)
                for (unsigned l = 0; l < 2; l++)
                    note_operation(list, &cell->seen.data[k].last[l], task);
        }
    }
    if (list->count > 0)
        qsort(list->data, list->count, sizeof *list->data, compare_operations);
}

static bool any_within(const operation_list *list, uint64_t operation, uint64_t window)
{
    size_t low = 0;
    size_t high = list->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (list->data[middle] + window < operation)
            low = middle + 1;
        else
            high = middle;
    }
    return low < list->count && list->data[low] <= operation + window;
}

/* Drops the edges that no later one can be joined with.  An edge A→B is of use as long as its target's task is within the
   window of B; or A's task within the window of A, if some remembered access of B's task is within the window of B. */
static void log_clean(struct observer *observer, struct edge_log *log)
{
    uint64_t window = observer->options.window;
    uint16_t from = log->edges.data[0].from.task;
    uint16_t to = log->edges.data[0].to.task;
    uint64_t from_now = observer->operations.data[from];
    uint64_t to_now = observer->operations.data[to];
    operation_list remembered = {0};
    list_operations(observer, to, &remembered);
    size_t kept = 0;
    for (size_t i = 0; i < log->edges.count; i++) {
        const struct dependency_edge *edge = &log->edges.data[i];
        bool recent = edge->to.operation + window >= to_now;
        if (recent ||
            (edge->from.operation + window >= from_now && any_within(&remembered, edge->to.operation, window)))
            log->edges.data[kept++] = *edge;
    }
    log->edges.count = kept;
    uint32_t often = observer->options.log_limit;
    size_t cells = observer->spaces[0].cells.count + observer->spaces[1].cells.count;
    log->limit = often != 0 ? kept + often : 2 * kept + remembered.count + cells / 16 + LOG_LIMIT;
    observer->work += (cells + remembered.count) / CELLS_PER_WORK;
    vector_free(&remembered);
}

static void chain_to_front(struct edge_log *log, uint32_t link)
{
    struct edge_chain *chains = log->chains.data - 1;
    if (log->front == link)
        return;
    if (chains[link].newer != 0) {
        chains[chains[link].newer].older = chains[link].older;
        if (chains[link].older != 0)
            chains[chains[link].older].newer = chains[link].newer;
    }
    chains[link].newer = 0;
    chains[link].older = log->front;
    if (log->front != 0)
        chains[log->front].newer = link;
    log->front = link;
}

static void log_link(struct edge_log *log, size_t index)
{
    struct dependency_edge *edge = &log->edges.data[index];
    uint64_t *link = table_put(&log->chain_index, edge->statically);
    if (*link == 0) {
        vector_push(&log->chains, (struct edge_chain){.statically = edge->statically});
        *link = log->chains.count;
    }
    struct edge_chain *chain = &log->chains.data[*link - 1];
    edge->older = chain->latest;
    chain->latest = (uint32_t)index + 1;
    chain_to_front(log, (uint32_t)*link);
}

static bool is_repeated(const struct dependency_edge *edge, const struct dependency_edge *later)
{
    return edge->statically == later->statically && edge->from.number == later->from.number && edge->lo == later->lo &&
           edge->hi == later->hi && edge->space == later->space && edge->relations == later->relations &&
           edge->to.unit == later->to.unit;
}

/* A task that waits in a loop reads the same write again and again.  Of three such dependencies the middle one is of no use
   if the outer ones are within a window: all that can be joined with it can be joined with one of them. */
static bool log_replace_last(const struct observer *observer, struct edge_log *log, const struct dependency_edge *edge)
{
    if (log->edges.count == 0)
        return false;
    struct dependency_edge *middle = &log->edges.data[log->edges.count - 1];
    if (!is_repeated(middle, edge) || middle->older == 0)
        return false;
    const struct dependency_edge *first = &log->edges.data[middle->older - 1];
    if (!is_repeated(first, edge) || first->to.operation + observer->options.window < edge->to.operation)
        return false;
    uint32_t older = middle->older;
    *middle = *edge;
    middle->older = older;
    return true;
}

static void log_add(struct observer *observer, const struct dependency_edge *edge)
{
    struct edge_log *log = make_log(observer, edge->to.task, edge->from.task);
    if (log_replace_last(observer, log, edge))
        return;
    if (log->edges.count >= log->limit) {
        log_clean(observer, log);
        vector_clear(&log->chains);
        table_free(&log->chain_index);
        log->front = 0;
        for (size_t i = 0; i < log->edges.count; i++)
            log_link(log, i);
    }
    vector_push(&log->edges, *edge);
    log_link(log, log->edges.count - 1);
}

/* ---- joining ----------------------------------------------------------------------------------------------------- */

static bool overlap(uint64_t lo, uint64_t hi, uint64_t other_lo, uint64_t other_hi)
{
    return lo < other_hi && other_lo < hi;
}

static bool same_memory(const struct dependency_edge *e1, const struct dependency_edge *e2)
{
    return e1->space == e2->space && e1->life == e2->life;
}

/* They meet in one variable. */
static bool on_one_variable(const struct dependency_edge *e1, const struct dependency_edge *e2)
{
    return same_memory(e1, e2) && overlap(e1->lo, e1->hi, e2->lo, e2->hi);
}

/* They are about two variables: no byte is common to all four accesses. */
static bool on_two_variables(const struct dependency_edge *e1, const struct dependency_edge *e2)
{
    uint64_t lo = e1->from.lo > e1->to.lo ? e1->from.lo : e1->to.lo;
    uint64_t hi = e1->from.hi < e1->to.hi ? e1->from.hi : e1->to.hi;
    uint64_t other_lo = e2->from.lo > e2->to.lo ? e2->from.lo : e2->to.lo;
    uint64_t other_hi = e2->from.hi < e2->to.hi ? e2->from.hi : e2->to.hi;
    return !same_memory(e1, e2) || !overlap(lo, hi, other_lo, other_hi);
}

/* A→B from D's task to C's. */
static void join_opposite(struct observer *observer, const struct dependency_edge *e1, const struct dependency_edge *e2,
                          uint64_t *done)
{
    uint64_t window = observer->options.window;
    if (e1->to.operation > e2->from.operation + window || e1->from.operation + window < e2->to.operation)
        return;
    bool b_first = e1->to.number < e2->from.number;
    if (on_one_variable(e1, e2)) {
        if (e1->to.number == e2->from.number)
            combine(observer, JOIN_TRIPLE, e1, e2, done);
        else if (b_first)
            combine(observer, JOIN_ABCD_ONE, e1, e2, done);
    } else if (e1->to.number != e2->from.number && on_two_variables(e1, e2)) {
        enum join_case crosswise = e1->from.number < e2->from.number ? JOIN_ACBD : JOIN_CABD;
        combine(observer, b_first ? JOIN_ABCD : crosswise, e1, e2, done);
    }
}

/* A→B from C's task to D's, as C→D. */
static void join_along(struct observer *observer, const struct dependency_edge *e1, const struct dependency_edge *e2,
                       uint64_t *done)
{
    uint64_t window = observer->options.window;
    if (e1->from.number < e2->from.number && e1->from.operation + window >= e2->from.operation &&
        on_two_variables(e1, e2))
        combine(observer, e1->to.number < e2->from.number ? JOIN_SAME_ABCD : JOIN_SAME_ACBD, e1, e2, done);
}

typedef void join_with(struct observer *, const struct dependency_edge *e1, const struct dependency_edge *e2,
                       uint64_t *done);

static bool is_complete(const struct observer *observer, unsigned direction, uint32_t first, uint32_t second)
{
    return first < COMPLETE && second < COMPLETE && observer->complete != NULL &&
           (observer->complete[second].bits[direction][first / 64] >> first % 64 & 1);
}

static void set_complete(struct observer *observer, unsigned direction, uint32_t first, uint32_t second)
{
    if (first >= COMPLETE || second >= COMPLETE)
        return;
    if (observer->complete == NULL)
        observer->complete = memory_allocate(COMPLETE, sizeof *observer->complete);
    observer->complete[second].bits[direction][first / 64] |= (uint64_t)1 << first % 64;
}

static void forget_complete(struct observer *observer)
{
    size_t rows = observer->statics.count + 1 < COMPLETE ? observer->statics.count + 1 : COMPLETE;
    if (observer->complete != NULL)
        memset(observer->complete, 0, rows * sizeof *observer->complete);
}

/* One direction of joining. */
struct join {
    join_with *with;
    uint64_t useful;    /* the cases that can come of it */
    unsigned direction; /* 0, 1 */
    uint32_t chains;    /* at most so many, and so many dependencies of each */
    uint32_t edges;
};

/* With the dependencies of one chain whose target is at most a window before `operation`. */
static void join_chain(struct observer *observer, const struct edge_log *log, const struct edge_chain *chain,
                       const struct dependency_edge *e2, uint64_t operation, const struct join *join)
{
    uint64_t window = observer->options.window;
    uint64_t *known = table_put(&observer->done, (uint64_t)chain->statically << 32 | e2->statically);
    uint64_t done = *known;
    uint32_t index = chain->latest;
    observer->work += TABLE_WORK;
    for (uint32_t i = 0; index != 0 && (join->useful & ~done) != 0 && i < join->edges && !stop_requested(); i++) {
        const struct dependency_edge *e1 = &log->edges.data[index - 1];
        if (e1->to.operation + window < operation)
            break;
        join->with(observer, e1, e2, &done);
        observer->work++;
        index = e1->older;
    }
    *known = done;
    if ((join->useful & ~done) == 0)
        set_complete(observer, join->direction, chain->statically, e2->statically);
}

/* With those of the log whose target is at most a window before `operation`. */
static void join_log(struct observer *observer, const struct edge_log *log, const struct dependency_edge *e2,
                     uint64_t operation, const struct join *join)
{
    uint64_t window = observer->options.window;
    uint32_t link = log != NULL && join->useful != 0 ? log->front : 0;
    for (uint32_t left = join->chains; link != 0 && left > 0 && !stop_requested();) {
        const struct edge_chain *chain = &log->chains.data[link - 1];
        if (log->edges.data[chain->latest - 1].to.operation + window < operation)
            break; /* and all after it are older */
        link = chain->older;
        observer->work++;
        if (is_complete(observer, join->direction, chain->statically, e2->statically))
            continue;
        join_chain(observer, log, chain, e2, operation, join);
        left--;
    }
}

static uint32_t static_number(struct observer *observer, const struct dependency_edge *edge)
{
    uint64_t kinds = (uint64_t)edge->from.kind << 8 | edge->to.kind;
    uint64_t hash = hash_combine((uint64_t)edge->from.site << 32 | edge->to.site, kinds);
    uint64_t *number = table_put(&observer->statics, hash);
    if (*number == 0)
        *number = observer->statics.count;
    return (uint32_t)*number;
}

/* How far the dependency is joined.  False: not at all. */
static bool is_joined(struct observer *observer, const struct dependency_edge *edge, struct join *join)
{
    join->chains = join->edges = UINT32_MAX;
    if (observer->bound.most == 0)
        return true;
    uint64_t tasks = (uint64_t)edge->from.task << 16 | edge->to.task;
    uint64_t alike = (*table_put(&observer->bound.joined, tasks << 32 | edge->statically))++;
    observer->work += TABLE_WORK;
    if (!observer_is_late(observer))
        return true;
    observer->passed_over++;
    join->chains = LATE_CHAINS;
    join->edges = LATE_EDGES;
    return alike < LATE_ALIKE;
}

static void join_edge(struct observer *observer, const struct dependency_edge *edge)
{
    uint16_t from = edge->from.task, to = edge->to.task;
    struct join join = {0};
    if (!is_joined(observer, edge, &join))
        return;
    join.with = join_opposite;
    join.useful = observer->opposite;
    join_log(observer, find_log(observer, from, to), edge, edge->from.operation, &join);
    join.with = join_along;
    join.useful = observer->along;
    join.direction = 1;
    join_log(observer, find_log(observer, to, from), edge, edge->to.operation, &join);
}

void join_fresh(struct observer *observer)
{
    observer->dependencies += observer->fresh.count;
    observer->work += observer->fresh.count * EDGE_WORK;
    for (size_t i = 0; i < observer->fresh.count; i++) {
        struct dependency_edge *edge = &observer->fresh.data[i];
        edge->statically = static_number(observer, edge);
        report(observer, JOIN_PAIR, edge, edge);
        join_edge(observer, edge);
    }
    for (size_t i = 0; i < observer->fresh.count; i++)
        log_add(observer, &observer->fresh.data[i]);
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

void join_init(struct observer *observer)
{
    for (unsigned i = 0; i < JOIN_CASES; i++) {
        shape_list(observer->options.wanted, &cases[i], &observer->choices[i]);
        if (observer->choices[i].count > 0 && i != JOIN_PAIR)
            *(i >= JOIN_SAME_ABCD ? &observer->along : &observer->opposite) |= 1u << i;
    }
}

void join_restart(struct observer *observer)
{
    for (size_t i = 0; i < observer->logs.count; i++) {
        vector_free(&observer->logs.data[i].edges);
        vector_free(&observer->logs.data[i].chains);
        table_free(&observer->logs.data[i].chain_index);
    }
    vector_clear(&observer->logs);
    table_free(&observer->log_index);
    if (observer->options.clears_found) {
        table_clear(&observer->done);
        forget_complete(observer);
    }
}

void join_free(struct observer *observer)
{
    join_restart(observer);
    vector_free(&observer->logs);
    for (unsigned i = 0; i < JOIN_CASES; i++)
        vector_free(&observer->choices[i]);
    table_free(&observer->statics);
    table_free(&observer->done);
    free(observer->complete);
}
