// SPDX-License-Identifier: MIT
// mutex_inherit.c - a mutex with priority inheritance locks like any other.
//
// expect: none
#include "correct.h"

static pthread_mutex_t lock;
static int counter;

static void *work(void *unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++) {
        CHECK(pthread_mutex_lock(&lock) == 0);
        counter++;
        CHECK(pthread_mutex_unlock(&lock) == 0);
    }
    return NULL;
}

int main(void)
{
    pthread_mutexattr_t attributes;
    int protocol = -1;
    pthread_mutexattr_init(&attributes);
    CHECK(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT) == 0);
    CHECK(pthread_mutexattr_getprotocol(&attributes, &protocol) == 0 && protocol == PTHREAD_PRIO_INHERIT);
    CHECK(pthread_mutex_init(&lock, &attributes) == 0);
    pthread_t a = start(work, NULL), b = start(work, NULL);
    join(a);
    join(b);
    CHECK(counter == 6);
    CHECK(pthread_mutex_destroy(&lock) == 0);
    return 0;
}
