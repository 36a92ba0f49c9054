// SPDX-License-Identifier: MIT
// lost_update_wrong_lock.c - every access is locked, but one place takes another lock.
//
// Shape: lost update under two different locks.
// Why:   the statistics were moved into the pool and one function still takes the old lock.
//
// expect: assert
// find: random within 50
// find: pct within 200
// cause: a:R(bytes_used)@lost_update_wrong_lock.c:24 << b:W(bytes_used)@lost_update_wrong_lock.c:33 << a:W(bytes_used)@lost_update_wrong_lock.c:24
// cause: a:R(bytes_used)@lost_update_wrong_lock.c:33 << b:W(bytes_used)@lost_update_wrong_lock.c:24 << a:W(bytes_used)@lost_update_wrong_lock.c:33
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t statistics_lock = PTHREAD_MUTEX_INITIALIZER;
static long bytes_used;

static void *allocate(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&pool_lock);
    bytes_used += 4096;
    pthread_mutex_unlock(&pool_lock);
    return NULL;
}

static void *release(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&statistics_lock); /* not the lock of the pool */
    bytes_used -= 512;
    pthread_mutex_unlock(&statistics_lock);
    return NULL;
}

int main(void)
{
    pthread_t thread[3];
    pthread_create(&thread[0], NULL, allocate, NULL);
    pthread_create(&thread[1], NULL, release, NULL);
    pthread_create(&thread[2], NULL, allocate, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    assert(bytes_used == 2 * 4096 - 512);
    return 0;
}
