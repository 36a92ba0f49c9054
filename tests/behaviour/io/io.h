/* SPDX-License-Identifier: MIT
 *
 * io.h - what the programs of this directory share.  Each asserts what the calls answer; it must hold by itself and in
 * every schedule under control.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The call fails with this errno. */
#define FAILS(error, call)                                                                                             \
    do {                                                                                                               \
        errno = 0;                                                                                                     \
        assert((call) == -1);                                                                                          \
        assert(errno == (error));                                                                                      \
    } while (0)

static inline pthread_t start(void *(*routine)(void *), void *argument)
{
    pthread_t thread;
    assert(pthread_create(&thread, NULL, routine, argument) == 0);
    return thread;
}

static inline void *finish(pthread_t thread)
{
    void *result;
    assert(pthread_join(thread, &result) == 0);
    return result;
}
