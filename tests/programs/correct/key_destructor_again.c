// SPDX-License-Identifier: MIT
// key_destructor_again.c - a destructor that sets its key again is called again, at most PTHREAD_DESTRUCTOR_ITERATIONS times.
//
// expect: none
#include "correct.h"

static pthread_key_t key;
static int calls;

static void destroy(void *value)
{
    intptr_t left = (intptr_t)value - 1;
    __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
    if (left > 0)
        CHECK(pthread_setspecific(key, (void *)left) == 0);
}

static void *work(void *rounds)
{
    CHECK(pthread_getspecific(key) == NULL);
    pthread_setspecific(key, rounds);
    return NULL;
}

int main(void)
{
    CHECK(pthread_key_create(&key, destroy) == 0);
    pthread_t a = start(work, (void *)1), b = start(work, (void *)3);
    join(a);
    join(b);
    CHECK(calls == 4);
    CHECK(pthread_key_delete(key) == 0);
    return 0;
}
