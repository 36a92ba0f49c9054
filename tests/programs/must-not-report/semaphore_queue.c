// SPDX-License-Identifier: MIT
// semaphore_queue.c - a bounded buffer with counting semaphores.
//
// expect: none
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

enum { SIZE = 2, ITEMS = 4 };

static sem_t empty, full, guard;
static int slot[SIZE], in, out, sum;

static void *produce(void *unused)
{
    (void)unused;
    for (int i = 1; i <= ITEMS; i++) {
        sem_wait(&empty);
        sem_wait(&guard);
        slot[in++ % SIZE] = i;
        sem_post(&guard);
        sem_post(&full);
    }
    return NULL;
}

static void *consume(void *unused)
{
    (void)unused;
    for (int i = 0; i < ITEMS / 2; i++) {
        sem_wait(&full);
        sem_wait(&guard);
        sum += slot[out++ % SIZE];
        sem_post(&guard);
        sem_post(&empty);
    }
    return NULL;
}

int main(void)
{
    pthread_t producer, consumer[2];
    sem_init(&empty, 0, SIZE);
    sem_init(&full, 0, 0);
    sem_init(&guard, 0, 1);
    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&consumer[0], NULL, consume, NULL);
    pthread_create(&consumer[1], NULL, consume, NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer[0], NULL);
    pthread_join(consumer[1], NULL);
    assert(sum == 1 + 2 + 3 + 4);
    sem_destroy(&empty);
    sem_destroy(&full);
    sem_destroy(&guard);
    return 0;
}
