// SPDX-License-Identifier: MIT
// tryjoin.c - pthread_tryjoin_np says EBUSY while the thread runs, then gives its result once.
//
// expect: none
#include "correct.h"

static sem_t go;

static void *work(void *unused)
{
    (void)unused;
    sem_wait(&go);
    return &go;
}

int main(void)
{
    void *result = NULL;
    sem_init(&go, 0, 0);
    pthread_t thread = start(work, NULL);
    CHECK(pthread_tryjoin_np(thread, &result) == EBUSY);
    sem_post(&go);
    int error;
    while ((error = pthread_tryjoin_np(thread, &result)) == EBUSY)
        sched_yield();
    CHECK(error == 0 && result == &go);
    return 0;
}
