// SPDX-License-Identifier: MIT
// mutex_destroy_held.c - a mutex is destroyed while a thread is in its critical section.
//
// Shape: lock misuse by an order violation: destroy before the last unlock.
// Why:   the owner looks at the work counter, which is incremented inside the critical section.
//
// expect: lock-misuse
// find: random within 500
// find: pct within 200
// cause: a:lock(lock)@mutex_destroy_held.c:21 << b:destroy(lock)@mutex_destroy_held.c:32
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int finished;

static void *work(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    atomic_store(&finished, 1);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    if (atomic_load(&finished))
        pthread_mutex_destroy(&lock);
    pthread_join(thread, NULL);
    return 0;
}
