// SPDX-License-Identifier: MIT
// pattern_tree_barrier.c - a barrier as a tree of counters, with a sense that turns.
//
// expect: none
#include "correct.h"

#include <stdatomic.h>

static atomic_int arrived[2], sense;
static int cells[3];

static void tree_barrier(int me, int *local)
{
    *local = !*local;
    if (me == 2) {
        atomic_fetch_add(&arrived[1], 1);
    } else if (me == 1) {
        atomic_fetch_add(&arrived[0], 1);
    } else {
        while (atomic_load(&arrived[0]) == 0 || atomic_load(&arrived[1]) == 0)
            sched_yield();
        atomic_store(&arrived[0], 0);
        atomic_store(&arrived[1], 0);
        atomic_store(&sense, *local);
    }
    while (atomic_load(&sense) != *local)
        sched_yield();
}

static void *work(void *number)
{
    int me = (int)(intptr_t)number, local = 0;
    cells[me] = me + 1;
    tree_barrier(me, &local);
    CHECK(cells[0] + cells[1] + cells[2] == 6);
    tree_barrier(me, &local);
    cells[me] = 0;
    return NULL;
}

int main(void)
{
    pthread_t a = start(work, (void *)0), b = start(work, (void *)1), c = start(work, (void *)2);
    join(a);
    join(b);
    join(c);
    CHECK(cells[0] + cells[1] + cells[2] == 0);
    return 0;
}
