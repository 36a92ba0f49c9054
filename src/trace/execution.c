/* SPDX-License-Identifier: MIT
 *
 * execution.c - see execution.h.
 */
#include "trace/execution.h"

#include <stdlib.h>
#include <string.h>

#include "trace/location.h"
#include "util/memory.h"
#include "util/stop.h"

struct execution_parts {
    unsigned ready;                            /* EXECUTION_* */
    VECTOR(struct execution_section) sections; /* by task, in order */
    event_list first_section;                  /* by task, with one more at the end */
    event_list section_of;                     /* by event: index into sections + 1; 0: none */
    VECTOR(struct execution_piece) pieces;     /* of all events, in their order */
    event_list first_piece;                    /* by event, with one more at the end */
    event_list writes;                         /* events by location, in order */
    event_list first_write;                    /* by location, with one more at the end */
};

/* ---- building ----------------------------------------------------------------------------------------------------- */

void execution_clear(struct execution *execution)
{
    vector_clear(&execution->events);
    vector_clear(&execution->accesses);
    vector_clear(&execution->first_access);
    vector_clear(&execution->by_task);
    vector_clear(&execution->first_of_task);
    vector_clear(&execution->place);
    vector_clear(&execution->own_steps);
    execution->steps = (struct execution_steps){0};
    vector_clear(&execution->stacks);
    waits_clear(&execution->waits);
    execution->operations = 0;
    execution->lost_events = execution->begins_late = false;
    execution->left_out = 0;
    if (execution->parts != NULL)
        execution->parts->ready = 0;
}

/* Room for so many events in all. */
static void reserve_events(struct execution *execution, size_t count)
{
    vector_reserve(&execution->events, count);
    vector_reserve(&execution->accesses, count * EVENT_ACCESSES);
    vector_reserve(&execution->first_access, count + 1);
    vector_reserve(&execution->place, count);
}

static void add_tasks(struct execution *execution, uint16_t last)
{
    while (execution->first_of_task.count <= (size_t)last + 1)
        vector_push(&execution->first_of_task, 0);
}

/* first_of_task[task + 1] counts the events of the task, until execution_end adds them up. */
static inline uint32_t count_in_task(struct execution *execution, uint16_t task)
{
    if (execution->first_of_task.count <= (size_t)task + 1)
        add_tasks(execution, task);
    return execution->first_of_task.data[task + 1]++;
}

/* There is room for it. */
static inline void append(struct execution *execution, const struct event *event)
{
    size_t number = execution->events.count, access = execution->accesses.count;
    assert(event->op < WIRE_OP_COUNT && number < execution->events.capacity);
    execution->events.data[number] = *event;
    execution->first_access.data[number] = (uint32_t)access;
    execution->accesses.count +=
        event_accesses(event, waits_event(&execution->waits, event), execution->accesses.data + access);
    execution->place.data[number] = count_in_task(execution, event->task);
    execution->events.count = execution->first_access.count = execution->place.count = number + 1;
}

void execution_add(struct execution *execution, const struct event *event)
{
    assert(execution->by_task.count == 0 && execution->events.count < EVENT_NONE - 1);
    assert(execution->events.count == execution->first_access.count);
    reserve_events(execution, execution->events.count + 1);
    append(execution, event);
}

void execution_end(struct execution *execution)
{
    uint32_t count = execution_count(execution), tasks = execution_task_count(execution);
    vector_push(&execution->first_access, (uint32_t)execution->accesses.count);
    for (uint32_t task = 0; task < tasks; task++)
        execution->first_of_task.data[task + 1] += execution->first_of_task.data[task];
    vector_reserve(&execution->by_task, count);
    execution->by_task.count = count;
    for (uint32_t i = 0; i < count; i++)
        execution->by_task
            .data[execution->first_of_task.data[execution->events.data[i].task] + execution->place.data[i]] = i;
    if (execution->parts == NULL)
        execution->parts = memory_allocate(1, sizeof *execution->parts);
    assert(tasks == 0 || execution->first_of_task.data[tasks] == count);
    assert(execution->first_access.count == (size_t)count + 1 && execution->place.count == count);
}

void execution_set_stack(struct execution *execution, uint16_t task, uint64_t lo, uint64_t hi)
{
    assert(lo <= hi);
    while (execution->stacks.count <= task)
        vector_push(&execution->stacks, (struct execution_stack){0});
    execution->stacks.data[task] = (struct execution_stack){lo, hi};
}

static void set_stack_of(struct execution *execution, const struct wire_result *result, uint16_t task)
{
    if (task < result->task_count && result->tasks[task].stack_lo <= result->tasks[task].stack_hi)
        execution_set_stack(execution, task, result->tasks[task].stack_lo, result->tasks[task].stack_hi);
}

/* What comes after the last event of a window leads to nothing that is known. */
static size_t known_steps(const struct wire_copy *copy)
{
    size_t all = copy->steps.count, known = copy->result.event_steps;
    return copy->result.events_left_out > 0 && known < all ? known : all;
}

void execution_read(struct execution *execution, const struct wire_copy *copy)
{
    execution_clear(execution);
    reserve_events(execution, copy->events.count);
    for (size_t i = 0; i < copy->events.count; i++) {
        struct event event = event_from_wire(&copy->events.data[i]);
        append(execution, &event);
        if (event.op == OP_START)
            set_stack_of(execution, &copy->result, event.task);
    }
    execution_end(execution);
    execution->steps = (struct execution_steps){copy->steps.data, known_steps(copy)};
    execution->operations = copy->result.operations;
    execution->lost_events = (copy->result.lost & LOST_EVENTS) != 0;
    execution->left_out = copy->result.events_left_out;
    execution->begins_late = copy->result.events_before > 0;
}

void execution_copy(struct execution *execution, const struct execution *from)
{
    assert(execution != from);
    execution_clear(execution);
    reserve_events(execution, from->events.count);
    for (size_t i = 0; i < from->events.count; i++)
        append(execution, &from->events.data[i]);
    vector_append(&execution->stacks, from->stacks.data, from->stacks.count);
}

void execution_copy_steps(struct execution *execution, const struct execution *from)
{
    vector_clear(&execution->own_steps);
    vector_append(&execution->own_steps, from->steps.data, from->steps.count);
    execution->steps = (struct execution_steps){execution->own_steps.data, execution->own_steps.count};
}

void execution_keep(struct execution *execution, const struct execution *from)
{
    execution_copy(execution, from);
    execution_end(execution);
    execution_copy_steps(execution, from);
    execution->operations = from->operations;
    execution->left_out = from->left_out;
    execution->begins_late = from->begins_late;
    execution->lost_events = from->lost_events;
}

static void parts_free(struct execution_parts *parts)
{
    vector_free(&parts->sections);
    vector_free(&parts->first_section);
    vector_free(&parts->section_of);
    vector_free(&parts->pieces);
    vector_free(&parts->first_piece);
    vector_free(&parts->writes);
    vector_free(&parts->first_write);
    free(parts);
}

void execution_free(struct execution *execution)
{
    vector_free(&execution->events);
    vector_free(&execution->accesses);
    vector_free(&execution->first_access);
    vector_free(&execution->by_task);
    vector_free(&execution->first_of_task);
    vector_free(&execution->place);
    vector_free(&execution->own_steps);
    execution->steps = (struct execution_steps){0};
    vector_free(&execution->stacks);
    waits_free(&execution->waits);
    if (execution->parts != NULL)
        parts_free(execution->parts);
    *execution = (struct execution){0};
}

/* ---- events ------------------------------------------------------------------------------------------------------- */

const struct access *execution_find_access(const struct execution *execution, uint32_t event, enum access_kind kind)
{
    unsigned count;
    const struct access *accesses = execution_accesses(execution, event, &count);
    for (unsigned i = 0; i < count; i++)
        if (access_fits(kind, (enum access_kind)accesses[i].kind))
            return &accesses[i];
    return NULL;
}

uint64_t execution_mutex(const struct execution *execution, uint32_t event)
{
    uint8_t op = execution_event(execution, event)->op;
    if (op != OP_COND_WAIT && op != OP_COND_WAKE)
        return 0;
    unsigned count;
    const struct access *accesses = execution_accesses(execution, event, &count);
    if (count == 0 || accesses[count - 1].kind != (op == OP_COND_WAIT ? ACCESS_UNLOCK : ACCESS_LOCK))
        return 0;
    return accesses[count - 1].lo;
}

struct event execution_new_stack(const struct execution *execution, uint16_t task)
{
    struct execution_stack stack = {0};
    if (task < execution->stacks.count)
        stack = execution->stacks.data[task];
    uint64_t size = stack.hi - stack.lo;
    return (struct event){.op = OP_ALLOC,
                          .task = task,
                          .address = size > 0 ? stack.lo : 0,
                          .size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX};
}

void execution_each(const struct execution *execution, execution_visit *visit, void *context)
{
    for (uint32_t i = 0; i < execution_count(execution) && !stop_requested(); i++) {
        const struct event *event = execution_event(execution, i);
        unsigned count;
        const struct access *accesses = execution_accesses(execution, i, &count);
        if (event->op == OP_START) {
            struct event stack = execution_new_stack(execution, event->task);
            visit(context, &stack, NULL, 0, 0);
        }
        visit(context, event, accesses, count, execution_mutex(execution, i));
    }
}

uint32_t event_range_count_before(struct event_range range, uint32_t event)
{
    uint32_t low = 0, high = range.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (range.data[middle] < event)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low == 0 || range.data[low - 1] < event);
    assert(low == range.count || range.data[low] >= event);
    return low;
}

/* ---- critical sections -------------------------------------------------------------------------------------------- */

/* How many locks the event takes, less those that it gives back.  A condition wait always gives its mutex back and takes it again,
   whether the events say which one it is or not. */
static int lock_change(const struct execution *execution, uint32_t event)
{
    uint8_t op = execution_event(execution, event)->op;
    if (op == OP_COND_WAIT || op == OP_COND_WAKE)
        return op == OP_COND_WAIT ? -1 : 1;
    unsigned count;
    int change = 0;
    const struct access *accesses = execution_accesses(execution, event, &count);
    for (unsigned i = 0; i < count; i++) {
        change += accesses[i].kind == ACCESS_LOCK || accesses[i].kind == ACCESS_RDLOCK;
        change -= accesses[i].kind == ACCESS_UNLOCK || accesses[i].kind == ACCESS_RDUNLOCK;
    }
    assert(change >= -1 && change <= 1);
    return change;
}

static void find_sections_of(const struct execution *execution, struct execution_parts *parts, uint16_t task)
{
    struct event_range own = execution_task(execution, task);
    uint32_t held = 0;
    for (uint32_t i = 0; i < own.count; i++) {
        int change = lock_change(execution, own.data[i]);
        if (change > 0 && held++ == 0)
            vector_push(&parts->sections, (struct execution_section){own.data[i], EVENT_NONE});
        parts->section_of.data[own.data[i]] = held > 0 ? (uint32_t)parts->sections.count : 0;
        if (change < 0 && held > 0 && --held == 0)
            parts->sections.data[parts->sections.count - 1].last = own.data[i];
    }
}

static void find_sections(const struct execution *execution, struct execution_parts *parts)
{
    uint32_t count = execution_count(execution), tasks = execution_task_count(execution);
    vector_clear(&parts->sections);
    vector_clear(&parts->first_section);
    vector_reserve(&parts->section_of, count);
    parts->section_of.count = count;
    for (uint32_t task = 0; task < tasks; task++) {
        vector_push(&parts->first_section, (uint32_t)parts->sections.count);
        find_sections_of(execution, parts, (uint16_t)task);
    }
    vector_push(&parts->first_section, (uint32_t)parts->sections.count);
}

static bool is_ready(const struct execution *execution, unsigned part)
{
    return execution->parts != NULL && (execution->parts->ready & part) == part;
}

const struct execution_section *execution_section_of(const struct execution *execution, uint32_t event)
{
    assert(is_ready(execution, EXECUTION_SECTIONS) && event < execution->events.count);
    uint32_t number = execution->parts->section_of.data[event];
    assert(number <= execution->parts->sections.count);
    return number != 0 ? &execution->parts->sections.data[number - 1] : NULL;
}

uint64_t execution_section_entry(const struct execution *execution, uint16_t task, uint64_t operation)
{
    assert(is_ready(execution, EXECUTION_SECTIONS));
    const struct execution_parts *parts = execution->parts;
    if (task >= execution_task_count(execution))
        return 0;
    uint32_t first = parts->first_section.data[task], low = first, high = parts->first_section.data[task + 1];
    while (low < high) { /* the last section that begins at or before the operation */
        uint32_t middle = low + (high - low) / 2;
        if (execution_event(execution, parts->sections.data[middle].first)->operation <= operation)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == first)
        return 0;
    const struct execution_section *section = &parts->sections.data[low - 1];
    if (section->last != EVENT_NONE && operation > execution_event(execution, section->last)->operation)
        return 0;
    return execution_event(execution, section->first)->operation;
}

/* ---- reads-from --------------------------------------------------------------------------------------------------- */

static void ignore_location(void *owner, uint32_t location)
{
    (void)owner;
    (void)location;
}

static void ignore_split(void *owner, uint32_t location, uint32_t upper)
{
    (void)owner;
    (void)location;
    (void)upper;
}

/* The access of the event to memory; NULL: none. */
static const struct access *data_access(const struct execution *execution, uint32_t event)
{
    unsigned count;
    const struct access *accesses = execution_accesses(execution, event, &count);
    return count > 0 && accesses[0].space == SPACE_DATA ? &accesses[0] : NULL;
}

/* Each count becomes the sum of those before it, with the sum of all at the end. */
static void add_up(event_list *counts)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < counts->count; i++) {
        uint32_t own = counts->data[i];
        counts->data[i] = sum;
        sum += own;
    }
    vector_push(counts, sum);
}

/* The pieces of each event.  first_write counts the writes of each location. */
static void find_pieces(const struct execution *execution, struct execution_parts *parts, struct locations *locations,
                        event_list *last_writers)
{
    location_list touched = {0};
    for (uint32_t i = 0; i < execution->events.count; i++) {
        const struct access *access = data_access(execution, i);
        vector_push(&parts->first_piece, (uint32_t)parts->pieces.count);
        if (access == NULL)
            continue;
        locations_find(locations, access->lo, access->hi, &touched);
        for (size_t k = 0; k < touched.count; k++) {
            uint32_t location = touched.data[k];
            assert(location < last_writers->count);
            vector_push(&parts->pieces, (struct execution_piece){location, last_writers->data[location]});
            if (!access_is_strong((enum access_kind)access->kind))
                continue;
            last_writers->data[location] = i;
            parts->first_write.data[location]++;
        }
    }
    vector_push(&parts->first_piece, (uint32_t)parts->pieces.count);
    vector_free(&touched);
}

static void list_writes(const struct execution *execution, struct execution_parts *parts, event_list *next)
{
    add_up(&parts->first_write);
    uint32_t total = parts->first_write.data[parts->first_write.count - 1];
    assert(next->count + 1 == parts->first_write.count);
    for (size_t i = 0; i < next->count; i++)
        next->data[i] = parts->first_write.data[i];
    vector_reserve(&parts->writes, total);
    parts->writes.count = total;
    for (uint32_t i = 0; i < execution->events.count; i++) {
        const struct access *access = data_access(execution, i);
        if (access == NULL || !access_is_strong((enum access_kind)access->kind))
            continue;
        for (uint32_t k = parts->first_piece.data[i]; k < parts->first_piece.data[i + 1]; k++)
            parts->writes.data[next->data[parts->pieces.data[k].location]++] = i;
    }
}

static void find_reads_from(const struct execution *execution, struct execution_parts *parts)
{
    struct locations locations;
    location_list touched = {0};
    event_list by_location = {0};
    vector_clear(&parts->pieces);
    vector_clear(&parts->first_piece);
    vector_clear(&parts->writes);
    vector_clear(&parts->first_write);
    locations_init(&locations, (struct location_owner){ignore_location, ignore_split, ignore_location, NULL});
    for (uint32_t i = 0; i < execution->events.count; i++) { /* all locations, before anything is said of one */
        const struct access *access = data_access(execution, i);
        if (access != NULL)
            locations_touch(&locations, access->lo, access->hi, &touched);
    }
    for (size_t i = 0; i < locations.all.count; i++) {
        vector_push(&parts->first_write, 0);
        vector_push(&by_location, EVENT_NONE);
    }
    find_pieces(execution, parts, &locations, &by_location);
    list_writes(execution, parts, &by_location);
    locations_free(&locations);
    vector_free(&touched);
    vector_free(&by_location);
}

const struct execution_piece *execution_pieces(const struct execution *execution, uint32_t event, uint32_t *count)
{
    assert(is_ready(execution, EXECUTION_READS_FROM) && event < execution->events.count);
    const event_list *first = &execution->parts->first_piece;
    *count = first->data[event + 1] - first->data[event];
    return execution->parts->pieces.data + first->data[event];
}

uint32_t execution_location_count(const struct execution *execution)
{
    assert(is_ready(execution, EXECUTION_READS_FROM));
    return (uint32_t)execution->parts->first_write.count - 1;
}

struct event_range execution_writes(const struct execution *execution, uint32_t location)
{
    assert(location < execution_location_count(execution));
    const struct execution_parts *parts = execution->parts;
    uint32_t first = parts->first_write.data[location];
    return (struct event_range){parts->writes.data + first, parts->first_write.data[location + 1] - first};
}

/* ---- on demand ---------------------------------------------------------------------------------------------------- */

void execution_prepare(const struct execution *execution, unsigned wanted)
{
    assert(execution->parts != NULL && execution->by_task.count == execution->events.count); /* it was ended */
    struct execution_parts *parts = execution->parts;
    unsigned missing = wanted & ~parts->ready;
    if (missing & EXECUTION_SECTIONS)
        find_sections(execution, parts);
    if (missing & EXECUTION_READS_FROM)
        find_reads_from(execution, parts);
    parts->ready |= wanted;
}
