// SPDX-License-Identifier: MIT
// cancel_deferred.c - deferred cancellation acts at cancellation points only, and clean-up handlers run inside out.
//
// expect: none
// tsan: no (it does not see the unlock of a cancelled thread)
#include "correct.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t begun;
static int order, outer_at, inner_at;

static void outer(void *unused)
{
    (void)unused;
    outer_at = ++order;
}

static void inner(void *mutex)
{
    inner_at = ++order;
    pthread_mutex_unlock(mutex);
}

static void *work(void *unused)
{
    pthread_cleanup_push(outer, unused);
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(inner, &lock);
    sem_post(&begun);
    for (;;)
        usleep(1000);
    pthread_cleanup_pop(1);
    pthread_cleanup_pop(1);
    return NULL;
}

int main(void)
{
    sem_init(&begun, 0, 0);
    pthread_t thread = start(work, NULL);
    sem_wait(&begun);
    CHECK(pthread_cancel(thread) == 0);
    CHECK(join(thread) == PTHREAD_CANCELED);
    CHECK(inner_at == 1 && outer_at == 2);
    CHECK(pthread_mutex_trylock(&lock) == 0);
    return 0;
}
