// SPDX-License-Identifier: MIT
// phase_stealing.c - correct: workers with deques of their own: fill, work, steal, help, report; a lock each.
#include <assert.h>
#include <pthread.h>

#include "cover.h"

enum { WORKERS = 3, TASKS = 4, ROOM = 16 };

static struct worker {
    pthread_mutex_t lock;
    int task[ROOM], top, bottom, done, stolen, helped;
} worker[WORKERS];

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static int started, filled, drained, finished, total;

static void fill(struct worker *self, int number)
{
    pthread_mutex_lock(&pool_lock);
    started++;
    pthread_mutex_unlock(&pool_lock);
    cover_work(6);
    for (int i = 0; i < TASKS; i++) {
        pthread_mutex_lock(&self->lock);
        self->task[self->bottom++] = number * TASKS + i;
        pthread_mutex_unlock(&self->lock);
    }
    pthread_mutex_lock(&pool_lock);
    filled += TASKS;
    pthread_mutex_unlock(&pool_lock);
}

static void work(struct worker *self)
{
    for (int more = 1; more;) {
        cover_work(4);
        pthread_mutex_lock(&self->lock);
        more = self->top < self->bottom;
        if (more) {
            self->task[--self->bottom] = -1;
            self->done++;
        }
        pthread_mutex_unlock(&self->lock);
    }
    pthread_mutex_lock(&pool_lock);
    drained++;
    pthread_mutex_unlock(&pool_lock);
}

static void steal(struct worker *self, struct worker *victim)
{
    cover_work(8);
    pthread_mutex_lock(&victim->lock);
    int got = victim->top < victim->bottom;
    if (got) {
        victim->task[victim->top++] = -2;
        victim->stolen++;
    }
    pthread_mutex_unlock(&victim->lock);
    if (got) {
        pthread_mutex_lock(&self->lock);
        self->helped++;
        pthread_mutex_unlock(&self->lock);
    }
}

static void report(struct worker *self)
{
    cover_work(6);
    pthread_mutex_lock(&self->lock);
    int own = self->done + self->helped;
    pthread_mutex_unlock(&self->lock);
    pthread_mutex_lock(&pool_lock);
    total += own;
    finished++;
    if (finished == WORKERS)
        assert(started == WORKERS && drained == WORKERS);
    pthread_mutex_unlock(&pool_lock);
}

static void *run(void *argument)
{
    struct worker *self = argument;
    int number = (int)(self - worker);
    fill(self, number);
    work(self);
    steal(self, &worker[(number + 1) % WORKERS]);
    steal(self, &worker[(number + 2) % WORKERS]);
    report(self);
    return NULL;
}

int main(void)
{
    pthread_t thread[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        pthread_mutex_init(&worker[i].lock, NULL);
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&thread[i], NULL, run, &worker[i]);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(thread[i], NULL);
    assert(total == WORKERS * TASKS && filled == total);
    return 0;
}
