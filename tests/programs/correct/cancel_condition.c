// SPDX-License-Identifier: MIT
// cancel_condition.c - a waiter that is cancelled owns the mutex again in its clean-up handler.
//
// expect: none
#include "correct.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int waiting, cleaned;

static void clean(void *unused)
{
    (void)unused;
    cleaned++;
    waiting--;
    pthread_mutex_unlock(&lock);
}

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    waiting++;
    pthread_cleanup_push(clean, unused);
    for (;;)
        pthread_cond_wait(&never, &lock);
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void)
{
    pthread_t a = start(work, NULL), b = start(work, NULL);
    pthread_cancel(a);
    pthread_cancel(b);
    CHECK(join(a) == PTHREAD_CANCELED && join(b) == PTHREAD_CANCELED);
    CHECK(waiting == 0 && cleaned <= 2);
    CHECK(pthread_mutex_trylock(&lock) == 0);
    return 0;
}
