// SPDX-License-Identifier: MIT
// ring_spsc_publish.c - one producer, one consumer, and the slot is filled after it was published.
//
// Shape: order violation in a lock-free ring: W(head) R'(head) R'(slot) W(slot).
// Why:   the index is advanced while it is read, as in `slot[head++] = value`.
//
// expect: assert
// find: random within 50
// find: pct within 200
// cause: a:R(slot)@ring_spsc_publish.c:38 << b:W(slot)@ring_spsc_publish.c:26
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { SIZE = 4, ITEMS = 3 };

static atomic_int slot[SIZE];
static atomic_uint head, tail;

static void *produce(void *unused)
{
    (void)unused;
    for (int i = 1; i <= ITEMS; i++) {
        unsigned at = atomic_fetch_add(&head, 1);
        atomic_store(&slot[at % SIZE], i);
    }
    return NULL;
}

static void *consume(void *unused)
{
    (void)unused;
    for (int i = 0; i < ITEMS; i++) {
        unsigned at = atomic_load(&tail);
        if (at == atomic_load(&head))
            return NULL; /* empty: enough for today */
        int value = atomic_load(&slot[at % SIZE]);
        assert(value == (int)at + 1);
        atomic_store(&tail, at + 1);
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
