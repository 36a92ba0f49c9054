// SPDX-License-Identifier: MIT
// deadlock_nested_monitor.c - a wait inside a wait: the inner condition lets go of the inner lock only.
//
// Shape: nested monitor lock-out; the thread that would signal needs the outer lock.
// Why:   pthread_cond_wait releases one mutex, and the caller holds two.
//
// expect: deadlock
// find: random within 50
// find: pct within 50
// cause: a:lock(table)@deadlock_nested_monitor.c:21 < b:lock(table)@deadlock_nested_monitor.c:33
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t slot = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int value;

static void *take(void *result)
{
    pthread_mutex_lock(&table);
    pthread_mutex_lock(&slot);
    while (value == 0)
        pthread_cond_wait(&filled, &slot); /* table stays locked */
    *(int *)result = value;
    pthread_mutex_unlock(&slot);
    pthread_mutex_unlock(&table);
    return NULL;
}

static void put(int v)
{
    pthread_mutex_lock(&table);
    pthread_mutex_lock(&slot);
    value = v;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&slot);
    pthread_mutex_unlock(&table);
}

int main(void)
{
    int result = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, take, &result);
    put(5);
    pthread_join(thread, NULL);
    return result == 5 ? 0 : 1;
}
