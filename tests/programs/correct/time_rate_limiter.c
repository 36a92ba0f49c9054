// SPDX-License-Identifier: MIT
// time_rate_limiter.c - a token bucket that is filled by the clock never gives more than it has.
//
// expect: none
#include "correct.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long filled_at, tokens = 2, given;

static long milliseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int take(void)
{
    pthread_mutex_lock(&lock);
    long now = milliseconds(), more = now - filled_at;
    CHECK(more >= 0);
    tokens = tokens + more > 2 ? 2 : tokens + more;
    filled_at = now;
    int got = tokens > 0;
    tokens -= got;
    given += got;
    CHECK(tokens >= 0 && tokens <= 2);
    pthread_mutex_unlock(&lock);
    return got;
}

static void *work(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++)
        while (!take())
            usleep(1000);
    return NULL;
}

int main(void)
{
    filled_at = milliseconds();
    pthread_t a = start(work, NULL), b = start(work, NULL);
    join(a);
    join(b);
    CHECK(given == 4);
    return 0;
}
