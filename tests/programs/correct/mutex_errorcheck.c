// SPDX-License-Identifier: MIT
// mutex_errorcheck.c - an error-checking mutex says EDEADLK to its owner and EPERM to all others.
//
// expect: none
// tsan: no (it calls the wrong unlock a bug, which is the point)
#include "correct.h"

static pthread_mutex_t lock;
static int counter;

static void *work(void *unused)
{
    (void)unused;
    CHECK(pthread_mutex_unlock(&lock) == EPERM);
    CHECK(pthread_mutex_lock(&lock) == 0);
    CHECK(pthread_mutex_lock(&lock) == EDEADLK);
    counter++;
    CHECK(pthread_mutex_unlock(&lock) == 0);
    return NULL;
}

int main(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    CHECK(pthread_mutex_init(&lock, &attributes) == 0);
    pthread_mutexattr_destroy(&attributes);
    pthread_t a = start(work, NULL), b = start(work, NULL);
    join(a);
    join(b);
    CHECK(counter == 2 && pthread_mutex_destroy(&lock) == 0);
    return 0;
}
