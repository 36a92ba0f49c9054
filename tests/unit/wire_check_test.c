/* SPDX-License-Identifier: MIT
 *
 * wire_check_test.c - whatever lies in the shared memory, the copy is in range.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "util/hash.h"
#include "wire/wire_check.h"

static struct wire *wire;
static struct wire_copy *copy;

static int setup(void **state)
{
    (void)state;
    wire = mmap(NULL, sizeof *wire, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(wire != MAP_FAILED);
    wire_prepare(wire, 0);
    copy = memory_allocate(1, sizeof *copy);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    munmap(wire, sizeof *wire);
    wire_copy_free(copy);
    free(copy);
    return 0;
}

/* What every user of a copy relies on. */
static void assert_sane(const struct wire_copy *c)
{
    const struct wire_result *r = &c->result;
    assert_true(r->finding_count <= WIRE_FINDINGS && r->failure <= r->finding_count && r->end < WIRE_END_COUNT);
    assert_true(r->task_count <= WIRE_TASKS && r->blocked_count <= WIRE_BLOCKED && r->diverged_task < WIRE_TASKS);
    assert_true(r->uncontrolled_count <= WIRE_UNCONTROLLED && r->step_count == c->steps.count);
    assert_true(memchr(r->text, 0, sizeof r->text) != NULL && r->progress <= r->points);
    assert_true(r->directed.task < WIRE_TASKS && r->directed.hindrance < HINDRANCE_COUNT);
    for (uint32_t i = 0; i < r->finding_count; i++) {
        const struct wire_finding *f = &r->findings[i];
        assert_true(f->kind > KIND_NONE && f->kind < WIRE_KIND_COUNT && f->stack_depth <= WIRE_STACK);
        assert_true(f->here.task < WIRE_TASKS && f->other.task < WIRE_TASKS && f->frame <= r->frame_count);
        assert_true(f->here.op < WIRE_OP_COUNT && f->other.op < WIRE_OP_COUNT);
        assert_true(memchr(f->text, 0, sizeof f->text) != NULL && f->text[0] != '\0');
        assert_null(strchr(f->text, '\033'));
    }
    assert_true(r->leak_count <= WIRE_LEAKS);
    for (uint32_t i = 0; i < r->leak_count; i++)
        assert_true(r->leaks[i].task < WIRE_TASKS);
    for (uint32_t i = 0; i < r->blocked_count; i++)
        assert_true(r->blocked[i].task < WIRE_TASKS && r->blocked[i].op < WIRE_OP_COUNT);
    assert_true(r->frame_count <= WIRE_FRAMES);
    for (uint32_t i = 0; i < r->frame_count; i++)
        assert_true(r->frames[i].lo < r->frames[i].cfa);
    assert_true(r->origin_count <= WIRE_ORIGINS);
    for (uint32_t i = 0; i < r->origin_count; i++)
        assert_true(r->origins[i].caller <= i);
    for (uint32_t i = 0; i < r->uncontrolled_count; i++)
        assert_true(memchr(r->uncontrolled[i].name, 0, sizeof r->uncontrolled[i].name) != NULL);
    for (uint32_t i = 0; i < r->task_count; i++)
        assert_true(r->tasks[i].parent < WIRE_TASKS && r->tasks[i].stack_lo <= r->tasks[i].stack_hi);
    for (size_t i = 0; i < c->steps.count; i++)
        assert_true(c->steps.data[i].task < WIRE_TASKS &&
                    (c->steps.data[i].type == STEP_RUN || c->steps.data[i].type == STEP_CHOICE));
    for (size_t i = 0; i < c->events.count; i++)
        assert_true(c->events.data[i].task < WIRE_TASKS && c->events.data[i].op < WIRE_OP_COUNT &&
                    c->events.data[i].frame <= r->frame_count && c->events.data[i].origin <= r->origin_count);
}

static void a_good_result_is_copied(void **state)
{
    (void)state;
    struct wire_result *result = &wire->result;
    result->end = END_FAILURE;
    result->finding_count = result->failure = 1;
    result->findings[0] = (struct wire_finding){.kind = KIND_ASSERT, .stack_depth = 2, .text = "x\033[31m == \n1"};
    result->task_count = 2;
    result->step_count = 2;
    wire->steps[0] = (struct wire_step){.type = STEP_RUN, .task = 1, .until = 5};
    wire->steps[1] = (struct wire_step){.type = STEP_CHOICE, .task = 0, .until = 6};
    result->event_count = 1;
    wire->events[0] = (struct wire_event){.op = OP_READ, .task = 1, .origin = 2};
    result->origin_count = 2;
    result->origins[1].caller = 1;
    wire_check_result(wire, COPY_STEPS | COPY_EVENTS, copy);
    assert_false(copy->damaged);
    assert_int_equal(copy->result.origins[1].caller, 1);
    assert_string_equal(copy->result.findings[0].text, "x [31m ==  1");
    assert_int_equal(copy->steps.count, 2);
    assert_int_equal(copy->events.count, 1);
    assert_sane(copy);
    wire_clear_result(wire);
    assert_int_equal(wire->result.findings[0].kind, 0);
    assert_int_equal(wire->result.step_count, 0);
}

static void each_impossible_value_is_damage(void **state)
{
    (void)state;
    static const struct {
        size_t offset;
        uint32_t value;
    } defects[] = {
        {offsetof(struct wire, head.magic), 1},
        {offsetof(struct wire, head.version), WIRE_VERSION + 1},
        {offsetof(struct wire, result.finding_count), WIRE_FINDINGS + 1},
        {offsetof(struct wire, result.step_count), WIRE_STEPS + 1},
        {offsetof(struct wire, result.event_count), WIRE_EVENTS + 1},
        {offsetof(struct wire, result.task_count), WIRE_TASKS + 1},
        {offsetof(struct wire, result.blocked_count), WIRE_BLOCKED + 1},
        {offsetof(struct wire, result.uncontrolled_count), WIRE_UNCONTROLLED + 1},
        {offsetof(struct wire, result.frame_count), WIRE_FRAMES + 1},
        {offsetof(struct wire, result.frame_count), 2}, /* the first of them is empty */
        {offsetof(struct wire, result.origin_count), WIRE_ORIGINS + 1},
        {offsetof(struct wire, result.leak_count), WIRE_LEAKS + 1},
        {offsetof(struct wire, result.end), WIRE_END_COUNT},
        {offsetof(struct wire, result.failure), 1},
        {offsetof(struct wire, result.finding_count), 1}, /* of kind NONE */
        {offsetof(struct wire, result.directed.task), WIRE_TASKS},
        {offsetof(struct wire, result.directed.hindrance), HINDRANCE_COUNT},
    };
    for (size_t i = 0; i < sizeof defects / sizeof defects[0]; i++) {
        uint32_t *place = (uint32_t *)((char *)wire + defects[i].offset), saved = *place;
        *place = defects[i].value;
        wire_check_result(wire, COPY_STEPS | COPY_EVENTS, copy);
        assert_true(copy->damaged);
        assert_non_null(copy->why);
        assert_sane(copy);
        *place = saved;
        wire_check_result(wire, COPY_STEPS | COPY_EVENTS, copy);
        assert_false(copy->damaged);
    }
}

/* KiB of shared mappings that this process has in memory. */
static long shared_resident(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    long kib = -1;
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL)
        sscanf(line, "RssShmem: %ld", &kib);
    fclose(file);
    return kib;
}

/* A long schedule is in the memory of the driver once only, and can be read again. */
static void a_large_table_is_not_kept_mapped(void **state)
{
    enum { STEPS = 1 << 20 };
    (void)state;
    long before = shared_resident();
    for (uint32_t i = 0; i < STEPS; i++)
        wire->steps[i] = (struct wire_step){.type = STEP_RUN, .task = i % 7, .until = i};
    wire->result.step_count = STEPS;
    assert_true(shared_resident() - before >= (long)(STEPS * sizeof wire->steps[0] / 1024));
    for (int again = 0; again < 2; again++) {
        wire_check_result(wire, COPY_STEPS, copy);
        assert_false(copy->damaged);
        assert_int_equal(copy->steps.count, STEPS);
        for (uint32_t i = 0; i < STEPS; i++)
            assert_true(copy->steps.data[i].until == i && copy->steps.data[i].task == i % 7);
        assert_true(shared_resident() - before < 4096);
    }
    assert_true(copy->steps.capacity < STEPS + STEPS / 8);
    wire->result.step_count = 0;
}

static void the_account_of_a_directed_run(void **state)
{
    (void)state;
    const struct wire_directed good = {.done = 1,
                                       .reached = 7,
                                       .most = 7,
                                       .tries = 2,
                                       .hindrance = HINDRANCE_BROKEN,
                                       .task = 3,
                                       .pc = 5,
                                       .address = 6};
    wire->result.directed = good;
    wire_check_result(wire, COPY_STEPS, copy);
    assert_false(copy->damaged);
    assert_memory_equal(&copy->result.directed, &good, sizeof good);
    wire->result.directed.hindrance = UINT32_MAX; /* then nothing of it is believed */
    wire_check_result(wire, COPY_STEPS, copy);
    assert_true(copy->damaged);
    assert_memory_equal(&copy->result.directed, &(struct wire_directed){0}, sizeof good);
    wire_clear_result(wire);
    assert_memory_equal(&wire->result.directed, &(struct wire_directed){0}, sizeof good);
}

/* A process may be killed between counting a step and writing it. */
static void an_unfinished_last_step_is_dropped(void **state)
{
    (void)state;
    wire->result.step_count = 2;
    wire->steps[0] = (struct wire_step){.type = STEP_RUN};
    wire->steps[1] = (struct wire_step){0};
    wire_check_result(wire, COPY_STEPS, copy);
    assert_false(copy->damaged);
    assert_int_equal(copy->steps.count, 1);
    wire->steps[0].type = 77;
    wire_check_result(wire, COPY_STEPS, copy);
    assert_true(copy->damaged);
    assert_int_equal(copy->steps.count, 0);
}

/* Events that were left out in the middle: the newest ones are a ring behind the first ones. */
static void a_ring_of_events_is_put_in_order(void **state)
{
    (void)state;
    enum { HEAD = 3, RING = 5 };
    for (uint64_t gap = 1; gap < 3 * RING; gap++) {
        for (uint64_t i = 0; i < HEAD; i++)
            wire->events[i].operation = i;
        for (uint64_t i = HEAD; i < HEAD + RING + gap; i++)
            wire->events[HEAD + (i - HEAD) % RING].operation = i;
        wire->result.event_count = HEAD + RING;
        wire->result.events_head = HEAD;
        wire->result.events_gap = wire->result.events_left_out = gap;
        wire_check_result(wire, COPY_EVENTS, copy);
        assert_false(copy->damaged);
        assert_int_equal(copy->events.count, HEAD + RING);
        for (uint64_t i = 0; i < HEAD + RING; i++)
            assert_int_equal(copy->events.data[i].operation, i < HEAD ? i : i + gap);
    }
    wire->result.events_head = HEAD + RING; /* nothing would be behind it */
    wire_check_result(wire, COPY_EVENTS, copy);
    assert_true(copy->damaged);
    assert_int_equal(copy->events.count, 0);
    assert_sane(copy);
}

static void noise_never_leaves_the_range(void **state)
{
    (void)state;
    struct generator generator = {1};
    struct wire_modules *modules = memory_allocate(1, sizeof *modules);
    for (int round = 0; round < 200; round++) {
        uint64_t *words = (uint64_t *)&wire->result;
        for (size_t i = 0; i < sizeof wire->result / sizeof *words; i++)
            words[i] = generator_next(&generator);
        uint32_t *head = (uint32_t *)&wire->result;
        for (int i = 0; i < 11; i++) /* the counts: mostly possible ones, so that the tables are looked at */
            head[i] = (uint32_t)generator_below(&generator, 70);
        for (size_t i = 0; i < 100; i++) {
            words = (uint64_t *)&wire->steps[i];
            words[0] = generator_next(&generator);
            words = (uint64_t *)&wire->events[i];
            words[5] = generator_next(&generator);
        }
        wire_check_result(wire, COPY_STEPS | COPY_EVENTS, copy);
        assert_sane(copy);
        wire->head.module_count = (uint32_t)generator_below(&generator, 2 * WIRE_MODULES);
        memset(wire->modules, (int)generator_next(&generator), sizeof wire->modules);
        wire_check_modules(wire, modules);
        assert_true(modules->count <= WIRE_MODULES);
        for (uint32_t i = 0; i < modules->count; i++)
            assert_true(memchr(modules->entries[i].path, 0, WIRE_PATH) != NULL);
    }
    free(modules);
}

static void no_process_is_interrupted_by_a_negative_number(void **state)
{
    (void)state;
    wire->result.runner = -1; /* all processes */
    assert_int_equal(wire_check_runner(wire), 0);
    wire->result.runner = 4711;
    assert_int_equal(wire_check_runner(wire), 4711);
    wire_clear_result(wire);
    assert_int_equal(wire_check_runner(wire), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_good_result_is_copied, setup, teardown),
        cmocka_unit_test_setup_teardown(each_impossible_value_is_damage, setup, teardown),
        cmocka_unit_test_setup_teardown(a_large_table_is_not_kept_mapped, setup, teardown),
        cmocka_unit_test_setup_teardown(the_account_of_a_directed_run, setup, teardown),
        cmocka_unit_test_setup_teardown(an_unfinished_last_step_is_dropped, setup, teardown),
        cmocka_unit_test_setup_teardown(no_process_is_interrupted_by_a_negative_number, setup, teardown),
        cmocka_unit_test_setup_teardown(a_ring_of_events_is_put_in_order, setup, teardown),
        cmocka_unit_test_setup_teardown(noise_never_leaves_the_range, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
