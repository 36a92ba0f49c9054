// SPDX-License-Identifier: MIT
// pattern_rcu_grace.c - a reader counts itself in and out of an epoch; the writer frees the old version after both epochs are empty.
//
// expect: none
#include "correct.h"

#include <stdatomic.h>

struct version {
    int a, b;
};
static _Atomic(struct version *) current;
static atomic_int inside[2], epoch;

static void *reader(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        int mine = atomic_load(&epoch) & 1;
        atomic_fetch_add(&inside[mine], 1);
        struct version *version = atomic_load(&current);
        CHECK(version->a == version->b);
        atomic_fetch_sub(&inside[mine], 1);
    }
    return NULL;
}

static void wait_for_readers(void)
{
    for (int flip = 0; flip < 2; flip++) {
        int old = atomic_fetch_add(&epoch, 1) & 1;
        while (atomic_load(&inside[old]) != 0)
            sched_yield();
    }
}

int main(void)
{
    struct version *first = malloc(sizeof *first), *second = malloc(sizeof *second);
    *first = (struct version){1, 1};
    *second = (struct version){2, 2};
    atomic_store(&current, first);
    pthread_t thread = start(reader, NULL);
    atomic_store(&current, second);
    wait_for_readers();
    first->a = 0;
    free(first);
    join(thread);
    free(second);
    return 0;
}
