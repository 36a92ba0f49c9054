// SPDX-License-Identifier: MIT
// stack_overflow.c - a thread that has no stack left: a crash of that thread, on every carrier
#include "../restart/frame.h"

static volatile int depth;

static __attribute__((noinline)) int deeper(int n)
{
    volatile char room[1000];
    memset((char *)room, n, sizeof room);
    depth++;
    return n == 0 ? 0 : deeper(n + 1) + room[n % 1000]; // for ever: n does not become 0
}

static void *overflow(void *unused)
{
    deeper(1);
    return unused;
}

static void before(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 256 << 10);
    pthread_create(&thread, &attributes, overflow, NULL);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}

static void after(void)
{
}
