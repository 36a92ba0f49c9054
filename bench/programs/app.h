// SPDX-License-Identifier: MIT
// app.h - for the app_*.c: work that a thread does by itself between two visits to what is shared, as real programs do.
#ifndef BENCH_APP_H
#define BENCH_APP_H

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Not inlined, so that the compiler neither drops it nor sees that no other thread has the cells.
__attribute__((noipa)) static uint32_t app_crunch_in(uint32_t cell[64], uint32_t seed, unsigned size)
{
    for (unsigned i = 0; i < 64; i++)
        cell[i] = seed + i;
    for (unsigned i = 0; i < size; i++)
        cell[i % 64] = cell[(i * 7 + 1) % 64] * 2654435761u + i;
    return cell[seed % 64];
}

// About 2 × size memory accesses that no other thread sees.
static inline uint32_t app_crunch(uint32_t seed, unsigned size)
{
    uint32_t cell[64];
    return app_crunch_in(cell, seed, size);
}

static inline void app_start(pthread_t *thread, void *(*function)(void *), long argument)
{
    if (pthread_create(thread, NULL, function, (void *)argument) != 0)
        abort();
}

#endif
