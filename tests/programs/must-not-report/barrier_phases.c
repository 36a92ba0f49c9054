// SPDX-License-Identifier: MIT
// barrier_phases.c - a stencil in phases: each thread writes its own cell and reads the neighbour's old one.
//
// expect: none
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

enum { THREADS = 3, PHASES = 3 };

static pthread_barrier_t barrier;
static int cell[2][THREADS];
static int serial; /* written by the one serial thread of each phase only */

static void *work(void *number)
{
    uintptr_t me = (uintptr_t)number;
    for (int phase = 0; phase < PHASES; phase++) {
        int now = phase % 2;
        cell[1 - now][me] = cell[now][(me + 1) % THREADS] + 1;
        if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
            serial++;
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    assert(serial == PHASES);
    for (int i = 0; i < THREADS; i++)
        assert(cell[PHASES % 2][i] == PHASES);
    pthread_barrier_destroy(&barrier);
    return 0;
}
