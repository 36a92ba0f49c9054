// SPDX-License-Identifier: MIT
// stack_garbage.c - what main and threads find on their stacks before they have written there
#include "frame.h"

static __attribute__((noinline)) unsigned garbage(void)
{
    volatile unsigned words[600];
    unsigned sum = 0;
    __asm__ volatile("" : : "r"(words) : "memory");
    for (int i = 0; i < 600; i++)
        sum = sum * 31 + words[i];
    return sum;
}

static void *look(void *sum)
{
    *(unsigned *)sum = garbage();
    return NULL;
}

static void before(void)
{
    printf("%x\n", garbage());
}

static void after(void)
{
    pthread_t thread;
    unsigned sum = 1;
    pthread_create(&thread, NULL, look, &sum);
    pthread_join(thread, NULL);
    printf("%x\n", sum);
}
