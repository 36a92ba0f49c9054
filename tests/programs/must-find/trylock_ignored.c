// SPDX-License-Identifier: MIT
// trylock_ignored.c - the result of trylock is not looked at, and the lock is released all the same.
//
// Shape: lock misuse: unlock of a mutex that another thread holds.
// Why:   trylock was put in to avoid a deadlock, and "busy" was forgotten.
//
// expect: lock-misuse|assert
// find: random within 50
// find: pct within 100
// cause: a:lock(lock)@trylock_ignored.c:21 << b:try(lock)@trylock_ignored.c:30
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *careful(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *hasty(void *unused)
{
    (void)unused;
    pthread_mutex_trylock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, careful, NULL);
    pthread_create(&two, NULL, hasty, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(counter == 2);
    return 0;
}
