// SPDX-License-Identifier: MIT
// twostage.c - a value and its derived value are set in two locked stages; N threads write, one reads in between.
//
// Shape: two-stage access: lock A W(data) unlock … lock B W(derived) unlock, read by the same stages; no data race.
// Why:   the stages have a lock each and none for both together.
//
// expect: assert
// find: pct within 100
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifndef N
#define N 1
#endif

static pthread_mutex_t stage1 = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t stage2 = PTHREAD_MUTEX_INITIALIZER;
static int data, derived;

static void *produce(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&stage1);
    data = 1;
    pthread_mutex_unlock(&stage1);
    pthread_mutex_lock(&stage2);
    derived = 2;
    pthread_mutex_unlock(&stage2);
    return NULL;
}

static void *check(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&stage1);
    int first = data;
    pthread_mutex_unlock(&stage1);
    if (first == 0)
        return NULL;
    pthread_mutex_lock(&stage2);
    int second = derived;
    pthread_mutex_unlock(&stage2);
    assert(second == first + 1);
    return NULL;
}

int main(void)
{
    pthread_t thread[N + 1];
    for (int i = 0; i < N; i++)
        pthread_create(&thread[i], NULL, produce, NULL);
    pthread_create(&thread[N], NULL, check, NULL);
    for (int i = 0; i <= N; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
