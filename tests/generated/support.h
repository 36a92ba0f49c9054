/* SPDX-License-Identifier: MIT
 *
 * support.h - what all generated programs use.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define UNUSED __attribute__((unused))

static UNUSED void *number(int value)
{
    return (void *)(intptr_t)value;
}

static UNUSED int *make_block(int value)
{
    int *block = malloc(sizeof *block);
    *block = value;
    return block;
}

static UNUSED void unlock(void *mutex)
{
    pthread_mutex_unlock(mutex);
}

static UNUSED void count_cleanup(void *count)
{
    ++*(int *)count;
}

/* In so many milliseconds. */
static UNUSED const struct timespec *soon(int milliseconds)
{
    static __thread struct timespec when;
    clock_gettime(CLOCK_REALTIME, &when);
    when.tv_nsec += milliseconds * 1000000L;
    when.tv_sec += when.tv_nsec / 1000000000;
    when.tv_nsec %= 1000000000;
    return &when;
}

/* Depth times 256 bytes of stack, all of them written. */
static UNUSED __attribute__((noinline)) int use_stack(int depth, int value)
{
    volatile char room[256];
    memset((char *)room, value, sizeof room);
    return depth > 0 ? use_stack(depth - 1, value) + room[depth % 256] : room[0];
}

static UNUSED void make_mutex(pthread_mutex_t *mutex, int type)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type);
    pthread_mutex_init(mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

/* With a stack of so many KiB, 0 for a plain one. */
static UNUSED void create(pthread_t *thread, int stack, void *(*function)(void *), int argument)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (stack > 0)
        pthread_attr_setstacksize(&attributes, (size_t)stack << 10);
    int error = pthread_create(thread, stack > 0 ? &attributes : NULL, function, number(argument));
    pthread_attr_destroy(&attributes);
    if (error != 0) {
        printf("pthread_create: %s\n", strerror(error));
        exit(98);
    }
}
