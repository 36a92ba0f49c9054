// SPDX-License-Identifier: MIT
// pattern_bakery.c - Lamport's bakery with sequentially consistent atomics.
//
// expect: none
#include "correct.h"

#include <stdatomic.h>

enum { THREADS = 2 };
static atomic_int choosing[THREADS], number[THREADS];
static int counter;

static void enter(int me)
{
    int most = 0;
    atomic_store(&choosing[me], 1);
    for (int i = 0; i < THREADS; i++)
        most = atomic_load(&number[i]) > most ? atomic_load(&number[i]) : most;
    atomic_store(&number[me], most + 1);
    atomic_store(&choosing[me], 0);
    for (int i = 0; i < THREADS; i++) {
        while (atomic_load(&choosing[i]))
            sched_yield();
        for (;;) {
            int theirs = atomic_load(&number[i]), mine = atomic_load(&number[me]);
            if (theirs == 0 || theirs > mine || (theirs == mine && i >= me))
                break;
            sched_yield();
        }
    }
}

static void *work(void *argument)
{
    int me = (int)(intptr_t)argument;
    for (int i = 0; i < 2; i++) {
        enter(me);
        counter++;
        atomic_store(&number[me], 0);
    }
    return NULL;
}

int main(void)
{
    pthread_t a = start(work, (void *)0), b = start(work, (void *)1);
    join(a);
    join(b);
    CHECK(counter == 4);
    return 0;
}
