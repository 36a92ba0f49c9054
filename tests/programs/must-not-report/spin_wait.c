// SPDX-License-Identifier: MIT
// spin_wait.c - busy waiting on an atomic flag, without and with sched_yield; plain data ordered by release/acquire.
//
// expect: none
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int stage;
static int data;

static void *bare(void *unused)
{
    (void)unused;
    while (atomic_load_explicit(&stage, memory_order_acquire) < 1)
        ;
    assert(data == 1);
    data = 2;
    atomic_store_explicit(&stage, 2, memory_order_release);
    return NULL;
}

static void *yielding(void *unused)
{
    (void)unused;
    while (atomic_load_explicit(&stage, memory_order_acquire) < 2)
        sched_yield();
    assert(data == 2);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, bare, NULL);
    pthread_create(&two, NULL, yielding, NULL);
    data = 1;
    atomic_store_explicit(&stage, 1, memory_order_release);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
