/* SPDX-License-Identifier: MIT
 *
 * learned_test.c - sites that one server has learned and others are given.  No program is run: the test writes the tables.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/learned.h"

enum { SERVERS = 3, BASE = 0x400000, NO_PROCESS = 0x40000000 };

static struct server servers[SERVERS];
static struct learned_part parts[SERVERS];
static struct learned learned;

static int set_up(void **state)
{
    (void)state;
    learned = (struct learned){0};
    for (int i = 0; i < SERVERS; i++) {
        servers[i] = (struct server){.wire = calloc(1, offsetof(struct wire, plan_choices))};
        parts[i] = (struct learned_part){0};
        if (servers[i].wire == NULL)
            return -1;
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < SERVERS; i++)
        free(servers[i].wire);
    learned_free(&learned);
    return 0;
}

/* What the runtime does when a run learns a site. */
static void run_learns(int server, uint64_t pc)
{
    struct wire *wire = servers[server].wire;
    uint32_t slot = wire_site_slot(pc);
    while (wire->sites[slot] != 0)
        slot = (slot + 1) & (WIRE_SITES - 1);
    wire->sites[slot] = pc;
    wire->site_count++;
}

static bool knows(int server, uint64_t pc)
{
    const struct wire *wire = servers[server].wire;
    for (uint32_t slot = wire_site_slot(pc); wire->sites[slot] != 0; slot = (slot + 1) & (WIRE_SITES - 1))
        if (wire->sites[slot] == pc)
            return true;
    return false;
}

static void take(int server)
{
    learned_take(&learned, &parts[server], &servers[server]);
}

static void give(int server)
{
    learned_give(&learned, &parts[server], &servers[server]);
}

static void others_are_given_what_one_has_learned(void **state)
{
    (void)state;
    for (uint64_t pc = BASE; pc < BASE + 40; pc += 4)
        run_learns(0, pc);
    run_learns(1, BASE + 4);
    run_learns(1, BASE + 4 + 4 * (uint64_t)WIRE_SITES); /* the same place of the table */
    give(2);
    assert_int_equal(servers[2].wire->site_count, 0); /* no result has been looked at */
    take(0);
    take(1);
    for (int i = 0; i < SERVERS; i++)
        give(i);
    for (int i = 0; i < SERVERS; i++) {
        for (uint64_t pc = BASE; pc < BASE + 40; pc += 4)
            assert_true(knows(i, pc));
        assert_true(knows(i, BASE + 4 + 4 * (uint64_t)WIRE_SITES));
        assert_int_equal(servers[i].wire->site_count, 11);
    }
}

static void what_is_taken_later_is_given_later(void **state)
{
    (void)state;
    run_learns(0, BASE);
    take(0);
    run_learns(1, BASE + 8);
    give(2);
    assert_true(knows(2, BASE) && !knows(2, BASE + 8));
    take(1);
    assert_true(!knows(2, BASE + 8));
    give(2);
    give(2);
    assert_true(knows(2, BASE + 8));
    assert_int_equal(servers[2].wire->site_count, 2);
    assert_int_equal(learned.sites.count, 2);
}

static void checkpoints_without_the_new_sites_are_ended(void **state)
{
    (void)state;
    run_learns(0, BASE);
    take(0);
    servers[0].holders[1] = servers[1].holders[1] = NO_PROCESS;
    give(0);
    assert_int_equal(servers[0].holders[1], NO_PROCESS); /* it had them */
    give(1);
    assert_int_equal(servers[1].holders[1], 0);
    servers[1].holders[1] = NO_PROCESS;
    give(1);
    assert_int_equal(servers[1].holders[1], NO_PROCESS);
}

static void load(int server, uint64_t base, const char *path)
{
    struct wire *wire = servers[server].wire;
    struct wire_module *module = &wire->modules[wire->head.module_count++];
    *module = (struct wire_module){.base = base, .lo = base, .hi = base + 0x1000};
    snprintf(module->path, sizeof module->path, "%s", path);
    servers[server].randomised = true;
}

static void sites_follow_their_module(void **state)
{
    (void)state;
    load(0, 0x10000, "/program");
    load(0, 0x20000, "/library");
    load(1, 0x70000, "/library");
    load(1, 0x80000, "/program");
    load(2, 0x50000, "/program");
    run_learns(0, 0x10044);
    run_learns(0, 0x20088);
    run_learns(0, 0x90000); /* in no module */
    run_learns(1, 0x80044); /* the same as the first */
    run_learns(1, 0x80100);
    take(0);
    take(1);
    assert_int_equal(learned.sites.count, 3);
    for (int i = 0; i < SERVERS; i++)
        give(i);
    assert_true(knows(0, 0x10100) && knows(1, 0x70088) && knows(2, 0x50044) && knows(2, 0x50100));
    assert_int_equal(servers[0].wire->site_count, 4);
    assert_int_equal(servers[1].wire->site_count, 3);
    assert_int_equal(servers[2].wire->site_count, 2); /* the library is not loaded there */
}

/* A program that writes over its table must not make the driver loop for ever, nor grow without end. */
static void a_full_table_does_no_harm(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < WIRE_SITES; i++)
        servers[0].wire->sites[i] = servers[1].wire->sites[i] = 0x100000 + 4 * i;
    servers[0].wire->site_count = UINT64_MAX;
    run_learns(2, BASE);
    take(2);
    take(0);
    assert_in_range(learned.sites.count, 1, WIRE_SITES / 4 * 3);
    give(1);
    assert_int_equal(servers[1].wire->site_count, 0);
    give(2);
    assert_int_equal(servers[2].wire->site_count, learned.sites.count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(others_are_given_what_one_has_learned, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_taken_later_is_given_later, set_up, tear_down),
        cmocka_unit_test_setup_teardown(checkpoints_without_the_new_sites_are_ended, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sites_follow_their_module, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_full_table_does_no_harm, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
