/* SPDX-License-Identifier: MIT
 *
 * observe.c - from events to dependencies; see observe.h.  What dependencies make together: join.c.
 */
#include "pattern/observe.h"

#include <assert.h>
#include <string.h>

#include "pattern/observe_private.h"
#include "util/memory.h"
#include "util/stop.h"

/* ---- locations --------------------------------------------------------------------------------------------------- */

static void cell_made(void *owner, uint32_t location)
{
    struct memory_space *space = owner;
    vector_reserve(&space->cells, (size_t)location + 1);
    while (space->cells.count <= location)
        space->cells.data[space->cells.count++] = (struct location_cell){0};
    space->cells.data[location] = (struct location_cell){0};
}

static void cell_split(void *owner, uint32_t location, uint32_t upper)
{
    struct memory_space *space = owner;
    assert(location < space->cells.count && upper != location);
    cell_made(space, upper);
    const struct location_cell *from = &space->cells.data[location];
    struct location_cell *to = &space->cells.data[upper];
    to->strong = from->strong;
    vector_append(&to->weak, from->weak.data, from->weak.count);
    vector_append(&to->seen, from->seen.data, from->seen.count);
}

static void cell_dropped(void *owner, uint32_t location)
{
    struct memory_space *space = owner;
    struct location_cell *cell = &space->cells.data[location];
    vector_free(&cell->weak);
    vector_free(&cell->seen);
    *cell = (struct location_cell){0};
}

static void space_init(struct memory_space *space)
{
    memset(space, 0, sizeof *space);
    locations_init(&space->locations, (struct location_owner){cell_made, cell_split, cell_dropped, space});
}

static void space_free(struct memory_space *space)
{
    locations_free(&space->locations);
    vector_free(&space->cells);
}

static struct task_record *find_seen(const struct location_cell *cell, uint16_t task)
{
    for (size_t i = 0; i < cell->seen.count; i++)
        if (cell->seen.data[i].task == task)
            return &cell->seen.data[i];
    return NULL;
}

/* ---- dependencies ------------------------------------------------------------------------------------------------ */

/* The same two accesses depend on each other in several locations: one dependency where they lie side by side. */
static struct dependency_edge *same_edge(struct observer *observer, const struct dependency_edge *edge)
{
    for (size_t i = observer->fresh.count; i-- > 0;) {
        struct dependency_edge *known = &observer->fresh.data[i];
        if (known->from.number == edge->from.number && known->from.kind == edge->from.kind && known->lo == edge->lo &&
            known->space == edge->space)
            return known;
    }
    return NULL;
}

static void add_edge(struct observer *observer, const struct access_record *from, const struct access_record *to,
                     enum access_space space, const struct location *location, uint64_t previous,
                     enum relation relation)
{
    if (from->number == 0 || from->task == to->task || !access_are_partners(from->kind, to->kind))
        return;
    assert(from->number < to->number && location->lo < location->hi);
    struct dependency_edge edge = {.from = *from,
                                   .to = *to,
                                   .lo = location->lo,
                                   .hi = location->hi,
                                   .previous = previous,
                                   .life = location->life,
                                   .space = (uint8_t)space,
                                   .relations = (uint8_t)(1 << relation),
                                   .brink = observer->numbers.data[to->task] < from->number};
    struct dependency_edge *known = observer->nearest ? same_edge(observer, &edge) : NULL;
    if (known != NULL)
        known->relations |= edge.relations;
    else
        vector_push(&observer->fresh, edge);
}

static void find_edges(struct observer *observer, const struct access_record *to, enum access_space space,
                       uint32_t number)
{
    assert(number < observer->spaces[space].cells.count);
    struct location_cell *cell = &observer->spaces[space].cells.data[number];
    const struct location *location = &observer->spaces[space].locations.all.data[number];
    const struct task_record *own = find_seen(cell, to->task);
    uint64_t previous = own != NULL ? own->number : 0;
    if (cell->weak.count == 0 || !access_is_strong(to->kind))
        add_edge(observer, &cell->strong, to, space, location, previous, RELATION_IMMEDIATE);
    else
        for (size_t i = 0; i < cell->weak.count; i++)
            add_edge(observer, &cell->weak.data[i], to, space, location, previous, RELATION_IMMEDIATE);
    for (size_t i = 0; observer->nearest && to->set != 0 && i < cell->seen.count; i++)
        for (unsigned k = 0; k < 2; k++)
            add_edge(observer, &cell->seen.data[i].last[k], to, space, location, previous, RELATION_BEFORE);
}

/* ---- what is remembered ------------------------------------------------------------------------------------------ */

static void remember_weak(struct location_cell *cell, const struct access_record *record)
{
    for (size_t i = 0; i < cell->weak.count; i++) {
        struct access_record *known = &cell->weak.data[i];
        if (known->site == record->site && known->task == record->task && known->kind == record->kind) {
            *known = *record;
            return;
        }
    }
    vector_push(&cell->weak, *record);
}

static void remember(struct observer *observer, struct location_cell *cell, const struct access_record *record)
{
    bool strong = access_is_strong(record->kind);
    if (strong) {
        cell->strong = *record;
        vector_clear(&cell->weak);
    } else {
        remember_weak(cell, record);
    }
    struct task_record *own = find_seen(cell, record->task);
    if (own == NULL) {
        vector_push(&cell->seen, (struct task_record){.task = record->task});
        own = &cell->seen.data[cell->seen.count - 1];
    }
    assert(own->number <= record->number);
    own->number = record->number;
    if (observer->nearest && record->set != 0)
        own->last[strong] = *record;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static uint32_t count_occurrence(struct observer *observer, const struct event *event)
{
    uint64_t *count = table_put(&observer->occurrences, (uint64_t)event->task << 32 | event->site);
    return (uint32_t)++ * count;
}

static struct access_record make_record(struct observer *observer, const struct event *event,
                                        const struct access *access)
{
    return (struct access_record){.number = observer->number,
                                  .operation = event->operation,
                                  .lo = access->lo,
                                  .hi = access->hi,
                                  .context = event->context,
                                  .site = event->site,
                                  .unit = event->unit,
                                  .set = event->set,
                                  .task = event->task,
                                  .kind = access->kind,
                                  .atomic = access->atomic};
}

static void see_task(struct observer *observer, uint16_t task)
{
    while (observer->operations.count <= task) {
        vector_push(&observer->operations, 0);
        vector_push(&observer->numbers, 0);
    }
}

/* The locations of an access: a free touches only what was touched before. */
static void touch(struct observer *observer, const struct access *access)
{
    struct locations *locations = &observer->spaces[access->space].locations;
    if (access->kind == ACCESS_FREE)
        locations_find(locations, access->lo, access->hi, &observer->touched);
    else
        locations_touch(locations, access->lo, access->hi, &observer->touched);
}

static void feed_access(struct observer *observer, const struct event *event, const struct access *access,
                        uint32_t occurrence)
{
    struct access_record record = make_record(observer, event, access);
    struct memory_space *space = &observer->spaces[access->space];
    record.occurrence = occurrence;
    touch(observer, access);
    vector_clear(&observer->fresh);
    for (size_t i = 0; i < observer->touched.count; i++)
        find_edges(observer, &record, access->space, observer->touched.data[i]);
    join_fresh(observer);
    if (access->kind == ACCESS_FREE) {
        locations_drop(&space->locations, access->lo, access->hi);
        return;
    }
    for (size_t i = 0; i < observer->touched.count; i++)
        remember(observer, &space->cells.data[observer->touched.data[i]], &record);
}

static void feed(void *context, const struct event *event, const struct access *accesses, unsigned count,
                 uint64_t mutex)
{
    struct observer *observer = context;
    (void)mutex;
    observer->number++;
    observer->bound.read++;
    observer->work += OBSERVE_EVENT;
    see_task(observer, event->task);
    observer->operations.data[event->task] = event->operation;
    if (event->op == OP_ALLOC)
        locations_drop(&observer->spaces[SPACE_DATA].locations, event->address, event->address + event->size);
    uint32_t occurrence = count > 0 ? count_occurrence(observer, event) : 0;
    for (unsigned i = 0; i < count; i++)
        feed_access(observer, event, &accesses[i], occurrence);
    observer->numbers.data[event->task] = observer->number;
}

/* Forgets the execution, to begin another one. */
static void restart(struct observer *observer)
{
    for (unsigned i = 0; i < 2; i++) {
        space_free(&observer->spaces[i]);
        space_init(&observer->spaces[i]);
    }
    join_restart(observer);
    table_free(&observer->occurrences);
    vector_clear(&observer->operations);
    vector_clear(&observer->numbers);
    observer->number = 0;
}

static void begin_bound(struct observer *observer, uint64_t events, uint64_t most)
{
    struct observer_bound *bound = &observer->bound;
    table_clear(&bound->joined);
    bound->most = most;
    bound->from = observer->work;
    bound->events = events > 0 ? events : 1;
    bound->read = 0;
}

void observer_observe(struct observer *observer, const struct execution *execution, uint64_t work_most)
{
    restart(observer);
    begin_bound(observer, execution_count(execution), work_most);
    execution_each(execution, feed, observer);
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

/* Only rows about atomic sets have < between the ends of a dependency. */
static bool wants_nearest(family_mask wanted)
{
    bool nearest = false;
    for (unsigned row = 0; row < family_count; row++) {
        const struct pattern *shape = family_shape(row);
        bool immediate = false;
        for (unsigned i = 0; i < shape->count; i++)
            immediate |= shape->steps[i].relation == RELATION_IMMEDIATE;
        assert(immediate || (families[row].flags & FAMILY_SET));
        nearest |= (wanted >> row & 1) && !immediate;
    }
    return nearest;
}

struct observer *observer_new(const struct observer_options *options, struct instances *found)
{
    struct observer *observer = memory_allocate(1, sizeof *observer);
    observer->options = *options;
    if (observer->options.window == 0)
        observer->options.window = OBSERVE_WINDOW;
    observer->found = found;
    observer->nearest = wants_nearest(options->wanted);
    space_init(&observer->spaces[SPACE_DATA]);
    space_init(&observer->spaces[SPACE_SYNC]);
    join_init(observer);
    return observer;
}

void observer_free(struct observer *observer)
{
    if (observer == NULL)
        return;
    space_free(&observer->spaces[SPACE_DATA]);
    space_free(&observer->spaces[SPACE_SYNC]);
    join_free(observer);
    table_free(&observer->occurrences);
    table_free(&observer->bound.joined);
    vector_free(&observer->operations);
    vector_free(&observer->numbers);
    vector_free(&observer->fresh);
    vector_free(&observer->touched);
    free(observer);
}

uint64_t observer_work(const struct observer *observer)
{
    return observer->work;
}

uint64_t observer_dependencies(const struct observer *observer)
{
    return observer->dependencies;
}

uint64_t observer_passed_over(const struct observer *observer)
{
    return observer->passed_over;
}

size_t observer_memory(const struct observer *observer)
{
    size_t bytes = sizeof *observer + observer->occurrences.capacity * sizeof(struct table_entry);
    for (unsigned i = 0; i < 2; i++) {
        const struct memory_space *space = &observer->spaces[i];
        bytes += space->cells.capacity * sizeof(struct location_cell);
        for (size_t k = 0; k < space->cells.count; k++)
            bytes += space->cells.data[k].weak.capacity * sizeof(struct access_record) +
                     space->cells.data[k].seen.capacity * sizeof(struct task_record);
    }
    for (size_t i = 0; i < observer->logs.count; i++)
        bytes += observer->logs.data[i].edges.capacity * sizeof(struct dependency_edge);
    return bytes;
}
