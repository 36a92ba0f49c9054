/* SPDX-License-Identifier: MIT
 *
 * violation.c - see violation.h.
 */
#include "pattern/violation.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/events.h"
#include "trace/headline.h"
#include "trace/object.h"
#include "util/buffer.h"
#include "util/hash.h"
#include "util/memory.h"

/* ---- accesses ------------------------------------------------------------------------------------------------------ */

static void add_pieces(const struct execution *execution, uint32_t number, struct unit_access access,
                       unit_access_list *accesses)
{
    uint32_t count = 0;
    const struct execution_piece *pieces = execution_pieces(execution, number, &count);
    for (uint32_t i = 0; i < count; i++) {
        access.location = pieces[i].location;
        vector_push(accesses, access);
    }
}

/* An update that changed nothing is a read. */
static void add_event(const struct execution *execution, uint32_t number, unit_access_list *accesses)
{
    const struct event *event = execution_event(execution, number);
    struct unit_access access = {
        .event = number, .unit = event->unit, .set = event->set, .thread = event->task, .write = false};
    unsigned count = 0;
    const struct access *known = execution_accesses(execution, number, &count);
    for (unsigned i = 0; i < count; i++) {
        if (known[i].space != SPACE_DATA)
            continue;
        if (known[i].kind != ACCESS_WRITE && known[i].kind != ACCESS_FREE)
            add_pieces(execution, number, access, accesses);
        if (known[i].kind != ACCESS_READ) {
            access.write = true;
            add_pieces(execution, number, access, accesses);
        }
    }
}

void unit_accesses_read(const struct execution *execution, unit_access_list *accesses)
{
    execution_prepare(execution, EXECUTION_READS_FROM);
    vector_clear(accesses);
    for (uint32_t i = 0; i < execution_count(execution); i++)
        if (execution_event(execution, i)->set != 0)
            add_event(execution, i, accesses);
}

/* ---- parts of a violation ------------------------------------------------------------------------------------------ */

const struct event *violation_event(const struct violation_run *run, const struct violation *violation, unsigned index)
{
    assert(index < violation->count);
    return execution_event(run->execution, run->accesses[violation->accesses[index]].event);
}

unsigned violation_events(const struct violation_run *run, const struct violation *violation,
                          uint32_t events[SERIALIZABILITY_EVENTS])
{
    unsigned count = 0;
    for (unsigned i = 0; i < violation->count; i++) {
        uint32_t event = run->accesses[violation->accesses[i]].event;
        unsigned at = count;
        while (at > 0 && events[at - 1] > event)
            at--;
        if (at > 0 && events[at - 1] == event)
            continue;
        memmove(&events[at + 1], &events[at], (count - at) * sizeof *events);
        events[at] = event;
        count++;
    }
    return count;
}

const char *violation_function(const struct violation_run *run, const struct unit_label *unit)
{
    if (unit->call == 0)
        return "access";
    return unit->function != 0 ? atomic_sets_function(run->sets, unit->function)->name : "?";
}

/* The unit has accesses of the violation both before and after one of another unit. */
static bool is_interrupted(const struct violation_run *run, const struct violation *violation, uint32_t unit)
{
    uint32_t events[SERIALIZABILITY_EVENTS];
    unsigned count = violation_events(run, violation, events), changes = 0;
    bool inside = false, left = false;
    for (unsigned i = 0; i < count; i++) {
        bool own = execution_event(run->execution, events[i])->unit == unit;
        changes += own && left;
        left |= inside && !own;
        inside |= own;
    }
    return changes > 0;
}

static const struct set_label *set_of(const struct violation_run *run, const struct violation *violation)
{
    return &run->units->sets.data[violation->set - 1];
}

/* ---- locks --------------------------------------------------------------------------------------------------------- */

struct held {
    uint16_t task;
    uint64_t lock;
};

struct held_locks {
    VECTOR(struct held) held;
    struct table numbers; /* lock → its number, from 1 */
};

static void see_locks(struct held_locks *locks, const struct execution *execution, uint32_t number)
{
    unsigned count = 0;
    const struct access *accesses = execution_accesses(execution, number, &count);
    uint16_t task = execution_event(execution, number)->task;
    for (unsigned i = 0; i < count; i++) {
        enum access_kind kind = (enum access_kind)accesses[i].kind;
        if (kind == ACCESS_LOCK || kind == ACCESS_RDLOCK)
            vector_push(&locks->held, (struct held){task, accesses[i].lo});
        for (size_t k = locks->held.count; (kind == ACCESS_UNLOCK || kind == ACCESS_RDUNLOCK) && k-- > 0;)
            if (locks->held.data[k].task == task && locks->held.data[k].lock == accesses[i].lo) {
                locks->held.data[k] = locks->held.data[--locks->held.count];
                break;
            }
    }
}

/* A bit per lock; with very many locks two may have the same. */
static uint64_t held_by(struct held_locks *locks, uint16_t task)
{
    enum { BITS = 64 };
    uint64_t all = 0;
    for (size_t i = 0; i < locks->held.count; i++) {
        if (locks->held.data[i].task != task)
            continue;
        uint64_t *number = table_put(&locks->numbers, locks->held.data[i].lock);
        if (*number == 0)
            *number = locks->numbers.count;
        all |= UINT64_C(1) << *number % BITS;
    }
    return all;
}

/* What each access's task held then. */
static void find_locks(const struct violation_run *run, const struct violation *violation,
                       uint64_t held[SERIALIZABILITY_EVENTS])
{
    struct held_locks locks = {0};
    unsigned left = violation->count;
    for (uint32_t i = 0; i < execution_count(run->execution) && left > 0; i++) {
        see_locks(&locks, run->execution, i);
        for (unsigned k = 0; k < violation->count; k++)
            if (run->accesses[violation->accesses[k]].event == i) {
                held[k] = held_by(&locks, execution_event(run->execution, i)->task);
                left--;
            }
    }
    vector_free(&locks.held);
    table_free(&locks.numbers);
}

/* The accesses belong together: to one variable, or one conflict. */
static bool are_one(const struct violation_run *run, const struct violation *violation, unsigned a, unsigned b)
{
    if (violation->pattern == 0)
        return a / 2 == b / 2;
    return run->accesses[violation->accesses[a]].location == run->accesses[violation->accesses[b]].location;
}

bool violation_is_apart(const struct violation_run *run, const struct violation *violation)
{
    uint64_t held[SERIALIZABILITY_EVENTS] = {0}, all = UINT64_MAX;
    uint32_t kind = set_of(run, violation)->kind;
    if (kind == 0 || atomic_sets_kind(run->sets, kind)->is_wanted)
        return false;
    find_locks(run, violation, held);
    for (unsigned a = 0; a < violation->count; a++) {
        uint64_t own = UINT64_MAX;
        for (unsigned b = 0; b < violation->count; b++)
            if (are_one(run, violation, a, b))
                own &= held[b];
        all &= own;
        if (own == 0)
            return false;
    }
    return all == 0;
}

/* ---- units --------------------------------------------------------------------------------------------------------- */

bool violation_is_benign(const struct violation_run *run, const struct violation *violation)
{
    const uint32_t units[] = {violation->unit, violation->other};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        uint32_t function = run->units->units.data[units[i] - 1].function;
        if (function != 0 && atomic_sets_function(run->sets, function)->is_benign)
            return true;
    }
    return false;
}

/* Where both units interrupt each other, the one whose function's name comes first, so that it is always the same one. */
static bool is_swapped(const struct violation_run *run, const struct violation *violation)
{
    if (!is_interrupted(run, violation, violation->unit))
        return true;
    return is_interrupted(run, violation, violation->other) &&
           strcmp(violation_function(run, &run->units->units.data[violation->unit - 1]),
                  violation_function(run, &run->units->units.data[violation->other - 1])) > 0;
}

const struct unit_label *violation_unit(const struct violation_run *run, const struct violation *violation,
                                        unsigned which)
{
    bool other = (which != 0) != is_swapped(run, violation);
    return &run->units->units.data[(other ? violation->other : violation->unit) - 1];
}

uint64_t violation_hash(const struct violation_run *run, const struct violation *violation)
{
    uint32_t events[SERIALIZABILITY_EVENTS];
    unsigned count = violation_events(run, violation, events);
    uint64_t hash = hash_combine(violation->pattern, set_of(run, violation)->kind);
    for (unsigned which = 0; which < 2; which++)
        hash = hash_combine(hash, violation_unit(run, violation, which)->function);
    for (unsigned i = 0; i < count; i++)
        hash = hash_combine(hash, execution_event(run->execution, events[i])->pc);
    return hash;
}

/* ---- words --------------------------------------------------------------------------------------------------------- */

const char *violation_set(const struct violation_run *run, const struct violation *violation)
{
    uint32_t kind = set_of(run, violation)->kind;
    return kind != 0 ? atomic_sets_kind(run->sets, kind)->name : "memory";
}

const char *violation_pattern(const struct violation *violation)
{
    static const char *const names[] = {"cycle",   "asset.1", "asset.2", "asset.3", "asset.4",  "asset.5",
                                        "asset.6", "asset.7", "asset.8", "asset.9", "asset.10", "asset.11"};
    assert(violation->pattern < sizeof names / sizeof names[0]);
    return names[violation->pattern];
}

void violation_finding(const struct violation_run *run, const struct violation *violation, struct wire_finding *finding)
{
    uint32_t events[SERIALIZABILITY_EVENTS];
    unsigned count = violation_events(run, violation, events);
    *finding = (struct wire_finding){.kind = KIND_SERIALIZABILITY, .pattern = violation->pattern, .part_count = count};
    for (unsigned i = 0; i < count; i++) {
        const struct event *event = execution_event(run->execution, events[i]);
        finding->parts[i] = (struct wire_access){.task = event->task,
                                                 .op = event->op,
                                                 .flags = event->flags,
                                                 .size = event->size,
                                                 .pc = event->pc,
                                                 .address = event->address,
                                                 .operation = event->operation};
    }
    for (unsigned i = 0; i < count; i++) {
        const struct event *event = execution_event(run->execution, events[i]);
        bool own = &run->units->units.data[event->unit - 1] == violation_unit(run, violation, 0);
        *(own ? &finding->here : &finding->other) = finding->parts[i];
    }
    snprintf(finding->text, sizeof finding->text, "%s on %s, interrupted by %s",
             violation_function(run, violation_unit(run, violation, 0)), violation_set(run, violation),
             violation_function(run, violation_unit(run, violation, 1)));
}

char *violation_key(const struct violation_run *run, const struct violation *violation)
{
    struct wire_finding finding;
    violation_finding(run, violation, &finding);
    return failure_key(run->symbols, &run->copy->result, &finding);
}

char *violation_text(const struct violation_run *run, const struct violation *violation)
{
    struct wire_finding finding;
    violation_finding(run, violation, &finding);
    return headline_text(run->symbols, &run->copy->result, &finding, run->copy->events.data,
                         (uint32_t)run->copy->events.count);
}

/* "account_copy is called by T1 at x.c:88"; nothing for a single access. */
static void add_call(const struct violation_run *run, const struct unit_label *unit, struct buffer *text)
{
    const struct wire_call *call = unit->call != 0 ? &run->copy->calls.data[unit->call - 1] : NULL;
    if (call == NULL || call->pc == 0)
        return;
    buffer_printf(text, "%s%s %s by T%u at %s", text->size > 0 ? "\n" : "", violation_function(run, unit),
                  call->part ? "is begun" : "is called", unit->task, headline_where(run->symbols, call->pc));
}

char *violation_calls(const struct violation_run *run, const struct violation *violation)
{
    struct buffer text = {0};
    for (unsigned which = 0; which < 2; which++)
        add_call(run, violation_unit(run, violation, which), &text);
    return buffer_take(&text);
}

/* ---- objects ------------------------------------------------------------------------------------------------------- */

static void add_name(violation_names *names, const char *object)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->data[i], object) == 0)
            return;
    vector_push(names, memory_copy_string(object));
}

void violation_list_objects(const struct violation_run *run, const struct violation *violation, violation_names *names)
{
    uint32_t events[SERIALIZABILITY_EVENTS];
    unsigned count = violation_events(run, violation, events), next = 0;
    const struct wire_copy *copy = run->copy;
    struct objects *objects = objects_open_typed(run->symbols, &copy->result, copy->events.data, copy->events.count);
    for (uint32_t i = 0; next < count; i++) {
        const struct wire_event *event = &copy->events.data[i];
        char name[OBJECT_NAME];
        objects_event(objects, event);
        if (events[next] == i) {
            next++;
            add_name(names, objects_name(objects, event->address, event->size, name, NULL));
        }
        event_pass(objects, event);
    }
    objects_close(objects);
}

void violation_free_names(violation_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->data[i]);
    vector_free(names);
}
