/* SPDX-License-Identifier: MIT
 *
 * together.c - the program that runs one test of a module under control: calls before, the calls of each thread, what they gave back, and
 * whether an order of the calls explains it.
 *
 *   together FILE      numbers in text: the test (generate/test_file.c writes it)
 *
 * It is not instrumented: its own accesses are no scheduling points.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "raddle.h"
#include "wire/wire_generate.h"
#include "wire/wire_history.h"

struct thread {
    int first, count;
};

static struct {
    struct gen_call construct, prefix[GEN_CALLS];
    int prefix_count, threads, calls, observers, rows, destroy, invariant;
    struct thread thread[GEN_THREADS];
    struct gen_call call[GEN_TEST_CALLS];
    struct history_call history[GEN_TEST_CALLS];
    struct gen_row *row;
} test;

static unsigned long moment; /* one task runs at a time */

/* ---- reading ------------------------------------------------------------------------------------------------------------ */

static long long read_number(FILE *file)
{
    long long number;
    if (fscanf(file, "%lld", &number) != 1) {
        fputs("the test cannot be read\n", stderr);
        exit(1);
    }
    return number;
}

static int read_count(FILE *file, int most)
{
    long long number = read_number(file);
    if (number < 0 || number > most) {
        fputs("the test has a number that is too large\n", stderr);
        exit(1);
    }
    return (int)number;
}

static struct gen_call read_call(FILE *file)
{
    struct gen_call call = {.function = (uint16_t)read_count(file, UINT16_MAX)};
    for (int i = 0; i < GEN_VALUES; i++)
        call.values[i] = (uint8_t)read_count(file, UINT8_MAX);
    return call;
}

static void read_row(FILE *file, struct gen_row *row)
{
    for (int i = 0; i < test.calls; i++)
        row->order[i] = (uint8_t)read_count(file, GEN_TEST_CALLS);
    for (int i = 0; i < test.calls + test.observers; i++)
        for (int k = 0; k < GEN_SLOTS; k++)
            row->slots[i][k] = read_number(file);
}

static void read_calls(FILE *file)
{
    test.threads = read_count(file, GEN_THREADS);
    for (int t = 0; t < test.threads; t++) {
        test.thread[t] = (struct thread){test.calls, read_count(file, GEN_TEST_CALLS - test.calls)};
        test.calls += test.thread[t].count;
    }
    test.observers = read_count(file, GEN_TEST_CALLS - test.calls);
    for (int i = 0; i < test.calls + test.observers; i++) {
        test.call[i] = read_call(file);
        test.history[i].compared = (uint8_t)read_count(file, UINT8_MAX);
    }
}

static void read_test(FILE *file)
{
    test.destroy = read_count(file, UINT16_MAX);
    test.invariant = read_count(file, UINT16_MAX);
    test.construct = read_call(file);
    test.prefix_count = read_count(file, GEN_CALLS);
    for (int i = 0; i < test.prefix_count; i++)
        test.prefix[i] = read_call(file);
    read_calls(file);
    test.rows = read_count(file, GEN_ROWS);
    test.row = calloc((size_t)test.rows + 1, sizeof *test.row);
    for (int i = 0; i < test.rows && test.row != NULL; i++)
        read_row(file, &test.row[i]);
}

/* ---- the run ------------------------------------------------------------------------------------------------------------ */

static void make_call(int number)
{
    struct history_call *history = &test.history[number];
    long long slots[GEN_SLOTS] = {0};
    history->began = ++moment;
    gen_module_call(test.call[number].function, test.call[number].values, slots);
    history->ended = ++moment;
    for (int k = 0; k < GEN_SLOTS; k++)
        history->slots[k] = slots[k];
}

static void *run_thread(void *argument)
{
    const struct thread *thread = argument;
    for (int i = 0; i < thread->count; i++)
        make_call(thread->first + i);
    return NULL;
}

static void run_threads(void)
{
    pthread_t threads[GEN_THREADS];
    for (int t = 0; t < test.threads; t++)
        if (pthread_create(&threads[t], NULL, run_thread, &test.thread[t]) != 0)
            abort();
    for (int t = 0; t < test.threads; t++)
        pthread_join(threads[t], NULL);
}

static void prepare(void)
{
    long long unused[GEN_SLOTS];
    gen_module_call(test.construct.function, test.construct.values, unused);
    for (int i = 0; i < test.prefix_count; i++)
        gen_module_call(test.prefix[i].function, test.prefix[i].values, unused);
}

static void check(void)
{
    long long sound[GEN_SLOTS] = {1};
    for (int i = 0; i < test.observers; i++)
        make_call(test.calls + i);
    if (test.invariant != 0)
        gen_module_call((unsigned)test.invariant - 1, (unsigned char[GEN_VALUES]){0}, sound);
    bool invariant_holds = sound[0] != 0;
    assert(invariant_holds);
    bool an_order_explains_the_results =
        test.rows == 0 || history_is_explained(test.history, (unsigned)test.calls,
                                               (unsigned)(test.calls + test.observers), test.row, (unsigned)test.rows);
    assert(an_order_explains_the_results);
}

int main(int argc, char **argv)
{
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (file == NULL) {
        fputs("usage: together FILE\n", stderr);
        return 1;
    }
    read_test(file);
    fclose(file);
    prepare();
    raddle_ready();
    run_threads();
    check();
    if (test.destroy != 0)
        gen_module_call((unsigned)test.destroy - 1, (unsigned char[GEN_VALUES]){0}, (long long[GEN_SLOTS]){0});
    return 0;
}
