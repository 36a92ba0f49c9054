// SPDX-License-Identifier: MIT
// pattern_eventcount.c - waiting without a lost wake-up: announce, look again, then sleep on a futex.
//
// expect: none
#include "correct.h"

#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>

static atomic_int items, epoch;

static void futex(int operation, int value)
{
    syscall(SYS_futex, &epoch, operation, value, NULL, NULL, 0);
}

static void *consume(void *unused)
{
    (void)unused;
    for (int taken = 0; taken < 2;) {
        int seen = atomic_load(&epoch), have = atomic_load(&items);
        if (have > 0 && atomic_compare_exchange_strong(&items, &have, have - 1))
            taken++;
        else if (have == 0)
            futex(FUTEX_WAIT_PRIVATE, seen);
    }
    return NULL;
}

static void *produce(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        atomic_fetch_add(&items, 1);
        atomic_fetch_add(&epoch, 1);
        futex(FUTEX_WAKE_PRIVATE, 2);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[4] = {start(consume, NULL), start(produce, NULL), start(consume, NULL), start(produce, NULL)};
    for (int i = 0; i < 4; i++)
        join(threads[i]);
    CHECK(items == 0);
    return 0;
}
