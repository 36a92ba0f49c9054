// SPDX-License-Identifier: MIT
// cancel_clean.c - cancellation done right: clean-up handlers give back lock and memory, a condition wait is cancelled.
//
// expect: none
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static atomic_int blocks;

static void unlock(void *mutex)
{
    pthread_mutex_unlock(mutex);
}

static void drop(void *block)
{
    free(block);
    atomic_fetch_sub(&blocks, 1);
}

static void *work(void *unused)
{
    (void)unused;
    int old;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    void *block = malloc(10);
    atomic_fetch_add(&blocks, 1);
    pthread_cleanup_push(drop, block);
    pthread_setcancelstate(old, NULL);
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(unlock, &lock);
    for (;;)
        pthread_cond_wait(&never, &lock);
    pthread_cleanup_pop(1);
    pthread_cleanup_pop(1);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        assert(pthread_cancel(thread[i]) == 0);
    for (int i = 0; i < 2; i++) {
        void *result;
        pthread_join(thread[i], &result);
        assert(result == PTHREAD_CANCELED);
    }
    assert(pthread_mutex_lock(&lock) == 0);
    pthread_mutex_unlock(&lock);
    assert(atomic_load(&blocks) == 0);
    return 0;
}
