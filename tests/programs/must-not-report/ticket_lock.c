// SPDX-License-Identifier: MIT
// ticket_lock.c - first come, first served by two counters.
//
// expect: none
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

enum { THREADS = 3 };

static atomic_uint next_ticket, now_serving;
static int counter;

static void *work(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        unsigned mine = atomic_fetch_add_explicit(&next_ticket, 1, memory_order_relaxed);
        while (atomic_load_explicit(&now_serving, memory_order_acquire) != mine)
            sched_yield();
        counter++;
        atomic_store_explicit(&now_serving, mine + 1, memory_order_release);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    assert(counter == 2 * THREADS);
    return 0;
}
