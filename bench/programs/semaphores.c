// SPDX-License-Identifier: MIT
// semaphores.c - a token goes round three threads, each waiting for its own semaphore and posting the next one's.
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdlib.h>

enum { THREADS = 3, ROUNDS = 4 };

static sem_t turns[THREADS];
static int token;

static void *pass(void *argument)
{
    size_t self = (size_t)argument;
    for (int i = 0; i < ROUNDS; i++) {
        sem_wait(&turns[self]);
        token++;
        sem_post(&turns[(self + 1) % THREADS]);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        sem_init(&turns[i], 0, i == 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, pass, (void *)i);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return token == THREADS * ROUNDS ? EXIT_SUCCESS : EXIT_FAILURE;
}
