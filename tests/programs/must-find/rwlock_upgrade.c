// SPDX-License-Identifier: MIT
// rwlock_upgrade.c - a reader asks for the write lock without giving back its read lock.
//
// Shape: upgrade deadlock: the writer waits for all readers, itself included.
// Why:   the slow path (the entry has gone stale) is taken only if an invalidation came in between, so tests never see it.
//
// expect: deadlock|lock-misuse
// find: random within 50
// find: pct within 50
// cause: a:W(stale)@rwlock_upgrade.c:35 << b:R(stale)@rwlock_upgrade.c:20
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int stale, value = 1;

static int lookup(void)
{
    pthread_rwlock_rdlock(&lock);
    if (stale) {
        pthread_rwlock_wrlock(&lock); /* still holds it for reading */
        stale = 0;
        value++;
        pthread_rwlock_unlock(&lock);
    }
    int result = value;
    pthread_rwlock_unlock(&lock);
    return result;
}

static void *invalidate(void *unused)
{
    (void)unused;
    pthread_rwlock_wrlock(&lock);
    stale = 1;
    pthread_rwlock_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, invalidate, NULL);
    int result = lookup();
    pthread_join(thread, NULL);
    return result > 0 ? 0 : 1;
}
