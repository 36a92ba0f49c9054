// SPDX-License-Identifier: MIT
// only_read.c - a table is filled, read by all threads, and changed and freed when they have been joined.
//
// expect: none
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 3, ENTRIES = 64 };

static int *table;

static void *add(void *expected)
{
    int sum = 0;
    for (int i = 0; i < ENTRIES; i++)
        sum += table[i];
    assert(sum == *(int *)expected);
    return NULL;
}

int main(void)
{
    table = calloc(ENTRIES, sizeof *table);
    for (int round = 1; round <= 2; round++) {
        pthread_t threads[THREADS];
        int expected = ENTRIES * round;
        for (int i = 0; i < ENTRIES; i++)
            table[i] = round;
        for (int i = 0; i < THREADS; i++)
            pthread_create(&threads[i], NULL, add, &expected);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
    }
    free(table);
    return 0;
}
