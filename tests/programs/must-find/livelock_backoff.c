// SPDX-License-Identifier: MIT
// livelock_backoff.c - two polite threads take one lock each, fail to get the other, and step back, in lock-step.
//
// Shape: livelock by trylock with symmetric back-off; here both give up after a few rounds.
// Why:   nothing breaks the symmetry.
//
// expect: abort
// find: random within 500
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

enum { ROUNDS = 2 };

static pthread_mutex_t lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static atomic_int failed;

static int both(pthread_mutex_t *first, pthread_mutex_t *second)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(first);
        if (pthread_mutex_trylock(second) == 0) {
            pthread_mutex_unlock(second);
            pthread_mutex_unlock(first);
            return 1;
        }
        pthread_mutex_unlock(first);
    }
    return 0;
}

static void *forth(void *unused)
{
    (void)unused;
    if (!both(&lock[0], &lock[1]))
        atomic_fetch_add(&failed, 1);
    return NULL;
}

static void *back(void *unused)
{
    (void)unused;
    if (!both(&lock[1], &lock[0]))
        atomic_fetch_add(&failed, 1);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, forth, NULL);
    pthread_create(&two, NULL, back, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    if (atomic_load(&failed) == 2)
        abort();
    return 0;
}
