// SPDX-License-Identifier: MIT
// cover_barrier.c - correct: workers compute in phases between barriers; within a phase they share a pot and steal from each other.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "cover.h"

enum { WORKERS = 3, PHASES = 3, TASKS = 3 };

static pthread_barrier_t barrier;
static struct {
    pthread_mutex_t lock;
    int task[TASKS], count;
    int done;
} own[WORKERS];

static struct {
    pthread_mutex_t lock;
    long sum, best;
    int owner;
} pot = {.lock = PTHREAD_MUTEX_INITIALIZER};

static atomic_int steals;
static long history[PHASES];

static int take(int worker)
{
    int task = -1;
    pthread_mutex_lock(&own[worker].lock);
    if (own[worker].count > 0)
        task = own[worker].task[--own[worker].count];
    pthread_mutex_unlock(&own[worker].lock);
    return task;
}

static int steal(int thief)
{
    for (int i = 1; i < WORKERS; i++) {
        int victim = (thief + i) % WORKERS;
        int task = -1;
        if (pthread_mutex_trylock(&own[victim].lock) != 0)
            continue;
        if (own[victim].count > 1)
            task = own[victim].task[--own[victim].count];
        pthread_mutex_unlock(&own[victim].lock);
        if (task >= 0) {
            atomic_fetch_add(&steals, 1);
            return task;
        }
    }
    return -1;
}

static void account(int worker, long value)
{
    pthread_mutex_lock(&pot.lock);
    pot.sum += value;
    if (value >= pot.best) {
        pot.best = value;
        pot.owner = worker;
    }
    pthread_mutex_unlock(&pot.lock);
    pthread_mutex_lock(&own[worker].lock);
    own[worker].done++;
    pthread_mutex_unlock(&own[worker].lock);
}

static void *work(void *argument)
{
    int self = *(int *)argument;
    for (int phase = 0; phase < PHASES; phase++) {
        cover_work(100 * self);
        pthread_mutex_lock(&own[self].lock);
        for (int i = 0; i <= self % TASKS; i++)
            own[self].task[own[self].count++] = phase + i;
        pthread_mutex_unlock(&own[self].lock);
        for (int task; (task = take(self)) >= 0 || (task = steal(self)) >= 0;)
            account(self, task * task);
        int last = pthread_barrier_wait(&barrier);
        if (last == PTHREAD_BARRIER_SERIAL_THREAD) {
            history[phase] = pot.sum;
            pot.sum = 0;
            pot.best = 0;
        }
        pthread_barrier_wait(&barrier);
        assert(history[phase] > 0);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[WORKERS];
    int number[WORKERS];
    pthread_barrier_init(&barrier, NULL, WORKERS);
    for (int i = 0; i < WORKERS; i++)
        pthread_mutex_init(&own[i].lock, NULL);
    for (int i = 0; i < WORKERS; i++) {
        number[i] = i;
        pthread_create(&threads[i], NULL, work, &number[i]);
    }
    int done = 0;
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < WORKERS; i++)
        done += own[i].done;
    assert(done == PHASES * (1 + 2 + 3));
    pthread_barrier_destroy(&barrier);
    return 0;
}
