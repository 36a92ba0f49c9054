// SPDX-License-Identifier: MIT
// pattern_hazard_pointer.c - a reader announces what it reads; the writer frees only what no one has announced.
//
// expect: none
#include "correct.h"

#include <stdatomic.h>

static _Atomic(int *) shared, hazard;

static void *reader(void *unused)
{
    (void)unused;
    int *mine;
    do {
        mine = atomic_load(&shared);
        atomic_store(&hazard, mine);
    } while (mine != atomic_load(&shared));
    CHECK(*mine == 1 || *mine == 2);
    atomic_store(&hazard, NULL);
    return NULL;
}

int main(void)
{
    int *old = malloc(sizeof *old), *new = malloc(sizeof *new);
    *old = 1;
    *new = 2;
    atomic_store(&shared, old);
    pthread_t thread = start(reader, NULL);
    atomic_store(&shared, new);
    while (atomic_load(&hazard) == old)
        sched_yield();
    *old = 0;
    free(old);
    join(thread);
    free(new);
    return 0;
}
