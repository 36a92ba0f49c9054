// SPDX-License-Identifier: MIT
// cancel_asynchronous.c - asynchronous cancellation of a thread that does nothing but compute.
//
// expect: none
#include "correct.h"

#include <stdatomic.h>

static atomic_int ready;
static volatile unsigned long sink;

static void *compute(void *unused)
{
    (void)unused;
    int old;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
    CHECK(old == PTHREAD_CANCEL_DEFERRED);
    atomic_store(&ready, 1);
    for (int i = 0; i < 2000; i++)
        sink = sink * 3 + 1;
    return NULL;
}

int main(void)
{
    pthread_t thread = start(compute, NULL);
    while (!atomic_load(&ready))
        sched_yield();
    CHECK(pthread_cancel(thread) == 0);
    void *result = join(thread);
    CHECK(result == PTHREAD_CANCELED || result == NULL);
    return 0;
}
