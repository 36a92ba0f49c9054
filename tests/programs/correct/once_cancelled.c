// SPDX-License-Identifier: MIT
// once_cancelled.c - a once routine that is cancelled has not run: the next caller runs it again.
//
// expect: none
// tsan: no (it never ends there)
#include "correct.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t inside;
static int attempts, complete;

static void routine(void)
{
    if (attempts++ == 0) {
        sem_post(&inside);
        for (;;)
            pause();
    }
    complete = 1;
}

static void *work(void *unused)
{
    (void)unused;
    pthread_once(&once, routine);
    return NULL;
}

int main(void)
{
    sem_init(&inside, 0, 0);
    pthread_t first = start(work, NULL);
    sem_wait(&inside);
    pthread_t second = start(work, NULL);
    CHECK(pthread_cancel(first) == 0);
    CHECK(join(first) == PTHREAD_CANCELED);
    join(second);
    CHECK(complete == 1 && attempts == 2);
    return 0;
}
