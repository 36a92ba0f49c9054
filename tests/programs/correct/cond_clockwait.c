// SPDX-License-Identifier: MIT
// cond_clockwait.c - pthread_cond_clockwait: a deadline that has passed gives ETIMEDOUT, with the mutex held again.
//
// expect: none
#include "correct.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int inside;

static void *work(void *unused)
{
    (void)unused;
    struct timespec past = {0, 0};
    pthread_mutex_lock(&lock);
    CHECK(pthread_cond_clockwait(&never, &lock, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
    CHECK(inside++ == 0);
    inside--;
    struct timespec soon = in_ms(CLOCK_REALTIME, 2);
    int error;
    do
        error = pthread_cond_clockwait(&never, &lock, CLOCK_REALTIME, &soon);
    while (error == 0);
    CHECK(error == ETIMEDOUT);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t a = start(work, NULL), b = start(work, NULL);
    join(a);
    join(b);
    return 0;
}
