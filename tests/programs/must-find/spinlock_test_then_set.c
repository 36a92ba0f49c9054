// SPDX-License-Identifier: MIT
// spinlock_test_then_set.c - a spin lock that tests and sets in two steps.
//
// Shape: R(held)=0 R'(held)=0 W(held) W'(held): two owners.
// Why:   test-and-set must be one operation.
//
// expect: assert
// find: random within 100
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int held;
static atomic_int owners;

static void spin_lock(void)
{
    while (atomic_load(&held))
        sched_yield();
    atomic_store(&held, 1);
}

static void spin_unlock(void)
{
    atomic_store(&held, 0);
}

static void *work(void *unused)
{
    (void)unused;
    spin_lock();
    int before = atomic_fetch_add(&owners, 1);
    assert(before == 0);
    atomic_fetch_sub(&owners, 1);
    spin_unlock();
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
