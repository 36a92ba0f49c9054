// SPDX-License-Identifier: MIT
// cover_queue.c - correct: two producers and two consumers at a bounded work queue with priorities.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#include "cover.h"

enum { PRODUCERS = 2, CONSUMERS = 2, EACH = 5, ROOM = 3 };

struct lane {
    int job[ROOM];
    int first, count;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t not_full, not_empty;
    struct lane urgent, normal;
    int producing, waiting;
} queue = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .not_full = PTHREAD_COND_INITIALIZER,
    .not_empty = PTHREAD_COND_INITIALIZER,
    .producing = PRODUCERS,
};

static struct {
    pthread_mutex_t lock;
    long sum, urgent, most;
    int last;
} result = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void lane_push(struct lane *lane, int job)
{
    lane->job[(lane->first + lane->count) % ROOM] = job;
    lane->count++;
}

static int lane_pop(struct lane *lane)
{
    int job = lane->job[lane->first];
    lane->first = (lane->first + 1) % ROOM;
    lane->count--;
    return job;
}

static void queue_put(int job)
{
    struct lane *lane = job % 3 == 0 ? &queue.urgent : &queue.normal;
    pthread_mutex_lock(&queue.lock);
    while (lane->count == ROOM)
        pthread_cond_wait(&queue.not_full, &queue.lock);
    lane_push(lane, job);
    if (queue.waiting > 0)
        pthread_cond_signal(&queue.not_empty);
    pthread_mutex_unlock(&queue.lock);
}

static int queue_get(void)
{
    int job = -1;
    pthread_mutex_lock(&queue.lock);
    while (queue.urgent.count + queue.normal.count == 0 && queue.producing > 0) {
        queue.waiting++;
        pthread_cond_wait(&queue.not_empty, &queue.lock);
        queue.waiting--;
    }
    if (queue.urgent.count > 0)
        job = lane_pop(&queue.urgent);
    else if (queue.normal.count > 0)
        job = lane_pop(&queue.normal);
    pthread_cond_broadcast(&queue.not_full);
    pthread_mutex_unlock(&queue.lock);
    return job;
}

static void *produce(void *argument)
{
    int number = *(int *)argument;
    cover_work(200 * number);
    for (int i = 0; i < EACH; i++) {
        cover_work(40);
        queue_put(number * EACH + i);
    }
    pthread_mutex_lock(&queue.lock);
    queue.producing--;
    pthread_cond_broadcast(&queue.not_empty);
    pthread_mutex_unlock(&queue.lock);
    return NULL;
}

static void *consume(void *unused)
{
    (void)unused;
    for (int job; (job = queue_get()) >= 0;) {
        cover_work(20 * (job % 4));
        pthread_mutex_lock(&result.lock);
        result.sum += job;
        result.urgent += job % 3 == 0;
        if (job > result.most)
            result.most = job;
        result.last = job;
        pthread_mutex_unlock(&result.lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t producers[PRODUCERS], consumers[CONSUMERS];
    int number[PRODUCERS];
    for (int i = 0; i < PRODUCERS; i++) {
        number[i] = i;
        pthread_create(&producers[i], NULL, produce, &number[i]);
    }
    for (int i = 0; i < CONSUMERS; i++)
        pthread_create(&consumers[i], NULL, consume, NULL);
    for (int i = 0; i < PRODUCERS; i++)
        pthread_join(producers[i], NULL);
    for (int i = 0; i < CONSUMERS; i++)
        pthread_join(consumers[i], NULL);
    assert(result.sum == PRODUCERS * EACH * (PRODUCERS * EACH - 1) / 2 && result.most == PRODUCERS * EACH - 1);
    return 0;
}
