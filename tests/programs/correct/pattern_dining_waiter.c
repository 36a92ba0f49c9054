// SPDX-License-Identifier: MIT
// pattern_dining_waiter.c - dining philosophers with a waiter that lets in one fewer than there are.
//
// expect: none
// tsan: no (it does not know that the semaphore keeps the circle open)
#include "correct.h"

enum { COUNT = 3 };
static pthread_mutex_t forks[COUNT] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static sem_t chairs;
static int meals[COUNT];

static void *dine(void *number)
{
    int me = (int)(intptr_t)number;
    sem_wait(&chairs);
    pthread_mutex_lock(&forks[me]);
    pthread_mutex_lock(&forks[(me + 1) % COUNT]);
    meals[me]++;
    pthread_mutex_unlock(&forks[(me + 1) % COUNT]);
    pthread_mutex_unlock(&forks[me]);
    sem_post(&chairs);
    return NULL;
}

int main(void)
{
    pthread_t threads[COUNT];
    sem_init(&chairs, 0, COUNT - 1);
    for (intptr_t i = 0; i < COUNT; i++)
        threads[i] = start(dine, (void *)i);
    for (int i = 0; i < COUNT; i++)
        join(threads[i]);
    CHECK(meals[0] + meals[1] + meals[2] == COUNT);
    return 0;
}
