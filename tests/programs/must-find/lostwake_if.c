// SPDX-License-Identifier: MIT
// lostwake_if.c - `if` instead of `while` around a condition wait.
//
// Shape: a waiter is woken, and before it has the lock again a third thread takes the item.
// Why:   waking up does not mean that the condition holds.
//
// expect: assert
// find: random within 500
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items, closed;

static void *consume(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    if (items == 0 && !closed)
        pthread_cond_wait(&filled, &lock);
    if (!closed || items > 0) {
        assert(items > 0);
        items--;
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *produce(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    items++;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t producer, consumer[2];
    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&consumer[0], NULL, consume, NULL);
    pthread_create(&consumer[1], NULL, consume, NULL);
    pthread_join(producer, NULL);
    pthread_mutex_lock(&lock);
    if (items == 0)
        items = 1; /* something for the other one as well */
    else
        closed = 1;
    pthread_cond_broadcast(&filled);
    pthread_mutex_unlock(&lock);
    pthread_join(consumer[0], NULL);
    pthread_join(consumer[1], NULL);
    return 0;
}
