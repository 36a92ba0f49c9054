// SPDX-License-Identifier: MIT
// peterson.c - Peterson's lock with sequentially consistent C11 atomics protects plain data.
//
// expect: none
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int wants[2];
static atomic_int turn;
static int counter;

static void lock(int me)
{
    atomic_store(&wants[me], 1);
    atomic_store(&turn, 1 - me);
    while (atomic_load(&wants[1 - me]) && atomic_load(&turn) == 1 - me)
        ;
}

static void unlock(int me)
{
    atomic_store(&wants[me], 0);
}

static void *work(void *number)
{
    int me = (int)(intptr_t)number;
    for (int i = 0; i < 2; i++) {
        lock(me);
        counter++;
        unlock(me);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (intptr_t i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(counter == 4);
    return 0;
}
