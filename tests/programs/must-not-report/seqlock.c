// SPDX-License-Identifier: MIT
// seqlock.c - a sequence lock: the data are atomics too, so there is no race even while a read is thrown away.
//
// expect: none
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_uint sequence;
static atomic_int low, high;

static void *write_pairs(void *unused)
{
    (void)unused;
    for (int i = 1; i <= 2; i++) {
        atomic_fetch_add(&sequence, 1);
        atomic_store(&low, i);
        atomic_store(&high, 2 * i);
        atomic_fetch_add(&sequence, 1);
    }
    return NULL;
}

static void *read_pair(void *unused)
{
    (void)unused;
    unsigned before;
    int l, h;
    do {
        do
            before = atomic_load(&sequence);
        while (before % 2 != 0);
        l = atomic_load(&low);
        h = atomic_load(&high);
    } while (atomic_load(&sequence) != before);
    assert(h == 2 * l);
    return NULL;
}

int main(void)
{
    pthread_t writer, reader[2];
    pthread_create(&writer, NULL, write_pairs, NULL);
    pthread_create(&reader[0], NULL, read_pair, NULL);
    pthread_create(&reader[1], NULL, read_pair, NULL);
    pthread_join(writer, NULL);
    pthread_join(reader[0], NULL);
    pthread_join(reader[1], NULL);
    return 0;
}
