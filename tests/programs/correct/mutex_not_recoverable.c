// SPDX-License-Identifier: MIT
// mutex_not_recoverable.c - a robust mutex that its heir unlocks without repair can never be locked again.
//
// expect: none
#include "correct.h"

static pthread_mutex_t lock;

static void *die_inside(void *unused)
{
    (void)unused;
    CHECK(pthread_mutex_lock(&lock) == 0);
    return NULL;
}

static void *try_it(void *unused)
{
    (void)unused;
    CHECK(pthread_mutex_lock(&lock) == ENOTRECOVERABLE);
    return NULL;
}

int main(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &attributes);
    join(start(die_inside, NULL));
    CHECK(pthread_mutex_lock(&lock) == EOWNERDEAD);
    pthread_t other = start(try_it, NULL);
    CHECK(pthread_mutex_unlock(&lock) == 0);
    join(other);
    CHECK(pthread_mutex_trylock(&lock) == ENOTRECOVERABLE);
    CHECK(pthread_mutex_destroy(&lock) == 0);
    return 0;
}
