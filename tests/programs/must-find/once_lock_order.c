// SPDX-License-Identifier: MIT
// once_lock_order.c - an initialiser takes a lock that another caller of the same pthread_once holds.
//
// Shape: cycle through a mutex and a once: one holds the lock and waits for the once, the other the other way round.
// Why:   pthread_once is a lock as well, and has a place in the lock order.
//
// expect: deadlock
// find: random within 20
// find: pct within 100
// cause: a:acquire(once)@once_lock_order.c:31 | b:lock(lock)@once_lock_order.c:38 < b:acquire(once)@once_lock_order.c:40 | a:lock(lock)@once_lock_order.c:23
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int begun;
static int registered;

static void initialise(void)
{
    atomic_store(&begun, 1);
    pthread_mutex_lock(&lock);
    registered = 1;
    pthread_mutex_unlock(&lock);
}

static void *first_user(void *unused)
{
    (void)unused;
    pthread_once(&once, initialise);
    return NULL;
}

static void *second_user(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    if (atomic_load(&begun))
        pthread_once(&once, initialise); /* only to be sure that it is finished */
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, first_user, NULL);
    pthread_create(&two, NULL, second_user, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return registered ? 0 : 1;
}
