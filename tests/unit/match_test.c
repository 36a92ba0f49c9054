/* SPDX-License-Identifier: MIT
 *
 * match_test.c - one pattern in a list of events: by hand, and against the observer on random programs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "fixture/executions.h"
#include "fixture/instances.h"
#include "fixture/tiny_programs.h"
#include "pattern/match.h"

enum { X = 0x1000, Y = 0x2000, MOST = 64 };

static struct sites *sites;
static struct event events[MOST];
static size_t count;

static int setup(void **state)
{
    (void)state;
    sites = sites_new();
    for (uint32_t i = 1; i < 60; i++)
        sites_add(sites, &(struct site_key){.file = "p.c", .line = i});
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    sites_free(sites);
    return 0;
}

/* "1R8 2W25": task, what, line; x, or y after a comma ("1R8,y").  l and u are a lock and its release. */
static void make_events(const char *text)
{
    uint64_t operations[10] = {0};
    for (count = 0; *text != '\0'; count++) {
        assert_true(count < MOST);
        unsigned task = (unsigned)(*text++ - '0');
        static const char letters[] = "RWlu";
        static const enum wire_op ops[] = {OP_READ, OP_WRITE, OP_MUTEX_LOCK, OP_MUTEX_UNLOCK};
        enum wire_op op = ops[strchr(letters, *text++) - letters];
        uint32_t site = (uint32_t)strtoul(text, (char **)&text, 10);
        bool other = *text == ',';
        text += other ? 2 : 0;
        text += *text == ' ';
        events[count] = (struct event){.operation = ++operations[task],
                                       .address = other ? Y : X,
                                       .size = 4,
                                       .site = site,
                                       .task = (uint16_t)task,
                                       .op = (uint8_t)op,
                                       .context = 100 + (uint32_t)count};
    }
}

static enum match match_in(const struct pattern *pattern, const struct event *list, size_t length)
{
    struct execution execution = make_execution(list, length);
    enum match match = pattern_match(pattern, sites, &execution);
    execution_free(&execution);
    return match;
}

static enum match match(const char *text)
{
    struct error error = {0};
    struct pattern pattern;
    if (!pattern_parse(text, sites, &pattern, &error))
        fail_msg("%s: %s", text, error.text);
    return match_in(&pattern, events, count);
}
#define ASSERT_SHOWN(text)     assert_int_equal(match(text), MATCH_YES)
#define ASSERT_NOT_SHOWN(text) assert_int_equal(match(text), MATCH_NO)

static void order(void **state)
{
    (void)state;
    make_events("1R8 2W25 1W9");
    ASSERT_SHOWN("a:R(x)@p.c:8 << b:W(x)@p.c:25 << a:W(x)@p.c:9");
    ASSERT_SHOWN("b:R(x)@p.c:8 < a:W(x)@p.c:25");
    ASSERT_SHOWN("a:R(x) << b:W(x)");
    ASSERT_SHOWN("a:*(x) < b:*(x) < a:*(x)");
    ASSERT_NOT_SHOWN("a:W(x)@p.c:25 << b:R(x)@p.c:8");
    ASSERT_NOT_SHOWN("a:R(x)@p.c:8 < b:W(x)@p.c:9"); /* one thread */
    ASSERT_NOT_SHOWN("a:R(x)@p.c:8 < b:R(x)@p.c:25");
    ASSERT_NOT_SHOWN("a:R(x)@p.c:8 < b:W(y)@p.c:25 < a:W(y)@p.c:9"); /* they are one variable */
    make_events("");
    ASSERT_NOT_SHOWN("a:*(x) < b:*(x)");
}

static void immediately(void **state)
{
    (void)state;
    make_events("1R8 3W30 2W25");
    ASSERT_SHOWN("a:R(x)@p.c:8 < b:W(x)@p.c:25");
    ASSERT_NOT_SHOWN("a:R(x)@p.c:8 << b:W(x)@p.c:25");
    make_events("1W8 3R30 2R25"); /* other reads do not hide a write from a read */
    ASSERT_SHOWN("a:W(x)@p.c:8 << b:R(x)@p.c:25");
    make_events("1W8 3R30 2W25"); /* but from a write */
    ASSERT_NOT_SHOWN("a:W(x)@p.c:8 << b:W(x)@p.c:25");
    make_events("1W8 3W30,y 2W25");
    ASSERT_SHOWN("a:W(x)@p.c:8 << b:W(x)@p.c:25");
    make_events("1R8 1R8 2W25"); /* the last time counts */
    ASSERT_SHOWN("a:R(x)@p.c:8*2 << b:W(x)@p.c:25");
    ASSERT_NOT_SHOWN("a:R(x)@p.c:8*1 << b:W(x)@p.c:25");
    ASSERT_SHOWN("a:R(x)@p.c:8*1 < b:W(x)@p.c:25");
    make_events("1l1 1u2 2l3 2u4");
    ASSERT_SHOWN("a:unlock(m)@p.c:2 << b:lock(m)@p.c:3");
    ASSERT_SHOWN("a:lock(m)@p.c:1 < b:lock(m)@p.c:3");
    ASSERT_NOT_SHOWN("a:lock(m)@p.c:1 << b:lock(m)@p.c:3");
}

static void in_any_order(void **state)
{
    (void)state;
    const char *crossed = "a:W(x)@p.c:1 | b:W(y)@p.c:3 << b:R(x)@p.c:4 | a:R(y)@p.c:2";
    make_events("1W1 2W3,y 1R2,y 2R4");
    ASSERT_SHOWN(crossed);
    ASSERT_SHOWN("a:W(y)@p.c:3 | b:W(x)@p.c:1 << b:R(y)@p.c:2 | a:R(x)@p.c:4"); /* from the other side */
    make_events("2W3,y 1W1 2R4 1R2,y");
    ASSERT_SHOWN(crossed);
    make_events("1W1 1R2,y 2W3,y 2R4");
    ASSERT_NOT_SHOWN(crossed);
    make_events("1W1 2W3 1R2 2R4"); /* one variable is not two */
    ASSERT_NOT_SHOWN(crossed);
}

static void what_an_instance_cannot_say(void **state)
{
    (void)state;
    make_events("1R8 2W25 1R8 1R50,y 1R51,y 2W26 1W9");
    ASSERT_SHOWN("a:R(x)@p.c:8*2 << b:W(x)@p.c:26");
    ASSERT_NOT_SHOWN("a:R(x)@p.c:8*1 << b:W(x)@p.c:26");
    ASSERT_NOT_SHOWN("a:R(x)@p.c:8*3 << b:W(x)@p.c:26");
    ASSERT_SHOWN("a:R(x)@p.c:8~66 << b:W(x)@p.c:26"); /* 0x66: the third event */
    ASSERT_NOT_SHOWN("a:R(x)@p.c:8~64 << b:W(x)@p.c:26");
    ASSERT_SHOWN("a:R(x)@p.c:8 << b:W(x)@p.c:26 <<[3] a:W(x)@p.c:9");
    ASSERT_NOT_SHOWN("a:R(x)@p.c:8 << b:W(x)@p.c:26 <<[2] a:W(x)@p.c:9");
}

/* All are at one place, and none is the last one of the pattern: it would take for ever to say no. */
static void there_is_an_end_to_it(void **state)
{
    (void)state;
    enum { MANY = 20000 };
    struct event *many = calloc(MANY, sizeof *many);
    for (uint32_t i = 0; i < MANY; i++)
        many[i] = (struct event){
            .operation = i / 2 + 1, .address = X, .size = 4, .site = 1, .task = (uint16_t)(i % 2), .op = OP_READ};
    struct error error;
    struct pattern pattern;
    assert_true(pattern_parse("a:R(x) < b:R(x) < a:R(x) < b:W(x)", sites, &pattern, &error));
    many[MANY - 1].site = 2;
    many[0].op = OP_WRITE; /* there is one, but it comes too early */
    assert_int_equal(match_in(&pattern, many, MANY), MATCH_UNKNOWN);
    free(many);
}

/* ---- against the observer ------------------------------------------------------------------------------------------ */

static enum match match_instance(const struct instance *instance, const struct tiny_state *run)
{
    struct pattern pattern = instance_pattern(instance);
    return match_in(&pattern, run->events, run->event_count);
}

/* What the observer sees is there; and of two steps, what it does not see is not. */
static void the_observer_agrees(void **state)
{
    (void)state;
    unsigned long seen = 0, unseen = 0;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        struct tiny_style style = {
            .body = 5, .wide = seed % 3 == 0, .atomics = seed % 2 == 0, .least_ways = 50, .most_ways = 4000};
        struct tiny_program program;
        struct tiny_state run;
        struct generator random = {seed};
        struct instances observed = {0}, predicted = {0};
        tiny_make(seed, &style, &program);
        if (!tiny_random_run(&program, &random, &run))
            continue;
        observe_all(run.events, run.event_count,
                    &(struct observer_options){.wanted = rows("idiom,map"), .window = 1000}, &observed);
        predict_all(run.events, run.event_count, &(struct predictor_options){.wanted = rows("idiom.1"), .window = 1000},
                    &predicted);
        for (size_t i = 0; i < observed.all.count; i++, seen++)
            assert_int_equal(match_instance(&observed.all.data[i], &run), MATCH_YES);
        for (size_t i = 0; i < predicted.all.count; i++) {
            if (instances_has(&observed, &predicted.all.data[i]))
                continue;
            assert_int_equal(match_instance(&predicted.all.data[i], &run), MATCH_NO);
            unseen++;
        }
        instances_free(&observed);
        instances_free(&predicted);
    }
    print_message("# %lu instances that occurred, %lu that did not\n", seen, unseen);
    assert_true(seen > 1000 && unseen > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order),
        cmocka_unit_test(immediately),
        cmocka_unit_test(in_any_order),
        cmocka_unit_test(what_an_instance_cannot_say),
        cmocka_unit_test(there_is_an_end_to_it),
        cmocka_unit_test(the_observer_agrees),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
