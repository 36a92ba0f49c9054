// SPDX-License-Identifier: MIT
// deep_recursion.c - thousands of frames in threads, one of them with a stack of its own size.
//
// expect: none
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;

static long __attribute__((noinline)) sum(long n)
{
    if (n == 0)
        return 0;
    volatile long rest = sum(n - 1);
    return rest + n;
}

static void *work(void *depth)
{
    long n = *(long *)depth;
    long result = sum(n);
    pthread_mutex_lock(&lock);
    total += result - n * (n + 1) / 2;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    long depth[3] = {2000, 5000, 100};
    pthread_t thread[3];
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    assert(pthread_attr_setstacksize(&attributes, 4 << 20) == 0);
    for (int i = 0; i < 3; i++)
        assert(pthread_create(&thread[i], i == 1 ? &attributes : NULL, work, &depth[i]) == 0);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    pthread_attr_destroy(&attributes);
    assert(total == 0);
    return 0;
}
