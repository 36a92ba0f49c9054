// SPDX-License-Identifier: MIT
// sem_wrong_count.c - a semaphore meant as a lock starts at two.
//
// Shape: lost update inside a "critical section" that admits two.
// Why:   the initial value was taken for the number of threads.
//
// expect: assert
// find: random within 50
// find: pct within 200
// cause: a:R(tickets)@sem_wrong_count.c:25 << b:W(tickets)@sem_wrong_count.c:26 << a:W(tickets)@sem_wrong_count.c:26
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

enum { THREADS = 2 };

static sem_t guard;
static int tickets = 10;

static void *sell(void *unused)
{
    (void)unused;
    sem_wait(&guard);
    int left = tickets;
    tickets = left - 1;
    sem_post(&guard);
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    sem_init(&guard, 0, THREADS); /* should be 1 */
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, sell, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    assert(tickets == 10 - THREADS);
    sem_destroy(&guard);
    return 0;
}
