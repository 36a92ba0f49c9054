/* SPDX-License-Identifier: MIT
 *
 * suppress_test.c - files of suppressions: what a line matches, and the sentences for lines that say nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "control/suppress.h"

static struct error error;

static struct suppressions *parse(const char *text)
{
    error = (struct error){0};
    return suppress_parse("hide", text, strlen(text), &error);
}

/* The line that suppresses a finding about this place or variable; 0: none. */
static uint32_t line_for(const char *text, enum wire_kind kind, const struct site *site, const char *variable)
{
    struct suppressions *suppressions = parse(text);
    struct suppress_words words = {0};
    assert_non_null(suppressions);
    suppress_add_place(&words, site);
    if (variable != NULL)
        suppress_add_variable(&words, variable);
    struct suppression *found = suppress_find(suppressions, kind, &words);
    uint32_t line = found != NULL ? found->line : 0;
    suppress_words_free(&words);
    suppress_close(suppressions);
    return line;
}

static uint32_t line_for_variable(const char *text, enum wire_kind kind, const char *variable)
{
    return line_for(text, kind, NULL, variable);
}

static void variables_match(void **state)
{
    (void)state;
    assert_int_equal(line_for_variable("race:counter", KIND_RACE, "counter"), 1);
    assert_int_equal(line_for_variable("race:counter", KIND_RACE, "counters"), 0);
    assert_int_equal(line_for_variable("race:count", KIND_RACE, "counter"), 0);
    assert_int_equal(line_for_variable("race:counter", KIND_VOLATILE_RACE, "counter"), 0);
    assert_int_equal(line_for_variable("volatile-race:counter", KIND_VOLATILE_RACE, "counter"), 1);
    assert_int_equal(line_for_variable("serializability:queue.size", KIND_SERIALIZABILITY, "queue.size"), 1);
    assert_int_equal(line_for_variable("# first\n\n  lock-order: b  \r\nlock-order:a", KIND_LOCK_ORDER, "b"), 3);
    assert_int_equal(line_for_variable("race:a\nrace:*\n", KIND_RACE, "b"), 2);
    assert_int_equal(line_for_variable("", KIND_RACE, "b"), 0);
}

static void parts_of_a_variable_match_its_name(void **state)
{
    (void)state;
    assert_int_equal(line_for_variable("race:table", KIND_RACE, "table[3].next"), 1);
    assert_int_equal(line_for_variable("race:table[3].next", KIND_RACE, "table[3].next"), 1);
    assert_int_equal(line_for_variable("race:table[?].next", KIND_RACE, "table[3].next"), 1);
    assert_int_equal(line_for_variable("race:table[3].prev", KIND_RACE, "table[3].next"), 0);
    assert_int_equal(line_for_variable("race:heap#2", KIND_RACE, "heap#2+8"), 1);
    assert_int_equal(line_for_variable("race:*.next", KIND_RACE, "heap#7.next"), 1);
}

static void wildcards_match(void **state)
{
    (void)state;
    assert_int_equal(line_for_variable("race:*", KIND_RACE, "x"), 1);
    assert_int_equal(line_for_variable("race:a*b*c", KIND_RACE, "a1b2b3c"), 1);
    assert_int_equal(line_for_variable("race:a*b*c", KIND_RACE, "a1b2b3"), 0);
    assert_int_equal(line_for_variable("race:a?c", KIND_RACE, "abc"), 1);
    assert_int_equal(line_for_variable("race:a?c", KIND_RACE, "ac"), 0);
    assert_int_equal(line_for_variable("race:**c", KIND_RACE, "c"), 1);
    assert_int_equal(line_for_variable("race:log::*", KIND_RACE, "log::lines"), 1);
    assert_int_equal(line_for_variable("*:x", KIND_LEAK, "x"), 1);
    assert_int_equal(line_for_variable("*:x", KIND_SERIALIZABILITY, "x"), 1);
    assert_int_equal(line_for_variable("*:x", KIND_DEADLOCK, "x"), 0); /* a failure in any case */
}

static void places_match(void **state)
{
    struct site outer = {"log::write",
                         "third_party/log.cc",
                         "/src/third_party/log.cc",
                         "prog",
                         "log.cc:40",
                         "log.cc:40:3",
                         40,
                         3,
                         true,
                         false,
                         NULL};
    struct site inner = {"append", "list.h", NULL, "prog", "list.h:7", "list.h:7:1", 7, 1, true, false, &outer};
    (void)state;
    assert_int_equal(line_for("race:append", KIND_RACE, &inner, NULL), 1);
    assert_int_equal(line_for("race:list.h:7", KIND_RACE, &inner, NULL), 1);
    assert_int_equal(line_for("race:list.h:8", KIND_RACE, &inner, NULL), 0);
    assert_int_equal(line_for("race:list.h", KIND_RACE, &inner, NULL), 1);
    assert_int_equal(line_for("race:log.cc", KIND_RACE, &inner, NULL), 1);
    assert_int_equal(line_for("race:third_party/*", KIND_RACE, &inner, NULL), 1);
    assert_int_equal(line_for("race:*/third_party/*", KIND_RACE, &inner, NULL), 1);
    assert_int_equal(line_for("race:log::*", KIND_RACE, &inner, NULL), 1);
    assert_int_equal(line_for("race:write", KIND_RACE, &inner, NULL), 0);
}

static void refuses(const char *text, const char *sentence)
{
    assert_null(parse(text));
    assert_int_equal(error.code, EXIT_USAGE);
    assert_non_null(strstr(error.text, sentence));
}

static void bad_lines_are_refused(void **state)
{
    (void)state;
    refuses("race:x\nraces:y\n",
            "hide:2: 'races' is no kind of warning; write kind:what, where the kind is race, volatile-race, "
            "lock-order, leak, serializability, or * for all of them");
    refuses("counter", "hide:1: 'counter' is no kind");
    refuses("race", "hide:1: 'race' does not say what; write kind:what, where what names a function, file or variable");
    refuses("race:  ", "hide:1: 'race:' does not say what");
    refuses(":x", "hide:1: '' is no kind");
    refuses("assert:x", "hide:1: 'assert' is no kind");
    refuses("none:x", "hide:1: 'none' is no kind");
    assert_null(suppress_parse("hide", "race:\0x", 7, &error));
    assert_non_null(strstr(error.text, "hide:1: a zero byte"));
    assert_null(suppress_open("no/such/file", &error));
    assert_non_null(strstr(error.text, "no/such/file"));
}

static void lines_count_what_they_suppress(void **state)
{
    (void)state;
    struct suppressions *suppressions = parse("race:x\nleak:y");
    struct suppress_words words = {0};
    suppress_add_variable(&words, "x");
    struct suppression *found = suppress_find(suppressions, KIND_RACE, &words);
    suppress_count(found);
    suppress_count(found);
    assert_int_equal(suppress_line_count(suppressions), 2);
    assert_int_equal(suppress_line(suppressions, 0)->findings, 2);
    assert_string_equal(suppress_line(suppressions, 0)->text, "race:x");
    assert_int_equal(suppress_line(suppressions, 1)->findings, 0);
    assert_true(suppress_may(suppressions, 1u << KIND_LEAK));
    assert_false(suppress_may(suppressions, 1u << KIND_LOCK_ORDER));
    suppress_words_free(&words);
    suppress_close(suppressions);
}

static void without_a_file_nothing_is_suppressed(void **state)
{
    (void)state;
    struct suppress_words words = {0};
    suppress_add_variable(&words, "x");
    assert_null(suppress_find(NULL, KIND_RACE, &words));
    assert_int_equal(suppress_line_count(NULL), 0);
    assert_false(suppress_may(NULL, UINT32_MAX));
    suppress_words_free(&words);
    suppress_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_match),
        cmocka_unit_test(parts_of_a_variable_match_its_name),
        cmocka_unit_test(wildcards_match),
        cmocka_unit_test(places_match),
        cmocka_unit_test(bad_lines_are_refused),
        cmocka_unit_test(lines_count_what_they_suppress),
        cmocka_unit_test(without_a_file_nothing_is_suppressed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
