// SPDX-License-Identifier: MIT
// stack_sizes.c - stacks of all sizes: what is refused is refused by every carrier, with the same error
#include "../restart/frame.h"

#include <limits.h>
#include <stdint.h>

static void *use(void *unused)
{
    volatile char room[2048];
    memset((char *)room, 1, sizeof room);
    return room[5] == 1 ? NULL : unused;
}

static void try_size(size_t size)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    int error = pthread_attr_setstacksize(&attributes, size);
    printf("%zu: %d", size, error);
    error = pthread_create(&thread, &attributes, use, NULL);
    printf(" %d\n", error);
    if (error == 0)
        pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}

static void before(void)
{
    try_size(PTHREAD_STACK_MIN - 1);
    try_size(PTHREAD_STACK_MIN);
    try_size(PTHREAD_STACK_MIN + 1);
    try_size(100000);
    try_size((size_t)1 << 20);
    try_size(((size_t)8 << 20) + 4096);
    try_size((size_t)64 << 40);
    try_size((size_t)1 << 62);
    try_size(SIZE_MAX);
    try_size(SIZE_MAX - 4096);
}

static void after(void)
{
    try_size(100000);
}
