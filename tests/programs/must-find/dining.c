// SPDX-License-Identifier: MIT
// dining.c - N philosophers, each takes the left fork first.
//
// Shape: lock cycle of length N.
// Why:   the order of the forks is the same for everyone but not a total order: the last one closes the ring.
//
// expect: deadlock
// find: random within 100
// find: pct within 500
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#ifndef N
#define N 3
#endif

static pthread_mutex_t fork_lock[N];
static int eaten[N];

static void *dine(void *seat)
{
    uintptr_t i = (uintptr_t)seat;
    pthread_mutex_lock(&fork_lock[i]);
    pthread_mutex_lock(&fork_lock[(i + 1) % N]);
    eaten[i]++;
    pthread_mutex_unlock(&fork_lock[(i + 1) % N]);
    pthread_mutex_unlock(&fork_lock[i]);
    return NULL;
}

int main(void)
{
    pthread_t thread[N];
    for (uintptr_t i = 0; i < N; i++)
        pthread_mutex_init(&fork_lock[i], NULL);
    for (uintptr_t i = 0; i < N; i++)
        pthread_create(&thread[i], NULL, dine, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < N; i++)
        if (eaten[i] != 1)
            return 1;
    return 0;
}
