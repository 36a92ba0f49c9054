/* SPDX-License-Identifier: MIT
 *
 * violation.c - see violation.h.
 */
#include "pattern/violation.h"

#include <assert.h>
#include <inttypes.h>
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

static const struct set_label *set_of(const struct violation_run *run, const struct violation *violation)
{
    return &run->units->sets.data[violation->set - 1];
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

char *violation_key(const struct violation_run *run, const struct violation *violation)
{
    return memory_format("serializability %s %s", violation_set(run, violation),
                         violation_function(run, violation_unit(run, violation, 0)));
}

/* Calls `say` for each event, in order, with the name of what it accesses. */
typedef void say_event(void *context, const struct event *event, const char *object);

static void each_event(const struct violation_run *run, const struct violation *violation, say_event *say,
                       void *context)
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
            say(context, execution_event(run->execution, i),
                objects_name(objects, event->address, event->size, name, NULL));
        }
        event_pass(objects, event);
    }
    objects_close(objects);
}

struct sentence {
    const struct violation_run *run;
    struct buffer text;
    const struct event *before; /* NULL: there is none */
    char object[OBJECT_NAME];   /* that it was about */
    char *file;                 /* that was named */
};

/* "x.c:20"; ":23" if the file was named just before. */
static void add_where(struct sentence *sentence, uint64_t pc)
{
    const char *where = headline_where(sentence->run->symbols, pc), *colon = strrchr(where, ':');
    size_t length = colon != NULL ? (size_t)(colon - where) : 0;
    bool same = colon != NULL && sentence->file != NULL && strlen(sentence->file) == length &&
                strncmp(sentence->file, where, length) == 0;
    buffer_printf(&sentence->text, " at %s", same ? colon : where);
    if (colon == NULL || same)
        return;
    free(sentence->file);
    sentence->file = memory_format("%.*s", (int)length, where);
}

static const char *verb_of(const struct event *event)
{
    return op_class(event->op) == CLASS_READ ? "reads" : event->op == OP_WRITE ? "writes" : "updates";
}

static void say_access(void *context, const struct event *event, const char *object)
{
    struct sentence *sentence = context;
    const struct event *before = sentence->before;
    bool same_task = before != NULL && before->task == event->task && before->unit == event->unit;
    buffer_add_string(&sentence->text, before == NULL ? "" : same_task ? " and" : ", then ");
    if (!same_task)
        buffer_printf(&sentence->text, "T%u", event->task);
    buffer_printf(&sentence->text, " %s %s", verb_of(event),
                  before != NULL && strcmp(object, sentence->object) == 0 ? "it" : object);
    add_where(sentence, event->pc);
    snprintf(sentence->object, sizeof sentence->object, "%s", object);
    sentence->before = event;
}

/* "account_copy (T1, called at x.c:88)" */
static void add_unit(struct sentence *sentence, const struct unit_label *unit)
{
    const struct wire_copy *copy = sentence->run->copy;
    const struct wire_call *call = unit->call != 0 ? &copy->calls.data[unit->call - 1] : NULL;
    if (call == NULL) {
        buffer_printf(&sentence->text, "an access of T%u", unit->task);
        return;
    }
    buffer_printf(&sentence->text, "%s (T%u", violation_function(sentence->run, unit), unit->task);
    if (call->pc != 0) {
        buffer_add_string(&sentence->text, call->part ? ", marked" : ", called");
        add_where(sentence, call->pc);
    }
    buffer_add_string(&sentence->text, ")");
}

char *violation_text(const struct violation_run *run, const struct violation *violation)
{
    struct sentence sentence = {.run = run};
    buffer_add_string(&sentence.text, "not serializable: ");
    add_unit(&sentence, violation_unit(run, violation, 0));
    buffer_add_string(&sentence.text, " and ");
    add_unit(&sentence, violation_unit(run, violation, 1));
    if (violation->units > 2)
        buffer_printf(&sentence.text, " and %" PRIu32 " more", violation->units - 2);
    buffer_printf(&sentence.text, " on %s: ", violation_set(run, violation));
    each_event(run, violation, say_access, &sentence);
    buffer_printf(&sentence.text, " (%s)", violation_pattern(violation));
    free(sentence.file);
    return buffer_take(&sentence.text);
}

static void list_object(void *context, const struct event *event, const char *object)
{
    violation_names *names = context;
    (void)event;
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->data[i], object) == 0)
            return;
    vector_push(names, memory_copy_string(object));
}

void violation_list_objects(const struct violation_run *run, const struct violation *violation, violation_names *names)
{
    each_event(run, violation, list_object, names);
}

void violation_free_names(violation_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->data[i]);
    vector_free(names);
}
