// SPDX-License-Identifier: MIT
// pattern_future.c - a future by hand: a value, a flag, a condition; many may wait.
//
// expect: none
#include "correct.h"

struct future {
    pthread_mutex_t lock;
    pthread_cond_t done;
    int ready, value;
};

static int get(struct future *future)
{
    pthread_mutex_lock(&future->lock);
    while (!future->ready)
        pthread_cond_wait(&future->done, &future->lock);
    int value = future->value;
    pthread_mutex_unlock(&future->lock);
    return value;
}

static void *compute(void *argument)
{
    struct future *future = argument;
    int sum = 0;
    for (int i = 1; i <= 4; i++)
        sum += i;
    pthread_mutex_lock(&future->lock);
    future->value = sum;
    future->ready = 1;
    pthread_cond_broadcast(&future->done);
    pthread_mutex_unlock(&future->lock);
    return NULL;
}

static void *wait_for(void *future)
{
    CHECK(get(future) == 10);
    return NULL;
}

int main(void)
{
    struct future future = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};
    pthread_t a = start(compute, &future), b = start(wait_for, &future);
    CHECK(get(&future) == 10);
    join(a);
    join(b);
    pthread_cond_destroy(&future.done);
    pthread_mutex_destroy(&future.lock);
    return 0;
}
