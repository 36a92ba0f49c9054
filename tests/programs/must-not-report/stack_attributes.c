// SPDX-License-Identifier: MIT
// stack_attributes.c - a thread on a stack that the program brings, and threads that look at their own stacks.
//
// expect: none
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>

enum { SIZE = 1 << 20 };

static int marker;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int seen;

static void *inside(void *unused)
{
    (void)unused;
    pthread_attr_t attributes;
    void *base;
    size_t size;
    char here;
    assert(pthread_getattr_np(pthread_self(), &attributes) == 0);
    assert(pthread_attr_getstack(&attributes, &base, &size) == 0);
    assert((uintptr_t)&here >= (uintptr_t)base && (uintptr_t)&here < (uintptr_t)base + size);
    pthread_attr_destroy(&attributes);
    pthread_mutex_lock(&lock);
    seen++;
    pthread_mutex_unlock(&lock);
    return &marker;
}

int main(void)
{
    pthread_t thread[2];
    pthread_attr_t attributes;
    void *stack = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(stack != MAP_FAILED);
    pthread_attr_init(&attributes);
    assert(pthread_attr_setstack(&attributes, stack, SIZE) == 0);
    assert(pthread_create(&thread[0], &attributes, inside, NULL) == 0);
    assert(pthread_create(&thread[1], NULL, inside, NULL) == 0);
    for (int i = 0; i < 2; i++) {
        void *result = NULL;
        assert(pthread_join(thread[i], &result) == 0);
        assert(result == &marker);
    }
    pthread_attr_destroy(&attributes);
    assert(seen == 2);
    munmap(stack, SIZE);
    return 0;
}
