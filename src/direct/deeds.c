/* SPDX-License-Identifier: MIT
 *
 * deeds.c - see deeds.h.
 */
#include "direct/deeds.h"

#include <stdlib.h>
#include <string.h>

#include "pattern/location.h"
#include "pattern/waits.h"
#include "predict/clock.h"
#include "util/memory.h"
#include "util/stop.h"

struct actor {                /* a task, as far as the run has been read */
    VECTOR(uint32_t) moments; /* of its deeds, by its own clock */
    uint32_t holds;           /* locks, in `holds` */
    struct clock *clock;      /* at its last deed */
    uint32_t waits;           /* its last wait for a condition variable, while it waits; DEED_NONE */
};

struct reader {
    struct deeds *deeds;
    VECTOR(struct actor) actors;
    struct locations locations;
    location_list touched;
    struct table objects; /* address → the last deed that used it, + 1 */
    struct waits waits;
    struct clocks *clocks;
};

/* The number that the deed being read will have. */
static uint32_t number_now(const struct reader *reader)
{
    return (uint32_t)reader->deeds->all.count;
}

static void see_task(struct reader *reader, uint16_t task)
{
    while (reader->actors.count <= task) {
        vector_push(&reader->actors, ((struct actor){.waits = DEED_NONE}));
        vector_push(&reader->deeds->tasks, ((deed_list){0}));
    }
}

/* ---- needs --------------------------------------------------------------------------------------------------------- */

static void add_need(struct reader *reader, struct deed *deed, uint32_t need, bool must)
{
    if (need == DEED_NONE || reader->deeds->all.data[need].task == deed->task)
        return;
    vector_push(&reader->deeds->needs, ((struct deed_need){need, must}));
    deed->need_count++;
}

/* What the task has learned of others since its last deed. */
static void need_others(struct reader *reader, struct deed *deed)
{
    struct actor *actor = &reader->actors.data[deed->task];
    struct clock *clock = clocks_now(reader->clocks, deed->task);
    if (clock == actor->clock)
        return;
    for (uint16_t i = 0; i < clock->count && i < reader->actors.count; i++) {
        uint32_t moment = clock_at(clock, i);
        if (i == deed->task || (actor->clock != NULL && clock_at(actor->clock, i) >= moment))
            continue;
        const struct actor *other = &reader->actors.data[i];
        size_t last = other->moments.count;
        while (last > 0 && other->moments.data[last - 1] > moment)
            last--;
        if (last > 0)
            add_need(reader, deed, reader->deeds->tasks.data[i].data[last - 1], true);
    }
    clock_release(actor->clock);
    actor->clock = clock_keep(clock);
}

/* A signal that woke somebody must find him waiting. */
static void need_waiters(struct reader *reader, struct deed *deed, const struct event *event)
{
    if (event->op == OP_COND_SIGNAL && (event->flags & EVENT_VALUE) && event->value < reader->actors.count)
        add_need(reader, deed, reader->actors.data[event->value].waits, true);
    for (size_t i = 0; event->op == OP_COND_BROADCAST && i < reader->actors.count; i++)
        add_need(reader, deed, reader->actors.data[i].waits, true);
}

static void note_wait(struct reader *reader, const struct event *event)
{
    if (event->op == OP_COND_WAIT)
        reader->actors.data[event->task].waits = number_now(reader);
    else if (event->op == OP_COND_WAKE)
        reader->actors.data[event->task].waits = DEED_NONE;
}

/* ---- accesses ------------------------------------------------------------------------------------------------------ */

uint32_t deeds_let_go(struct deeds *deeds, uint32_t holds, uint64_t lock)
{
    const struct deed_hold hold = deeds->holds.data[holds];
    if (holds == 0 || hold.lock == lock)
        return hold.others;
    struct deed_hold kept = {hold.lock, hold.deed, deeds_let_go(deeds, hold.others, lock)};
    if (kept.others == hold.others) /* it was not there */
        return holds;
    vector_push(&deeds->holds, kept);
    return (uint32_t)deeds->holds.count - 1;
}

static void take_lock(struct reader *reader, struct deed *deed, enum lock_use use, uint64_t lock)
{
    struct actor *actor = &reader->actors.data[deed->task];
    deed->lock_use = (uint8_t)use;
    deed->lock = lock;
    vector_push(&reader->deeds->holds, ((struct deed_hold){lock, number_now(reader), actor->holds}));
    actor->holds = (uint32_t)reader->deeds->holds.count - 1;
}

static void give_lock(struct reader *reader, struct deed *deed, uint64_t lock)
{
    struct actor *actor = &reader->actors.data[deed->task];
    deed->lock_use = LOCK_GIVE;
    deed->lock = lock;
    uint32_t hold = actor->holds;
    while (hold != 0 && reader->deeds->holds.data[hold].lock != lock)
        hold = reader->deeds->holds.data[hold].others;
    if (hold != 0)
        reader->deeds->all.data[reader->deeds->holds.data[hold].deed].end = number_now(reader);
    actor->holds = deeds_let_go(reader->deeds, actor->holds, lock);
}

static void use_object(struct reader *reader, struct deed *deed, const struct access *access)
{
    switch (access->kind) {
    case ACCESS_LOCK:
        take_lock(reader, deed, LOCK_TAKE, access->lo);
        break;
    case ACCESS_RDLOCK:
        take_lock(reader, deed, LOCK_SHARE, access->lo);
        break;
    case ACCESS_UNLOCK:
    case ACCESS_RDUNLOCK:
        give_lock(reader, deed, access->lo);
        break;
    default:
        break;
    }
    uint64_t *last = table_put(&reader->objects, access->lo);
    bool in_order = access->kind == ACCESS_TRY || access->kind == ACCESS_ACQUIRE || access->kind == ACCESS_INIT ||
                    access->kind == ACCESS_DESTROY;
    if (in_order && *last != 0)
        add_need(reader, deed, (uint32_t)(*last - 1), true);
    if (access->kind != ACCESS_TRY)
        *last = number_now(reader) + 1;
}

static void use_memory(struct reader *reader, struct deed *deed, const struct access *access)
{
    uint32_t before = DEED_NONE;
    deed->writes = access_is_strong((enum access_kind)access->kind);
    deed->reads = access->kind == ACCESS_READ || access->kind == ACCESS_UPDATE;
    locations_find(&reader->locations, access->lo, access->hi, &reader->touched);
    for (size_t i = 0; i < reader->touched.count; i++) {
        uint32_t location = reader->touched.data[i];
        deed_list *writes = &reader->deeds->writes.data[location];
        uint32_t writer = writes->count > 0 ? writes->data[writes->count - 1] : DEED_NONE;
        vector_push(&reader->deeds->pieces, ((struct deed_piece){location, writer}));
        deed->piece_count++;
        if (deed->reads && writer != before)
            add_need(reader, deed, writer, false);
        before = writer;
        if (deed->reads && writer == DEED_NONE && reader->deeds->first_reads.data[location] == DEED_NONE)
            reader->deeds->first_reads.data[location] = number_now(reader);
        if (deed->writes)
            vector_push(writes, number_now(reader));
    }
}

/* ---- reading ------------------------------------------------------------------------------------------------------- */

static uint32_t door_of(const struct reader *reader, const struct deed *deed)
{
    uint32_t first = DEED_NONE;
    for (uint32_t hold = deed->holds; hold != 0; hold = reader->deeds->holds.data[hold].others)
        first = reader->deeds->holds.data[hold].deed;
    return first < number_now(reader) ? reader->deeds->all.data[first].place : deed->place;
}

static void read_event(struct reader *reader, const struct event *event)
{
    struct deeds *deeds = reader->deeds;
    struct access accesses[EVENT_ACCESSES];
    unsigned accessed = event_accesses(event, waits_event(&reader->waits, event), accesses);
    see_task(reader, event->task);
    uint64_t *last = table_put(&deeds->sites, event->site);
    struct deed deed = {.operation = event->operation,
                        .value = event->value,
                        .site = event->site,
                        .alike = *last != 0 ? (uint32_t)(*last - 1) : DEED_NONE,
                        .place = (uint32_t)deeds->tasks.data[event->task].count,
                        .end = DEED_NONE,
                        .need = (uint32_t)deeds->needs.count,
                        .piece = (uint32_t)deeds->pieces.count,
                        .access = (uint32_t)deeds->accesses.count,
                        .access_count = accessed,
                        .task = event->task,
                        .valued = (event->flags & EVENT_VALUE) != 0};
    *last = number_now(reader) + 1;
    vector_append(&deeds->accesses, accesses, accessed);
    clocks_before(reader->clocks, event);
    need_others(reader, &deed);
    need_waiters(reader, &deed, event);
    vector_push(&reader->actors.data[event->task].moments,
                clock_at(clocks_now(reader->clocks, event->task), event->task));
    clocks_after(reader->clocks, event);
    for (unsigned i = 0; i < accessed; i++) {
        if (accesses[i].space == SPACE_DATA)
            use_memory(reader, &deed, &accesses[i]);
        else
            use_object(reader, &deed, &accesses[i]);
    }
    note_wait(reader, event);
    deed.holds = reader->actors.data[event->task].holds;
    deed.door = door_of(reader, &deed);
    vector_push(&deeds->tasks.data[event->task], number_now(reader));
    vector_push(&deeds->all, deed);
}

static void nothing_to_do(void *owner, uint32_t location)
{
    (void)owner;
    (void)location;
}

static void nothing_to_split(void *owner, uint32_t location, uint32_t upper)
{
    (void)owner;
    (void)location;
    (void)upper;
}

/* All locations, before anything is said of one. */
static void divide_memory(struct reader *reader, const struct wire_event *events, size_t count)
{
    locations_init(&reader->locations, (struct location_owner){nothing_to_do, nothing_to_split, nothing_to_do, NULL});
    for (size_t i = 0; i < count; i++) {
        struct event event = event_from_wire(&events[i], 0);
        struct access accesses[EVENT_ACCESSES];
        if (event_accesses(&event, 0, accesses) > 0 && accesses[0].space == SPACE_DATA)
            locations_touch(&reader->locations, accesses[0].lo, accesses[0].hi, &reader->touched);
    }
    while (reader->deeds->writes.count < reader->locations.all.count) {
        vector_push(&reader->deeds->writes, ((deed_list){0}));
        vector_push(&reader->deeds->first_reads, DEED_NONE);
    }
}

static void reader_free(struct reader *reader)
{
    for (size_t i = 0; i < reader->actors.count; i++) {
        vector_free(&reader->actors.data[i].moments);
        clock_release(reader->actors.data[i].clock);
    }
    vector_free(&reader->actors);
    locations_free(&reader->locations);
    vector_free(&reader->touched);
    table_free(&reader->objects);
    waits_free(&reader->waits);
    clocks_free(reader->clocks);
}

/* ---- sections ------------------------------------------------------------------------------------------------------ */

static void copy_needs(const struct deeds *deeds, const struct deed *deed, uint32_t before, bool own, need_list *needs)
{
    for (uint32_t i = 0; i < deed->need_count; i++) {
        struct deed_need need = deeds->needs.data[deed->need + i];
        need.must &= own;
        if (need.deed < before)
            vector_push(needs, need);
    }
}

static void need_before_sections(struct deeds *deeds)
{
    need_list needs = {0};
    deed_list first = {0};
    for (uint32_t i = 0; i < deeds->all.count; i++) {
        const struct deed *deed = &deeds->all.data[i];
        const deed_list *own = &deeds->tasks.data[deed->task];
        vector_push(&first, (uint32_t)needs.count);
        copy_needs(deeds, deed, i, true, &needs);
        if (deed->end != DEED_NONE)
            for (uint32_t place = deed->place + 1; own->data[place] < deed->end; place++)
                copy_needs(deeds, &deeds->all.data[own->data[place]], i, false, &needs);
    }
    vector_push(&first, (uint32_t)needs.count);
    for (size_t i = 0; i < deeds->all.count; i++) {
        deeds->all.data[i].need = first.data[i];
        deeds->all.data[i].need_count = first.data[i + 1] - first.data[i];
    }
    vector_free(&deeds->needs);
    deeds->needs = needs;
    vector_free(&first);
}

/* ---- life ---------------------------------------------------------------------------------------------------------- */

void deeds_make(struct deeds *deeds, const struct wire_event *events, const uint32_t *sites, size_t count)
{
    struct reader reader = {.deeds = deeds};
    deeds_free(deeds);
    vector_push(&deeds->holds, ((struct deed_hold){0}));
    reader.clocks = clocks_new();
    divide_memory(&reader, events, count);
    for (size_t i = 0; i < count && !stop_requested(); i++) {
        struct event event = event_from_wire(&events[i], sites[i]);
        read_event(&reader, &event);
    }
    reader_free(&reader);
    need_before_sections(deeds);
}

void deeds_free(struct deeds *deeds)
{
    for (size_t i = 0; i < deeds->tasks.count; i++)
        vector_free(&deeds->tasks.data[i]);
    vector_free(&deeds->all);
    vector_free(&deeds->needs);
    vector_free(&deeds->pieces);
    vector_free(&deeds->accesses);
    for (size_t i = 0; i < deeds->writes.count; i++)
        vector_free(&deeds->writes.data[i]);
    vector_free(&deeds->holds);
    vector_free(&deeds->writes);
    vector_free(&deeds->first_reads);
    vector_free(&deeds->tasks);
    table_free(&deeds->sites);
    *deeds = (struct deeds){0};
}

uint32_t deeds_first_reader(const struct deeds *deeds, const struct deed *deed)
{
    return deed->piece_count == 1 ? deeds->first_reads.data[deeds->pieces.data[deed->piece].location] : DEED_NONE;
}

uint32_t deeds_count_before(const deed_list *list, uint32_t number)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->data[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low;
}

const struct access *deeds_access(const struct deeds *deeds, uint32_t number, enum access_kind kind)
{
    const struct deed *deed = &deeds->all.data[number];
    for (uint32_t i = 0; i < deed->access_count; i++)
        if (access_fits(kind, (enum access_kind)deeds->accesses.data[deed->access + i].kind))
            return &deeds->accesses.data[deed->access + i];
    return NULL;
}
