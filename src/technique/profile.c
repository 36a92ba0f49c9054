/* SPDX-License-Identifier: MIT
 *
 * profile.c - shared locations and their use by each thread.
 */
#include "technique/profile.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "trace/events.h"

enum { PROFILE_LOCATIONS = 4096 }; /* more would make no difference: one is picked per schedule */

/* One event, reduced to what is sorted. */
struct touch {
    uint64_t address;
    uint64_t event; /* index */
    uint32_t size;
    uint16_t task;
    bool changes;
};
typedef VECTOR(struct touch) touches;

/* Whether the order of such operations on one address can matter. */
static bool is_access(uint8_t op)
{
    switch (op_class(op)) {
    case CLASS_READ:
    case CLASS_WRITE:
    case CLASS_ACQUIRE:
    case CLASS_SYNC:
        return op != OP_ALLOC && op != OP_FREE;
    default:
        return false;
    }
}

static int compare_touches(const void *a, const void *b)
{
    const struct touch *left = a, *right = b;
    if (left->address != right->address)
        return left->address < right->address ? -1 : 1;
    return (int)left->task - (int)right->task;
}

/* The number of events before the second task was created, with its creation. */
static uint32_t events_alone(const struct execution *execution)
{
    uint32_t count = execution_count(execution);
    for (uint32_t i = 0; i < count; i++) {
        const struct event *event = execution_event(execution, i);
        if (event->op == OP_CREATE || event->task != 0)
            return event->task != 0 ? i : i + 1;
    }
    return 0;
}

static void gather(struct profile *profile, touches *all, const struct execution *execution)
{
    profile->alone = events_alone(execution);
    for (uint32_t i = 0; i < execution_count(execution); i++) {
        const struct event *event = execution_event(execution, i);
        while (profile->points.count <= event->task)
            vector_push(&profile->points, 0);
        profile->points.data[event->task] += i >= profile->alone;
        if (event->address != 0 && is_access(event->op))
            vector_push(all, (struct touch){.address = event->address,
                                            .event = i,
                                            .size = event->size ? event->size : 1,
                                            .task = event->task,
                                            .changes = op_class(event->op) != CLASS_READ});
    }
}

/* One address: touches [from, to).  Kept if at least two tasks touch it and one changes it. */
static void add_location(struct profile *profile, const struct touch *from, const struct touch *to)
{
    bool changes = false;
    uint64_t hi = from->address, met = from->event;
    for (const struct touch *touch = from; touch < to; touch++) {
        changes |= touch->changes;
        if (touch->event < met)
            met = touch->event;
        if (touch->address + touch->size > hi)
            hi = touch->address + touch->size;
    }
    if (!changes || from->task == to[-1].task)
        return;
    struct profile_location location = {
        .lo = from->address, .hi = hi, .first = (uint32_t)profile->counts.count, .met = met};
    while (from < to) {
        struct profile_count count = {.task = from->task};
        for (; from < to && from->task == count.task; from++)
            count.events += from->event >= profile->alone;
        vector_push(&profile->counts, count);
    }
    location.count = (uint32_t)profile->counts.count - location.first;
    vector_push(&profile->locations, location);
}

static int compare_met(const void *a, const void *b)
{
    const struct profile_location *left = a, *right = b;
    return left->met < right->met ? -1 : left->met > right->met;
}

void profile_make(struct profile *profile, const struct execution *execution)
{
    touches all = {0};
    vector_clear(&profile->locations);
    vector_clear(&profile->counts);
    vector_clear(&profile->points);
    gather(profile, &all, execution);
    if (all.count > 0)
        qsort(all.data, all.count, sizeof *all.data, compare_touches);
    for (size_t from = 0, to; from < all.count; from = to) {
        for (to = from; to < all.count && all.data[to].address == all.data[from].address;)
            to++;
        add_location(profile, all.data + from, all.data + to);
    }
    vector_free(&all);
    if (profile->locations.count > 0)
        qsort(profile->locations.data, profile->locations.count, sizeof *profile->locations.data, compare_met);
    if (profile->locations.count > PROFILE_LOCATIONS)
        profile->locations.count = PROFILE_LOCATIONS;
}

void profile_free(struct profile *profile)
{
    vector_free(&profile->locations);
    vector_free(&profile->counts);
    vector_free(&profile->points);
}

void profile_apply(const struct profile *profile, size_t index, struct wire_plan *plan)
{
    size_t tasks = profile->points.count < WIRE_TASKS ? profile->points.count : WIRE_TASKS;
    plan->task_count = (uint32_t)tasks;
    if (index >= profile->locations.count) {
        plan->interest_lo = plan->interest_hi = 0;
        for (size_t i = 0; i < tasks; i++)
            plan->task_points[i] = profile->points.data[i];
        return;
    }
    const struct profile_location *location = &profile->locations.data[index];
    plan->interest_lo = location->lo;
    plan->interest_hi = location->hi;
    memset(plan->task_points, 0, tasks * sizeof plan->task_points[0]);
    for (uint32_t i = 0; i < location->count; i++) {
        const struct profile_count *count = &profile->counts.data[location->first + i];
        if (count->task < tasks)
            plan->task_points[count->task] = count->events;
    }
}
