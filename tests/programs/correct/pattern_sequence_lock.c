// SPDX-License-Identifier: MIT
// pattern_sequence_lock.c - a sequence lock whose data are relaxed atomics.
//
// expect: none
#include "correct.h"

#include <stdatomic.h>

static atomic_uint sequence;
static atomic_int left, right;

static void *writer(void *unused)
{
    (void)unused;
    for (int i = 1; i <= 2; i++) {
        atomic_fetch_add(&sequence, 1);
        atomic_store_explicit(&left, i, memory_order_relaxed);
        atomic_store_explicit(&right, -i, memory_order_relaxed);
        atomic_fetch_add(&sequence, 1);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread = start(writer, NULL);
    for (int i = 0; i < 2; i++) {
        unsigned before;
        int a, b;
        do {
            while ((before = atomic_load(&sequence)) & 1)
                sched_yield();
            a = atomic_load_explicit(&left, memory_order_relaxed);
            b = atomic_load_explicit(&right, memory_order_relaxed);
            atomic_thread_fence(memory_order_acquire);
        } while (atomic_load(&sequence) != before);
        CHECK(a == -b);
    }
    join(thread);
    return 0;
}
