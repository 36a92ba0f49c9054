// SPDX-License-Identifier: MIT
// lostwake_unlocked_flag.c - the waiter does everything right, the thread that signals does not take the lock.
//
// Shape: lost wake-up: check under the lock, then store and signal by the other without it, then wait.
// Why:   the flag is atomic, so the lock looked superfluous.
//
// expect: deadlock
// find: random within 200
// find: pct within 200
// cause: a:signal(finished)@lostwake_unlocked_flag.c:23 << b:wait(finished)@lostwake_unlocked_flag.c:33
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t finished = PTHREAD_COND_INITIALIZER;
static atomic_int done;

static void *work(void *unused)
{
    (void)unused;
    atomic_store(&done, 1);
    pthread_cond_signal(&finished);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    while (!atomic_load(&done))
        pthread_cond_wait(&finished, &lock);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
