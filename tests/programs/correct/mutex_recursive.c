// SPDX-License-Identifier: MIT
// mutex_recursive.c - a recursive mutex is free for others when it was unlocked as often as locked.
//
// expect: none
#include "correct.h"

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int depth, sum;

static void descend(int levels)
{
    pthread_mutex_lock(&lock);
    depth++;
    sum += depth;
    if (levels > 1)
        descend(levels - 1);
    depth--;
    pthread_mutex_unlock(&lock);
}

static void *work(void *unused)
{
    (void)unused;
    descend(3);
    if (pthread_mutex_trylock(&lock) == 0) {
        CHECK(depth == 0);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t a = start(work, NULL), b = start(work, NULL);
    join(a);
    join(b);
    CHECK(depth == 0 && sum == 12);
    return 0;
}
