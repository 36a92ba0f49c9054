// SPDX-License-Identifier: MIT
// ring_spsc.c - a lock-free ring for one producer and one consumer: plain slots, ordered by acquire and release of the indices.
//
// expect: none
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

enum { SIZE = 2, ITEMS = 5 };

static int slot[SIZE];
static atomic_uint head, tail;

static void *produce(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < ITEMS; i++) {
        while (i - atomic_load_explicit(&tail, memory_order_acquire) == SIZE)
            sched_yield();
        slot[i % SIZE] = (int)i * 3;
        atomic_store_explicit(&head, i + 1, memory_order_release);
    }
    return NULL;
}

static void *consume(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < ITEMS; i++) {
        while (atomic_load_explicit(&head, memory_order_acquire) == i)
            sched_yield();
        assert(slot[i % SIZE] == (int)i * 3);
        atomic_store_explicit(&tail, i + 1, memory_order_release);
    }
    return NULL;
}

int main(void)
{
    pthread_t producer, consumer;
    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&consumer, NULL, consume, NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    return 0;
}
