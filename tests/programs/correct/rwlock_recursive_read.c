// SPDX-License-Identifier: MIT
// rwlock_recursive_read.c - a thread that reads may read again, while no writer is preferred.
//
// expect: none
#include "correct.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static int read_twice(void)
{
    pthread_rwlock_rdlock(&lock);
    int first = value;
    CHECK(pthread_rwlock_tryrdlock(&lock) == 0);
    int second = value;
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    return first == second;
}

static void *reader(void *unused)
{
    (void)unused;
    CHECK(read_twice() && read_twice());
    return NULL;
}

int main(void)
{
    pthread_t a = start(reader, NULL), b = start(reader, NULL);
    pthread_rwlock_wrlock(&lock);
    value++;
    pthread_rwlock_unlock(&lock);
    join(a);
    join(b);
    return 0;
}
