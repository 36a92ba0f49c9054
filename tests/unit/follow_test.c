/* SPDX-License-Identifier: MIT
 *
 * follow_test.c - old and new operations laid side by side: never worse than the best of all ways, tried one by one; what moved is
 * found again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "explain/follow_align.h"
#include "util/hash.h"
#include "util/memory.h"

enum { SMALL = 7, LONG = 3000 };

static uint64_t best_of_all(const struct align_item *a, size_t n, const struct align_item *b, size_t m)
{
    if (n == 0)
        return 0;
    uint64_t best = best_of_all(a + 1, n - 1, b, m);
    for (size_t j = 0; j < m; j++) {
        uint32_t likeness = align_likeness(&a[0], &b[j]);
        uint64_t sum = likeness > 0 ? likeness + best_of_all(a + 1, n - 1, b + j + 1, m - j - 1) : 0;
        best = sum > best ? sum : best;
    }
    return best;
}

/* Ascending, within range, only what is alike; returns the sum. */
static uint64_t check_match(const struct align_item *a, size_t n, const struct align_item *b, size_t m,
                            const int32_t *match)
{
    uint64_t sum = 0;
    int32_t last = -1;
    for (size_t i = 0; i < n; i++) {
        if (match[i] == ALIGN_NONE)
            continue;
        assert_true(match[i] > last && (size_t)match[i] < m);
        assert_true(align_likeness(&a[i], &b[match[i]]) > 0);
        sum += align_likeness(&a[i], &b[match[i]]);
        last = match[i];
    }
    return sum;
}

static struct align_item any_item(struct generator *generator, uint64_t kinds)
{
    uint32_t op = (uint32_t)generator_below(generator, 3);
    return (struct align_item){.op = op,
                               .family = op / 2,
                               .function = generator_below(generator, kinds),
                               .object = generator_below(generator, kinds),
                               .place = generator_below(generator, 2)};
}

static void as_good_as_brute_force(void **state)
{
    (void)state;
    struct generator generator = {11};
    for (int round = 0; round < 3000; round++) {
        struct align_item a[SMALL], b[SMALL];
        int32_t match[SMALL];
        size_t n = generator_below(&generator, SMALL + 1), m = generator_below(&generator, SMALL + 1);
        uint64_t kinds = 1 + generator_below(&generator, 3);
        for (size_t i = 0; i < n; i++)
            a[i] = any_item(&generator, kinds);
        for (size_t j = 0; j < m; j++) /* often the same, or nothing would be */
            b[j] = j < n && generator_below(&generator, 2) ? a[j] : any_item(&generator, kinds);
        uint64_t sum = align_sequences(a, n, b, m, 0, match);
        assert_int_equal(sum, check_match(a, n, b, m, match));
        assert_int_equal(sum, best_of_all(a, n, b, m));
    }
}

/* All that is left of the old one is found where it is now, also when only a band of the table is looked at. */
static void what_moved_is_found(void **state)
{
    (void)state;
    struct generator generator = {5};
    for (int round = 0; round < 6; round++) {
        struct align_item *a = memory_allocate(LONG, sizeof *a), *b = memory_allocate(2 * (size_t)LONG, sizeof *b);
        int32_t *match = memory_allocate(LONG, sizeof *match), *wanted = memory_allocate(LONG, sizeof *wanted);
        size_t m = 0;
        for (size_t i = 0; i < LONG; i++) {
            a[i] = (struct align_item){.op = 1, .function = 100 + i, .object = 100 + i, .place = i};
            wanted[i] = ALIGN_NONE;
            if (generator_below(&generator, 50) == 0)
                b[m++] = (struct align_item){.op = 1, .function = 1, .object = 1, .place = 1};
            if (generator_below(&generator, 50) == 0)
                continue;
            b[m] = a[i];
            b[m].place = i + 1000; /* the line has moved */
            if (generator_below(&generator, 3) == 0)
                b[m].object = 50; /* and the variable has another name */
            wanted[i] = (int32_t)m++;
        }
        align_sequences(a, LONG, b, m, round % 2 ? (size_t)LONG * 200 : 0, match);
        check_match(a, LONG, b, m, match);
        assert_memory_equal(match, wanted, LONG * sizeof *match);
        free(a);
        free(b);
        free(match);
        free(wanted);
    }
}

static void likeness(void **state)
{
    (void)state;
    struct align_item read = {.op = 1, .family = 1, .function = 2, .object = 3, .place = 4}, other = read;
    assert_true(align_likeness(&read, &other) > 0);
    other.place = 5;
    assert_true(align_likeness(&read, &other) > 0 && align_likeness(&read, &other) < align_likeness(&read, &read));
    other.object = 6;
    assert_true(align_likeness(&read, &other) > 0);
    other.function = 7;
    assert_int_equal(align_likeness(&read, &other), 0);
    other = read;
    other.family = 9;
    assert_int_equal(align_likeness(&read, &other), 0);
}

/* In a loop the same comes again and again: of equally good ways the early one. */
static void loops_match_from_the_front(void **state)
{
    (void)state;
    struct align_item item = {.op = 1, .function = 1, .object = 1, .place = 1}, last = {.op = 1, .function = 2};
    struct align_item a[3] = {item, item, last}, b[5] = {item, item, item, item, last};
    int32_t match[3];
    align_sequences(a, 3, b, 5, 0, match);
    assert_int_equal(match[0], 0);
    assert_int_equal(match[1], 1);
    assert_int_equal(match[2], 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_good_as_brute_force),
        cmocka_unit_test(what_moved_is_found),
        cmocka_unit_test(likeness),
        cmocka_unit_test(loops_match_from_the_front),
    };
    return cmocka_run_group_tests_name("follow", tests, NULL, NULL);
}
