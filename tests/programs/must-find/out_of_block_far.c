// SPDX-License-Identifier: MIT
// out_of_block_far.c - an index that is far too large reaches beyond the block, and beyond the block's next neighbours.
//
// Shape: a table of 8 is replaced by one of 64; the reader has the new length and still the old table.
// Why:   table and length are published one after the other; element 60 of the old table is some hundred bytes after its end.
//
// expect: out-of-block
// find: random within 300
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { SMALL = 8, LARGE = 64 };

static _Atomic(int *) table;
static atomic_int length;
static int *kept[4];

static void *grow(void *unused)
{
    int *larger = calloc(LARGE, sizeof *larger);
    atomic_store(&length, LARGE); /* before the table: that is the bug */
    atomic_store(&table, larger);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int *first = calloc(SMALL, sizeof *first);
    for (int i = 0; i < 4; i++)
        kept[i] = calloc(SMALL, sizeof **kept); /* neighbours */
    atomic_store(&table, first);
    atomic_store(&length, SMALL);
    pthread_create(&thread, NULL, grow, NULL);
    int *now = atomic_load(&table), last = atomic_load(&length) - 4;
    now[last] = 1;
    pthread_join(thread, NULL);
    int *end = atomic_load(&table);
    for (int i = 0; i < 4; i++)
        free(kept[i]);
    if (end != first)
        free(end);
    free(first);
    return 0;
}
