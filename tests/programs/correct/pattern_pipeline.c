// SPDX-License-Identifier: MIT
// pattern_pipeline.c - three stages joined by queues of one place.
//
// expect: none
#include "correct.h"

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int full, item;
};
static struct queue queues[2] = {{PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0},
                                 {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0}};

static void put(struct queue *queue, int item)
{
    pthread_mutex_lock(&queue->lock);
    while (queue->full)
        pthread_cond_wait(&queue->changed, &queue->lock);
    queue->item = item;
    queue->full = 1;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}

static int get(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    while (!queue->full)
        pthread_cond_wait(&queue->changed, &queue->lock);
    int item = queue->item;
    queue->full = 0;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    return item;
}

static void *produce(void *unused)
{
    (void)unused;
    for (int i = 1; i <= 3; i++)
        put(&queues[0], i);
    put(&queues[0], -1);
    return NULL;
}

static void *square(void *unused)
{
    (void)unused;
    int x;
    while ((x = get(&queues[0])) >= 0)
        put(&queues[1], x * x);
    put(&queues[1], -1);
    return NULL;
}

int main(void)
{
    pthread_t a = start(produce, NULL), b = start(square, NULL);
    int sum = 0, x;
    while ((x = get(&queues[1])) >= 0)
        sum += x;
    join(a);
    join(b);
    CHECK(sum == 14);
    return 0;
}
