// SPDX-License-Identifier: MIT
// deadlock_cycle3.c - three threads and three locks, each in the order "mine, then my neighbour's".
//
// Shape: cycle of length three; no two of the threads alone can deadlock.
// Why:   every pair of modules agrees about an order, the three together do not.
//
// expect: deadlock
// find: random within 100
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t parser = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t cache = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t journal = PTHREAD_MUTEX_INITIALIZER;
static int work_done;

static void both(pthread_mutex_t *first, pthread_mutex_t *second)
{
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    __atomic_fetch_add(&work_done, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

static void *parse(void *unused)
{
    (void)unused;
    both(&parser, &cache);
    return NULL;
}

static void *evict(void *unused)
{
    (void)unused;
    both(&cache, &journal);
    return NULL;
}

static void *commit(void *unused)
{
    (void)unused;
    both(&journal, &parser);
    return NULL;
}

int main(void)
{
    pthread_t thread[3];
    pthread_create(&thread[0], NULL, parse, NULL);
    pthread_create(&thread[1], NULL, evict, NULL);
    pthread_create(&thread[2], NULL, commit, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    return work_done == 3 ? 0 : 1;
}
