// SPDX-License-Identifier: MIT
// dekker_check_first.c - a volatile flag lock that looks first and raises its own flag afterwards.
//
// Shape: both see the other's flag down, both go in: R(flag1) R'(flag0) W(flag0) W'(flag1).
// Why:   check and claim must be the other way round; volatile changes nothing about that.
//
// expect: assert
// find: random within 100
// cause: a:R(x)@dekker_check_first.c:22 | b:R(y)@dekker_check_first.c:22 << b:W(x)@dekker_check_first.c:24 | a:W(y)@dekker_check_first.c:24
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

static volatile int flag[2];
static atomic_int inside;

static void *work(void *number)
{
    int me = (int)(intptr_t)number;
    while (flag[1 - me])
        sched_yield();
    flag[me] = 1;
    int alone = atomic_fetch_add(&inside, 1) == 0;
    atomic_fetch_sub(&inside, 1);
    flag[me] = 0;
    assert(alone);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (intptr_t i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
