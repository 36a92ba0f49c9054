// SPDX-License-Identifier: MIT
// ring_mpmc.c - a ring for one consumer is used by two.
//
// Shape: two consumers read the same tail and take the same element; one element is never taken.
// Why:   the store of the tail needs no compare-and-swap as long as there is only one consumer.
//
// expect: assert
// find: random within 20
// find: pct within 100
// cause: a:R(tail)@ring_mpmc.c:31 << b:W(tail)@ring_mpmc.c:35 << a:W(tail)@ring_mpmc.c:35
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { SIZE = 8, ITEMS = 2 };

static atomic_int slot[SIZE];
static atomic_uint head, tail;
static atomic_int taken[ITEMS];

static void put(int value)
{
    unsigned at = atomic_load(&head);
    atomic_store(&slot[at % SIZE], value);
    atomic_store(&head, at + 1);
}

static int take(void)
{
    unsigned at = atomic_load(&tail);
    if (at == atomic_load(&head))
        return -1;
    int value = atomic_load(&slot[at % SIZE]);
    atomic_store(&tail, at + 1);
    return value;
}

static void *consume(void *unused)
{
    (void)unused;
    int value = take();
    if (value >= 0) {
        int before = atomic_fetch_add(&taken[value], 1);
        assert(before == 0);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < ITEMS; i++)
        put(i);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, consume, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
