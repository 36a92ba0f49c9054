// SPDX-License-Identifier: MIT
// rcu_swap.c - a pointer is exchanged under readers; the old block is freed after a grace period.
//
// Two reader counters, one per phase: the writer swaps the pointer, flips the phase and waits for both in turn.
//
// expect: none
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

struct config {
    int a, b;
};

static _Atomic(struct config *) current;
static atomic_uint phase;
static atomic_int readers[2];

static struct config *config_new(int value)
{
    struct config *config = malloc(sizeof *config);
    config->a = value;
    config->b = -value;
    return config;
}

static void *read_config(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        unsigned p = atomic_load(&phase) % 2;
        atomic_fetch_add(&readers[p], 1);
        struct config *config = atomic_load(&current);
        assert(config->a + config->b == 0);
        atomic_fetch_sub(&readers[p], 1);
    }
    return NULL;
}

static void grace_period(void)
{
    for (int i = 0; i < 2; i++) {
        unsigned p = atomic_fetch_add(&phase, 1) % 2;
        while (atomic_load(&readers[p]) != 0)
            sched_yield();
    }
}

int main(void)
{
    pthread_t reader[2];
    atomic_store(&current, config_new(1));
    for (int i = 0; i < 2; i++)
        pthread_create(&reader[i], NULL, read_config, NULL);
    struct config *old = atomic_exchange(&current, config_new(2));
    grace_period();
    free(old);
    for (int i = 0; i < 2; i++)
        pthread_join(reader[i], NULL);
    free(atomic_load(&current));
    return 0;
}
