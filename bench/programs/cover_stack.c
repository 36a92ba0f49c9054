// SPDX-License-Identifier: MIT
// cover_stack.c - correct: a lock-free stack of numbered nodes with counted heads, a free list of the same kind, and a maximum.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "cover.h"

enum { THREADS = 3, ROUNDS = 3, NODES = 4, NONE = 0xffff };

/* A head is a count in the upper half, so that it never comes back, and a node in the lower one. */
static struct node {
    _Atomic uint32_t next;
    atomic_int value;
} node[NODES];

static _Atomic uint32_t used = NONE, spare = NONE;
static atomic_int pushed, popped, most, refused;

static void push(_Atomic uint32_t *head, uint32_t number)
{
    uint32_t old = atomic_load(head);
    do
        atomic_store(&node[number].next, old & 0xffff);
    while (!atomic_compare_exchange_strong(head, &old, ((old >> 16) + 1) << 16 | number));
}

static uint32_t pop(_Atomic uint32_t *head)
{
    uint32_t old = atomic_load(head), next;
    do {
        if ((old & 0xffff) == NONE)
            return NONE;
        next = atomic_load(&node[old & 0xffff].next);
    } while (!atomic_compare_exchange_strong(head, &old, ((old >> 16) + 1) << 16 | next));
    return old & 0xffff;
}

static void raise_most(int value)
{
    int old = atomic_load(&most);
    while (old < value && !atomic_compare_exchange_strong(&most, &old, value))
        ;
}

static int put(int value)
{
    uint32_t number = pop(&spare);
    if (number == NONE) {
        atomic_fetch_add(&refused, 1);
        return 0;
    }
    atomic_store(&node[number].value, value);
    push(&used, number);
    atomic_fetch_add(&pushed, value);
    return 1;
}

static int get(void)
{
    uint32_t number = pop(&used);
    if (number == NONE)
        return 0;
    int value = atomic_load(&node[number].value);
    push(&spare, number);
    atomic_fetch_add(&popped, value);
    raise_most(value);
    return value;
}

static void *work(void *argument)
{
    int self = *(int *)argument;
    cover_work(300 * self);
    for (int i = 0; i < ROUNDS; i++) {
        cover_work(40);
        put(self * 10 + i + 1);
        if (i % 2 == 0)
            put(self + 1);
        get();
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    int number[THREADS];
    for (uint32_t i = 0; i < NODES; i++)
        push(&spare, i);
    for (int i = 0; i < THREADS; i++) {
        number[i] = i;
        pthread_create(&threads[i], NULL, work, &number[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    while (get() > 0)
        ;
    assert(atomic_load(&pushed) == atomic_load(&popped));
    return 0;
}
