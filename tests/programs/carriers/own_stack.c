// SPDX-License-Identifier: MIT
// own_stack.c - a stack that the program brings is the one that is used, and is the program's again afterwards
#include "../restart/frame.h"

#include <stdint.h>

enum { SIZE = 256 << 10 };
static char *stack;
static __thread int local = 5;

static void *inside(void *unused)
{
    (void)unused;
    pthread_attr_t attributes;
    void *base;
    size_t size;
    char here;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &base, &size);
    printf("%d %d %d\n", (uintptr_t)&here - (uintptr_t)stack < SIZE, base == stack, size == SIZE);
    pthread_attr_destroy(&attributes);
    local++;
    pthread_exit((void *)(intptr_t)local);
}

static void use(int times)
{
    for (int i = 0; i < times; i++) {
        pthread_attr_t attributes;
        pthread_t thread;
        void *result;
        pthread_attr_init(&attributes);
        printf("%d", pthread_attr_setstack(&attributes, stack, SIZE));
        printf(" %d\n", pthread_create(&thread, &attributes, inside, NULL));
        pthread_join(thread, &result);
        printf("%d\n", (int)(intptr_t)result);
        pthread_attr_destroy(&attributes);
        memset(stack, 0x55, SIZE);
    }
}

static void before(void)
{
    stack = aligned_alloc(4096, SIZE);
    memset(stack, 0x55, SIZE);
    use(2);
    free(stack);
    stack = aligned_alloc(4096, SIZE);
    use(1);
}

static void after(void)
{
    use(1);
    free(stack);
}
