/* SPDX-License-Identifier: MIT
 *
 * build.c - a tale from a recorded run: its events in names and source lines, and their marks.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tale/tale_private.h"
#include "trace/events.h"
#include "trace/headline.h"
#include "trace/schedule.h"
#include "trace/wide_value.h"
#include "util/clock.h"
#include "util/hash.h"
#include "util/stop.h"

enum { HANG_HEAD = 20000, HANG_TAIL = 2000 }; /* events kept of a hang */
#define GRACE (CLOCK_SECOND / 4)              /* after Ctrl-C or the end of the time */

/* ---- places --------------------------------------------------------------------------------------------------------------- */

static int32_t add_place(struct builder *builder, const struct site *site)
{
    struct tale *tale = builder->tale;
    struct tale_place place = {
        .function = tale_pool_text(tale->pool, site->function),
        .file = tale_pool_text(tale->pool, site->file),
        .line = site->line,
        .column = site->column,
        .where = tale_pool_text(tale->pool, site->where),
        .source = tale_pool_text(tale->pool, symbols_source(builder->symbols, site)),
        .application = headline_is_application(site),
    };
    vector_push(&tale->places, place);
    return (int32_t)(tale->places.count - 1);
}

/* The same key for all addresses of one place. */
static uint64_t place_key(const struct site *site)
{
    uint64_t key = hash_combine(hash_string(site->function), hash_string(site->exact));
    return hash_combine(key, (uint64_t)site->line << 32 | site->column) | 1; /* no pointer is odd */
}

int32_t builder_exact_place(struct builder *builder, const struct site *site)
{
    const uint64_t *known = table_get(&builder->places, (uint64_t)(uintptr_t)site);
    if (known != NULL)
        return (int32_t)(*known - 1);
    uint64_t *same = table_put(&builder->places, place_key(site));
    if (*same == 0)
        *same = (uint64_t)add_place(builder, site) + 1;
    uint64_t place = *same;
    *table_put(&builder->places, (uint64_t)(uintptr_t)site) = place;
    return (int32_t)(place - 1);
}

int32_t builder_place(struct builder *builder, const struct site *site)
{
    const struct site *visible = headline_visible_site(site);
    return visible->own ? TALE_NONE : builder_exact_place(builder, visible);
}

static int32_t place_of_call(struct builder *builder, uint64_t pc)
{
    return pc != 0 ? builder_place(builder, symbols_site(builder->symbols, pc)) : TALE_NONE;
}

/* ---- threads --------------------------------------------------------------------------------------------------- */

static void add_threads(struct builder *builder)
{
    struct tale *tale = builder->tale;
    const struct wire_result *result = &builder->copy->result;
    uint32_t count = result->task_count > 0 ? result->task_count : 1;
    for (uint32_t i = 0; i < count; i++) {
        const struct wire_task *task = &result->tasks[i];
        const char *name = task->start_pc != 0 ? symbols_function(builder->symbols, task->start_pc)->function : "";
        bool orphan = i == 0 || task->parent >= i;
        struct tale_thread thread = {.name = tale_pool_text(tale->pool, i == 0 ? "main" : name),
                                     .parent = orphan ? TALE_NONE : (int32_t)task->parent,
                                     .created = i == 0 ? TALE_NONE : place_of_call(builder, task->create_pc),
                                     .operations = task->operations};
        vector_push(&tale->threads, thread);
    }
}

uint32_t builder_thread(const struct builder *builder, uint32_t task)
{
    return task < builder->tale->threads.count ? task : 0;
}

/* ---- events --------------------------------------------------------------------------------------------------------------- */

static int32_t place_of_event(struct builder *builder, const struct wire_event *wire, const struct site *site)
{
    if (wire->pc == 0)
        return TALE_NONE;
    if (wire->origin != 0 && wire->op != OP_START)
        site = headline_origin(builder->symbols, &builder->copy->result, wire->pc, wire->origin);
    return builder_place(builder, site);
}

static void add_event(struct builder *builder, const struct wire_event *wire)
{
    struct event_text text;
    struct tale *tale = builder->tale;
    event_describe(builder->symbols, builder->objects, wire, &text);
    if (wide_value_is_known(wire))
        wide_value_text(builder->objects, wire, text.value);
    struct tale_event event = {.thread = builder_thread(builder, wire->task),
                               .op = wire->op,
                               .flags = event_shown_flags(wire),
                               .size = wire->size,
                               .place = place_of_event(builder, wire, text.site),
                               .operation = wire->operation,
                               .object = tale_pool_text(tale->pool, text.object),
                               .value = tale_pool_text(tale->pool, text.value)};
    if (wire->op == OP_CREATE && wire->origin != 0 && !(wire->flags & EVENT_FAILED) &&
        wire->value < tale->threads.count)
        tale->threads.data[wire->value].created = event.place;
    bool behind_gap = tale->dropped > 0 && tale->events.count == tale->head;
    if (tale->events.count > 0 && !behind_gap && tale->events.data[tale->events.count - 1].thread != event.thread)
        event.marks |= TALE_SWITCH;
    vector_push(&tale->events, event);
    vector_push(&builder->wires, wire);
}

/* A read that is not in the event log. */
static void add_private(struct builder *builder, const struct wire_event *wire)
{
    struct tale *tale = builder->tale;
    objects_event(builder->objects, wire);
    add_event(builder, wire);
    tale->events.data[tale->events.count - 1].marks |= TALE_PRIVATE;
    vector_push(&tale->privates, (uint32_t)(tale->events.count - 1));
}

/* A thread that has not started yet has no return address. */
static int32_t place_of_wait(struct builder *builder, const struct wire_blocked *blocked)
{
    const struct wire_task *task = &builder->copy->result.tasks[builder_thread(builder, blocked->task)];
    if (blocked->op == OP_START && task->start_pc != 0)
        return builder_place(builder, symbols_function(builder->symbols, task->start_pc));
    return place_of_call(builder, blocked->pc);
}

/* The operations in which threads wait when the run ends. */
static void add_waits(struct builder *builder)
{
    const struct wire_result *result = &builder->copy->result;
    struct tale *tale = builder->tale;
    for (uint32_t i = 0; i < result->blocked_count && i < WIRE_BLOCKED; i++) {
        const struct wire_blocked *blocked = &result->blocked[i];
        bool held = blocked->holder < tale->threads.count;
        char name[OBJECT_NAME];
        if (blocked->op == OP_JOIN && held)
            snprintf(name, sizeof name, "T%u", blocked->holder);
        else if (op_class(blocked->op) == CLASS_IO)
            snprintf(name, sizeof name, "fd#%" PRIu64, blocked->address);
        else
            objects_name(builder->objects, blocked->address, 0, name, NULL);
        struct tale_wait wait = {.thread = builder_thread(builder, blocked->task),
                                 .op = blocked->op < WIRE_OP_COUNT ? blocked->op : (uint32_t)OP_NONE,
                                 .holder = held ? (int32_t)blocked->holder : TALE_NONE,
                                 .place = place_of_wait(builder, blocked),
                                 .object = tale_pool_text(tale->pool, name)};
        vector_push(&tale->waits, wait);
    }
}

static void add_blocked_events(struct tale *tale)
{
    for (size_t i = 0; i < tale->waits.count; i++) {
        const struct tale_wait *wait = &tale->waits.data[i];
        struct tale_event event = {.thread = wait->thread,
                                   .op = wait->op,
                                   .marks = TALE_BLOCKED,
                                   .place = wait->place,
                                   .operation = tale->threads.data[wait->thread].operations,
                                   .object = wait->object,
                                   .value = tale_pool_text(tale->pool, "")};
        vector_push(&tale->events, event);
    }
}

/* ---- marks: preemptions --------------------------------------------------------------------------------------------------- */

/* The thread was preempted before this operation. */
struct interruption {
    uint32_t thread;
    uint64_t before;
};

static int compare_interruptions(const void *left, const void *right)
{
    const struct interruption *a = left, *b = right;
    return a->thread != b->thread ? (a->thread < b->thread ? -1 : 1)
                                  : (a->before > b->before) - (a->before < b->before);
}

/* Whether the list has an interruption with last < before <= next. */
static bool was_interrupted(const struct interruption *list, size_t count, uint32_t thread, uint64_t last,
                            uint64_t next)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool earlier = list[middle].thread < thread || (list[middle].thread == thread && list[middle].before <= last);
        if (earlier)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && list[low].thread == thread && list[low].before <= next;
}

static void mark_preemptions(struct builder *builder)
{
    struct tale *tale = builder->tale;
    VECTOR(struct interruption) list = {0};
    for (size_t i = 0; i < builder->copy->steps.count; i++) {
        const struct wire_step *step = &builder->copy->steps.data[i];
        if (step->type == STEP_RUN && step->value != 0)
            vector_push(&list, (struct interruption){step->task, step->until});
    }
    if (list.count == 0)
        return;
    qsort(list.data, list.count, sizeof *list.data, compare_interruptions);
    uint64_t *next = memory_allocate(tale->threads.count, sizeof *next); /* operation of the thread's next event */
    for (size_t i = 0; i < tale->threads.count; i++)
        next[i] = UINT64_MAX;
    for (size_t i = tale->events.count; i-- > 1;) {
        struct tale_event *event = &tale->events.data[i];
        const struct tale_event *before = event - 1;
        if (event->marks & TALE_BLOCKED)
            continue;
        if (!(event->marks & TALE_END) || event->operation > 0)
            next[event->thread] = event->operation;
        if ((event->marks & TALE_SWITCH) &&
            was_interrupted(list.data, list.count, before->thread, before->operation, next[before->thread]))
            event->marks |= TALE_PREEMPTION;
    }
    free(next);
    vector_free(&list);
}

/* ---- marks: the failure --------------------------------------------------------------------------------------------------- */

static bool is_access_of(const struct wire_event *event, const struct wire_access *access)
{
    return access->pc != 0 && event->task == access->task && event->operation == access->operation &&
           event->pc == access->pc;
}

static const struct wire_event *wire_of(const struct builder *builder, size_t event)
{
    assert(event < builder->tale->events.count);
    return builder->wires.data[event];
}

/* Marks the operation that failed.  If it was not recorded, the last recorded operation of its thread. */
static void mark_failure(struct builder *builder)
{
    struct tale *tale = builder->tale;
    const struct wire_finding *finding = builder->finding;
    size_t chosen = SIZE_MAX;
    bool itself = false;
    for (size_t i = tale->events.count; i-- > 0;) {
        if (is_access_of(wire_of(builder, i), &finding->here)) {
            chosen = i;
            itself = true;
            break;
        }
        if (chosen == SIZE_MAX && tale->events.data[i].thread == tale->failing_thread)
            chosen = i;
    }
    if (chosen != SIZE_MAX)
        tale->events.data[chosen].marks |= TALE_FAILURE | (itself ? TALE_ITSELF : 0);
}

static void mark_race(struct builder *builder)
{
    struct tale *tale = builder->tale;
    const struct wire_finding *finding = builder->finding;
    for (size_t i = 0; i < tale->events.count; i++)
        if (is_access_of(wire_of(builder, i), &finding->here) || is_access_of(wire_of(builder, i), &finding->other))
            tale->events.data[i].marks |= TALE_RACE;
}

static void mark_parts(struct builder *builder)
{
    struct tale *tale = builder->tale;
    const struct wire_finding *finding = builder->finding;
    for (size_t i = 0; i < tale->events.count; i++)
        for (uint32_t k = 0; k < finding->part_count && k < WIRE_PARTS; k++)
            if (is_access_of(wire_of(builder, i), &finding->parts[k]))
                tale->events.data[i].marks |= TALE_RACE;
}

static void mark_freed(struct builder *builder)
{
    struct tale *tale = builder->tale;
    const struct wire_finding *finding = builder->finding;
    for (size_t i = tale->events.count; i-- > 0 && finding->block != 0;) {
        const struct wire_event *wire = wire_of(builder, i);
        if (wire->op != OP_FREE || wire->address != finding->block || is_access_of(wire, &finding->here))
            continue;
        tale->events.data[i].marks |= TALE_FREED;
        return;
    }
}

static void mark_kind(struct builder *builder)
{
    switch (builder->finding->kind) {
    case KIND_DEADLOCK:
        return;
    case KIND_RACE:
    case KIND_VOLATILE_RACE:
    case KIND_LOCK_ORDER:
        mark_race(builder);
        break;
    case KIND_SERIALIZABILITY:
        mark_parts(builder);
        break;
    case KIND_USE_AFTER_FREE:
    case KIND_DOUBLE_FREE:
        mark_freed(builder);
        break;
    default:
        break;
    }
    mark_failure(builder);
}

/* ---- marks: lost updates -------------------------------------------------------------------------------------------------- */

/* The last write of each word, and the last access of each thread to each word: event + 1, and whether it is a write. */
struct updates {
    struct table writes, accesses;
};

/* A lost update: the thread reads, another thread writes, and the thread writes without reading again. */
static bool loses_update(struct updates *updates, const struct builder *builder, const struct wire_event *wire,
                         uint64_t number)
{
    if (!event_is_access(wire))
        return false;
    uint64_t word = hash_combine(objects_identity(builder->objects, wire->address), wire->address & 7);
    uint64_t *mine = table_put(&updates->accesses, hash_combine(word, wire->task));
    uint64_t last = *mine;
    bool wrote = event_is_write(wire), lost = false;
    *mine = (number + 1) << 1 | wrote;
    if (wrote) {
        uint64_t *write = table_put(&updates->writes, word);
        bool plain = wire->op == OP_WRITE || wire->op == OP_ATOMIC_STORE;
        lost = plain && last != 0 && !(last & 1) && *write > last >> 1;
        *write = number + 1;
    }
    return lost;
}

/* ---- the whole ------------------------------------------------------------------------------------------------------------ */

/* Decides what is left out of a long run: the beginning, because the failure is at the end.  For a hang the middle,
   because the end is only the loop. */
static void plan_gap(struct builder *builder)
{
    size_t count = builder->copy->events.count;
    bool hang = builder->finding->kind == KIND_HANG;
    size_t head = hang ? HANG_HEAD : 0, kept = hang ? HANG_HEAD + HANG_TAIL : TALE_EVENTS;
    builder->tale->dropped = count > kept ? count - kept : 0;
    builder->tale->head = count > kept ? (uint32_t)head : 0;
}

/* Whether there is no time for more.  Short runs are told even if there was none from the start. */
static bool is_over(struct builder *builder)
{
    if (stop_requested() && !builder->finishing) {
        builder->finishing = true;
        builder->end = stop_finish(GRACE);
    }
    return stop_requested();
}

/* Half of the events would tell another story: then none of them. */
static void drop_events(struct builder *builder, uint64_t count)
{
    struct tale *tale = builder->tale;
    vector_free(&builder->wires);
    vector_free(&tale->events);
    vector_free(&tale->privates);
    vector_free(&tale->arrows);
    vector_free(&tale->bars);
    tale->dropped = count;
    tale->head = 0;
}

/* After events that were not kept: which locks are held, and which thread released them, is not known. */
static void begin_again(struct builder *builder, struct links **links, struct updates *updates)
{
    links_close(*links);
    *links = links_open(builder);
    table_free(&updates->writes);
    table_free(&updates->accesses);
}

static void add_events(struct builder *builder)
{
    struct tale *tale = builder->tale;
    size_t count = builder->copy->events.count;
    struct links *links = links_open(builder);
    struct updates updates = {0};
    struct extra_reads privates;
    const struct wire_event *private;
    plan_gap(builder);
    uint64_t dropped = tale->dropped;
    tale->dropped += builder->copy->result.events_gap;
    extra_reads_open(&privates, builder->copy, builder->finding);
    vector_reserve(&tale->events, count - dropped + WIRE_BLOCKED + WIRE_PRIVATES); /* links.c points into them */
    size_t i = 0;
    for (; i < count && !is_over(builder); i++) {
        const struct wire_event *wire = &builder->copy->events.data[i];
        struct tale_event *event = NULL;
        bool kept = i < tale->head || i - tale->head >= dropped;
        if (builder->copy->result.events_gap > 0 && i == builder->copy->result.events_head)
            begin_again(builder, &links, &updates);
        while ((private = extra_reads_next(&privates, i)) != NULL)
            if (i >= tale->head + dropped)
                add_private(builder, private);
        objects_event(builder->objects, wire);
        if (kept) {
            add_event(builder, wire);
            event = &tale->events.data[tale->events.count - 1];
        } else {
            event_pass(builder->objects, wire);
        }
        if (loses_update(&updates, builder, wire, i) && event != NULL)
            event->marks |= TALE_LOST;
        links_event(links, wire, event);
    }
    while (i == count && (private = extra_reads_next(&privates, count)) != NULL)
        add_private(builder, private);
    extra_reads_close(&privates);
    links_close(links);
    table_free(&updates.writes);
    table_free(&updates.accesses);
    if (i < count)
        drop_events(builder, count + builder->copy->result.events_gap);
}

static void add_headline(struct builder *builder)
{
    struct tale *tale = builder->tale;
    const struct wire_copy *copy = builder->copy;
    char *text = headline_text(builder->symbols, &copy->result, builder->finding, copy->events.data,
                               (uint32_t)copy->events.count);
    char *key = failure_key(builder->symbols, &copy->result, builder->finding);
    tale->kind = tale_pool_text(tale->pool, event_kind_name(builder->finding->kind));
    tale->site = tale_pool_text(tale->pool, headline_site(builder->symbols, &copy->result, builder->finding));
    tale->text = tale_pool_text(tale->pool, text);
    tale->key = tale_pool_text(tale->pool, key);
    free(text);
    free(key);
}

/* Where the outermost function of the program's own is in the calls that led to an event; NULL: none is known. */
static const struct site *outermost_site(struct builder *builder, const struct wire_event *wire)
{
    const struct wire_result *result = &builder->copy->result;
    const struct site *outermost = NULL;
    for (uint32_t origin = wire->origin; origin != 0; origin = result->origins[origin - 1].caller)
        for (const struct site *site = symbols_site(builder->symbols, result->origins[origin - 1].pc); site != NULL;
             site = site->caller)
            if (headline_is_application(site) && site->function[0] != '\0')
                outermost = site;
    return outermost;
}

/* "lambda" for main::(anonymous)::operator(), the class for another operator(), else the function. */
static char *runner_name(struct tale_pool *pool, const char *function)
{
    static const char call[] = "::operator()";
    const char *end = strstr(function, call);
    if (end == NULL || end[strlen(call)] != '\0')
        return tale_pool_text(pool, function);
    if (end[-1] == ')' || end[-1] == '>')
        return tale_pool_text(pool, "lambda");
    char *name = memory_format("%.*s", (int)(end - function), function), *text = tale_pool_text(pool, name);
    free(name);
    return text;
}

/* It began in a library: shown is where it enters the program's code. */
static void place_start(struct tale *tale, size_t before, uint32_t thread, int32_t place)
{
    for (size_t i = before; i-- > 0;) {
        struct tale_event *event = &tale->events.data[i];
        if (event->thread == thread && event->op == OP_START)
            event->place = place;
    }
}

/* A thread whose start routine has no name (a library started it) gets the name of the outermost function of the program that it
   runs. */
static void name_threads(struct builder *builder)
{
    struct tale *tale = builder->tale;
    for (size_t i = 0; i < builder->wires.count; i++) {
        const struct tale_event *event = &tale->events.data[i];
        struct tale_thread *thread = &tale->threads.data[event->thread];
        const struct tale_place *place = event->place != TALE_NONE ? &tale->places.data[event->place] : NULL;
        if (thread->name[0] != '\0' || place == NULL || !place->application || place->function[0] == '\0')
            continue;
        const struct site *site = outermost_site(builder, builder->wires.data[i]);
        thread->name = runner_name(tale->pool, site != NULL ? site->function : place->function);
        place_start(tale, i, event->thread, site != NULL ? builder_exact_place(builder, site) : event->place);
    }
}

/* The place of the last recorded event of the failing thread. */
static int32_t place_of_last(const struct tale *tale)
{
    for (size_t i = tale->events.count; i-- > 0;)
        if (tale->events.data[i].marks & TALE_FAILURE)
            return tale->events.data[i].place;
    return TALE_NONE;
}

void tale_build(struct tale *tale, struct symbols *symbols, const struct wire_copy *copy,
                const struct wire_finding *finding)
{
    struct builder builder = {.tale = tale, .symbols = symbols, .copy = copy, .finding = finding};
    *tale = (struct tale){.pool = tale_pool_open(), .place = TALE_NONE};
    builder.objects = objects_open_typed(symbols, &copy->result, copy->events.data, copy->events.count);
    add_headline(&builder);
    add_threads(&builder);
    tale->failing_thread = builder_thread(&builder, finding->here.task);
    tale->preemptions = tale->preemptions_found = schedule_preemptions(copy->steps.data, copy->steps.count);
    add_events(&builder);
    mark_kind(&builder);
    add_waits(&builder);
    if (finding->kind == KIND_DEADLOCK)
        add_blocked_events(tale);
    const struct site *site = finding->kind != KIND_DEADLOCK ? headline_place(symbols, finding) : NULL;
    if (site != NULL)
        tale->place = builder_exact_place(&builder, site);
    else if (finding->kind == KIND_HANG)
        tale->place = place_of_last(tale);
    extra_add_end(&builder);
    mark_preemptions(&builder);
    name_threads(&builder);
    stacks_add(&builder);
    notes_add(&builder);
    tale_slice(tale);
    notes_add_blocks(&builder);
    objects_close(builder.objects);
    table_free(&builder.places);
    vector_free(&builder.wires);
    if (builder.finishing)
        stop_at(builder.end);
}
