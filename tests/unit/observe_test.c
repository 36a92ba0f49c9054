/* SPDX-License-Identifier: MIT
 *
 * observe_test.c - the observer against the definitions, on random programs in all interleavings; and its cost.
 *
 *   observe_test --bench     prints cost per event for 10^4 to 10^6 events
 *
 * The checker here follows the definitions word by word over all pairs of accesses, byte by byte, with no thought of time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture/events.h"
#include "fixture/executions.h"
#include "fixture/instances.h"
#include "fixture/tiny_programs.h"

/* ---- the definitions --------------------------------------------------------------------------------------------- */

enum { BYTES = 16 };

struct naive_access {
    unsigned position; /* in the execution */
    const struct event *event;
    enum access_kind kind;
    uint32_t bytes; /* set of them, as bits; locks are two more */
};

struct naive_edge {
    unsigned byte;
    const struct naive_access *from, *to;
};

struct naive {
    const struct event *events;
    unsigned event_count;
    struct naive_access accesses[TINY_EVENTS];
    unsigned access_count;
    struct naive_edge edges[4096];
    unsigned edge_count;
    uint32_t window;
    struct instances *found;
};

static uint32_t bytes_of(const struct event *event)
{
    if (event->address == TINY_M)
        return 1u << 14;
    if (event->address == TINY_N)
        return 1u << 15;
    uint32_t all = (1u << event->size) - 1;
    return event->address >= TINY_Y ? all << 8 : all << (event->address - TINY_X);
}

static enum access_kind kind_of(const struct event *event)
{
    switch (event->op) {
    case OP_READ:
    case OP_ATOMIC_LOAD:
        return ACCESS_READ;
    case OP_WRITE:
    case OP_ATOMIC_STORE:
        return ACCESS_WRITE;
    case OP_ATOMIC_RMW:
    case OP_ATOMIC_CAS:
        return ACCESS_UPDATE;
    case OP_MUTEX_LOCK:
        return ACCESS_LOCK;
    case OP_MUTEX_UNLOCK:
        return ACCESS_UNLOCK;
    default:
        return ACCESS_ANY;
    }
}

static bool is_weak(const struct naive_access *access)
{
    return access->kind == ACCESS_READ;
}

/* The order of the two matters. */
static bool matters(const struct naive_access *a, const struct naive_access *b)
{
    return !is_weak(a) || !is_weak(b);
}

static bool partners(const struct naive_access *a, const struct naive_access *b)
{
    if (a->kind == ACCESS_LOCK || a->kind == ACCESS_UNLOCK || b->kind == ACCESS_LOCK || b->kind == ACCESS_UNLOCK)
        return (a->kind == ACCESS_LOCK && b->kind == ACCESS_UNLOCK) ||
               (a->kind == ACCESS_UNLOCK && b->kind == ACCESS_LOCK);
    return matters(a, b);
}

static bool touches(const struct naive_access *access, unsigned byte)
{
    return access->bytes >> byte & 1;
}

static bool immediate(const struct naive *naive, unsigned from, unsigned to, unsigned byte)
{
    const struct naive_access *a = &naive->accesses[from];
    const struct naive_access *b = &naive->accesses[to];
    for (unsigned k = from + 1; k < to; k++) {
        const struct naive_access *c = &naive->accesses[k];
        if (!touches(c, byte))
            continue;
        if (matters(a, c) && matters(c, b))
            return false;
        if (c->event->task == a->event->task && c->event->site == a->event->site && c->kind == a->kind)
            return false;
    }
    return true;
}

/* No later access of a's task, as strong as a, before b. */
static bool nearest(const struct naive *naive, unsigned from, unsigned to, unsigned byte)
{
    const struct naive_access *a = &naive->accesses[from];
    for (unsigned k = from + 1; k < to; k++) {
        const struct naive_access *c = &naive->accesses[k];
        if (touches(c, byte) && c->event->task == a->event->task && is_weak(c) == is_weak(a))
            return false;
    }
    return true;
}

static bool depends(const struct naive *naive, unsigned from, unsigned to, unsigned byte, bool want_immediate)
{
    const struct naive_access *a = &naive->accesses[from];
    const struct naive_access *b = &naive->accesses[to];
    if (a->event->task == b->event->task || !touches(a, byte) || !touches(b, byte) || !partners(a, b))
        return false;
    return want_immediate ? immediate(naive, from, to, byte) : nearest(naive, from, to, byte);
}

static void list_edges(struct naive *naive, bool want_immediate)
{
    naive->edge_count = 0;
    for (unsigned to = 0; to < naive->access_count; to++)
        for (unsigned from = 0; from < to; from++)
            for (unsigned byte = 0; byte < BYTES; byte++)
                if (depends(naive, from, to, byte, want_immediate))
                    naive->edges[naive->edge_count++] =
                        (struct naive_edge){byte, &naive->accesses[from], &naive->accesses[to]};
}

/* a's accesses to the byte at the two positions are consecutive ones. */
static bool uninterrupted(const struct naive *naive, const struct naive_access *first, const struct naive_access *last,
                          unsigned byte)
{
    for (const struct naive_access *c = first + 1; c < last; c++)
        if (c->event->task == first->event->task && touches(c, byte))
            return false;
    return naive->access_count > 0;
}

static bool near(const struct naive *naive, const struct naive_access *a, const struct naive_access *b)
{
    uint64_t from = a->event->operation;
    uint64_t to = b->event->operation;
    return (to > from ? to - from : from - to) <= naive->window;
}

static void found(struct naive *naive, const char *row_name, unsigned nth, unsigned count,
                  const struct naive_access *steps[])
{
    struct instance instance = {0};
    unsigned row = 0;
    while (strcmp(families[row].name, row_name) != 0 || nth-- > 0)
        row++;
    instance.row = (uint8_t)row;
    for (unsigned i = 0; i < count; i++) {
        instance.site[i] = steps[i]->event->site;
        instance.kind[i] =
            family_shape(row)->steps[i].kind != ACCESS_ANY ? family_shape(row)->steps[i].kind : (uint8_t)steps[i]->kind;
    }
    uint8_t order[PATTERN_STEPS];
    instance_canonical(&instance, order);
    instances_add(naive->found, &instance, NULL);
}

#define FOUND(naive, row, ...)                                                                                         \
    do {                                                                                                               \
        const struct naive_access *steps[] = {__VA_ARGS__};                                                            \
        found((naive), (row), 0, sizeof steps / sizeof *steps, steps);                                                 \
    } while (0)

static bool common_byte(const struct naive_edge *e, const struct naive_edge *f)
{
    return (e->from->bytes & e->to->bytes & f->from->bytes & f->to->bytes) != 0;
}

/* The compound idioms of A→B and C→D. */
static void check_idioms(struct naive *naive, const struct naive_edge *e, const struct naive_edge *f)
{
    const struct naive_access *a = e->from, *b = e->to, *c = f->from, *d = f->to;
    bool there_and_back = a->event->task == d->event->task && b->event->task == c->event->task && a < d;
    bool close = there_and_back && near(naive, a, d) && near(naive, b, c);
    if (close && e->byte == f->byte && uninterrupted(naive, a, d, e->byte)) {
        if (b == c)
            FOUND(naive, "idiom.2", a, b, d);
        if (b < c)
            FOUND(naive, "idiom.3", a, b, c, d);
    }
    if (close && !common_byte(e, f)) {
        if (b < c)
            FOUND(naive, "idiom.4", a, b, c, d);
        if (c < b)
            FOUND(naive, "idiom.5", a, c, b, d);
    }
    bool along = a->event->task == c->event->task && b->event->task == d->event->task && a < c && b < d;
    if (along && near(naive, a, c) && near(naive, b, d) && !common_byte(e, f))
        FOUND(naive, "idiom.6", a, b, c, d);
    if (close && e->byte == f->byte && b < c && a->kind == ACCESS_UNLOCK && b->kind == ACCESS_LOCK &&
        c->kind == ACCESS_UNLOCK && d->kind == ACCESS_LOCK && a->event->unit == d->event->unit &&
        b->event->unit == c->event->unit)
        FOUND(naive, "atom", a, b, c, d);
}

static bool is_letter(const struct naive_access *access, char letter)
{
    return letter == 'R' ? access->kind == ACCESS_READ || access->kind == ACCESS_UPDATE
                         : access->kind == ACCESS_WRITE || access->kind == ACCESS_UPDATE;
}

/* The digests' notation: thread, letter, variable. */
struct letters {
    const char *row;
    unsigned nth;
    const char *text;
};

static const struct letters maps[] = {
    {"map.1", 0, "aRx bWx"},          {"map.2", 0, "aWx bRx"},          {"map.3", 0, "aWx bWx"},
    {"map.4", 0, "aRx bWx aRx"},      {"map.5", 0, "aWx bWx aRx"},      {"map.6", 0, "aWx bRx aWx"},
    {"map.7", 0, "aRx bWx aWx"},      {"map.8", 0, "aWx bWx aWx"},      {"map.9", 0, "aWx bWx bWy aWy"},
    {"map.10", 0, "aWx bWy bWx aWy"}, {"map.11", 0, "aWx bWy aWy bWx"}, {"map.12", 0, "aWx bRx bRy aWy"},
    {"map.13", 0, "aWx bRy bRx aWy"}, {"map.14", 0, "aRx bWx bWy aRy"}, {"map.15", 0, "aRx bWy bWx aRy"},
    {"map.16", 0, "aRx bWy aRy bWx"}, {"map.17", 0, "aWx bRy aWy bRx"},
};

static const struct letters assets[] = {
    {"asset.1", 0, "aRx bWx aWx"},      {"asset.2", 0, "aRx bWx aRx"},      {"asset.3", 0, "aWx bRx aWx"},
    {"asset.4", 0, "aWx bWx aRx"},      {"asset.5", 0, "aWx bWx aWx"},      {"asset.6", 0, "aWx bWx bWy aWy"},
    {"asset.6", 1, "aWx bWy bWx aWy"},  {"asset.7", 0, "aWx bWy aWy bWx"},  {"asset.8", 0, "aWx bRx bRy aWy"},
    {"asset.8", 1, "aWx bRy bRx aWy"},  {"asset.9", 0, "aRx bWx bWy aRy"},  {"asset.9", 1, "aRx bWy bWx aRy"},
    {"asset.10", 0, "aRx bWy aRy bWx"}, {"asset.11", 0, "aWx bRy aWy bRx"},
};

/* The steps, one per access, are what the text says: threads, letters, order, distance. */
static bool agrees(const struct naive *naive, const char *text, unsigned count, const struct naive_access *steps[],
                   bool units)
{
    for (unsigned i = 0; i < count; i++) {
        if (!is_letter(steps[i], text[4 * i + 1]) || (i > 0 && steps[i] <= steps[i - 1]))
            return false;
        if (units && (steps[i]->event->unit == 0 || steps[i]->event->set != 1))
            return false;
        for (unsigned k = 0; k < i; k++) {
            bool same = text[4 * i] == text[4 * k];
            if (same != (steps[i]->event->task == steps[k]->event->task))
                return false;
            if (same && !near(naive, steps[i], steps[k]))
                return false;
            if (same && units && steps[i]->event->unit != steps[k]->event->unit)
                return false;
        }
    }
    return true;
}

/* Puts the ends of e and f at the steps on x and y. */
static void check_letters(struct naive *naive, const struct letters *letters, const struct naive_edge *e,
                          const struct naive_edge *f, bool units)
{
    const struct naive_access *steps[4];
    unsigned count = ((unsigned)strlen(letters->text) + 1) / 4;
    unsigned seen[2] = {0, 0};
    if (count == 3) {
        if (e->to != f->from || e->byte != f->byte || (!units && !uninterrupted(naive, e->from, f->to, e->byte)))
            return;
        steps[0] = e->from, steps[1] = e->to, steps[2] = f->to;
    } else {
        for (unsigned i = 0; i < count; i++) {
            unsigned variable = letters->text[4 * i + 2] == 'y';
            const struct naive_edge *edge = variable ? f : e;
            steps[i] = seen[variable]++ == 0 ? edge->from : edge->to;
        }
        if (count == 4 && common_byte(e, f))
            return;
    }
    if (agrees(naive, letters->text, count, steps, units))
        found(naive, letters->row, letters->nth, count, steps);
}

static void check_single(struct naive *naive, const struct naive_edge *e)
{
    const struct naive_access *a = e->from, *b = e->to;
    FOUND(naive, "idiom.1", a, b);
    for (unsigned i = 0; i < 3; i++)
        check_letters(naive, &maps[i], e, e, false);
    bool about_to = true;
    for (unsigned k = a->position + 1; k < b->position; k++)
        about_to = about_to && naive->events[k].task != b->event->task;
    bool atomic =
        a->event->op != OP_READ && a->event->op != OP_WRITE && b->event->op != OP_READ && b->event->op != OP_WRITE;
    if (about_to && !atomic && e->byte < 14)
        FOUND(naive, "race", a, b);
}

static void naive_observe(struct naive *naive, const struct event *events, unsigned count)
{
    naive->events = events;
    naive->access_count = 0;
    for (unsigned i = 0; i < count; i++)
        if (kind_of(&events[i]) != ACCESS_ANY)
            naive->accesses[naive->access_count++] =
                (struct naive_access){i, &events[i], kind_of(&events[i]), bytes_of(&events[i])};
    list_edges(naive, true);
    for (unsigned i = 0; i < naive->edge_count; i++) {
        check_single(naive, &naive->edges[i]);
        for (unsigned k = 0; k < naive->edge_count; k++) {
            check_idioms(naive, &naive->edges[i], &naive->edges[k]);
            for (unsigned m = 3; m < 17; m++)
                check_letters(naive, &maps[m], &naive->edges[i], &naive->edges[k], false);
        }
    }
}

static void naive_observe_assets(struct naive *naive)
{
    list_edges(naive, false);
    for (unsigned i = 0; i < naive->edge_count; i++)
        for (unsigned k = 0; k < naive->edge_count; k++)
            for (unsigned m = 0; m < sizeof assets / sizeof *assets; m++)
                check_letters(naive, &assets[m], &naive->edges[i], &naive->edges[k], true);
}

/* ---- the comparison ---------------------------------------------------------------------------------------------- */

struct comparison {
    struct naive *naive;
    family_mask wanted;
    uint32_t window, log_limit;
    bool assets;
    unsigned long interleavings, instances;
    family_mask rows; /* that occurred */
};

static void show(const char *what, const struct instances *in, const struct instances *not_in)
{
    struct sites *sites = sites_new();
    for (uint32_t i = 1; i < 40; i++)
        sites_add(sites, &(struct site_key){.file = "p.c", .line = i});
    for (size_t i = 0; i < in->all.count; i++) {
        if (instances_has(not_in, &in->all.data[i]))
            continue;
        struct buffer text = {0};
        instance_print(&in->all.data[i], sites, SITE_SHORT, &text);
        print_error("%s: %s\n", what, buffer_text(&text));
        buffer_free(&text);
    }
    sites_free(sites);
}

static void compare(const struct event *events, unsigned count, void *context)
{
    struct comparison *comparison = context;
    struct instances expected = {0};
    struct instances seen = {0};
    comparison->naive->found = &expected;
    comparison->naive->window = comparison->window;
    naive_observe(comparison->naive, events, count);
    if (comparison->assets)
        naive_observe_assets(comparison->naive);
    struct observer_options options = {
        .wanted = comparison->wanted, .window = comparison->window, .log_limit = comparison->log_limit};
    observe_all(events, count, &options, &seen);
    bool same = expected.all.count == seen.all.count;
    for (size_t i = 0; i < expected.all.count; i++)
        same = same && instances_has(&seen, &expected.all.data[i]);
    if (!same) {
        for (unsigned i = 0; i < count; i++)
            print_error("%2u T%u %-12s %#lx +%u  site %u op %lu unit %u\n", i, events[i].task,
                        events[i].op < WIRE_OP_COUNT ? "" : "?", (unsigned long)events[i].address, events[i].size,
                        events[i].site, (unsigned long)events[i].operation, events[i].unit);
        show("missed", &expected, &seen);
        show("not there", &seen, &expected);
    }
    assert_true(same);
    comparison->interleavings++;
    for (size_t i = 0; i < seen.all.count; i++)
        comparison->rows |= (family_mask)1 << seen.all.data[i].row;
    comparison->instances += seen.all.count;
    instances_free(&expected);
    instances_free(&seen);
}

static uint32_t log_limit;    /* of the observers to come */
static family_mask rows_seen; /* by all comparisons */

static void compare_all(const struct tiny_style *style, uint64_t seed, unsigned programs, uint32_t window,
                        const char *names)
{
    struct comparison comparison = {.naive = calloc(1, sizeof(struct naive)),
                                    .wanted = rows(names),
                                    .window = window,
                                    .log_limit = log_limit,
                                    .assets = style->units};
    for (unsigned i = 0; i < programs; i++) {
        struct tiny_program program;
        tiny_make(seed + i, style, &program);
        struct tiny_state state = tiny_begin(&program);
        tiny_enumerate(&state, 0, compare, &comparison);
    }
    print_message("# %u programs, %lu interleavings, %lu instances compared\n", programs, comparison.interleavings,
                  comparison.instances);
    rows_seen |= comparison.rows;
    free(comparison.naive);
}

#define EVERYTHING "idiom,map,race,atom"

static void agrees_on_locked_programs(void **state)
{
    (void)state;
    struct tiny_style style = {.body = 5, .least_ways = 50, .most_ways = 600};
    compare_all(&style, 1, 220, 1000, EVERYTHING);
}

static void agrees_with_a_small_window(void **state)
{
    (void)state;
    struct tiny_style style = {.body = 6, .least_ways = 50, .most_ways = 600};
    compare_all(&style, 2000, 40, 2, EVERYTHING);
}

/* Dependencies are dropped as soon as they may be. */
static void agrees_while_it_forgets(void **state)
{
    (void)state;
    struct tiny_style style = {.body = 8, .loops = true, .least_ways = 50, .most_ways = 700};
    for (uint32_t window = 1; window <= 5; window += 2) {
        log_limit = 1;
        compare_all(&style, 6000 + window, 40, window, EVERYTHING);
        log_limit = 0;
    }
}

static void agrees_on_atomics(void **state)
{
    (void)state;
    struct tiny_style style = {.body = 6, .atomics = true, .least_ways = 50, .most_ways = 600};
    compare_all(&style, 3000, 60, 1000, EVERYTHING);
}

static void agrees_on_bytes(void **state)
{
    (void)state;
    struct tiny_style style = {.body = 6, .wide = true, .least_ways = 50, .most_ways = 400};
    compare_all(&style, 4000, 60, 1000, EVERYTHING);
}

static void agrees_on_units_of_work(void **state)
{
    (void)state;
    struct tiny_style style = {.body = 6, .units = true, .least_ways = 50, .most_ways = 600};
    compare_all(&style, 5000, 60, 1000, EVERYTHING ",asset");
}

/* Nothing is agreed upon that never happened. */
static void every_row_has_occurred(void **state)
{
    (void)state;
    for (unsigned row = 0; row < family_count; row++)
        if (!(rows_seen >> row & 1))
            fail_msg("%s (%s) never occurred", families[row].name, families[row].shape);
}

/* ---- single cases ------------------------------------------------------------------------------------------------ */

/* Variables, two mutexes, a condition variable, a read-write lock, a semaphore. */
enum { X = 0x100, Y = 0x200, M = 0x300, N = 0x400, C = 0x500, L = 0x600, S = 0x700 };

/* Numbers the operations as the events come. */
static void observe_in_turn(struct event *events, unsigned count, const char *names, struct instances *seen)
{
    struct observer_options options = {.wanted = rows(names)};
    for (unsigned i = 0; i < count; i++)
        events[i].operation = i;
    observe_all(events, count, &options, seen);
}

#define OBSERVE(names, seen, ...)                                                                                      \
    do {                                                                                                               \
        struct event events[] = {__VA_ARGS__};                                                                         \
        observe_in_turn(events, sizeof events / sizeof *events, (names), (seen));                                      \
    } while (0)

static void freed_memory_has_no_past(void **state)
{
    (void)state;
    struct instances seen = {0};
    OBSERVE("idiom.1", &seen, writes(1, X, 1), sized(frees(2, X - 16, 2), 64), sized(allocates(1, X - 16, 3), 64),
            writes(1, X, 4), sized(reads(2, X + 2, 5), 1));
    assert_true(has_pair(&seen, "idiom.1", 1, 2)); /* the free comes after the write */
    assert_true(has_pair(&seen, "idiom.1", 4, 5));
    assert_int_equal(seen.all.count, 2);
    instances_free(&seen);
}

static void other_synchronisation_is_seen(void **state)
{
    (void)state;
    struct instances seen = {0};
    /* a semaphore, a condition variable, read locks, a trylock that fails, a destroyed mutex */
    OBSERVE("idiom.1", &seen, at(posts(1, S), 1), at(acquires(2, S), 2), at(signals(1, C, 0), 3), at(waits(2, C, 0), 4),
            at(write_locks(1, L), 5), at(write_unlocks(1, L), 6), at(read_locks(2, L), 7), at(read_locks(3, L), 8),
            at(read_unlocks(2, L), 9), at(read_unlocks(3, L), 10), at(write_locks(1, L), 11),
            failed(does(2, OP_RWLOCK_TRYWRLOCK, L, 12)), at(unlocks(1, M), 13), does(2, OP_MUTEX_DESTROY, M, 14));
    static const uint32_t expected[][2] = {{1, 2}, {3, 4}, {6, 7}, {6, 8}, {9, 11}, {10, 11}, {11, 12}, {13, 14}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_true(has_pair(&seen, "idiom.1", expected[i][0], expected[i][1]));
    assert_int_equal(seen.all.count, sizeof expected / sizeof *expected);
    instances_free(&seen);
}

/* A condition wait gives its mutex back and takes it again: the one that the event tells, else the one locked last. */
static void wait_unlocks_its_mutex(void **state)
{
    (void)state;
    struct instances seen = {0};
    OBSERVE("idiom.1", &seen, at(waits(1, C, M), 1), at(locks(2, M), 2));
    assert_true(has_pair(&seen, "idiom.1", 1, 2));
    OBSERVE("idiom.1", &seen, at(locks(1, N), 10), at(locks(1, M), 11), at(waits(1, C, 0), 12), at(locks(2, M), 13),
            at(unlocks(2, M), 14), timed_out(at(wakes(1, C), 15)));
    assert_true(has_pair(&seen, "idiom.1", 12, 13));
    assert_true(has_pair(&seen, "idiom.1", 14, 15));
    assert_int_equal(seen.all.count, 3);
    instances_free(&seen);
}

static void witnesses_tell_where(void **state)
{
    (void)state;
    struct instances seen = {0};
    OBSERVE("map.7", &seen, reads(1, X, 1), writes(1, X, 2), reads(1, X, 1), writes(2, X, 3), writes(1, X, 2));
    assert_int_equal(seen.all.count, 1);
    const struct witness *witness = instances_witnesses(&seen, 0);
    assert_int_equal(witness[0].operation, 2);
    assert_int_equal(witness[0].occurrence, 2);
    assert_int_equal(witness[0].task, 1);
    assert_int_equal(witness[1].task, 2);
    assert_int_equal(witness[2].operation, 4);
    instances_free(&seen);
}

/* Reads in a loop: those that matter for something within the window must not be forgotten for others like them. */
static void a_waiting_loop_keeps_what_it_needs(void **state)
{
    (void)state;
    struct instances seen = {0};
    struct observer_options options = {.wanted = rows("idiom.4"), .window = 3};
    const struct event events[] = {
        numbered(1, writes(1, X, 1)), numbered(1, reads(2, X, 2)), numbered(4, reads(2, X, 2)),
        numbered(5, writes(2, Y, 3)), numbered(9, reads(2, X, 2)), numbered(2, reads(1, Y, 4)),
    };
    observe_all(events, sizeof events / sizeof *events, &options, &seen);
    assert_int_equal(seen.all.count, 1);
    instances_free(&seen);
}

static void executions_are_observed_alone(void **state)
{
    (void)state;
    struct instances seen = {0};
    struct observer_options options = {.wanted = rows("idiom")};
    struct observer *observer = observer_new(&options, &seen);
    const struct event first = writes(1, X, 1), second = reads(2, X, 2);
    struct execution before = make_execution(&first, 1), after = make_execution(&second, 1);
    observer_observe(observer, &before, 0);
    observer_observe(observer, &after, 0);
    observer_free(observer);
    execution_free(&before);
    execution_free(&after);
    assert_int_equal(seen.all.count, 0);
    instances_free(&seen);
}

/* ---- cost -------------------------------------------------------------------------------------------------------- */

struct cost {
    double nanoseconds; /* per event */
    size_t memory, instances;
};

/* Four tasks, each in a loop over 24 instructions: most on variables of their own, some on an array, some on heap blocks
   that come and go.  Tasks run a few operations at a time. */
struct workload {
    struct generator random;
    uint64_t operations[4];
    uint16_t task;
    unsigned slice;
};

static struct event next_event(struct workload *workload)
{
    static const uint8_t ops[] = {OP_READ, OP_READ, OP_WRITE, OP_READ, OP_WRITE, OP_ATOMIC_RMW};
    if (workload->slice-- == 0) {
        workload->task = (uint16_t)generator_below(&workload->random, 4);
        workload->slice = (unsigned)generator_below(&workload->random, 8);
    }
    uint64_t operation = ++workload->operations[workload->task];
    uint32_t site = (uint32_t)(operation % 24);
    struct event event = {.task = workload->task,
                          .operation = operation,
                          .op = ops[site % 6],
                          .address = 0x10000 + 8 * (site % 10),
                          .size = 8,
                          .site = site + 1};
    if (site >= 22) {
        event.address = 0x20000 + 8 * generator_below(&workload->random, 512);
    } else if (site >= 20) {
        event.op = generator_below(&workload->random, 2) ? OP_ALLOC : OP_FREE;
        event.address = 0x20000 + 256 * generator_below(&workload->random, 16);
        event.size = 256;
    } else if (site >= 18) {
        event.address = 0x30000 + 8 * generator_below(&workload->random, 100);
    }
    return event;
}

static void observe_rows(const struct execution *execution, const char *names, struct instances *found)
{
    struct observer_options options = {.wanted = rows(names), .window = 200};
    struct observer *observer = observer_new(&options, found);
    observer_observe(observer, execution, 0);
    observer_free(observer);
}

static struct cost measure(size_t events, uint32_t window, bool resting)
{
    struct instances seen = {0};
    struct observer_options options = {.wanted = rows(EVERYTHING), .window = window};
    struct observer *observer = observer_new(&options, &seen);
    struct workload workload = {.random = {7}};
    struct execution execution = {0};
    for (size_t i = 0; i < events; i++) {
        struct event event = next_event(&workload);
        /* After the first part one task rests while the others go on: its last accesses stay within its window. */
        if (resting && event.task == 0 && i > 2000)
            continue;
        execution_add(&execution, &event);
    }
    execution_end(&execution);
    double start = cpu_seconds();
    observer_observe(observer, &execution, 0);
    struct cost cost = {(cpu_seconds() - start) * 1e9 / (double)events, observer_memory(observer), seen.all.count};
    observer_free(observer);
    execution_free(&execution);
    instances_free(&seen);
    return cost;
}

/* ---- a bound on the work ----------------------------------------------------------------------------------------- */

static struct execution make_workload(uint64_t seed, size_t events)
{
    struct workload workload = {.random = {seed}};
    struct execution execution = {0};
    for (size_t i = 0; i < events; i++) {
        struct event event = next_event(&workload);
        execution_add(&execution, &event);
    }
    execution_end(&execution);
    return execution;
}

/* Returns the work that it took. */
static uint64_t observe_within(const struct execution *execution, uint64_t work_most, struct instances *found,
                               uint64_t *passed_over)
{
    struct observer_options options = {.wanted = rows(EVERYTHING), .window = 200, .clears_found = true};
    struct observer *observer = observer_new(&options, found);
    observer_observe(observer, execution, work_most);
    uint64_t work = observer_work(observer);
    *passed_over = observer_passed_over(observer);
    assert_true(*passed_over <= observer_dependencies(observer));
    observer_free(observer);
    return work;
}

static void assert_part_of(const struct instances *part, const struct instances *whole)
{
    for (size_t i = 0; i < part->all.count; i++)
        assert_true(instances_has(whole, &part->all.data[i]));
}

/* Whatever the bound: what is found is a part of what there is, and the same part each time; single dependencies are all there. */
static void a_bound_finds_a_part(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct execution execution = make_workload(seed, 3000);
        struct instances all = {0};
        uint64_t passed, work = observe_within(&execution, 0, &all, &passed);
        assert_int_equal(passed, 0);
        for (unsigned part = 2; part <= 32; part *= 4) {
            struct instances some = {0}, again = {0}, single = {0};
            uint64_t first = observe_within(&execution, work / part, &some, &passed), passed_again;
            assert_true(passed > 0 && first < work);
            assert_int_equal(observe_within(&execution, work / part, &again, &passed_again), first);
            assert_int_equal(passed_again, passed);
            assert_int_equal(some.all.count, again.all.count);
            assert_part_of(&some, &again);
            assert_part_of(&some, &all);
            observe_rows(&execution, "idiom.1", &single);
            assert_part_of(&single, &some);
            instances_free(&some);
            instances_free(&again);
            instances_free(&single);
        }
        instances_free(&all);
        execution_free(&execution);
    }
}

static void a_bound_that_is_not_reached_changes_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct execution execution = make_workload(seed, 2000);
        struct instances all = {0}, bounded = {0};
        uint64_t passed, work = observe_within(&execution, 0, &all, &passed);
        observe_within(&execution, 20 * work, &bounded, &passed);
        assert_int_equal(passed, 0);
        assert_int_equal(all.all.count, bounded.all.count);
        for (size_t i = 0; i < all.all.count; i++) /* also in the same order */
            assert_memory_equal(&all.all.data[i], &bounded.all.data[i], sizeof all.all.data[i]);
        instances_free(&all);
        instances_free(&bounded);
        execution_free(&execution);
    }
}

static void cost_is_linear(void **state)
{
    (void)state;
    measure(1000, 32, false); /* warm */
    struct cost small = measure(20000, 32, false);
    struct cost large = measure(400000, 32, false);
    print_message("# %.0f ns per event of 2*10^4, %.0f ns of 4*10^5\n", small.nanoseconds, large.nanoseconds);
    assert_true(large.nanoseconds < 3 * small.nanoseconds);
}

static void memory_does_not_grow_with_the_run(void **state)
{
    (void)state;
    for (int resting = 0; resting < 2; resting++) {
        struct cost small = measure(50000, 32, resting);
        struct cost large = measure(500000, 32, resting);
        print_message("# %zu kB after 5*10^4 events, %zu kB after 5*10^5\n", small.memory / 1024, large.memory / 1024);
        assert_true(large.memory < 2 * small.memory);
    }
}

static int bench(void)
{
    printf("%10s %8s %14s %12s %12s\n", "events", "window", "ns per event", "memory kB", "instances");
    for (uint32_t window = 32; window <= 512; window *= 4)
        for (size_t events = 10000; events <= 1000000; events *= 10) {
            struct cost cost = measure(events, window, false);
            printf("%10zu %8u %14.0f %12zu %12zu\n", events, window, cost.nanoseconds, cost.memory / 1024,
                   cost.instances);
        }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--bench") == 0)
        return bench();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_on_locked_programs),
        cmocka_unit_test(agrees_with_a_small_window),
        cmocka_unit_test(agrees_while_it_forgets),
        cmocka_unit_test(agrees_on_atomics),
        cmocka_unit_test(agrees_on_bytes),
        cmocka_unit_test(agrees_on_units_of_work),
        cmocka_unit_test(every_row_has_occurred),
        cmocka_unit_test(freed_memory_has_no_past),
        cmocka_unit_test(other_synchronisation_is_seen),
        cmocka_unit_test(wait_unlocks_its_mutex),
        cmocka_unit_test(witnesses_tell_where),
        cmocka_unit_test(a_waiting_loop_keeps_what_it_needs),
        cmocka_unit_test(executions_are_observed_alone),
        cmocka_unit_test(a_bound_finds_a_part),
        cmocka_unit_test(a_bound_that_is_not_reached_changes_nothing),
        cmocka_unit_test(cost_is_linear),
        cmocka_unit_test(memory_does_not_grow_with_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
