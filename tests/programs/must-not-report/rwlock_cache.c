// SPDX-License-Identifier: MIT
// rwlock_cache.c - look up under the read lock, give it back, take the write lock and look again.
//
// expect: none
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { KEYS = 2 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value[KEYS], computed[KEYS];

static int get(int key)
{
    pthread_rwlock_rdlock(&lock);
    int result = value[key];
    pthread_rwlock_unlock(&lock);
    if (result != 0)
        return result;
    pthread_rwlock_wrlock(&lock);
    if (value[key] == 0) {
        value[key] = 10 + key;
        computed[key]++;
    }
    result = value[key];
    pthread_rwlock_unlock(&lock);
    return result;
}

static void *use(void *unused)
{
    (void)unused;
    for (int key = 0; key < KEYS; key++)
        assert(get(key) == 10 + key);
    return NULL;
}

int main(void)
{
    pthread_t thread[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, use, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    for (int key = 0; key < KEYS; key++)
        assert(computed[key] == 1);
    pthread_rwlock_destroy(&lock);
    return 0;
}
