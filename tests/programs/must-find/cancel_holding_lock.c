// SPDX-License-Identifier: MIT
// cancel_holding_lock.c - a thread is cancelled at a cancellation point inside a critical section.
//
// Shape: the lock dies with its owner; the next thread that wants it waits for ever.
// Why:   no clean-up handler is pushed, and the call in the middle is a cancellation point.
//
// expect: deadlock
// find: random within 500
// find: pct within 500
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { IDLE, BUSY, DONE };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int state = IDLE;

static void *work(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    atomic_store(&state, BUSY);
    pthread_testcancel(); /* stands for any call that is a cancellation point */
    atomic_store(&state, DONE);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    if (atomic_load(&state) == BUSY) /* it takes too long */
        pthread_cancel(thread);
    pthread_join(thread, NULL);
    pthread_mutex_lock(&lock);
    atomic_store(&state, IDLE);
    pthread_mutex_unlock(&lock);
    return 0;
}
