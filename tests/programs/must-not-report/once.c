// SPDX-License-Identifier: MIT
// once.c - pthread_once, and double-checked initialisation with acquire and release.
//
// expect: none
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int by_once;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int storage;
static _Atomic(int *) instance;

static void initialise(void)
{
    by_once++;
}

static int *get(void)
{
    int *p = atomic_load_explicit(&instance, memory_order_acquire);
    if (p == NULL) {
        pthread_mutex_lock(&lock);
        p = atomic_load_explicit(&instance, memory_order_relaxed);
        if (p == NULL) {
            storage = 8;
            p = &storage;
            atomic_store_explicit(&instance, p, memory_order_release);
        }
        pthread_mutex_unlock(&lock);
    }
    return p;
}

static void *use(void *unused)
{
    (void)unused;
    pthread_once(&once, initialise);
    assert(by_once == 1);
    assert(*get() == 8);
    return NULL;
}

int main(void)
{
    pthread_t thread[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, use, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
