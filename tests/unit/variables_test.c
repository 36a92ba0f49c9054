/* SPDX-License-Identifier: MIT
 *
 * variables_test.c - which sites access one variable, and T_C of MAP-coverage, against numbers that were found by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "coverage/variables.h"
#include "fixture/executions.h"

enum { A = 0x1000, B = 0x2000, C = 0x3000 };

static struct event touch(uint16_t task, uint8_t op, uint64_t address, uint32_t size, uint32_t site)
{
    static uint64_t operation;
    return (struct event){
        .task = task, .op = op, .address = address, .size = size, .site = site, .operation = ++operation};
}
#define READS(task, address, site)  touch(task, OP_READ, address, 4, site)
#define WRITES(task, address, site) touch(task, OP_WRITE, address, 4, site)

static void see(struct variables *variables, const struct event *events, size_t count)
{
    struct execution execution = make_execution(events, count);
    variables_observe(variables, &execution);
    execution_free(&execution);
}
#define SEE(variables, ...)                                                                                            \
    do {                                                                                                               \
        const struct event events[] = {__VA_ARGS__};                                                                   \
        see(variables, events, sizeof events / sizeof *events);                                                        \
    } while (0)

static double total(const struct variables *variables)
{
    variable_list list = {0};
    double sum = 0;
    variables_list(variables, &list);
    for (unsigned row = 0; row < family_count; row++)
        if (families[row].flags & FAMILY_ESTIMATED)
            sum += variables_estimate(&list, family_shape(row));
    vector_free(&list);
    return sum;
}

static size_t count_of(const struct variables *variables)
{
    variable_list list = {0};
    variables_list(variables, &list);
    size_t count = list.count;
    vector_free(&list);
    return count;
}

/* The formula of the paper, as it is written there. */
static double formula(const struct variable_sites *v, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double r = v[i].readers, w = v[i].writers;
        sum += 2 * r * w + w * w + r * r * w + 3 * r * w * w + w * w * w;
        for (size_t k = i + 1; k < count; k++) {
            double s = v[k].readers, u = v[k].writers;
            sum += 3 * w * w * u * u + 6 * w * r * u * s;
        }
    }
    return sum;
}

/* ---- T_C ---------------------------------------------------------------------------------------------------------- */

static void the_sum_of_all_patterns_is_the_formula(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < 200; n++) {
        struct variable_sites sites[] = {{n % 4, n / 4 % 3}, {n % 5, n / 2 % 4}, {n / 7 % 6, n / 11 % 3}, {1, n % 2}};
        variable_list list = {.data = sites, .count = 1 + n % 4, .capacity = 4};
        double sum = 0;
        for (unsigned row = 0; row < family_count; row++)
            if (families[row].flags & FAMILY_ESTIMATED)
                sum += variables_estimate(&list, family_shape(row));
        assert_true(sum == formula(sites, list.count));
    }
}

/* Figure 2 of the paper: seven reads and one write of one field. */
static void the_example_of_the_paper(void **state)
{
    (void)state;
    struct variables variables = {0};
    SEE(&variables, READS(1, A, 6), READS(2, A, 19), READS(1, A, 8), READS(2, A, 20), READS(1, A, 11), READS(2, A, 22),
        READS(2, A, 25), WRITES(2, A, 26));
    assert_int_equal(count_of(&variables), 1);
    const struct variable_sites field = {7, 1};
    assert_true(total(&variables) == formula(&field, 1));
    assert_true(total(&variables) == 14 + 1 + 49 + 21 + 1);
    variables_free(&variables);
}

/* ---- variables ---------------------------------------------------------------------------------------------------- */

static void only_what_is_shared_and_written(void **state)
{
    (void)state;
    struct variables variables = {0};
    SEE(&variables, WRITES(1, A, 1), READS(1, A, 2)); /* one thread */
    SEE(&variables, READS(1, B, 3), READS(2, B, 4));  /* no write */
    assert_int_equal(count_of(&variables), 0);
    SEE(&variables, WRITES(1, A, 1), READS(2, A, 4));
    assert_int_equal(count_of(&variables), 1);
    assert_true(variables_are_one(&variables, 1, 4));
    assert_false(variables_are_one(&variables, 1, 2));
    variables_free(&variables);
}

/* The same field of two objects, which are used by other threads: one variable.  Another field is another one. */
static void objects_of_a_kind_are_one_variable(void **state)
{
    (void)state;
    struct variables variables = {0};
    SEE(&variables, WRITES(1, A, 1), READS(2, A, 2), WRITES(1, B, 1), READS(2, B, 3), WRITES(1, A + 4, 5),
        READS(2, A + 4, 6));
    assert_int_equal(count_of(&variables), 2);
    assert_true(variables_are_one(&variables, 2, 3));
    assert_false(variables_are_one(&variables, 1, 5));
    const struct variable_sites both[] = {{2, 1}, {1, 1}};
    assert_true(total(&variables) == formula(both, 2));
    variables_free(&variables);
}

/* Runs may come in any order. */
static void the_order_of_runs_does_not_matter(void **state)
{
    (void)state;
    struct variables forward = {0}, backward = {0};
    SEE(&forward, WRITES(1, A, 1), READS(2, A, 2));
    SEE(&forward, WRITES(1, B, 3), READS(2, B, 4));
    SEE(&forward, WRITES(1, A, 4), READS(2, A, 2));
    SEE(&backward, WRITES(1, A, 4), READS(2, A, 2));
    SEE(&backward, WRITES(1, B, 3), READS(2, B, 4));
    SEE(&backward, WRITES(1, A, 1), READS(2, A, 2));
    assert_int_equal(count_of(&forward), 1);
    assert_int_equal(count_of(&backward), 1);
    assert_true(total(&forward) == total(&backward));
    variables_free(&forward);
    variables_free(&backward);
}

/* memset, or a structure that is copied: it writes both fields, and they stay two. */
static void a_wide_access_joins_nothing(void **state)
{
    (void)state;
    struct variables variables = {0};
    SEE(&variables, WRITES(1, A, 1), WRITES(1, A + 4, 2), READS(2, A, 3), READS(2, A + 4, 4),
        touch(1, OP_WRITE, A, 8, 5));
    assert_false(variables_are_one(&variables, 1, 2));
    const struct variable_sites both[] = {{1, 2}, {1, 2}};
    assert_int_equal(count_of(&variables), 2);
    assert_true(total(&variables) == formula(both, 2));
    variables_free(&variables);
}

/* A freed block is a write to what is in it; the block that comes to its place is another one. */
static void memory_that_is_used_again(void **state)
{
    (void)state;
    struct variables variables = {0};
    SEE(&variables, WRITES(1, A, 1), READS(2, A, 2), touch(1, OP_FREE, A, 4, 3), touch(1, OP_ALLOC, A, 4, 4),
        WRITES(1, A, 5), READS(2, A, 6));
    assert_int_equal(count_of(&variables), 2);
    assert_false(variables_are_one(&variables, 1, 5));
    const struct variable_sites both[] = {{1, 2}, {1, 1}};
    assert_true(total(&variables) == formula(both, 2));
    variables_free(&variables);
}

static void an_update_reads_and_writes(void **state)
{
    (void)state;
    struct variables variables = {0};
    SEE(&variables, touch(1, OP_ATOMIC_RMW, C, 4, 1), touch(2, OP_ATOMIC_RMW, C, 4, 1));
    const struct variable_sites one = {1, 1};
    assert_int_equal(count_of(&variables), 1);
    assert_true(total(&variables) == formula(&one, 1));
    variables_free(&variables);
}

int main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sum_of_all_patterns_is_the_formula),
        cmocka_unit_test(the_example_of_the_paper),
        cmocka_unit_test(only_what_is_shared_and_written),
        cmocka_unit_test(objects_of_a_kind_are_one_variable),
        cmocka_unit_test(the_order_of_runs_does_not_matter),
        cmocka_unit_test(a_wide_access_joins_nothing),
        cmocka_unit_test(memory_that_is_used_again),
        cmocka_unit_test(an_update_reads_and_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
