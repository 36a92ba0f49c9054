// SPDX-License-Identifier: MIT
// condvar_queue.c - a bounded queue of two places: one producer, one consumer, a mutex and two condition variables.
#include <pthread.h>
#include <stdlib.h>

enum { PLACES = 2, ITEMS = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int items[PLACES], first, count;

static void *produce(void *unused)
{
    (void)unused;
    for (int i = 1; i <= ITEMS; i++) {
        pthread_mutex_lock(&lock);
        while (count == PLACES)
            pthread_cond_wait(&not_full, &lock);
        items[(first + count++) % PLACES] = i;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t producer;
    int sum = 0;
    pthread_create(&producer, NULL, produce, NULL);
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&lock);
        while (count == 0)
            pthread_cond_wait(&not_empty, &lock);
        sum += items[first];
        first = (first + 1) % PLACES;
        count--;
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&lock);
    }
    pthread_join(producer, NULL);
    return sum == ITEMS * (ITEMS + 1) / 2 ? EXIT_SUCCESS : EXIT_FAILURE;
}
