// SPDX-License-Identifier: MIT
// double_checked_plain.c - double-checked locking with the pointer set before the object is complete.
//
// Shape: W(instance) R'(instance) R'(instance->size) W(instance->size).
// Why:   the fast path does not take the lock, so it may see the object half made.
//
// expect: assert
// find: random within 200
// find: pct within 200
// cause: a:R(size)@double_checked_plain.c:39 << b:W(size)@double_checked_plain.c:29
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct settings {
    int size;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct settings storage;
static struct settings *instance;

static struct settings *settings_get(void)
{
    if (instance == NULL) {
        pthread_mutex_lock(&lock);
        if (instance == NULL) {
            instance = &storage;
            instance->size = 8;
        }
        pthread_mutex_unlock(&lock);
    }
    return instance;
}

static void *use(void *unused)
{
    (void)unused;
    int size = settings_get()->size;
    assert(size == 8);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, use, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
