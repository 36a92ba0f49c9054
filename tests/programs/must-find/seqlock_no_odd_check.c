// SPDX-License-Identifier: MIT
// seqlock_no_odd_check.c - a sequence lock whose reader does not wait for the writer to end.
//
// Shape: the reader starts and ends inside one write: same (odd) number both times, torn data.
// Why:   "the number has not changed" is only half of the test; it must be even as well.
//
// expect: assert
// find: random within 200
// find: pct within 500
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_uint sequence;
static atomic_int low, high; /* always high == 2 * low */

static void *write_pair(void *unused)
{
    (void)unused;
    atomic_fetch_add(&sequence, 1);
    atomic_store(&low, 21);
    atomic_store(&high, 42);
    atomic_fetch_add(&sequence, 1);
    return NULL;
}

static void *read_pair(void *unused)
{
    (void)unused;
    unsigned before;
    int l, h;
    do {
        before = atomic_load(&sequence);
        l = atomic_load(&low);
        h = atomic_load(&high);
    } while (atomic_load(&sequence) != before);
    assert(h == 2 * l);
    return NULL;
}

int main(void)
{
    pthread_t writer, reader;
    pthread_create(&writer, NULL, write_pair, NULL);
    pthread_create(&reader, NULL, read_pair, NULL);
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    return 0;
}
