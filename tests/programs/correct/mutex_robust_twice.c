// SPDX-License-Identifier: MIT
// mutex_robust_twice.c - two owners die one after the other; each successor repairs the state and goes on.
//
// expect: none
// tsan: no (it does not know the call)
#include "correct.h"

static pthread_mutex_t lock;
static int half_done;

static void *die_inside(void *unused)
{
    (void)unused;
    int error = pthread_mutex_lock(&lock);
    if (error == EOWNERDEAD) {
        half_done = 0;
        CHECK(pthread_mutex_consistent(&lock) == 0);
    } else {
        CHECK(error == 0);
    }
    CHECK(half_done == 0);
    half_done = 1;
    return NULL;
}

int main(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &attributes);
    pthread_t a = start(die_inside, NULL), b = start(die_inside, NULL);
    join(a);
    join(b);
    CHECK(pthread_mutex_trylock(&lock) == EOWNERDEAD);
    CHECK(half_done == 1);
    CHECK(pthread_mutex_consistent(&lock) == 0 && pthread_mutex_unlock(&lock) == 0);
    CHECK(pthread_mutex_lock(&lock) == 0 && pthread_mutex_unlock(&lock) == 0);
    return 0;
}
