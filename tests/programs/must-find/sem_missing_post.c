// SPDX-License-Identifier: MIT
// sem_missing_post.c - an early return forgets to give the semaphore back.
//
// Shape: resource leak that ends in a deadlock, on a path that only a conflict takes.
// Why:   the "another thread has done it already" branch leaves the function in the middle.
//
// expect: deadlock
// find: random within 20
// find: pct within 200
// cause: a:R(version)@sem_missing_post.c:22 << b:W(version)@sem_missing_post.c:24 << a:R(version)@sem_missing_post.c:24
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>

static sem_t slots;
static atomic_int version;

static void *update(void *unused)
{
    (void)unused;
    int expected = atomic_load(&version);
    sem_wait(&slots);
    if (!atomic_compare_exchange_strong(&version, &expected, expected + 1))
        return NULL; /* lost the race; the slot is lost as well */
    sem_post(&slots);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    sem_init(&slots, 0, 1);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, update, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    sem_wait(&slots); /* all work is done: close the shop */
    sem_destroy(&slots);
    return 0;
}
