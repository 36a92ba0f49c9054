// SPDX-License-Identifier: MIT
// pattern_ring_multi.c - a bounded ring for several producers and consumers, each cell with a sequence number.
//
// expect: none
#include "correct.h"

#include <stdatomic.h>

enum { SIZE = 2 };
static struct cell {
    atomic_uint sequence;
    int value;
} ring[SIZE];
static atomic_uint head, tail;
static atomic_int sum;

static void put(int value)
{
    for (;;) {
        unsigned at = atomic_load(&tail);
        struct cell *cell = &ring[at % SIZE];
        if (atomic_load(&cell->sequence) == at && atomic_compare_exchange_strong(&tail, &at, at + 1)) {
            cell->value = value;
            atomic_store(&cell->sequence, at + 1);
            return;
        }
        sched_yield();
    }
}

static int get(void)
{
    for (;;) {
        unsigned at = atomic_load(&head);
        struct cell *cell = &ring[at % SIZE];
        if (atomic_load(&cell->sequence) == at + 1 && atomic_compare_exchange_strong(&head, &at, at + 1)) {
            int value = cell->value;
            atomic_store(&cell->sequence, at + SIZE);
            return value;
        }
        sched_yield();
    }
}

static void *produce(void *first)
{
    put((int)(intptr_t)first);
    put((int)(intptr_t)first + 1);
    return NULL;
}

static void *consume(void *unused)
{
    (void)unused;
    atomic_fetch_add(&sum, get());
    atomic_fetch_add(&sum, get());
    return NULL;
}

int main(void)
{
    for (unsigned i = 0; i < SIZE; i++)
        atomic_init(&ring[i].sequence, i);
    pthread_t threads[4] = {start(produce, (void *)1), start(consume, NULL), start(produce, (void *)3),
                            start(consume, NULL)};
    for (int i = 0; i < 4; i++)
        join(threads[i]);
    CHECK(sum == 10);
    return 0;
}
