// SPDX-License-Identifier: MIT
// token_ring.c - four stations hand a token on, and none waits for its turn.
//
// Shape: order violation over a ring of threads: each must run after its predecessor.
// Why:   the stations are started in the right order, and starting is taken for running.
//
// expect: assert
// find: random within 20
// find: pct within 20
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { STATIONS = 4 };

static atomic_int token[STATIONS];

static void *station(void *number)
{
    uintptr_t i = (uintptr_t)number;
    int from = atomic_load(&token[(i + STATIONS - 1) % STATIONS]);
    atomic_store(&token[i], from + 1);
    return NULL;
}

int main(void)
{
    pthread_t thread[STATIONS];
    for (uintptr_t i = 0; i < STATIONS; i++)
        pthread_create(&thread[i], NULL, station, (void *)i);
    for (int i = 0; i < STATIONS; i++)
        pthread_join(thread[i], NULL);
    int last = atomic_load(&token[STATIONS - 1]);
    assert(last == STATIONS);
    return 0;
}
