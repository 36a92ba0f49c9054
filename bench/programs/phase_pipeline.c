// SPDX-License-Identifier: MIT
// phase_pipeline.c - correct: three stages with bounded queues between them: read, parse, store; each has a beginning and an end of
// its own, and statistics that the others look at.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#include "cover.h"

enum { ROOM = 2, ITEMS = 4 };

static struct queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int item[ROOM], first, count;
    bool closed;
} raw, parsed;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready, pressure, dropped, stored, sum, ended;

static void queue_put(struct queue *queue, int item)
{
    pthread_mutex_lock(&queue->lock);
    while (queue->count == ROOM)
        pthread_cond_wait(&queue->changed, &queue->lock);
    queue->item[(queue->first + queue->count++) % ROOM] = item;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}

static bool queue_get(struct queue *queue, int *item)
{
    pthread_mutex_lock(&queue->lock);
    while (queue->count == 0 && !queue->closed)
        pthread_cond_wait(&queue->changed, &queue->lock);
    bool got = queue->count > 0;
    if (got) {
        *item = queue->item[queue->first];
        queue->first = (queue->first + 1) % ROOM;
        queue->count--;
        pthread_cond_broadcast(&queue->changed);
    }
    pthread_mutex_unlock(&queue->lock);
    return got;
}

static void queue_close(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->closed = true;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}

static bool is_full(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    bool full = queue->count == ROOM;
    pthread_mutex_unlock(&queue->lock);
    return full;
}

static void *reader(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    ready++;
    pthread_mutex_unlock(&lock);
    for (int i = 1; i <= ITEMS; i++) {
        cover_work(5);
        if (is_full(&raw)) {
            pthread_mutex_lock(&lock);
            pressure++;
            pthread_mutex_unlock(&lock);
        }
        queue_put(&raw, i);
    }
    cover_work(5);
    queue_close(&raw);
    pthread_mutex_lock(&lock);
    ended++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *parser(void *unused)
{
    (void)unused;
    int item;
    pthread_mutex_lock(&lock);
    ready++;
    pthread_mutex_unlock(&lock);
    while (queue_get(&raw, &item)) {
        cover_work(5);
        pthread_mutex_lock(&lock);
        bool drop = pressure > 1 && dropped == 0;
        if (drop)
            dropped = item;
        pthread_mutex_unlock(&lock);
        if (!drop)
            queue_put(&parsed, item);
    }
    queue_close(&parsed);
    pthread_mutex_lock(&lock);
    ended++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *storer(void *unused)
{
    (void)unused;
    int item;
    pthread_mutex_lock(&lock);
    ready++;
    pthread_mutex_unlock(&lock);
    while (queue_get(&parsed, &item)) {
        cover_work(5);
        pthread_mutex_lock(&lock);
        sum += item;
        stored++;
        if (pressure > 0)
            pressure--;
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    assert(stored + (dropped != 0) == ITEMS);
    ended++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread[3];
    void *(*const stage[])(void *) = {reader, parser, storer};
    pthread_mutex_init(&raw.lock, NULL);
    pthread_mutex_init(&parsed.lock, NULL);
    pthread_cond_init(&raw.changed, NULL);
    pthread_cond_init(&parsed.changed, NULL);
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, stage[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    assert(ended == 3 && ready == 3 && sum + dropped == 1 + 2 + 3 + 4);
    return 0;
}
