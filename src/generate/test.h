/* SPDX-License-Identifier: MIT
 *
 * test.h - a concurrent test: calls that make a state, calls of threads that run at the same time, calls that look at the object afterwards; and
 * what the calls give back in every order in which they run one after another.
 */
#ifndef RADDLE_GENERATE_TEST_H
#define RADDLE_GENERATE_TEST_H

#include "generate/library.h"

struct test {
    struct gen_call construct, prefix[GEN_CALLS];
    unsigned prefix_count, threads, count[GEN_THREADS], observers;
    struct gen_call calls[GEN_TEST_CALLS]; /* of the first thread, of the second, …, observers */
    uint8_t compared[GEN_TEST_CALLS];      /* bit per slot: it says something about the order */
    VECTOR(struct gen_row) rows;           /* the orders */
};

enum test_alone {
    TEST_GOOD,
    TEST_FAILS,  /* calls fail when they run one after another: the test would say nothing about threads */
    TEST_STUCK,  /* there is an order after which no call can go on */
    TEST_MANY,   /* too many orders: results are not compared */
    TEST_STOPPED /* it is not known */
};

unsigned test_call_count(const struct test *test);
/* Runs all orders; fills in rows and compared.  `failed`: if TEST_FAILS, how and in which function; may be NULL. */
enum test_alone test_find_orders(struct test *test, struct library *library, struct gen_report *failed,
                                 struct error *error);
/* For the program `together`. */
bool test_write_file(const struct test *test, const struct api *api, uint32_t subject, const char *path,
                     struct error *error);
void test_copy(struct test *to, const struct test *from);
void test_free(struct test *test);
/* "push(1) || pop()" */
char *test_text(const struct test *test, const struct api *api);
/* "queue_push(shared, 1)" */
char *test_call_text(const struct gen_call *call, const struct api *api);

#endif
