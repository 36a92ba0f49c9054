// SPDX-License-Identifier: MIT
// published_table.c - a table is filled before the threads exist, and only read; late in the run one thread changes it after all.
//
// Shape: R(table[0]) < W'(table[0]) < R(table[1]): the reader adds an old and a new entry.
// Why:   reads of data that are only read are no scheduling points; when they are written after all, they must be.
//
// expect: assert
// find: random within 200
// find: dfs within 400
#include <assert.h>
#include <pthread.h>

static int table[2];

static void *read_both(void *unused)
{
    int sum = table[0];
    sum += table[1];
    assert(sum == 2 || sum == 4);
    return unused;
}

static void *change(void *unused)
{
    if (table[0] == 1 && table[1] == 1)
        table[0] = table[1] = 2;
    return unused;
}

int main(void)
{
    pthread_t reader, writer;
    table[0] = table[1] = 1;
    pthread_create(&reader, NULL, read_both, NULL);
    pthread_create(&writer, NULL, change, NULL);
    pthread_join(reader, NULL);
    pthread_join(writer, NULL);
    return 0;
}
