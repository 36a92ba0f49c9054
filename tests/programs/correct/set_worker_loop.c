// SPDX-License-Identifier: MIT
// set_worker_loop.c - a function takes work from a queue in a loop and waits where there is none: each round is a whole, the call is not.
//
// expect: none
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

enum { JOBS = 4, WORKERS = 2 };

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int jobs[JOBS], first, end, done;
    bool closed;
};

static struct pool pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

__attribute__((noinline)) static bool pool_take(struct pool *p, int *job)
{
    pthread_mutex_lock(&p->lock);
    while (p->first == p->end && !p->closed)
        pthread_cond_wait(&p->changed, &p->lock);
    bool any = p->first < p->end;
    if (any)
        *job = p->jobs[p->first++];
    pthread_mutex_unlock(&p->lock);
    return any;
}

__attribute__((noinline)) static void pool_serve(struct pool *p)
{
    for (int job; pool_take(p, &job);) {
        pthread_mutex_lock(&p->lock);
        p->done += job;
        pthread_mutex_unlock(&p->lock);
    }
}

__attribute__((noinline)) static void pool_add(struct pool *p, int job)
{
    pthread_mutex_lock(&p->lock);
    p->jobs[p->end++] = job;
    pthread_cond_signal(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

__attribute__((noinline)) static void pool_close(struct pool *p)
{
    pthread_mutex_lock(&p->lock);
    p->closed = true;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

static void *serve(void *unused)
{
    (void)unused;
    pool_serve(&pool);
    return NULL;
}

int main(void)
{
    pthread_t workers[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, serve, NULL);
    for (int i = 1; i <= JOBS; i++)
        pool_add(&pool, i);
    pool_close(&pool);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    assert(pool.done == JOBS * (JOBS + 1) / 2);
    return 0;
}
