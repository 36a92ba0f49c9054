/* SPDX-License-Identifier: MIT
 *
 * extra.c - what a tale has beside the events of the run: reads of memory that no other thread had accessed so far, and the place
 * where the failing thread ended.
 */
#include <string.h>

#include "tale/tale_private.h"
#include "trace/events.h"

/* ---- private reads -------------------------------------------------------------------------------------------------- */

enum { READS = 24 }; /* most of one thread */

/* Whether the last reads of the thread may say why it failed. */
static bool wants_reads(const struct wire_result *result, const struct wire_finding *finding, uint32_t task)
{
    if (finding->kind != KIND_DEADLOCK)
        return finding->here.task == task;
    for (uint32_t i = 0; i < result->blocked_count && i < WIRE_BLOCKED; i++)
        if (result->blocked[i].task == task)
            return true;
    return false;
}

void extra_reads_open(struct extra_reads *reads, const struct wire_copy *copy, const struct wire_finding *finding)
{
    struct table counts = {0};
    *reads = (struct extra_reads){0};
    for (size_t i = copy->privates.count; i-- > 0;) {
        const struct wire_private *private = &copy->privates.data[i];
        if (!wants_reads(&copy->result, finding, private->event.task))
            continue;
        if ((*table_put(&counts, (uint64_t) private->event.task + 1))++ < READS)
            vector_push(&reads->list, private);
    }
    for (size_t i = 0; i < reads->list.count / 2; i++) { /* oldest first */
        const struct wire_private *keep = reads->list.data[i];
        reads->list.data[i] = reads->list.data[reads->list.count - 1 - i];
        reads->list.data[reads->list.count - 1 - i] = keep;
    }
    table_free(&counts);
}

const struct wire_event *extra_reads_next(struct extra_reads *reads, size_t number)
{
    if (reads->next == reads->list.count || reads->list.data[reads->next]->before > number)
        return NULL;
    return &reads->list.data[reads->next++]->event;
}

void extra_reads_close(struct extra_reads *reads)
{
    vector_free(&reads->list);
}

/* ---- the end ---------------------------------------------------------------------------------------------------------- */

/* A line of source without the comment at its end. */
static char *without_comment(const char *source)
{
    size_t size = strlen(source);
    const char *comments[] = {strstr(source, " /*"), strstr(source, " //")};
    for (size_t i = 0; i < 2; i++)
        if (comments[i] != NULL && (size_t)(comments[i] - source) < size && comments[i] != source)
            size = (size_t)(comments[i] - source);
    return memory_format("%.*s", (int)size, source);
}

/* The failing operation itself has an event.  A lost block has one: its allocation. */
static bool is_recorded(const struct tale *tale)
{
    for (size_t i = tale->events.count; i-- > 0;)
        if ((tale->events.data[i].marks & TALE_ITSELF) ||
            ((tale->events.data[i].marks & TALE_RACE) && tale->events.data[i].thread == tale->failing_thread))
            return true;
    return false;
}

/* The access that the runtime did not let happen; false: it was none. */
static bool name_access(struct builder *builder, struct tale_event *event)
{
    const struct wire_access *here = &builder->finding->here;
    char name[OBJECT_NAME];
    if ((!op_is_access(here->op) && here->op != OP_FREE) || here->address == 0)
        return false;
    event->op = here->op;
    event->size = here->size;
    event->object =
        tale_pool_text(builder->tale->pool, objects_name(builder->objects, here->address,
                                                         op_is_access(here->op) ? here->size : 0, name, NULL));
    return true;
}

void extra_add_end(struct builder *builder)
{
    struct tale *tale = builder->tale;
    uint32_t kind = builder->finding->kind;
    if (tale->place == TALE_NONE || kind == KIND_DEADLOCK || kind == KIND_HANG || is_recorded(tale))
        return;
    const struct tale_place *place = &tale->places.data[tale->place];
    struct tale_event event = {.thread = tale->failing_thread,
                               .marks = TALE_FAILURE | TALE_ITSELF | TALE_END,
                               .place = tale->place,
                               .operation = builder->finding->here.operation,
                               .value = tale_pool_text(tale->pool, "")};
    bool heap = kind == KIND_USE_AFTER_FREE || kind == KIND_DOUBLE_FREE || kind == KIND_INVALID_FREE ||
                kind == KIND_OUT_OF_BLOCK;
    if (!heap || !name_access(builder, &event)) {
        char *text = without_comment(place->source != NULL ? place->source : place->function);
        event.op = OP_NONE;
        event.object = tale_pool_text(tale->pool, text);
        free(text);
    }
    for (size_t i = 0; i < tale->events.count; i++)
        tale->events.data[i].marks &= ~(uint32_t)TALE_FAILURE;
    if (tale->events.count > 0 && tale->events.data[tale->events.count - 1].thread != event.thread)
        event.marks |= TALE_SWITCH;
    vector_push(&tale->events, event);
}
