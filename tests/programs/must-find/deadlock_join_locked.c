// SPDX-License-Identifier: MIT
// deadlock_join_locked.c - shutdown joins a worker while it holds the lock that the worker still needs.
//
// Shape: cycle through a lock and a join.
// Why:   the result is there, so the worker is taken for gone; but it still writes its statistics.
//
// expect: deadlock
// find: random within 50
// find: pct within 20
// cause: a:lock(lock)@deadlock_join_locked.c:36 < b:lock(lock)@deadlock_join_locked.c:24
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t result_ready;
static int result, jobs_done;

static void *work(void *unused)
{
    (void)unused;
    result = 42;
    sem_post(&result_ready);
    pthread_mutex_lock(&lock);
    jobs_done++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    sem_init(&result_ready, 0, 0);
    pthread_create(&thread, NULL, work, NULL);
    sem_wait(&result_ready);
    pthread_mutex_lock(&lock);
    pthread_join(thread, NULL); /* should be outside */
    int jobs = jobs_done;
    pthread_mutex_unlock(&lock);
    return jobs == 1 && result == 42 ? 0 : 1;
}
