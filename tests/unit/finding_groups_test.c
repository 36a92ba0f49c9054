/* SPDX-License-Identifier: MIT
 *
 * finding_groups_test.c - warnings of one kind on one variable are one line, and there are only so many lines.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "trace/finding_groups.h"

static const struct warning_item balance1 = {"race", "data race on balance: write at a.c:1 and read at a.c:2",
                                             "balance", 3, 8};
static const struct warning_item balance2 = {"race", "data race on balance: write at a.c:1 and write at a.c:3",
                                             "balance", 1, 9};
static const struct warning_item atomic_too = {
    "race", "data race with an atomic access on balance: read at a.c:1 and write at a.c:4", "balance", 1, 2};
static const struct warning_item flag = {"volatile-race", "volatile race on flag: write at a.c:5 and read at a.c:6",
                                         "flag", 1, 1};
static const struct warning_item first_block = {"race", "data race on heap#1.next: write at l.c:1 and read at l.c:2",
                                                "heap#1.next", 2, 1};
static const struct warning_item other_block = {"race", "data race on heap#12.next: write at l.c:1 and read at l.c:3",
                                                "heap#12.next", 4, 1};
static const struct warning_item other_member = {"race", "data race on heap#1.prev: write at l.c:5 and read at l.c:6",
                                                 "heap#1.prev", 2, 1};
static const struct warning_item leak1 = {"leak", "memory leak: what is allocated at l.c:9 is lost", NULL, 2, 1};
static const struct warning_item leak2 = {"leak", "memory leak: what is allocated at l.c:12 is lost", NULL, 2, 1};

static void prints(const struct warning_item *items, size_t count, size_t most, const char *expected)
{
    struct buffer text = {0};
    finding_groups_print(items, count, most, "; ask", &text);
    assert_string_equal(buffer_text(&text), expected);
    buffer_free(&text);
}

static void one_is_told_whole(void **state)
{
    (void)state;
    prints(&balance1, 1, 4, "data race on balance: write at a.c:1 and read at a.c:2   (in 8 schedules, first in 3)\n");
    prints(NULL, 0, 4, "");
}

static void one_line_per_kind_and_variable(void **state)
{
    (void)state;
    const struct warning_item items[] = {balance1, atomic_too, balance2, leak1, leak2};
    prints(
        items, 5, 4,
        "data race on balance at 2 pairs of places, the first one: write at a.c:1 and read at a.c:2   (first in "
        "schedule 3)\n"
        "data race with an atomic access on balance: read at a.c:1 and write at a.c:4   (in 2 schedules, first in 1)\n"
        "memory leak at 2 places, the first one: what is allocated at l.c:9 is lost   (first in schedule 2)\n");
}

static void blocks_and_elements_differ_by_number_only(void **state)
{
    (void)state;
    const struct warning_item items[] = {first_block, other_member, other_block};
    char words[32];
    prints(items, 3, 4,
           "data race on heap#1.next at 2 pairs of places, the first one: write at l.c:1 and read at l.c:2   (first in "
           "schedule 2)\n"
           "data race on heap#1.prev: write at l.c:5 and read at l.c:6   (in 1 schedule, first in 2)\n");
    assert_string_equal(finding_groups_variables(items, 3, words, sizeof words), " on 2 variables");
    assert_string_equal(finding_groups_variables(items, 1, words, sizeof words), " on 1 variable");
    assert_string_equal(finding_groups_variables(&leak1, 1, words, sizeof words), "");
}

static void volatile_ones_come_last_and_lines_are_few(void **state)
{
    (void)state;
    const struct warning_item items[] = {flag, balance1, other_member, first_block};
    prints(items, 4, 4,
           "data race on balance: write at a.c:1 and read at a.c:2   (in 8 schedules, first in 3)\n"
           "data race on heap#1.prev: write at l.c:5 and read at l.c:6   (in 1 schedule, first in 2)\n"
           "data race on heap#1.next: write at l.c:1 and read at l.c:2   (in 1 schedule, first in 2)\n"
           "volatile race on flag: write at a.c:5 and read at a.c:6   (in 1 schedule, first in 1)\n");
    prints(items, 4, 2,
           "data race on balance: write at a.c:1 and read at a.c:2   (in 8 schedules, first in 3)\n"
           "and 3 more; ask\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_is_told_whole),
        cmocka_unit_test(one_line_per_kind_and_variable),
        cmocka_unit_test(blocks_and_elements_differ_by_number_only),
        cmocka_unit_test(volatile_ones_come_last_and_lines_are_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
