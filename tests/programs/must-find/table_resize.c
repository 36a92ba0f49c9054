// SPDX-License-Identifier: MIT
// table_resize.c - a growing table is moved to a new block while a reader walks the old one.
//
// Shape: R(table)=p, the other: realloc, R(p[i]) on freed memory.
// Why:   readers take no lock because "entries never change"; but the block does.
//
// expect: use-after-free
// find: random within 50
// find: pct within 100
// cause: a:free(table)@table_resize.c:27 << b:R(table)@table_resize.c:36
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static _Atomic(long *) table;
static atomic_int length = 3;

static void *grow(void *unused)
{
    (void)unused;
    int n = atomic_load(&length);
    long *old = atomic_load(&table);
    long *wider = calloc((size_t)n * 2, sizeof *wider);
    memcpy(wider, old, (size_t)n * sizeof *wider);
    atomic_store(&table, wider);
    free(old);
    return NULL;
}

static void *sum(void *result)
{
    long *entries = atomic_load(&table);
    int n = atomic_load(&length);
    for (int i = 0; i < n; i++)
        *(long *)result += entries[i];
    return NULL;
}

int main(void)
{
    long result = 0;
    pthread_t writer, reader;
    atomic_store(&table, calloc(3, sizeof(long)));
    pthread_create(&reader, NULL, sum, &result);
    pthread_create(&writer, NULL, grow, NULL);
    pthread_join(reader, NULL);
    pthread_join(writer, NULL);
    free(atomic_load(&table));
    return result == 0 ? 0 : 1;
}
