// SPDX-License-Identifier: MIT
// thread_names.c - threads have names of their own.
//
// expect: none
#include "correct.h"

static int finished;

static void *work(void *number)
{
    char name[16], found[16];
    snprintf(name, sizeof name, "worker-%d", (int)(intptr_t)number);
    CHECK(pthread_setname_np(pthread_self(), name) == 0);
    sched_yield();
    CHECK(pthread_getname_np(pthread_self(), found, sizeof found) == 0);
    CHECK(strcmp(name, found) == 0);
    CHECK(pthread_setname_np(pthread_self(), "a name that is too long") == ERANGE);
    __atomic_fetch_add(&finished, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

int main(void)
{
    pthread_t a = start(work, (void *)1), b = start(work, (void *)2);
    join(a);
    join(b);
    CHECK(finished == 2);
    return 0;
}
