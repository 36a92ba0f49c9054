/* SPDX-License-Identifier: MIT
 *
 * execution_test.c - executions: tasks, accesses, critical sections and reads-from, by hand and against brute force on random lists of
 * events.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixture/events.h"
#include "fixture/executions.h"
#include "util/hash.h"

enum { X = 0x1000, M = 0x2000, N = 0x2100, L = 0x2200, C = 0x3000, TASKS = 4, EVENTS = 60, BYTES = 24 };

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* ---- random events ------------------------------------------------------------------------------------------------ */

/* Anything, in any order: locks that are given back twice, waits without a lock, accesses of several sizes. */
static struct event random_event(struct generator *random)
{
    unsigned task = (unsigned)generator_below(random, TASKS);
    uint64_t address = X + generator_below(random, BYTES - 8), mutex = generator_below(random, 2) ? M : N;
    uint32_t site = (uint32_t)generator_below(random, 6) + 1, size = 1u << generator_below(random, 4);
    switch (generator_below(random, 14)) {
    case 0:
    case 1:
    case 2:
        return sized(reads(task, address, site), size);
    case 3:
    case 4:
        return sized(writes(task, address, site), size);
    case 5:
        return sized(stores_atomically(task, address, site), 4);
    case 6:
        return sized(frees(task, address, site), 8);
    case 7:
        return locks(task, mutex);
    case 8:
        return unlocks(task, mutex);
    case 9:
        return generator_below(random, 2) ? trylocks(task, mutex) : failed(trylocks(task, mutex));
    case 10:
        return generator_below(random, 2) ? read_locks(task, L) : read_unlocks(task, L);
    case 11:
        return waits(task, C, generator_below(random, 2) ? mutex : 0);
    case 12:
        return wakes(task, C);
    default:
        return allocates(task, address, site);
    }
}

static size_t random_events(uint64_t seed, struct event *events)
{
    struct generator random = {seed};
    uint64_t operations[TASKS] = {0};
    size_t count = generator_below(&random, EVENTS) + 1;
    for (size_t i = 0; i < count; i++) {
        events[i] = random_event(&random);
        operations[events[i].task] += 1 + generator_below(&random, 3);
        events[i].operation = operations[events[i].task];
    }
    return count;
}

/* ---- brute force -------------------------------------------------------------------------------------------------- */

/* How many locks the task holds after the first `count` events, as far as they say. */
static unsigned naive_held(const struct event *events, size_t count, unsigned task)
{
    unsigned held = 0;
    for (size_t i = 0; i < count; i++) {
        struct access accesses[EVENT_ACCESSES];
        if (events[i].task != task)
            continue;
        bool waits_or_wakes = events[i].op == OP_COND_WAIT || events[i].op == OP_COND_WAKE;
        unsigned accessed = event_accesses(&events[i], waits_or_wakes, accesses);
        for (unsigned k = 0; k < accessed; k++) {
            if (accesses[k].kind == ACCESS_LOCK || accesses[k].kind == ACCESS_RDLOCK)
                held++;
            else if ((accesses[k].kind == ACCESS_UNLOCK || accesses[k].kind == ACCESS_RDUNLOCK) && held > 0)
                held--;
        }
    }
    return held;
}

/* The event that took the first lock of the section that event i lies in; EVENT_NONE. */
static uint32_t naive_entry(const struct event *events, size_t i)
{
    unsigned task = events[i].task;
    if (naive_held(events, i, task) == 0 && naive_held(events, i + 1, task) == 0)
        return EVENT_NONE;
    for (size_t first = i;; first--)
        if (events[first].task == task && naive_held(events, first, task) == 0)
            return (uint32_t)first;
}

static bool writes_byte(const struct event *event, uint64_t byte)
{
    struct access accesses[EVENT_ACCESSES];
    return event_accesses(event, 0, accesses) > 0 && accesses[0].space == SPACE_DATA && accesses[0].lo <= byte &&
           byte < accesses[0].hi && access_is_strong((enum access_kind)accesses[0].kind);
}

static uint32_t naive_writer(const struct event *events, size_t before, uint64_t byte)
{
    for (size_t i = before; i-- > 0;)
        if (writes_byte(&events[i], byte))
            return (uint32_t)i;
    return EVENT_NONE;
}

/* ---- comparison --------------------------------------------------------------------------------------------------- */

static void compare_tasks(const struct execution *execution, const struct event *events, size_t count)
{
    size_t seen = 0;
    assert_int_equal(execution_count(execution), count);
    for (unsigned task = 0; task < TASKS; task++) {
        struct event_range own = execution_task(execution, (uint16_t)task);
        uint32_t next = 0;
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(event_range_count_before(own, i), next);
            if (events[i].task != task)
                continue;
            assert_true(next < own.count && own.data[next] == i);
            assert_int_equal(execution->place.data[i], next++);
        }
        assert_int_equal(own.count, next);
        seen += own.count;
    }
    assert_int_equal(seen, count);
}

static void compare_sections(const struct execution *execution, const struct event *events, size_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct execution_section *section = execution_section_of(execution, i);
        uint32_t expected = naive_entry(events, i);
        assert_int_equal(section != NULL ? section->first : EVENT_NONE, expected);
        assert_int_equal(execution_section_entry(execution, events[i].task, events[i].operation),
                         expected != EVENT_NONE ? events[expected].operation : 0);
        if (section != NULL && section->last != EVENT_NONE) {
            assert_true(section->last >= i);
            assert_int_equal(naive_held(events, section->last + 1, events[i].task), 0);
        } else if (section != NULL) {
            assert_true(naive_held(events, count, events[i].task) > 0);
        }
    }
}

/* The access of the event to memory; false: it has none. */
static bool naive_access(const struct event *event, struct access *access)
{
    struct access accesses[EVENT_ACCESSES];
    if (event_accesses(event, 0, accesses) == 0 || accesses[0].space != SPACE_DATA)
        return false;
    *access = accesses[0];
    return true;
}

/* Pieces begin where any access begins or ends. */
static void compare_reads_from(const struct execution *execution, const struct event *events, size_t count)
{
    bool borders[BYTES + 16] = {0};
    uint32_t locations[BYTES + 16];
    struct access access;
    memset(locations, 0xff, sizeof locations);
    for (size_t i = 0; i < count; i++)
        if (naive_access(&events[i], &access))
            borders[access.lo - X] = borders[access.hi - X] = true;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t pieces, at = 0;
        const struct execution_piece *piece = execution_pieces(execution, i, &pieces);
        if (!naive_access(&events[i], &access)) {
            assert_int_equal(pieces, 0);
            continue;
        }
        for (uint64_t byte = access.lo; byte < access.hi; byte++) {
            at += byte > access.lo && borders[byte - X];
            assert_true(at < pieces);
            assert_int_equal(piece[at].writer, naive_writer(events, i, byte));
            if (locations[byte - X] == EVENT_NONE)
                locations[byte - X] = piece[at].location;
            assert_int_equal(piece[at].location, locations[byte - X]);
        }
        assert_int_equal(at + 1, pieces);
    }
    for (unsigned byte = 1; byte < COUNT(locations); byte++)
        if (locations[byte] != EVENT_NONE && locations[byte - 1] != EVENT_NONE)
            assert_int_equal(locations[byte] == locations[byte - 1], !borders[byte]);
}

static bool has_piece_at(const struct execution *execution, uint32_t event, uint32_t location)
{
    uint32_t pieces;
    const struct execution_piece *piece = execution_pieces(execution, event, &pieces);
    for (uint32_t i = 0; i < pieces; i++)
        if (piece[i].location == location)
            return true;
    return false;
}

static void compare_writes(const struct execution *execution, const struct event *events, size_t count)
{
    for (uint32_t location = 0; location < execution_location_count(execution); location++) {
        struct event_range written = execution_writes(execution, location);
        uint32_t next = 0;
        for (uint32_t i = 0; i < count; i++) {
            struct access access;
            if (!naive_access(&events[i], &access) || !access_is_strong((enum access_kind)access.kind) ||
                !has_piece_at(execution, i, location))
                continue;
            assert_true(next < written.count);
            assert_int_equal(written.data[next++], i);
        }
        assert_int_equal(next, written.count);
    }
}

static void random_executions(void **state)
{
    (void)state;
    struct execution execution = {0}; /* one object for all: nothing of an earlier one may be left */
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct event events[EVENTS];
        size_t count = random_events(seed, events);
        execution_clear(&execution);
        for (size_t i = 0; i < count; i++)
            execution_add(&execution, &events[i]);
        execution_end(&execution);
        compare_tasks(&execution, events, count);
        execution_prepare(&execution, seed % 2 ? EXECUTION_SECTIONS : EXECUTION_READS_FROM);
        execution_prepare(&execution, EXECUTION_SECTIONS | EXECUTION_READS_FROM);
        compare_sections(&execution, events, count);
        compare_reads_from(&execution, events, count);
        compare_writes(&execution, events, count);
    }
    execution_free(&execution);
}

/* ---- by hand ------------------------------------------------------------------------------------------------------ */

static void accesses_have_the_mutex_of_waits(void **state)
{
    (void)state;
    const struct event events[] = {locks(1, M), waits(1, C, 0), wakes(1, C), unlocks(1, M), wakes(2, C)};
    struct execution execution = make_execution(events, COUNT(events));
    static const unsigned counts[] = {1, 2, 1, 1, 0};
    static const uint64_t mutexes[] = {0, M, M, 0, 0};
    for (uint32_t i = 0; i < COUNT(events); i++) {
        unsigned count;
        execution_accesses(&execution, i, &count);
        assert_int_equal(count, counts[i]);
        assert_int_equal(execution_mutex(&execution, i), mutexes[i]);
    }
    assert_int_equal(execution_find_access(&execution, 1, ACCESS_UNLOCK)->lo, M);
    assert_int_equal(execution_find_access(&execution, 1, ACCESS_WAIT)->lo, C);
    assert_null(execution_find_access(&execution, 1, ACCESS_LOCK));
    execution_free(&execution);
}

static void a_copy_goes_on_where_the_other_ends(void **state)
{
    (void)state;
    const struct event events[] = {locks(1, M), waits(1, C, 0)}, more = wakes(1, C);
    struct execution from = make_execution(events, COUNT(events)), execution = {0};
    execution_copy(&execution, &from);
    execution_add(&execution, &more);
    execution_end(&execution);
    assert_int_equal(execution_count(&execution), 3);
    assert_int_equal(execution_mutex(&execution, 2), M); /* known from the wait */
    execution_free(&execution);
    execution_free(&from);
}

static void a_run_is_read(void **state)
{
    (void)state;
    struct wire_copy *copy = calloc(1, sizeof *copy);
    const struct wire_event events[] = {
        {.operation = 1, .op = OP_CREATE, .pc = 7, .value = 1, .flags = EVENT_VALUE},
        {.operation = 1, .op = OP_START, .task = 1, .pc = 8},
        {.operation = 2, .op = OP_WRITE, .task = 1, .pc = 9, .address = X, .size = 4, .context = 5},
    };
    const struct wire_step step = {.type = STEP_RUN, .until = 2};
    vector_append(&copy->events, events, COUNT(events));
    vector_push(&copy->steps, step);
    copy->result.task_count = 2;
    copy->result.tasks[0].stack_lo = 0x7000;
    copy->result.tasks[0].stack_hi = 0x8000;
    copy->result.tasks[1].stack_lo = 0x9000;
    copy->result.tasks[1].stack_hi = 0xa000;
    copy->result.operations = 3;
    copy->result.lost = LOST_EVENTS;
    struct execution execution = {0};
    execution_read(&execution, copy);
    assert_int_equal(execution_count(&execution), 3);
    assert_int_equal(execution_task_count(&execution), 2);
    assert_true(execution.lost_events && execution.operations == 3 && execution.steps.count == 1);
    const struct event *write = execution_event(&execution, 2);
    assert_true(write->pc == 9 && write->context == 5 && write->site == 0 && write->address == X);
    struct event stack = execution_new_stack(&execution, 1);
    assert_true(stack.op == OP_ALLOC && stack.task == 1 && stack.address == 0x9000 && stack.size == 0x1000);
    assert_int_equal(execution_new_stack(&execution, 0).size, 0); /* has no OP_START */
    assert_int_equal(execution_new_stack(&execution, 9).size, 0);
    vector_clear(&copy->events);
    copy->result.lost = 0;
    execution_read(&execution, copy);
    assert_int_equal(execution_count(&execution) + execution_task_count(&execution), 0);
    assert_false(execution.lost_events);
    assert_int_equal(execution_new_stack(&execution, 1).size, 0);
    execution_free(&execution);
    wire_copy_free(copy);
    free(copy);
}

/* What a thread finds on its stack was not written by the thread that had the stack before. */
static void a_stack_is_new_memory(void **state)
{
    (void)state;
    const struct event events[] = {writes(1, X, 1), does(2, OP_START, 0, 0), reads(2, X, 2)};
    struct execution execution = make_execution(events, COUNT(events));
    struct error error;
    struct observer_options options = {.wanted = family_by_name("idiom.1", &error)};
    for (unsigned known = 0; known < 2; known++) {
        struct instances found = {0};
        if (known)
            execution_set_stack(&execution, 2, X - 0x100, X + 0x100);
        struct observer *observer = observer_new(&options, &found);
        observer_observe(observer, &execution, 0);
        assert_int_equal(found.all.count, known ? 0 : 1);
        observer_free(observer);
        instances_free(&found);
    }
    execution_free(&execution);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_executions),
        cmocka_unit_test(accesses_have_the_mutex_of_waits),
        cmocka_unit_test(a_copy_goes_on_where_the_other_ends),
        cmocka_unit_test(a_run_is_read),
        cmocka_unit_test(a_stack_is_new_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
