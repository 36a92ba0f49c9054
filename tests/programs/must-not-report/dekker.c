// SPDX-License-Identifier: MIT
// dekker.c - Dekker's lock: raise the flag, and step back if it is the other's turn.
//
// expect: none
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

static atomic_bool wants[2];
static atomic_int turn;
static int counter;

static void lock(int me)
{
    atomic_store(&wants[me], true);
    while (atomic_load(&wants[1 - me])) {
        if (atomic_load(&turn) == me)
            continue;
        atomic_store(&wants[me], false);
        while (atomic_load(&turn) != me)
            ;
        atomic_store(&wants[me], true);
    }
}

static void unlock(int me)
{
    atomic_store(&turn, 1 - me);
    atomic_store(&wants[me], false);
}

static void *work(void *number)
{
    int me = (int)(intptr_t)number;
    lock(me);
    counter++;
    unlock(me);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (intptr_t i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(counter == 2);
    return 0;
}
