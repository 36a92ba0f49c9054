// SPDX-License-Identifier: MIT
// rwlock_recursive_read.c - a reader reads again while a writer is waiting, on a lock that prefers writers.
//
// Shape: three-way wait: second read waits for the writer, the writer for the first read.
// Why:   recursive reading is fine until writer preference is switched on.
//
// expect: deadlock
// find: random within 20
// find: pct within 50
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock;
static int value;

static int get(void)
{
    pthread_rwlock_rdlock(&lock);
    int v = value;
    pthread_rwlock_unlock(&lock);
    return v;
}

static void *sum(void *result)
{
    pthread_rwlock_rdlock(&lock);
    *(int *)result = get() + get(); /* reads again below its own read lock */
    pthread_rwlock_unlock(&lock);
    return NULL;
}

static void *set(void *unused)
{
    (void)unused;
    pthread_rwlock_wrlock(&lock);
    value = 3;
    pthread_rwlock_unlock(&lock);
    return NULL;
}

int main(void)
{
    int result = -1;
    pthread_t reader, writer;
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&lock, &attributes);
    pthread_create(&reader, NULL, sum, &result);
    pthread_create(&writer, NULL, set, NULL);
    pthread_join(reader, NULL);
    pthread_join(writer, NULL);
    return result == 0 || result == 6 ? 0 : 1;
}
