// SPDX-License-Identifier: MIT
// peterson_wrong_order.c - Peterson's lock with its two stores exchanged.
//
// Shape: mutual exclusion broken by the order W(turn) W(wants) instead of W(wants) W(turn).
// Why:   the algorithm looks symmetric in its two stores and is not.
//
// expect: assert
// find: random within 1000
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int wants[2];
static atomic_int turn;
static atomic_int inside;

static void lock(int me)
{
    atomic_store(&turn, 1 - me);
    atomic_store(&wants[me], 1); /* should be first */
    while (atomic_load(&wants[1 - me]) && atomic_load(&turn) == 1 - me)
        sched_yield();
}

static void unlock(int me)
{
    atomic_store(&wants[me], 0);
}

static void *work(void *number)
{
    int me = (int)(intptr_t)number;
    lock(me);
    int others = atomic_fetch_add(&inside, 1);
    assert(others == 0);
    atomic_fetch_sub(&inside, 1);
    unlock(me);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (intptr_t i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
