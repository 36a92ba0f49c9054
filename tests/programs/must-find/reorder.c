// SPDX-License-Identifier: MIT
// reorder.c - N - 1 threads write two variables in the same order, one thread reads both: a needle among N threads.
//
// Shape: W(a) R'(a) R'(b) W(b) with W(b) being the first one of all; every writer that finishes closes the window.
// Why:   the pair is not written in one step. The more writers there are, the rarer is the failing order.
//
// expect: assert
// find: random within 500
// find: pct within 200
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifndef N
#define N 3
#endif

static int a, b;

static void *set(void *unused)
{
    (void)unused;
    a = 1;
    b = -1;
    return NULL;
}

static void *check(void *unused)
{
    (void)unused;
    int x = a;
    int y = b;
    assert(x + y == 0 || x == 0);
    return NULL;
}

int main(void)
{
    pthread_t thread[N];
    for (int i = 0; i < N - 1; i++)
        pthread_create(&thread[i], NULL, set, NULL);
    pthread_create(&thread[N - 1], NULL, check, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
