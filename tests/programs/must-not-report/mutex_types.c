// SPDX-License-Identifier: MIT
// mutex_types.c - recursive and error-checking mutexes, used as they are meant to be.
//
// expect: none
// tsan: no (ThreadSanitizer reports the unlock that EPERM refuses)
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t checking;
static int total, depth;

static void add(int levels)
{
    assert(pthread_mutex_lock(&recursive) == 0);
    depth++;
    total++;
    if (levels > 1)
        add(levels - 1);
    depth--;
    assert(pthread_mutex_unlock(&recursive) == 0);
}

static void *work(void *unused)
{
    (void)unused;
    add(3);
    assert(pthread_mutex_unlock(&checking) == EPERM);
    assert(pthread_mutex_lock(&checking) == 0);
    assert(pthread_mutex_lock(&checking) == EDEADLK);
    assert(pthread_mutex_trylock(&checking) == EBUSY);
    assert(pthread_mutex_unlock(&checking) == 0);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&checking, &attributes);
    pthread_mutexattr_destroy(&attributes);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(total == 6 && depth == 0);
    assert(pthread_mutex_destroy(&checking) == 0);
    return 0;
}
