// SPDX-License-Identifier: MIT
// long.h - what the long programs share.  Each is correct; with a bug number from 1 to 10 it has that bug, and fails an assertion, deadlocks
// or crashes under some interleavings:  long_NAME [BUG [SIZE]].  SIZE scales the length of a run; 1 is the shortest.
#ifndef RADDLE_BENCH_LONG_H
#define RADDLE_BENCH_LONG_H

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUGS = 10 };

static int long_bug;
static int long_size = 1;

static inline bool has_bug(int number)
{
    return long_bug == number;
}

static inline void long_begin(int argc, char **argv)
{
    if (argc > 1)
        long_bug = atoi(argv[1]);
    if (argc > 2)
        long_size = atoi(argv[2]);
    if (long_bug < 0 || long_bug > BUGS || long_size < 1 || long_size > 100000) {
        fprintf(stderr, "usage: %s [BUG from 0 to %d [SIZE from 1]]\n", argv[0], BUGS);
        exit(1);
    }
}

// The same numbers in each run.
static inline uint32_t long_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

// A mutex that is left out if the program has this bug.
static inline void lock_unless(int bug, pthread_mutex_t *lock)
{
    if (!has_bug(bug))
        pthread_mutex_lock(lock);
}

static inline void unlock_unless(int bug, pthread_mutex_t *lock)
{
    if (!has_bug(bug))
        pthread_mutex_unlock(lock);
}

static inline void start_threads(pthread_t *threads, int count, void *(*function)(void *))
{
    for (long i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, function, (void *)i) != 0)
            abort();
}

static inline void join_threads(const pthread_t *threads, int count)
{
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

#endif
