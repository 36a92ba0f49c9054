// SPDX-License-Identifier: MIT
// lostwake_signal_before_wait.c - the condition is checked before the lock is taken; the signal falls into the gap.
//
// Shape: lost wake-up: R(ready)=0, W'(ready), signal', wait.
// Why:   a condition variable does not remember signals, and the check is not under the lock of the wait.
//
// expect: deadlock
// find: random within 50
// find: pct within 100
// cause: a:signal(changed)@lostwake_signal_before_wait.c:36 << b:wait(changed)@lostwake_signal_before_wait.c:24
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_int ready;

static void *wait_for_it(void *unused)
{
    (void)unused;
    if (!atomic_load(&ready)) {
        pthread_mutex_lock(&lock);
        pthread_cond_wait(&changed, &lock);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, wait_for_it, NULL);
    pthread_mutex_lock(&lock);
    atomic_store(&ready, 1);
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
