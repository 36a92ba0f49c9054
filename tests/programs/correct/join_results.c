// SPDX-License-Identifier: MIT
// join_results.c - threads that create threads; results travel up by pthread_exit and return.
//
// expect: none
#include "correct.h"

static void *sum(void *count)
{
    intptr_t n = (intptr_t)count;
    if (n == 0)
        pthread_exit((void *)0);
    pthread_t below = start(sum, (void *)(n - 1));
    return (void *)(n + (intptr_t)join(below));
}

int main(void)
{
    pthread_t a = start(sum, (void *)3), b = start(sum, (void *)2);
    CHECK(join(a) == (void *)6 && join(b) == (void *)3);
    CHECK(pthread_join(pthread_self(), NULL) == EDEADLK);
    CHECK(pthread_equal(pthread_self(), pthread_self()));
    return 0;
}
