/* SPDX-License-Identifier: MIT
 *
 * correct.h - what the correct programs share: CHECK evaluates its argument in every build; start and join are pthread_create and
 * pthread_join that must succeed; in_ms is a point in time.
 */
#ifndef CORRECT_H
#define CORRECT_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                    \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

static inline pthread_t start(void *(*function)(void *), void *argument)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, function, argument) == 0);
    return thread;
}

static inline void *join(pthread_t thread)
{
    void *result = NULL;
    CHECK(pthread_join(thread, &result) == 0);
    return result;
}

static inline struct timespec in_ms(clockid_t clock, long ms)
{
    struct timespec t;
    CHECK(clock_gettime(clock, &t) == 0);
    t.tv_nsec += ms % 1000 * 1000000;
    t.tv_sec += ms / 1000 + t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

#endif
