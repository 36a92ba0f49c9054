// SPDX-License-Identifier: MIT
// check_then_act_queue.c - two consumers see one element and both take it.
//
// Shape: check-then-act over two calls of a thread-safe queue.
// Why:   queue_empty and queue_take are both safe, the sequence is not.
//
// expect: assert
// find: random within 50
// find: pct within 100
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int element[8], head, tail;

static void queue_put(int value)
{
    pthread_mutex_lock(&lock);
    element[tail++ % 8] = value;
    pthread_mutex_unlock(&lock);
}

static bool queue_empty(void)
{
    pthread_mutex_lock(&lock);
    bool empty = head == tail;
    pthread_mutex_unlock(&lock);
    return empty;
}

static int queue_take(void)
{
    pthread_mutex_lock(&lock);
    assert(head < tail); /* the caller has checked */
    int value = element[head++ % 8];
    pthread_mutex_unlock(&lock);
    return value;
}

static void *consume(void *sum)
{
    while (!queue_empty())
        *(int *)sum += queue_take();
    return NULL;
}

int main(void)
{
    int sum[2] = {0, 0};
    pthread_t thread[2];
    for (int i = 1; i <= 3; i++)
        queue_put(i);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, consume, &sum[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(sum[0] + sum[1] == 6);
    return 0;
}
