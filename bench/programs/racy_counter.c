// SPDX-License-Identifier: MIT
// racy_counter.c - three threads add to one counter without a lock, and no check depends on it: a run with data races that is no failure.
#include <pthread.h>
#include <stdlib.h>

static volatile int counter;

static void *add(void *unused)
{
    (void)unused;
    for (int i = 0; i < 8; i++)
        counter = counter + 1;
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return counter > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
