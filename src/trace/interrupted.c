/* SPDX-License-Identifier: MIT
 *
 * interrupted.c - the headline of a violation of serializability: which call was interrupted by which, and its accesses in their order.
 *
 * The finding's text says which calls and which object ("account_copy on struct account, interrupted by account_credit"), its parts are the
 * accesses.
 */
#include <stdlib.h>
#include <string.h>

#include "trace/events.h"
#include "trace/headline_private.h"
#include "util/memory.h"

struct sentence {
    const struct headline *finding_of;
    struct buffer *text;
    const struct wire_access *before; /* NULL: there is none */
    char object[OBJECT_NAME];         /* that it was about */
    char *file;                       /* that was named */
};

/* " at x.c:20"; " at :23" if the file was named just before. */
static void add_where(struct sentence *sentence, uint64_t pc)
{
    const char *where = headline_where(sentence->finding_of->symbols, pc), *colon = strrchr(where, ':');
    size_t length = colon != NULL ? (size_t)(colon - where) : 0;
    bool same = colon != NULL && sentence->file != NULL && strlen(sentence->file) == length &&
                strncmp(sentence->file, where, length) == 0;
    buffer_printf(sentence->text, " at %s", same ? colon : where);
    if (colon == NULL || same)
        return;
    free(sentence->file);
    sentence->file = memory_format("%.*s", (int)length, where);
}

static const char *verb_of(const struct wire_access *access)
{
    return op_class(access->op) == CLASS_READ ? "reads" : access->op == OP_WRITE ? "writes" : "updates";
}

static void say_access(struct sentence *sentence, const struct wire_access *access, const char *object)
{
    const struct wire_access *before = sentence->before;
    bool same_task = before != NULL && before->task == access->task;
    bool same_verb = same_task && strcmp(verb_of(before), verb_of(access)) == 0;
    buffer_add_string(sentence->text, before == NULL ? "" : same_task ? " and" : ", then ");
    if (!same_task)
        buffer_printf(sentence->text, "T%u", access->task);
    if (!same_verb)
        buffer_printf(sentence->text, " %s", verb_of(access));
    buffer_printf(sentence->text, " %s", before != NULL && strcmp(object, sentence->object) == 0 ? "it" : object);
    add_where(sentence, access->pc);
    snprintf(sentence->object, sizeof sentence->object, "%s", object);
    sentence->before = access;
}

static bool is_part(const struct wire_event *event, const struct wire_access *part)
{
    return event->task == part->task && event->operation == part->operation && event->pc == part->pc &&
           event->op == part->op;
}

/* Each is named at its own time: a block may be freed later, and its address used again. */
static void say_accesses(struct sentence *sentence)
{
    const struct headline *own = sentence->finding_of;
    const struct wire_finding *finding = own->finding;
    struct objects *objects = objects_open_typed(own->symbols, own->result, own->events, own->count);
    uint32_t next = 0;
    uint32_t parts = finding->part_count < WIRE_PARTS ? finding->part_count : WIRE_PARTS;
    for (uint32_t i = 0; i < own->count && next < parts; i++) {
        const struct wire_event *event = &own->events[i];
        char name[OBJECT_NAME];
        objects_event(objects, event);
        if (is_part(event, &finding->parts[next]))
            say_access(sentence, &finding->parts[next++],
                       objects_name(objects, event->address, event->size, name, NULL));
        event_pass(objects, event);
    }
    objects_close(objects);
}

void interrupted_add_headline(const struct headline *finding_of, struct buffer *text)
{
    struct sentence sentence = {.finding_of = finding_of, .text = text};
    const struct wire_finding *finding = finding_of->finding;
    buffer_printf(text, "not serializable: %s: ", finding->text);
    say_accesses(&sentence);
    if (finding->pattern > 0)
        buffer_printf(text, " (asset.%u)", finding->pattern);
    free(sentence.file);
}
