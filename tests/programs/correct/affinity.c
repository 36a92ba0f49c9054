// SPDX-License-Identifier: MIT
// affinity.c - a thread's set of processors can be read, and set to what it was.
//
// expect: none
#include "correct.h"

static int finished;

static void *work(void *unused)
{
    (void)unused;
    cpu_set_t set, again;
    CHECK(pthread_getaffinity_np(pthread_self(), sizeof set, &set) == 0);
    CHECK(CPU_COUNT(&set) > 0);
    CHECK(pthread_setaffinity_np(pthread_self(), sizeof set, &set) == 0);
    CHECK(pthread_getaffinity_np(pthread_self(), sizeof again, &again) == 0);
    CHECK(CPU_EQUAL(&set, &again));
    CHECK(sched_getcpu() >= 0);
    __atomic_fetch_add(&finished, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

int main(void)
{
    pthread_t a = start(work, NULL), b = start(work, NULL);
    join(a);
    join(b);
    CHECK(finished == 2);
    return 0;
}
