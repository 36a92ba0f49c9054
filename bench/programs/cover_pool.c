// SPDX-License-Identifier: MIT
// cover_pool.c - correct: a thread pool: tasks that start tasks, futures, a wait until it is idle, a shutdown in order.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#include "cover.h"

enum { WORKERS = 3, ROOM = 16, SPLITS = 2 };

struct task {
    int size, result;
    int is_done;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t work, idle;
    struct task *queue[ROOM];
    int first, count, running, is_closed;
    int finished, slept;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER, .idle = PTHREAD_COND_INITIALIZER};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t done;
    int waiters, total;
} future = {.lock = PTHREAD_MUTEX_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};

static struct task tasks[ROOM];
static int task_count;

static void pool_submit(int size)
{
    pthread_mutex_lock(&pool.lock);
    struct task *task = &tasks[task_count++];
    task->size = size;
    pool.queue[(pool.first + pool.count) % ROOM] = task;
    pool.count++;
    pthread_cond_signal(&pool.work);
    pthread_mutex_unlock(&pool.lock);
}

static struct task *pool_next(void)
{
    struct task *task = NULL;
    pthread_mutex_lock(&pool.lock);
    while (pool.count == 0 && !pool.is_closed) {
        pool.slept++;
        pthread_cond_wait(&pool.work, &pool.lock);
    }
    if (pool.count > 0) {
        task = pool.queue[pool.first];
        pool.first = (pool.first + 1) % ROOM;
        pool.count--;
        pool.running++;
    }
    pthread_mutex_unlock(&pool.lock);
    return task;
}

static void pool_finish(void)
{
    pthread_mutex_lock(&pool.lock);
    pool.running--;
    pool.finished++;
    if (pool.running == 0 && pool.count == 0)
        pthread_cond_broadcast(&pool.idle);
    pthread_mutex_unlock(&pool.lock);
}

static void task_complete(struct task *task)
{
    pthread_mutex_lock(&future.lock);
    task->result = task->size * task->size;
    task->is_done = 1;
    future.total += task->result;
    if (future.waiters > 0)
        pthread_cond_broadcast(&future.done);
    pthread_mutex_unlock(&future.lock);
}

static int task_wait(const struct task *task)
{
    pthread_mutex_lock(&future.lock);
    future.waiters++;
    while (!task->is_done)
        pthread_cond_wait(&future.done, &future.lock);
    future.waiters--;
    int result = task->result;
    pthread_mutex_unlock(&future.lock);
    return result;
}

static void *work(void *unused)
{
    (void)unused;
    for (struct task *task; (task = pool_next()) != NULL;) {
        cover_work(50 * task->size);
        if (task->size > 2)
            for (int i = 1; i <= SPLITS; i++)
                pool_submit(task->size - 1 - i);
        task_complete(task);
        pool_finish();
    }
    return NULL;
}

int main(void)
{
    pthread_t workers[WORKERS];
    pool_submit(4);
    pool_submit(3);
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, work, NULL);
    int first = task_wait(&tasks[0]);
    pool_submit(1);
    pthread_mutex_lock(&pool.lock);
    while (pool.running > 0 || pool.count > 0)
        pthread_cond_wait(&pool.idle, &pool.lock);
    pool.is_closed = 1;
    pthread_cond_broadcast(&pool.work);
    pthread_mutex_unlock(&pool.lock);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    assert(first == 16 && pool.finished == task_count && future.total == 16 + 9 + 4 + 1 + 1 + 0 + 1);
    return 0;
}
