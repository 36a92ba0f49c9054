// SPDX-License-Identifier: MIT
// atomic_orders.c - message passing in each pair of memory orders that allows it.
//
// expect: none
#include "correct.h"

#include <stdatomic.h>

static int data[4];
static atomic_int flag[4];

static void *producer(void *unused)
{
    (void)unused;
    for (int i = 0; i < 4; i++)
        data[i] = i + 1;
    atomic_store_explicit(&flag[0], 1, memory_order_release);
    atomic_store_explicit(&flag[1], 1, memory_order_seq_cst);
    atomic_fetch_add_explicit(&flag[2], 1, memory_order_acq_rel);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&flag[3], 1, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    pthread_t thread = start(producer, NULL);
    if (atomic_load_explicit(&flag[0], memory_order_acquire))
        CHECK(data[0] == 1);
    if (atomic_load_explicit(&flag[1], memory_order_seq_cst))
        CHECK(data[1] == 2);
    if (atomic_exchange_explicit(&flag[2], 5, memory_order_acq_rel))
        CHECK(data[2] == 3);
    if (atomic_load_explicit(&flag[3], memory_order_relaxed)) {
        atomic_thread_fence(memory_order_acquire);
        CHECK(data[3] == 4);
    }
    join(thread);
    return 0;
}
