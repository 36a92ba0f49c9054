// SPDX-License-Identifier: MIT
// cond_monotonic.c - a condition variable on CLOCK_MONOTONIC; a wait that ends without the news waits again.
//
// expect: none
#include "correct.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static int news;

static void *tell(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    news = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    CHECK(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0);
    CHECK(pthread_cond_init(&changed, &attributes) == 0);
    pthread_t thread = start(tell, NULL);
    pthread_mutex_lock(&lock);
    while (!news) {
        struct timespec end = in_ms(CLOCK_MONOTONIC, 5);
        int error = pthread_cond_timedwait(&changed, &lock, &end);
        CHECK(error == 0 || error == ETIMEDOUT);
    }
    pthread_mutex_unlock(&lock);
    join(thread);
    CHECK(pthread_cond_destroy(&changed) == 0);
    return 0;
}
